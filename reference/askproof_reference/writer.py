"""The journal writer: the tool that asks a human, and writes down what was decided and by whom.

Tests: `tests/test_reference_writer.py`, and the cases for `journal-writer`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from askproof_reference import asks, decisions
from askproof_reference.asks import AskError, Question
from askproof_reference.clock import Clock
from askproof_reference.collector import Collector, interruption
from askproof_reference.decisions import Outcome
from askproof_reference.records import Record

RICH_TIMEOUT_MS = 30_000


class Journal(Protocol):
    """What a writer needs of a journal."""

    def write(self, decision: Record) -> None:
        """Append a decision. Raises OSError."""


class ToolResult(NamedTuple):
    """How an ask ended: its result, the text for the model, and the card for the human."""

    result: Record
    text: str
    card: str


class Writer:
    """Asks, finalizes each answer once, and writes it to every journal.

    Attributes:
        clock: the time, which ends questions.
        journals: by name; each is written whatever becomes of the others.
        rich_timeout_ms: what a rich choice waits that does not say, None for ever (JRN-009).
    """

    def __init__(self, clock: Clock, journals: Mapping[str, Journal]) -> None:
        self.clock = clock
        self.journals = journals
        self.rich_timeout_ms: int | None = RICH_TIMEOUT_MS

    # Asking

    def ask(
        self,
        given: Any,
        show: Callable[[int], None] | None,
        tell: Callable[[ToolResult | AskError], None],
    ) -> Collector | None:
        """Ask a human, and return what takes the answers; None if nothing can be asked.

        `show` is called with the position of each question that comes up; None stands for no user
        interface (JRN-035). `tell` is called once, with how the ask has ended.
        """
        try:
            questions = [self.timed(question) for question in asks.questions(given)]
            if show is None:
                raise interruption("unavailable")
        except AskError as error:
            tell(error)
            return None
        collector = Collector(questions, self.clock, show, partial(self.finish, tell))
        collector.show_question(0)
        return collector

    def timed(self, question: Question) -> Question:
        """The question, with the time of a rich choice that does not say (JRN-008, JRN-009)."""
        if question.kind in asks.CHOICES and question.timeout_ms is None:
            return question._replace(timeout_ms=self.rich_timeout_ms)
        return question

    # Finalizing

    def finish(
        self, tell: Callable[[ToolResult | AskError], None], ended: list[Outcome] | AskError
    ) -> None:
        """Write what was decided, now that the ask has ended, and tell it (JRN-030, JRN-034)."""
        if isinstance(ended, AskError):
            tell(ended)
            return
        diagnostics = self.write([decisions.decision(outcome) for outcome in ended])
        tell(ToolResult(self.result(ended, diagnostics), self.text(ended), self.card(ended)))

    def write(self, records: Sequence[Record]) -> list[str]:
        """Write records to every journal, and say which could not be written (JRN-060, JRN-062)."""
        faults: dict[str, str] = {}
        for record in records:
            for name, journal in self.journals.items():
                fault = self.write_to(journal, record)
                if fault is not None:
                    faults.setdefault(name, self.diagnostic(name, fault))
        return list(faults.values())

    def write_to(self, journal: Journal, record: Record) -> OSError | None:
        """Write a record to one journal; a fault there is no matter of the others (JRN-061)."""
        try:
            journal.write(record)
        except OSError as error:
            return error
        return None

    def diagnostic(self, name: str, fault: OSError) -> str:
        """Say that a journal could not be written, and nothing of what it should hold (JRN-062)."""
        return f"the {name} journal could not be written: {fault.strerror or 'input or output'}"

    # What is said

    def result(self, outcomes: Sequence[Outcome], diagnostics: list[str]) -> Record:
        """The result of an ask."""
        return {
            "outcomes": [decisions.result(outcome) for outcome in outcomes],
            "cancelled": self.is_cancelled(outcomes),
            "diagnostics": diagnostics,
        }

    def is_cancelled(self, outcomes: Sequence[Outcome]) -> bool:
        """Whether an ask ended without what it asked for (JRN-016, JRN-018)."""
        return any(outcome.answer is None for outcome in outcomes)

    def text(self, outcomes: Sequence[Outcome]) -> str:
        """The text for the model."""
        return "\n".join(map(self.text_of, outcomes)) or "No question was answered."

    def text_of(self, outcome: Outcome) -> str:
        """What became of a question, for the model (JRN-014)."""
        question = f"{shown(outcome.question.text)}:"
        if outcome.source == "automatic":
            warning = "automatic, since the time ran out; it is nobody's approval"
            return f"{question} {shown(outcome.value)} ({warning})"
        if outcome.source == "human":
            return f"{question} {shown(outcome.value)}"
        return f"{question} no answer ({outcome.status})"

    def card(self, outcomes: Sequence[Outcome]) -> str:
        """What the human is shown of the result."""
        return "\n".join(map(self.card_of, outcomes)) or "nothing was answered"

    def card_of(self, outcome: Outcome) -> str:
        """What became of a question, for the human (JRN-014)."""
        state = "automatic" if outcome.source == "automatic" else outcome.status
        answer = "" if outcome.answer is None else f" {shown(outcome.value)}"
        return f"{state}: {shown(outcome.question.text)}{answer}"


def shown(value: Any) -> str:
    """A value as JSON, in which what a terminal would not print, or act on, is escaped."""
    written = json.dumps(value, ensure_ascii=False)
    if written.isprintable():
        return written
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in written)
