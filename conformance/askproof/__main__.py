"""The command line. Each command's work is in a module of its own, imported when it is called."""

from __future__ import annotations

import argparse
import os
import sys

from askproof import __version__

ADAPTER = "reference, python:MODULE:NAME, python:FILE.py:NAME or exec:COMMAND ..."
_EXIT_STATUS = """\
exit status: 0 conforms; 1 does not, or findings; 2 wrong usage; 3 an adapter or input that could
not be started, read or spoken to; 4 an error of the kit itself"""


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(
        prog="askproof",
        description="Does a program that asks a human on behalf of a coding agent keep its contract?",
        epilog=_EXIT_STATUS,
    )
    top.add_argument("--version", action="version", version=f"askproof {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    run = commands.add_parser("run", help="run the cases against an adapter", epilog=_EXIT_STATUS)
    run.add_argument("adapter", metavar="ADAPTER", help=ADAPTER)
    _selection(run)
    run.add_argument("--results", metavar="FILE", help="write the results as JSON Lines")
    run.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML")
    run.add_argument(
        "--transcripts", metavar="DIR", help="write a transcript of every case that did not pass"
    )

    show = commands.add_parser("list", help="list cases, roles or requirements")
    show.add_argument("what", nargs="?", choices=("cases", "roles", "requirements"), default="cases")
    _selection(show)
    show.add_argument("--json", action="store_true", help="as JSON")

    explain = commands.add_parser("explain", help="explain a requirement or a case")
    explain.add_argument("id", metavar="ID", help="such as EVT-071, or the id of a case")

    replay = commands.add_parser("replay", help="run a transcript or a case again")
    replay.add_argument("file", metavar="FILE", help="a transcript, a case file or the id of a case")
    replay.add_argument("adapter", metavar="ADAPTER", help=ADAPTER)

    check = commands.add_parser("check", help="check event logs: JSON Lines of {time, channel, data}")
    check.add_argument("files", metavar="FILE", nargs="+", help="- is the standard input")
    check.add_argument("--json", action="store_true", help="findings as JSON Lines")

    serve = commands.add_parser("serve", help="a Python adapter on the standard streams")
    serve.add_argument("adapter", metavar="ADAPTER", help="reference or python:...")
    return top


def _selection(command: argparse.ArgumentParser) -> None:
    command.add_argument("--role", action="append", default=[], metavar="R", help="only this role")
    command.add_argument(
        "--level",
        choices=("must", "should", "may"),
        default="should",
        help="the weakest level that is demanded (default: should)",
    )
    command.add_argument(
        "--case", action="append", default=[], metavar="GLOB", help="only cases with such an id"
    )
    command.add_argument(
        "--requirement", action="append", default=[], metavar="ID", help="only cases that show it"
    )


def main(argv: list[str] | None = None) -> int:
    """Carry out a command line and return its exit status; problems are one line on stderr."""
    args = parser().parse_args(argv)
    from importlib import import_module

    from askproof.errors import AskproofError
    from askproof.shown import printable

    try:
        module = import_module(f"askproof.commands.{args.command}")
        status: int = module.command(args)
        sys.stdout.flush()
    except AskproofError as error:
        print(f"askproof {args.command}: {printable(str(error))}", file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:  # the reader of a pipe, head say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the last resort: a bug of the kit is named as one
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        where = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
        problem = printable(f"{type(error).__name__}: {error}"[:500])
        print(f"askproof {args.command}: an error of the kit: {problem} ({where})", file=sys.stderr)
        return 4
    return status


if __name__ == "__main__":
    sys.exit(main())
