"""Checking decision journals as they lie on disk: line by line, and decision by decision.

What is found repeats nothing of a line: neither answers nor questions nor ids.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from askproof.journal_judgement import judge
from askproof.journal_lines import DECISION_OF, BadLine, record_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

MOST_IDS = 1 << 16  # that are remembered, so that memory is bounded

_BLANK = b" \t"
_TORN = "; the file ends within a line: was it cut off?"


@dataclass(frozen=True)
class LineFinding:
    """One thing that is found in a line of a file.

    Attributes:
        line: one-based.
        offset: of the first byte of what is meant, from the beginning of the file.
        rule: the code of a bad line, a requirement, or `secret`.
        note: whether it is worth knowing, and no fault.
    """

    file: str
    line: int
    offset: int
    rule: str
    message: str
    note: bool = False


@dataclass
class JournalSummary:
    """What a journal held.

    Attributes:
        bad: lines that could not be read, each of them a finding.
        outcomes: how many decisions have this status and are made by this source.
        human: decisions that are an explicit human answer (JRN-085).
        only_look_human: decisions that a hasty reader would count among those.
        refused: the first bad line, where the strict mode has refused the file (JRN-095).
    """

    form: str
    lines: int = 0
    blank: int = 0
    bad: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    human: int = 0
    inconsistent: int = 0
    only_look_human: int = 0
    refused: int | None = None


def check_journal(
    lines: Iterator[bytes], name: str, form: str, *, strict: bool = False
) -> Generator[LineFinding, None, JournalSummary]:
    """Check a journal of this form; the value is what it held.

    A line that is longer than a record may be comes in pieces, of which only the last has a line
    feed. Strictly, the first bad line is the last thing that is found (JRN-095).
    """
    journal = _Journal(name, form)
    decision_of = DECISION_OF[form]
    found: dict[str, Any] | BadLine | None = None
    line, offset = b"\n", 0
    for journal.number, line in enumerate(lines, 1):
        try:
            found = decision_of(record_of(line))
        except BadLine as bad:
            found = bad
        if found is not None:
            yield from journal.read(line, offset, found)
            if strict and journal.summary.bad:
                journal.summary.refused = journal.number
                break
            offset += _rest_of(line, lines)
        offset += len(line)
    journal.summary.lines = journal.number
    if not isinstance(found, BadLine) and not line.endswith(b"\n"):
        message = "the file does not end with a line feed; its last line is whole, and was read"
        yield journal.finding(offset, "JRN-063", message, note=True)
    return journal.summary


def _rest_of(line: bytes, lines: Iterator[bytes]) -> int:
    """Pass what is left of a line that comes in pieces; how many bytes that is."""
    passed = 0
    while not line.endswith(b"\n") and (line := next(lines, b"")):
        passed += len(line)
    return passed


class _Journal:
    """What is known of the journal at hand."""

    def __init__(self, name: str, form: str) -> None:
        self.summary = JournalSummary(form)
        self.number = 0  # of the line that was read last
        self._name = name
        # Hashes of the first questions by those of decisionIds; None where another was told.
        self._questions: dict[int, int | None] = {}

    def finding(self, offset: int, rule: str, message: str, *, note: bool = False) -> LineFinding:
        """A finding in the line at hand."""
        return LineFinding(self._name, self.number, offset, rule, message, note)

    def read(
        self, line: bytes, offset: int, found: dict[str, Any] | BadLine
    ) -> Iterator[LineFinding]:
        """Take in a line that is bad or holds a decision."""
        if not isinstance(found, BadLine):
            yield from self._decided(offset, found)
        elif line.removesuffix(b"\n").removesuffix(b"\r").strip(_BLANK):
            self.summary.bad += 1
            torn = "" if line.endswith(b"\n") or found.code == "length" else _TORN
            yield self.finding(offset, found.code, f"{found}{torn}")
        else:
            self.summary.blank += 1

    def _decided(self, offset: int, decision: dict[str, Any]) -> Iterator[LineFinding]:
        verdict = judge(decision)
        summary = self.summary
        summary.outcomes[verdict.outcome, verdict.by] += 1
        summary.human += verdict.human
        summary.only_look_human += verdict.only_looks_human
        if not verdict.consistent:
            summary.inconsistent += 1
            looks = "; it only looks human" if verdict.only_looks_human else ""
            message = f"it fits no row of the table of outcomes: {verdict.said}{looks}"
            yield self.finding(offset, "JRN-088", message)
        elif verdict.only_looks_human:
            message = f"it only looks human, without provenance: {verdict.said}"
            yield self.finding(offset, "JRN-086", message, note=True)
        if self._is_of_another_question(decision):
            message = "its decisionId was that of another question before: it is no key"
            yield self.finding(offset, "JRN-053", message, note=True)

    def _is_of_another_question(self, decision: dict[str, Any]) -> bool:
        """Whether its id was seen with another question, which is told once."""
        ident, question = decision.get("decisionId"), decision.get("question")
        if not isinstance(ident, str) or not isinstance(question, str):
            return False
        key, asked = hash(ident), hash(question)
        if key not in self._questions and len(self._questions) >= MOST_IDS:
            return False
        first = self._questions.setdefault(key, asked)
        if first is None or first == asked:
            return False
        self._questions[key] = None
        return True
