"""The command line. Each command's work is in a module of its own, imported when it is called."""

from __future__ import annotations

import argparse
import os
import sys

from askproof import __version__

TYPE_CHECKING = False  # as in `typing`, the import of which would take longer than the help does
if TYPE_CHECKING:
    from typing import NoReturn

ADAPTER = "reference, python:MODULE:NAME, python:FILE.py:NAME or 'exec:COMMAND ...'"
_STATUS = """\
exit status: 0 conforms; 1 does not, or findings; 2 wrong usage; 3 an adapter or input that could
not be started, read or spoken to; 4 an error of the kit itself"""
_ABOUT = "Does a program that asks a human on behalf of a coding agent keep its contract?"


class _Parser(argparse.ArgumentParser):
    """One line for what is wrong, and a width that need not be asked of `shutil`."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized") and any(a.startswith("exec:") for a in sys.argv):
            message += "; quote the whole adapter: 'exec:COMMAND ...'"
        self.exit(2, f"{self.prog}: {message}; see: {self.prog} --help\n")

    def _get_formatter(self) -> argparse.HelpFormatter:
        return argparse.HelpFormatter(self.prog, width=98)


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = _Parser(prog="askproof", description=_ABOUT, epilog=_STATUS)
    top.add_argument("--version", action="version", version=f"askproof {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    run = commands.add_parser("run", help="run the cases against an adapter", epilog=_STATUS)
    run.add_argument("adapter", metavar="ADAPTER", help=ADAPTER)
    _selection(run)
    run.add_argument("--results", metavar="FILE", help="write the results as JSON Lines")
    run.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML")
    run.add_argument("--transcripts", metavar="DIR", help="write what was said in failed cases")

    show = commands.add_parser("list", help="list cases, roles or requirements")
    what = ("cases", "roles", "requirements")
    show.add_argument("what", nargs="?", choices=what, default="cases")
    _selection(show)
    show.add_argument("--json", action="store_true", help="as JSON")

    explain = commands.add_parser("explain", help="explain a requirement or a case")
    explain.add_argument("id", metavar="ID", help="such as EVT-071, or the id of a case")

    replay = commands.add_parser("replay", help="run a transcript or a case again")
    replay.add_argument("file", metavar="FILE", help="a transcript, a case file or a case's id")
    replay.add_argument("adapter", metavar="ADAPTER", help=ADAPTER)

    check = commands.add_parser("check", help="check event logs: lines of {time, channel, data}")
    check.add_argument("files", metavar="FILE", nargs="+", help="- is the standard input")
    check.add_argument(
        "--namespace",
        action="append",
        metavar="PREFIX",
        help="only channels PREFIX:..., where other programs use the same names",
    )
    check.add_argument("--json", action="store_true", help="findings as JSON Lines")

    serve = commands.add_parser("serve", help="a Python adapter on the standard streams")
    serve.add_argument("adapter", metavar="ADAPTER", help="reference or python:...")
    return top


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


def main(argv: list[str] | None = None) -> int:
    """Carry out a command line and return its exit status; problems are one line on stderr."""
    args = parser().parse_args(argv)
    from importlib import import_module

    from askproof.errors import AskproofError

    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")  # whatever the terminal can show
    try:
        status: int = import_module(f"askproof.commands.{args.command}").command(args)
        sys.stdout.flush()
    except AskproofError as error:
        _tell(args.command, str(error))
        return error.exit_status
    except OSError as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):  # the reader of a pipe, head say, has seen enough
            return 1
        _tell(args.command, f"{error.filename or 'standard output'}: {error.strerror}")
        return 3
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the last resort: a bug of the kit is named as one
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
        problem = f"{type(error).__name__}: {error}"[:500]
        _tell(args.command, f"an error of the kit: {problem} ({where})")
        return 4
    return status


def _tell(command: str, problem: str) -> None:
    from askproof.shown import printable

    print(f"askproof {command}: {printable(problem)}", file=sys.stderr)


def _drop_output() -> None:
    """Leave nothing to be flushed at the end, where it would fail again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
