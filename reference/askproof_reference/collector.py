"""Asking a human: one question at a time, back and forward, each for as long as its time runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sched import Event

from askproof_reference import decisions
from askproof_reference.asks import AskError, Question
from askproof_reference.clock import Clock
from askproof_reference.decisions import Answer, Outcome
from askproof_reference.text import is_blank

INTERRUPTIONS = {
    "superseded": "another prompt has taken the place of this one",
    "unavailable": "there is no user interface to ask with",
    "failed": "the prompt has failed",
}


def interruption(status: str) -> AskError:
    """The error of an ask that could not go on, by its status (JRN-035)."""
    return AskError(status, INTERRUPTIONS[status])


class Draft:
    """What is selected and typed at a question, whether or not it is confirmed ever.

    Attributes:
        selected: the positions of the selected options, in the order of the options.
        typed: the text of a text or editor question, else custom input.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.selected: list[int] = []
        self.typed = question.typed
        self.select(question.selected)

    def select(self, positions: Sequence[int]) -> None:
        """Select these of the options, and no others (JRN-007)."""
        offered = [one for one in positions if 0 <= one < len(self.question.labels)]
        self.selected = sorted({*offered}) if self.question.several else offered[-1:]
        if self.selected and not self.question.several:
            self.typed = ""

    def type(self, text: str) -> None:
        """Type a text in place of what was typed before."""
        self.typed = text

    def labels(self) -> list[str]:
        """The labels of what is selected."""
        return [self.question.labels[position] for position in self.selected]

    def answer(self) -> Answer | None:
        """What is confirmed; None if there is nothing that could be (JRN-006)."""
        if not self.question.labels:
            return self.typed
        custom = {} if is_blank(self.typed) else {"customInput": self.typed}
        labels = [] if custom and not self.question.several else self.labels()
        if not (labels or custom or self.question.several):
            return None
        return {"selectedOptions": labels, **custom}


class Collector:
    """Collects the answers to the questions of one ask.

    `show` is called with the position of each question that comes up; `end`, once, with the
    outcomes, or with the error of an ask that could not go on. After that, nothing happens.

    Attributes:
        position: of the question that is shown.
        outcomes: what became of the questions so far, by position.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        clock: Clock,
        show: Callable[[int], None],
        end: Callable[[list[Outcome] | AskError], None],
    ) -> None:
        self.questions = questions
        self.position = 0
        self.outcomes: dict[int, Outcome] = {}
        self._drafts = [Draft(question) for question in questions]
        self._clock = clock
        self._show = show
        self._end = end
        self._timer: Event | None = None
        self._ended = False

    # Navigation

    def show_question(self, position: int) -> None:
        """Show one question, and let its time run (JRN-005)."""
        self.stop_time()
        self.position = position
        self._show(position)
        self.start_time()

    def go_on(self) -> None:
        """Show the next question, or end after the last (JRN-005)."""
        if self.position + 1 < len(self.questions):
            self.show_question(self.position + 1)
        else:
            self.end(self.completed())

    def go_back(self) -> None:
        """Show the question before, if there is one (JRN-005)."""
        if self.position > 0:
            self.show_question(self.position - 1)

    # Time

    def start_time(self) -> None:
        """Let the time of the question run, unless it has none, or an answer already (JRN-008)."""
        timeout_ms = self.questions[self.position].timeout_ms
        if timeout_ms is not None and self.position not in self.outcomes:
            self._timer = self._clock.after(timeout_ms, self.run_out)

    def stop_time(self) -> None:
        """Let no time run any more."""
        if self._timer is not None:
            self._clock.cancel(self._timer)
            self._timer = None

    def run_out(self) -> None:
        """The time of the question has run out."""
        self._timer = None
        labels = self._drafts[self.position].labels()
        self.complete(decisions.timed_out(self.questions[self.position], labels))

    # What the human does

    def act(self, then: str, options: Sequence[int] | None, text: str | None) -> None:
        """Select and type, then `stay`, `answer`, go `back` or `forward`, or `cancel`."""
        if self._ended:
            return
        if options is not None:
            self._drafts[self.position].select(options)
        if text is not None:
            self._drafts[self.position].type(text)
        if then == "answer":
            self.confirm()
        elif then == "back":
            self.go_back()
        elif then == "forward":
            self.go_on()
        elif then == "cancel":
            self.end(self.cancelled())

    def confirm(self) -> None:
        """Complete the question with what is selected and typed (JRN-010)."""
        answer = self._drafts[self.position].answer()
        if answer is not None:
            self.complete(decisions.answered(self.questions[self.position], answer))

    # Outcomes

    def complete(self, outcome: Outcome) -> None:
        """Keep what became of the question, in place of what did before, and go on (JRN-031)."""
        self.outcomes[self.position] = outcome
        self.go_on()

    def completed(self) -> list[Outcome]:
        """The outcomes in the order of the questions; what was skipped has none (JRN-032)."""
        return [self.outcomes[position] for position in sorted(self.outcomes)]

    def cancelled(self) -> list[Outcome]:
        """The outcome of the cancelled question, at the cost of all others (JRN-033, JRN-036)."""
        return [decisions.cancelled(self.questions[self.position])]

    def interrupt(self, status: str) -> None:
        """End without any outcome: `superseded`, `unavailable` or `failed` (JRN-034, JRN-035)."""
        self.end(interruption(status))

    def end(self, outcomes: list[Outcome] | AskError) -> None:
        """End, if that has not happened yet."""
        if not self._ended:
            self._ended = True
            self.stop_time()
            self._end(outcomes)
