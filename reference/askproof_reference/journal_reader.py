"""The journal reader: which decisions a file holds, and which of its lines cannot be read.

It only ever reads (JRN-097), a line at a time. Tests: `tests/test_reference_reader.py`, and the
cases for `journal-reader`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from askproof_reference import journal_lines
from askproof_reference.journal_judgement import STATUSES, Decision
from askproof_reference.journal_lines import BadLineError
from askproof_reference.records import Record

Form = Literal["session", "store"]

KINDS = ("session", "entry")
ENTRY_TYPES = (
    *("session_init", "message", "custom", "custom_message", "decision"),
    *("compact_summary", "branch_summary", "child_run", "artifact"),
)


@dataclass(frozen=True)
class Diagnostic:
    """A bad line: its number, from one, and the code of its fault (JRN-092, JRN-093)."""

    line: int
    code: str


class RefusedError(Exception):
    """The strict mode has refused a file (JRN-095).

    Attributes:
        line: the number of the first bad line.
    """

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line} cannot be read")
        self.line = line


def read_journal(
    path: Path, form: Form, *, strict: bool = False
) -> Iterator[Decision | Diagnostic]:
    """The decisions and bad lines of a file, in its order (JRN-080, JRN-092).

    In strict mode a file with a bad line raises RefusedError before anything is handed out: it is
    read twice, which takes no memory. If somebody writes to it meanwhile, the error may come late.
    """
    if strict:
        for _ in refuse_bad_lines(read_file(path, form)):
            pass
        yield from refuse_bad_lines(read_file(path, form))
    else:
        yield from read_file(path, form)


def refuse_bad_lines(found: Iterable[Decision | Diagnostic]) -> Iterator[Decision | Diagnostic]:
    """What was found, up to the first bad line, which raises RefusedError (JRN-095)."""
    for one in found:
        if isinstance(one, Diagnostic):
            raise RefusedError(one.line)
        yield one


def read_file(path: Path, form: Form) -> Iterator[Decision | Diagnostic]:
    """What each line holds by itself, so that a bad one costs no other (JRN-091)."""
    with path.open("rb") as stream:
        for number, line in enumerate(journal_lines.split(stream), 1):
            if not journal_lines.is_blank(line):
                yield from read_line(number, line, form)


def read_line(number: int, line: bytes, form: Form) -> Iterator[Decision | Diagnostic]:
    """The decision of a line, or what is wrong with it, or nothing; never both (JRN-094)."""
    try:
        payload = decision_of(journal_lines.decode(line), form)
    except BadLineError as bad:
        yield Diagnostic(number, bad.code)
    else:
        if payload is not None:
            yield Decision(number, payload)


def decision_of(line: Record, form: Form) -> Record | None:
    """The payload of a line's decision, None if it holds another thing; BadLineError if neither."""
    return stored_decision(line) if form == "store" else session_decision(line)


def stored_decision(line: Record) -> Record | None:
    """The same for the tool's own journal; ids, sequence and session play no part (JRN-098)."""
    kind = line.get("kind")
    if kind not in KINDS:
        raise BadLineError("type")
    held = line.get(kind)
    if not isinstance(held, dict):
        raise BadLineError("shape")
    if kind == "session":
        return None
    if held.get("type") not in ENTRY_TYPES:
        raise BadLineError("type")
    return with_known_status(held.get("payload")) if held["type"] == "decision" else None


def session_decision(line: Record) -> Record | None:
    """The same for the session file of a host, which writes entries of types of its own."""
    if not isinstance(line.get("type"), str):
        raise BadLineError("type")
    if line["type"] == "custom" and line.get("customType") == "decision":
        return with_known_status(line.get("data"))
    return None


def with_known_status(payload: Any) -> Record:
    """The payload, if that is all it needs to be a decision; else BadLineError (JRN-081)."""
    if isinstance(payload, dict) and payload.get("status") in STATUSES:
        return payload
    raise BadLineError("shape")
