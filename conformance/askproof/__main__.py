"""The command line. Each command's work is in a module of its own, imported when it is called."""

from __future__ import annotations

import os
import sys

from askproof import __version__

TYPE_CHECKING = False  # as in `typing`, the import of which would take longer than the help does
if TYPE_CHECKING:
    import argparse

ADAPTER = "reference, python:MODULE:NAME, python:FILE.py:NAME or 'exec:COMMAND ...'"
_STATUS = """\
exit status: 0 conforms; 1 does not, or findings; 2 wrong usage; 3 an adapter or input that could
not be started, read or spoken to; 4 an error of the kit itself"""


def _run(command: argparse.ArgumentParser) -> None:
    command.add_argument("adapter", metavar="ADAPTER", help=ADAPTER)
    _selection(command)
    command.add_argument("--results", metavar="FILE", help="write the results as JSON Lines")
    command.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML")
    command.add_argument("--transcripts", metavar="DIR", help="write what was said in failed cases")


def _list(command: argparse.ArgumentParser) -> None:
    what = ("cases", "roles", "requirements")
    command.add_argument("what", nargs="?", choices=what, default="cases")
    _selection(command)
    _json(command)


def _explain(command: argparse.ArgumentParser) -> None:
    command.add_argument("id", metavar="ID", help="such as EVT-071, or the id of a case")


def _replay(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="a transcript, a case file or a case's id")
    command.add_argument("adapter", metavar="ADAPTER", help=ADAPTER)


def _check(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", metavar="FILE", nargs="+", help="- is the standard input")
    command.add_argument(
        "--namespace",
        action="append",
        default=[],
        metavar="PREFIX",
        help="only channels PREFIX:..., where other programs use the same names",
    )
    command.add_argument("--json", action="store_true", help="findings as JSON Lines")


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="as JSON")


def _mutants(command: argparse.ArgumentParser) -> None:
    about = "a mutant, * allowed, or a requirement"
    command.add_argument("names", metavar="NAME", nargs="*", help=about)
    _json(command)


def _serve(command: argparse.ArgumentParser) -> None:
    command.add_argument("adapter", metavar="ADAPTER", help="reference or python:...")


def _selection(command: argparse.ArgumentParser) -> None:
    for option, metavar, about in (
        ("--role", "ROLE", "only this role"),
        ("--case", "GLOB", "only cases with such an id"),
        ("--requirement", "ID", "only cases that show it"),
    ):
        command.add_argument(option, action="append", default=[], metavar=metavar, help=about)
    weakest = "the weakest level that is demanded (default: should)"
    levels = ("must", "should", "may")
    command.add_argument("--level", choices=levels, default="should", help=weakest)


# What each is for, and its options; its work is in the module `askproof.commands.NAME`.
COMMANDS = {
    "run": ("run the cases against an adapter", _run),
    "list": ("list cases, roles or requirements", _list),
    "explain": ("explain a requirement or a case", _explain),
    "replay": ("run a transcript or a case again", _replay),
    "check": ("check logs: lines of {time, channel, data}, or receipts", _check),
    "coverage": ("clauses, requirements, cases and mutants, joined", _json),
    "mutants": ("break each rule of the reference, and see the suite notice", _mutants),
    "null-score": ("how much passes for implementations of nothing", _json),
    "serve": ("a Python adapter on the standard streams", _serve),
}


def usage() -> str:
    """What `askproof --help` prints; nothing is imported for it."""
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {about}" for name, (about, _) in COMMANDS.items())
    return f"""\
usage: askproof COMMAND ...

Does a program that asks a human on behalf of a coding agent keep its contract?

{commands}

askproof COMMAND --help tells more of one; askproof --version tells the version.

{_STATUS}"""


def main(argv: list[str] | None = None) -> int:
    """Carry out a command line and return its exit status; problems are one line on stderr."""
    argv = sys.argv[1:] if argv is None else argv
    name = argv[0] if argv else ""
    if name in ("-h", "--help", "--version"):
        print(f"askproof {__version__}" if name == "--version" else usage())
        return 0
    if name not in COMMANDS:
        problem = f"there is no command {name!r}" if argv else "which command?"
        _tell("askproof", f"{problem}; see: askproof --help")
        return 2
    about, add_options = COMMANDS[name]
    from importlib import import_module

    from askproof.errors import AskproofError
    from askproof.options import Parser

    options = Parser(f"askproof {name}", about, _STATUS)
    add_options(options)
    args = options.parse_args(argv[1:])
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")  # whatever the terminal can show
    try:
        module = import_module(f"askproof.commands.{name.replace('-', '_')}")
        status: int = module.command(args)
        sys.stdout.flush()
    except AskproofError as error:
        _tell(options.prog, str(error))
        return error.exit_status
    except OSError as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):  # the reader of a pipe, head say, has seen enough
            return 1
        _tell(options.prog, f"{error.filename or 'standard output'}: {error.strerror}")
        return 3
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the last resort: a bug of the kit is named as one
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
        problem = f"{type(error).__name__}: {error}"[:500]
        _tell(options.prog, f"an error of the kit: {problem} ({where})")
        return 4
    return status


def _tell(program: str, problem: str) -> None:
    from askproof.shown import printable

    print(f"{program}: {printable(problem)}", file=sys.stderr)


def _drop_output() -> None:
    """Leave nothing to be flushed at the end, where it would fail again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
