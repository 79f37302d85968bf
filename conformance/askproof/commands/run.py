"""`askproof run`: the cases against an adapter, reported on the terminal and in files."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING

from askproof import adapters, engine, results
from askproof.errors import InputError
from askproof.selection import Selection
from askproof.terminal import Terminal

if TYPE_CHECKING:
    import argparse

    from askproof.engine import CaseResult


def command(args: argparse.Namespace) -> int:
    """Run, report, and say by the exit status whether the implementation conforms."""
    selection = Selection.of(args)
    chosen = selection.cases()
    session = adapters.connect(args.adapter)
    with ExitStack() as stack:
        stack.callback(session.close)
        lines = stack.enter_context(_create(args.results)) if args.results else None
        junit = stack.enter_context(_create(args.junit)) if args.junit else None
        folder = _folder(args.transcripts) if args.transcripts else None
        handshake = session.initialize()
        if lines:
            record = results.header(args.adapter, handshake, selection.record(), len(chosen))
            lines.write(results.line(record))
        tally = results.Tally()
        terminal = Terminal(sys.stdout, sys.stderr, args.adapter, folder)
        terminal.start(handshake, len(chosen))
        kept: list[CaseResult] = []
        for result in engine.run(session, chosen, selection.level):
            tally.add(result)
            if lines:
                lines.write(results.line(results.case_line(result)))
            if folder and result.outcome not in ("passed", "not-applicable"):
                path = folder / f"{result.case.id.replace('/', '.')}.jsonl"
                records = results.transcript(result, args.adapter, handshake)
                path.write_text("".join(map(results.line, records)), encoding="ascii")
            if junit:
                kept.append(result)
            terminal.case(result)
        if lines:
            lines.write(results.line(results.footer(tally)))
        if junit:
            from askproof.junit import document

            junit.write(document(kept, handshake))
        terminal.end(tally, selection.level, {case.role for case in chosen})
    return tally.exit_status(selection.level)


def _create(name: str) -> IO[str]:
    try:
        return Path(name).open("w", encoding="utf-8")
    except OSError as error:
        raise InputError(name, f"cannot be written: {error.strerror}") from None


def _folder(name: str) -> Path:
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(name, f"cannot be made a folder: {error.strerror}") from None
    return path
