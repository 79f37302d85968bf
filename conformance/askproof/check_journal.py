"""Checking decision journals as they lie on disk: line by line, and decision by decision.

What is found repeats nothing of a line: neither answers nor questions nor ids.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from askproof.journal_parts import Decision

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from askproof.journal_judgement import Judgement
    from askproof.journal_parts import Bad, Part

MOST_IDS = 1 << 16  # that are remembered, so that memory is bounded


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
    parts: Iterable[Part], name: str, form: str, *, strict: bool = False
) -> Generator[LineFinding, None, JournalSummary]:
    """Check a journal of this form, as it was read in parts; the value is what it held.

    Strictly, the first bad line is the last thing that is found (JRN-095).
    """
    summary = JournalSummary(form)
    journal = _Journal(name, summary)
    for part in parts:
        for number, offset, found in part.found:
            yield from journal.found(summary.lines + number, offset, found)
            if strict and summary.bad:
                summary.refused = summary.lines + number
                return summary
        summary.lines += part.lines
        summary.blank += part.blank
        if not part.whole:
            message = "the file does not end with a line feed; its last line is whole, and was read"
            yield LineFinding(name, summary.lines, part.end, "JRN-063", message, note=True)
    return summary


class _Journal:
    """What is known of the journal at hand."""

    def __init__(self, name: str, summary: JournalSummary) -> None:
        self._name = name
        self._summary = summary
        # The hash of the first question by that of the id; None where another was told.
        self._questions: dict[int, int | None] = {}

    def found(self, line: int, offset: int, what: Bad | Decision) -> Iterator[LineFinding]:
        """Take in a line that is bad or holds a decision."""
        at = partial(LineFinding, self._name, line, offset)
        if isinstance(what, Decision):
            yield from self._judged(at, what.verdict)
            if self._is_of_another_question(what):
                message = "its decisionId was that of another question before: it is no key"
                yield at("JRN-053", message, note=True)
        else:
            self._summary.bad += 1
            yield at(what.code, what.message)

    def _judged(self, at: Callable[..., LineFinding], verdict: Judgement) -> Iterator[LineFinding]:
        summary = self._summary
        summary.outcomes[verdict.outcome, verdict.by] += 1
        summary.human += verdict.human
        summary.only_look_human += verdict.only_looks_human
        if not verdict.consistent:
            summary.inconsistent += 1
            looks = "; it only looks human" if verdict.only_looks_human else ""
            yield at("JRN-088", f"it fits no row of the table of outcomes: {verdict.said}{looks}")
        elif verdict.only_looks_human:
            message = f"it only looks human, without provenance: {verdict.said}"
            yield at("JRN-086", message, note=True)

    def _is_of_another_question(self, decision: Decision) -> bool:
        """Whether its id was seen with another question, which is told once."""
        if not isinstance(decision.ident, str) or not isinstance(decision.question, str):
            return False
        ident, question = hash(decision.ident), hash(decision.question)
        if ident not in self._questions and len(self._questions) >= MOST_IDS:
            return False
        first = self._questions.setdefault(ident, question)
        if first is None or first == question:
            return False
        self._questions[ident] = None
        return True
