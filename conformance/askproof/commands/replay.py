"""`askproof replay FILE ADAPTER`: run a transcript or a case again, and compare."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askproof import adapters, engine, results, wire
from askproof import case as cases
from askproof.errors import InputError
from askproof.terminal import Terminal

if TYPE_CHECKING:
    import argparse

    from askproof.case import Case
    from askproof.engine import CaseResult


def command(args: argparse.Namespace) -> int:
    """Run the case once more; a transcript's outcome is compared with the new one."""
    case, before = _read(args.file)
    session = adapters.connect(args.adapter)
    try:
        session.initialize()
        result = engine.run_case(session, case, "may")
    finally:
        session.close()
    if result.outcome == "passed":
        print(f"passes: {case.id}")
        return 0
    Terminal(sys.stdout, sys.stderr, args.adapter).case(result)
    if result.outcome == "not-applicable":
        print(f"not applicable: {result.message}")
    elif before is not None:
        print("same failure" if _same(before, result) else f"other failure; it was {_told(before)}")
    return 1


def _read(name: str) -> tuple[Case, dict[str, Any] | None]:
    """The case of an id, of a case file, or of a transcript, with the outcome that this one had."""
    if name in cases.case_ids():
        return cases.load(name), None
    path = Path(name)
    if path.suffix != ".jsonl":
        return cases.load_file(path), None
    records = list(_records(path))
    first, last = (records[0], records[-1]) if records else ({}, {})
    if first.get("type") != "transcript" or "case" not in first:
        raise InputError(name, "not a transcript: its first line does not say so", line=1)
    if last.get("type") != "outcome":
        raise InputError(
            name, "the transcript is incomplete: it has no outcome", hint="run the case once more"
        )
    return cases.check(first["case"], name), last


def _records(path: Path) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(wire.MAX_BYTES + 1), b""), 1):
                record = wire.decode(line.rstrip(b"\r\n"))
                if not isinstance(record, dict):
                    raise InputError(str(path), "a record of a transcript is an object", number)
                records.append(record)
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None
    except wire.WireError as error:
        raise InputError(str(path), str(error), len(records) + 1) from None
    return records


def _same(before: dict[str, Any], result: CaseResult) -> bool:
    now = results.case_line(result)
    return all(before.get(key) == now.get(key) for key in ("outcome", "blames", "step", "differences"))


def _told(before: dict[str, Any]) -> str:
    outcome = str(before.get("outcome"))
    return " ".join([outcome, *map(str, before.get("blames", ()))])
