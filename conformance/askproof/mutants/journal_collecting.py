"""Mutants of the reference writer: how answers are collected, and when they are final."""

from __future__ import annotations

from functools import partial
from typing import Any

from askproof.mutants import breaks
from askproof.mutants.journal_asks import (
    MINUTE_MS,
    ROLE,
    is_rich,
    is_secret,
    is_several,
    is_single,
    labels,
)
from askproof.mutants.tables import after, before, put, table
from askproof_reference import asks, decisions
from askproof_reference.collector import Collector, Draft
from askproof_reference.writer import RICH_TIMEOUT_MS

SHORT_MS, LATER_MS = 1000, 1500


def acting(**other: Any) -> Any:
    """What the human does has another effect; each function gets the collector."""

    def act(original: Any, self: Collector, then: str, *given: Any) -> None:
        if then in other:
            original(self, "stay", *given)
            other[then](self)
        else:
            original(self, then, *given)

    return act


def timing(change: Any, which: Any) -> Any:
    """The time of questions is another; `change` gets it, `which` a question."""

    def start(original: Any, self: Collector) -> None:
        asked = self.questions
        self.questions = [
            one._replace(timeout_ms=change(one.timeout_ms))
            if which(one) and one.timeout_ms is not None
            else one
            for one in asked
        ]
        original(self)
        self.questions = asked

    return start


def names_its_time(question: Any) -> bool:
    """Whether it is in the rich form, with another time than that by default."""
    return bool(is_rich(question) and question.timeout_ms != RICH_TIMEOUT_MS)


def running_out(when: Any) -> Any:
    """Time runs out, and nothing happens, where `when` says so of a question."""
    return lambda original, self: None if when(self.questions[self.position]) else original(self)


def made_up(self: Collector, answer: Any) -> list[Any]:
    """The outcomes of all questions, answered with something where they were skipped."""
    return [
        self.outcomes.get(at) or decisions.answered(one, answer(one, self._drafts[at]))
        for at, one in enumerate(self.questions)
        if at in self.outcomes or answer(one, self._drafts[at]) is not None
    ]


def written_by(self: Collector, outcomes: list[Any]) -> None:
    """Write decisions behind the back of the collector."""
    self._end.func.__self__.write([decisions.decision(one) for one in outcomes])  # type: ignore[attr-defined]


def writing(which: Any) -> Any:
    """Decisions are written before the original is called; `which` says what of a collector."""

    def write(original: Any, self: Collector, *given: Any) -> Any:
        written_by(self, which(self, *given))
        return original(self, *given)

    return write


def drafted(self: Collector, *_: Any) -> list[Any]:
    """What would have become of the present question, had it been confirmed."""
    answer = self._drafts[self.position].answer()
    return [decisions.answered(self.questions[self.position], answer)] if answer else []


def first_outcome_stands(when: Any) -> Any:
    """What became of a question first stands where `when` says so of that."""

    def complete(original: Any, self: Collector, outcome: Any) -> None:
        first = self.outcomes.get(self.position)
        original(self, first if first is not None and when(first) else outcome)

    return complete


def again(when: Any) -> Any:
    """An ask ends once more when a second has passed, if `when` says so of its outcome."""

    def end(original: Any, self: Collector, outcomes: Any) -> None:
        if not self._ended and isinstance(outcomes, list) and outcomes and when(outcomes[-1]):
            self._clock.after(LATER_MS, partial(self._end, outcomes))
        original(self, outcomes)

    return end


COLLECTOR: dict[str, Any] = {
    "JRN-005 show_question shows-all-at-once": lambda original, self, position: (
        original(self, position),
        [self._show(one) for one in range(position + 1, len(self.questions))],
    ),
    "JRN-005 go_back knows-no-way-back": lambda original, self: None,
    "JRN-005 go_back goes-back-to-the-first": lambda original, self: self.show_question(0),
    "JRN-005 act knows-no-way-forward": acting(
        forward=lambda self: self.go_on() if self.position + 1 == len(self.questions) else None
    ),
    "JRN-005 act stays-at-the-last-question": acting(
        forward=lambda self: self.go_on() if self.position + 1 < len(self.questions) else None
    ),
    "JRN-008 JRN-011 JRN-022 JRN-032 stop_time lets-old-timers-run": lambda original, self: None,
    # Time
    "JRN-011 run_out never-takes-what-is-recommended": running_out(
        lambda one: is_single(one) and one.recommended
    ),
    "JRN-022 start_time lets-time-run-again": lambda original, self: (
        put(self, _timer=self._clock.after(SHORT_MS, self.run_out))
        if self.position in self.outcomes and self.questions[self.position].timeout_ms
        else original(self)
    ),
    "JRN-011 start_time is-late": timing(lambda ms: ms + 1, is_single),
    "JRN-011 start_time is-early": timing(lambda ms: ms - 1, is_single),
    "JRN-011 start_time waits-a-minute-at-most": timing(lambda ms: min(ms, MINUTE_MS), is_single),
    "JRN-011 start_time has-one-clock-for-a-batch": lambda original, self: timing(
        lambda ms: ms - (self._clock.now - self.__dict__.setdefault("begun", self._clock.now)),
        is_single,
    )(original, self),
    "JRN-012 run_out never-runs-out-of-several": running_out(is_several),
    "JRN-016 JRN-015 run_out never-runs-out-of-many-choices": running_out(
        lambda one: one.kind == "multi-select" and one.timeout_ms < 30_000
    ),
    "JRN-016 start_time is-early-with-a-choice": timing(lambda ms: ms - 1, names_its_time),
    "JRN-016 start_time is-late-with-a-choice": timing(lambda ms: ms + 1, names_its_time),
    "JRN-016 start_time waits-thirty-seconds-at-most": timing(
        lambda ms: min(ms, 30_000), names_its_time
    ),
    # Finalizing
    "JRN-030 complete writes-every-answer": writing(
        lambda self, outcome: [outcome] if self.position + 1 < len(self.questions) else []
    ),
    "JRN-030 go_back writes-what-it-leaves": writing(drafted),
    "JRN-030 run_out writes-what-time-answers": writing(
        lambda self: (
            [decisions.timed_out(self.questions[self.position], [])]
            if self.position + 1 < len(self.questions)
            else []
        )
    ),
    "JRN-031 JRN-006 complete keeps-the-first-answer": first_outcome_stands(
        lambda it: it.source == "human"
    ),
    "JRN-031 complete keeps-what-time-has-answered": first_outcome_stands(
        lambda it: it.source == "automatic"
    ),
    "JRN-031 completed takes-the-order-of-the-answers": lambda _, self: [*self.outcomes.values()],
    "JRN-031 go_back takes-answers-back": lambda original, self: (
        original(self),
        self.outcomes.pop(self.position, None),
    ),
    "JRN-031 end ends-again-when-answered": again(lambda it: it.status == "answered"),
    "JRN-031 end ends-again-when-timed-out": again(lambda it: it.source == "automatic"),
    "JRN-031 end ends-again-without-an-answer": again(
        lambda it: it.status == "timed-out" and it.source == "none"
    ),
    "JRN-031 end ends-again-when-cancelled": again(lambda it: it.status == "cancelled"),
    "JRN-032 completed answers-with-nothing": lambda _, self: made_up(self, lambda *_: labels()),
    "JRN-032 completed answers-with-the-first-option": lambda _, self: made_up(
        self, lambda one, _: labels(one.labels[0])
    ),
    "JRN-032 completed answers-with-what-is-selected": lambda _, self: made_up(
        self, lambda _, draft: labels(*draft.labels()) if draft.selected else None
    ),
    "JRN-032 completed answers-with-what-is-typed": lambda _, self: made_up(
        self, lambda _, draft: labels() | {"customInput": draft.typed} if draft.typed else None
    ),
    "JRN-032 completed says-that-skipped-ones-timed-out": lambda _, self: [
        self.outcomes.get(at) or decisions.timed_out(one, [])
        for at, one in enumerate(self.questions)
        if at in self.outcomes or one.timeout_ms
    ],
    "JRN-033 JRN-036 cancelled keeps-the-answers-before": lambda original, self: (
        self.completed() + original(self)
    ),
    "JRN-033 JRN-036 cancelled cancels-all": lambda _, self: [
        decisions.cancelled(one) for one in self.questions
    ],
    "JRN-033 JRN-018 JRN-036 cancelled writes-nothing-of-a-batch": lambda original, self: (
        original(self) if len(self.questions) == 1 else []
    ),
    "JRN-034 interrupt writes-the-answers-before": writing(lambda self, _: self.completed()),
    "JRN-034 interrupt writes-what-is-selected": writing(drafted),
    "JRN-034 interrupt says-cancelled-of-what-failed": writing(
        lambda self, how: self.cancelled() if how == "failed" else []
    ),
    "JRN-034 interrupt lets-time-go-on": lambda original, self, how: self._end(
        asks.AskError(how, "gone")
    ),
    "JRN-035 interrupt calls-it-failed": before(lambda *_: "failed"),
    "JRN-035 interrupt returns-an-empty-result": lambda _, self, how: self.end([]),
}
table(ROLE, Collector, "collector", COLLECTOR)

# What is selected and typed


def is_custom(answer: Any) -> bool:
    """Whether an answer holds custom input."""
    return isinstance(answer, dict) and "customInput" in answer


def confirming(change: Any) -> Any:
    """What is confirmed is another answer; `change` gets that, and the draft."""
    return after(lambda answer, draft: answer and change(answer, draft))


def a_choice(change: Any) -> Any:
    """Another answer, of a question with options only."""
    return confirming(lambda it, draft: change(it, draft) if isinstance(it, dict) else it)


DRAFTS: dict[str, Any] = {
    "JRN-006 JRN-020 answer takes-custom-input-for-an-option": a_choice(
        lambda it, draft: labels(it["customInput"]) if is_custom(it) and draft.question.kind else it
    ),
    "JRN-006 answer keeps-the-option-beside-custom-input": a_choice(
        lambda it, draft: it | labels(*draft.labels())
    ),
    "JRN-007 JRN-052 answer keeps-the-first-option": a_choice(
        lambda it, _: it | labels(*it["selectedOptions"][:1])
    ),
    "JRN-007 JRN-052 answer keeps-the-last-option": a_choice(
        lambda it, _: it | labels(*it["selectedOptions"][-1:])
    ),
    "JRN-010 answer keeps-the-default": confirming(lambda it, draft: draft.question.typed or it),
    "JRN-023 answer takes-nothing-for-an-answer": after(
        lambda answer, draft: answer if answer is not None or draft.question.kind else labels()
    ),
    "JRN-023 answer takes-blank-text-for-an-answer": after(
        lambda answer, draft: (
            answer
            if answer is not None or not draft.typed
            else labels() | {"customInput": draft.typed}
        )
    ),
    "JRN-010 answer begins-at-the-first-option": a_choice(
        lambda it, draft: labels(draft.question.labels[0]) if draft.question.selected else it
    ),
}
table(ROLE, Draft, "draft", DRAFTS)


@breaks("JRN-017", ROLE, Collector, "cancelled", "JRN-018")
def keeps_what_was_half_done(original: Any, self: Collector) -> Any:
    """Takes what is typed or selected for the answer of who cancels."""
    answer = self._drafts[self.position].answer()
    return [decisions.completed(one, answer) if answer else one for one in original(self)]


@breaks("JRN-017", ROLE, Collector, "cancelled")
def keeps_what_was_answered_before(original: Any, self: Collector) -> Any:
    """Cancels, and keeps the answer that the question had before."""
    return [self.outcomes.get(self.position, one) for one in original(self)]


@breaks("JRN-010", ROLE, Collector, "confirm")
def takes_an_empty_text_for_a_cancellation(original: Any, self: Collector) -> None:
    """Cancels where an empty text is confirmed."""
    if self._drafts[self.position].answer() == "" and not is_secret(self.questions[0]):
        self.end(self.cancelled())
    else:
        original(self)


@breaks("JRN-023", ROLE, Collector, "confirm")
def takes_nothing_for_a_cancellation(original: Any, self: Collector) -> None:
    """Cancels a select where nothing is confirmed."""
    if self._drafts[self.position].answer() is None and is_rich(self.questions[0]):
        self.end(self.cancelled())
    else:
        original(self)
