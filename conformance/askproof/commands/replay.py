"""`askproof replay FILE ADAPTER`: run a transcript or a case again, and compare."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askproof import adapters, engine, results, schemas, wire
from askproof import case as cases
from askproof.errors import InputError
from askproof.shown import printable
from askproof.terminal import Terminal

if TYPE_CHECKING:
    import argparse

    from askproof.case import Case


def command(args: argparse.Namespace) -> int:
    """Run the case once more, and compare it with the outcome that a transcript records."""
    case, before = _read(args.file)
    session = adapters.connect(args.adapter)
    try:
        handshake = session.initialize()
        for about in adapters.unknown(handshake):
            print(printable(f"askproof replay: {about}"), file=sys.stderr)
        result = engine.run_case(session, case)
    finally:
        session.close()
    if result.outcome == "passed":
        print(f"passes: {case.id}" + (f"; it was: {_told(before)}" if before else ""))
        return 0
    if result.outcome == "not-applicable":
        print(f"not applicable: {printable(result.message)}")
        return 1
    Terminal(sys.stdout, sys.stderr, args.adapter).case(result, args.file)
    if before is not None:
        now = results.case_line(result)
        same = _essence(before) == _essence(now)
        print("the same failure" if same else f"another failure; it was: {_told(before)}")
    return 1


def _read(name: str) -> tuple[Case, dict[str, Any] | None]:
    """The case of an id, of a case file, or of a transcript, with the outcome that this one had."""
    if name in cases.case_ids():
        return cases.load(name), None
    path = Path(name)
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        hint = "see the ids of cases with: askproof list" if not path.suffix else ""
        raise InputError(name, error.strerror or "cannot be read", hint=hint) from None
    if b'"type":"header"' in start:
        hint = "replay a case by its id, or a file that run --transcripts has written"
        raise InputError(name, "these are results, which have no case to run", hint=hint)
    if b'"transcript"' not in start:
        return cases.load_file(path), None
    first, last = _ends(path)
    _check("transcript/header", first, name, 1)
    if last.get("type") != "outcome":
        problem, hint = "the transcript is incomplete: it has no outcome", "run the case once more"
        raise InputError(name, problem, hint=hint)
    _check("transcript/outcome", last, name, None)
    return cases.check(first["case"], name), last


def _ends(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first and the last record; those between are what was said, and are only looked at."""
    first: dict[str, Any] = {}
    record: Any = {}
    number = 0
    try:
        with path.open("rb") as file:
            while line := file.readline(wire.MAX_WRAPPED_BYTES + 1):
                number += 1
                record = wire.decode(line.rstrip(b"\r\n"), wrapped=True)
                if not isinstance(record, dict):
                    raise InputError(str(path), "a record of a transcript is an object", number)
                first = first or record
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None
    except wire.WireError as error:
        raise InputError(str(path), str(error), number) from None
    return first, record


def _check(schema: str, record: dict[str, Any], name: str, line: int | None) -> None:
    if not schemas.is_valid(schema, record, "reader"):
        problem = schemas.reasons(schema, record, "reader")[0]
        raise InputError(name, problem.message, line, problem.pointer or "the top")


def _essence(outcome: dict[str, Any]) -> list[Any]:
    """What makes two failures the same: not what was observed, which has new ids and times."""
    where = [(one["pointer"], one["blames"]) for one in outcome.get("differences", ())]
    return [outcome["outcome"], outcome["blames"], outcome.get("step"), where]


def _told(outcome: dict[str, Any]) -> str:
    return " ".join([outcome["outcome"], *outcome["blames"]])
