"""`askproof run`: the cases against an adapter, reported on the terminal and in files."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from askproof import adapters, engine, results
from askproof.errors import InputError, UsageError
from askproof.selection import Selection
from askproof.shown import printable
from askproof.terminal import Terminal

if TYPE_CHECKING:
    import argparse
    from typing import Self

_STUBBORN = (
    "the adapter did not exit within 2 s of the end of its standard input, and was killed (ADP-006)"
)

_IN_JUNIT = 20


def command(args: argparse.Namespace) -> int:
    """Run, report, and say by the exit status whether the implementation conforms.

    A results file grows while the cases run: it is complete when it has its footer. A JUnit file is
    written at the end: it is complete or not there.
    """
    _check_files(args)
    selection = Selection.of(args)
    chosen = selection.cases()
    session = adapters.connect(args.adapter)
    with ExitStack() as stack:
        lines = stack.enter_context(_Output(args.results)) if args.results else None
        junit = stack.enter_context(_Output(args.junit, whole=True)) if args.junit else None
        folder = _folder(args.transcripts) if args.transcripts else None
        stack.callback(session.close)
        handshake = session.initialize()
        if lines:
            record = results.header(args.adapter, handshake, selection.record(), len(chosen))
            lines.write(results.line(record))
        tally = results.Tally()
        terminal = Terminal(sys.stdout, sys.stderr, args.adapter, folder)
        terminal.start(handshake, chosen)
        for about in adapters.unknown(handshake):
            print(printable(f"askproof run: {about}"), file=sys.stderr)
        done = []
        for result in engine.run(session, chosen, selection.level):
            tally.add(result)
            terminal.case(result)
            if lines:
                lines.write(results.line(results.case_line(result)))
            if folder and result.outcome not in ("passed", "not-applicable"):
                _make(folder)
                with _Output(str(folder / f"{result.case.id.replace('/', '.')}.jsonl")) as file:
                    for record in results.transcript(result, args.adapter, handshake):
                        file.write(results.line(record))
            if junit:
                kept = result.differences[:_IN_JUNIT]
                done.append(result._replace(transcript=(), differences=kept))
        stubborn = not session.close()
        if lines:
            lines.write(results.line(results.footer(tally)))
        if junit:
            from askproof.junit import document

            junit.write(document(done, handshake))
        terminal.end(tally, selection.level, {case.role for case in chosen})
        if stubborn:
            terminal.note(_STUBBORN)
    return tally.exit_status(selection.level)


class _Output:
    """A file that the user asked for; what cannot be written ends the command with one line.

    One that is to be whole is not left behind by a command that was ended early.
    """

    def __init__(self, name: str, *, whole: bool = False) -> None:
        self._name = name
        self._whole = whole
        try:
            self._file = Path(name).open("wb", buffering=0)  # noqa: SIM115 - closed by __exit__
        except OSError as error:
            raise self._error(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, early: object, *_: object) -> None:
        self._file.close()
        if early and self._whole and Path(self._name).is_file():
            Path(self._name).unlink()

    def write(self, text: str) -> None:
        """Write it now, and all of it."""
        data = memoryview(text.encode())
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise self._error(error) from None

    def _error(self, error: OSError) -> InputError:
        return InputError(self._name, f"cannot be written: {error.strerror}")


def _check_files(args: argparse.Namespace) -> None:
    """Raise UsageError for what would mix two things in one file."""
    for option in ("results", "junit", "transcripts"):
        if getattr(args, option) == "-":
            raise UsageError(f"--{option} needs a name: the standard output has the report")
    if args.results and args.junit and Path(args.results).resolve() == Path(args.junit).resolve():
        raise UsageError(f"--results and --junit are the same file, {args.junit!r}")


def _folder(name: str) -> Path:
    """A folder that is made when the first file goes into it, if it can be."""
    path = Path(name)
    if path.exists() and not path.is_dir():
        raise InputError(name, "cannot be made a folder: File exists")
    return path


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), f"cannot be made a folder: {error.strerror}") from None
