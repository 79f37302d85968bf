"""The command line. Each command's work is in a module of its own, imported when it is called."""

from __future__ import annotations

import os
import sys

from askproof import __version__

TYPE_CHECKING = False  # as in `typing`, the import of which would take longer than the help does
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

ADAPTER = "reference, python:MODULE:NAME, python:FILE.py:NAME, 'exec:COMMAND ...' or pi:EXTENSION"
_STATUS = """\
exit status: 0 conforms; 1 does not, or findings; 2 wrong usage; 3 an adapter, input or output that
could not be started, read, written or spoken to; 4 an error of the kit itself"""
_TELL = ("", "list", "explain")  # without a verdict: whoever reads no further misses nothing


def _run(command: argparse.ArgumentParser) -> None:
    _adapter(command)
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
    _adapter(command)


def _adapter(command: argparse.ArgumentParser) -> None:
    command.add_argument("adapter", metavar="ADAPTER", help=ADAPTER)
    from askproof.options import add_pi_options

    add_pi_options(command)


def _check(command: argparse.ArgumentParser) -> None:
    about = "a file, a pattern such as 'sessions/*.jsonl', or - for the standard input"
    command.add_argument("files", metavar="FILE", nargs="+", help=about)
    for option, metavar, about in (
        ("--namespace", "PREFIX", "only channels PREFIX:..., where others use the same names"),
        ("--secret", "TEXT", "search every byte for it, escaped or not, and never show it"),
        (
            "--secret-file",
            "FILE",
            "the same for each line of the file, which no process list shows",
        ),
    ):
        command.add_argument(option, action="append", default=[], metavar=metavar, help=about)
    about = "refuse a journal at its first bad line; else each is a finding, and the rest is read"
    command.add_argument("--strict", action="store_true", help=about)
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
    "check": ("check event logs, receipts and decision journals on disk", _check),
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
    _open_closed_streams()
    name = argv[0] if argv else ""
    if name in ("-h", "--help", "--version"):
        about = f"askproof {__version__}" if name == "--version" else usage()
        return _guarded("askproof", "", lambda: print(about))
    if name not in COMMANDS:
        problem = f"there is no command {name!r}" if argv else "which command?"
        _tell("askproof", f"{problem}; see: askproof --help")
        return 2
    return _guarded(f"askproof {name}", name, lambda: _command(name, argv[1:]))


def _command(name: str, argv: list[str]) -> int:
    about, add_options = COMMANDS[name]
    from importlib import import_module

    from askproof.options import Parser, with_pi_options

    options = Parser(f"askproof {name}", about, _STATUS)
    add_options(options)
    args = options.parse_args(argv)
    with_pi_options(args)
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")  # whatever the terminal can show
    module = import_module(f"askproof.commands.{name.replace('-', '_')}")
    return _unless_ended(lambda: module.command(args))


def _guarded(program: str, name: str, work: Callable[[], int | None]) -> int:
    """The exit status of the work of a command, whatever becomes of it and of its output."""
    status = None
    try:
        try:
            status = work() or 0
        except SystemExit as end:  # of the parser of the options, which has printed the help, say
            status = int(end.code or 0)
            raise
        finally:
            sys.stdout.flush()
    except OSError as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):  # the reader of a pipe, head say, has seen enough
            return status if status is not None else 0 if name in _TELL else 3
        _tell(program, f"{error.filename or 'standard output'}: {error.strerror}")
        return 3
    except KeyboardInterrupt as error:
        return error.status if isinstance(error, _Ended) else 130
    except Exception as error:  # noqa: BLE001 - the last resort: a bug of the kit is named as one
        from askproof.errors import AskproofError

        if isinstance(error, AskproofError):
            _tell(program, str(error))
            return error.exit_status
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
        problem = f"{type(error).__name__}: {error}"[:500]
        _tell(program, f"an error of the kit: {problem} ({where})")
        return 4
    return status


class _Ended(KeyboardInterrupt):
    """A signal that ends the kit; like Ctrl-C, it is not taken for a crash of an adapter."""

    def __init__(self, number: int) -> None:
        self.status = 128 + number


def _unless_ended(work: Callable[[], int]) -> int:
    """Let the signals that end a process unwind the work, so that no adapter is left running."""
    import signal

    def end(number: int, _: object) -> None:
        raise _Ended(number)

    taken = []
    try:
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number and signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores one
                signal.signal(number, end)
                taken.append(number)
        return work()
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _open_closed_streams() -> None:
    """Put nothing where a standard stream was closed, before a file gets its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


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
