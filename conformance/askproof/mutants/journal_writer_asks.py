"""Mutants of the reference writer: what it asks, and how it collects answers.

What kinds of questions there are stands here too, for all mutants of a writer.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from askproof.mutants.tables import before, put, table
from askproof_reference import asks, decisions
from askproof_reference.collector import Collector
from askproof_reference.writer import RICH_TIMEOUT_MS, Writer

ROLE = "journal-writer"
SHORT_MS, LATER_MS, MINUTE_MS = 1000, 1500, 60_000


def labels(*chosen: str) -> dict[str, Any]:
    """An answer of these options."""
    return {"selectedOptions": [*chosen]}


def is_single(question: Any) -> bool:
    """Whether it is an option question with a single choice."""
    return question.kind is None and not question.several


def is_rich(question: Any) -> bool:
    """Whether it is in the rich form."""
    return question.kind is not None


def is_text(question: Any) -> bool:
    """Whether it is a text or editor question."""
    return not question.labels


def is_secret(question: Any) -> bool:
    """Whether its answer is redacted."""
    return bool(question.sensitivity == "secret")


# The input


def reading(**members: Any) -> Any:
    """Some members of the input are read otherwise; each function gets what stands there."""

    def read(given: Any, *_: Any) -> Any:
        if not isinstance(given, dict):
            return given
        changed = {name: change(given[name]) for name, change in members.items() if name in given}
        return given | changed

    return before(read)


def with_missing(**members: Any) -> Any:
    """Members that are absent or empty are made up."""
    return before(
        lambda given, *_: (
            given | {name: given.get(name) or it for name, it in members.items()}
            if isinstance(given, dict)
            else given
        )
    )


def refusing(when: Any) -> Any:
    """What is right is refused where `when` says so, which gets it."""

    def refuse(original: Any, *given: Any) -> Any:
        asks.demand(not when(given[-1]), "refused by a mutant")
        return original(*given)

    return refuse


ASKS: dict[str, Any] = {
    # Accepting
    "JRN-001 batch asks-one-question-only": refusing(lambda it: len(it) > 1),
    "JRN-001 rich_question knows-no-editor": refusing(
        lambda it: it["kind"] == "editor" and "timeoutMs" not in it
    ),
    "JRN-001 rich_question knows-no-reason": refusing(lambda it: "reason" in it),
    "JRN-001 timeout_ms begins-after-the-shortest": refusing(
        lambda it: it.get("timeoutMs") == asks.SHORTEST_MS
    ),
    "JRN-001 timeout_ms ends-before-the-longest": refusing(
        lambda it: it.get("timeoutMs") == asks.LONGEST_MS
    ),
    # Refusing
    "JRN-002 questions makes-up-a-question": before(
        lambda it, *_: {"question": "Go on?", "kind": "text"} if it == {} else it
    ),
    "JRN-002 questions asks-what-is-only-a-text": before(
        lambda it, *_: {"question": it, "kind": "text"} if isinstance(it, str) else it
    ),
    "JRN-002 questions takes-the-batch-of-both-forms": before(
        lambda it, *_: {"questions": it["questions"]} if "questions" in it else it
    ),
    "JRN-002 batch makes-up-a-batch": before(
        lambda it, *_: it or [{"id": "a", "question": "Go on?", "options": [{"label": "OK"}]}]
    ),
    "JRN-002 batch leaves-out-what-is-wrong": before(
        lambda it, *_: [one for one in it if one.get("options")] or it
    ),
    "JRN-002 option_question makes-up-ids": with_missing(id="question"),
    "JRN-002 option_question makes-up-questions": with_missing(question="?"),
    "JRN-002 recommended finds-recommended-labels": lambda original, given, offered: (
        original(given, offered) if type(given.get("recommended", 0)) is int else 0
    ),
    "JRN-002 recommended takes-the-last-for-what-there-is-not": lambda original, given, offered: (
        min(given.get("recommended", 0), offered - 1)
        if type(given.get("recommended", 0)) is int
        else original(given, offered)
    ),
    "JRN-002 batch gives-ids-again": before(
        lambda it, *_: (
            [one | {"id": f"{one.get('id')} {at}"} for at, one in enumerate(it)]
            if len(it) > 1 and it[0].get("id") == it[1].get("id")
            else it
        )
    ),
    "JRN-002 rich_question takes-unknown-kinds-for-texts": reading(
        kind=lambda it: it if it in asks.KINDS else "text"
    ),
    "JRN-002 rich_question makes-up-rich-questions": with_missing(question="?"),
    "JRN-002 rich_question offers-yes-and-no": before(
        lambda it, *_: {"options": [{"label": "Yes"}, {"label": "No"}], **it}
    ),
    "JRN-002 rich_question takes-unknown-sensitivities": reading(
        sensitivity=lambda it: it if it in asks.SENSITIVITIES else "internal"
    ),
    "JRN-002 labels_of leaves-out-what-has-no-label": before(
        lambda it, *_: it | {"options": [one for one in it.get("options", ()) if "label" in one]}
    ),
    # Timeouts
    "JRN-003 timeout_ms takes-short-ones": reading(
        timeoutMs=lambda it: max(1000, it) if type(it) is int and it > 0 else it
    ),
    "JRN-003 timeout_ms takes-zero-for-none": lambda original, it: (
        original(it) if it.get("timeoutMs") != 0 else None
    ),
    "JRN-003 timeout_ms cuts-long-ones": reading(
        timeoutMs=lambda it: min(asks.LONGEST_MS, it) if type(it) is int else it
    ),
    "JRN-003 timeout_ms reads-texts": reading(
        timeoutMs=lambda it: int(it) if isinstance(it, str) else it
    ),
    "JRN-003 timeout_ms cuts-fractions": reading(
        timeoutMs=lambda it: int(it) if isinstance(it, float) else it
    ),
    "JRN-003 timeout_ms takes-null-for-none": lambda original, it: (
        original(it) if it.get("timeoutMs", 0) is not None else None
    ),
    "JRN-004 refuse_dialog_timeout lets-an-editor-have-one": lambda original, it: (
        original(it) if it["kind"] == "text" else None
    ),
    "JRN-004 refuse_dialog_timeout looks-at-its-value-first": lambda original, it: (
        asks.timeout_ms(it),
        original(it),
    ),
}
table(ROLE, asks, "ask", ASKS)

# Time that is not named, and nobody to ask


def named(change: Any) -> Any:
    """The time of a question is another before anything of it is shown; both are given."""
    return lambda original, self, question: change(original(self, question), question)


def waiting(ms: int, when: Any) -> Any:
    """Questions without a timeout get one where `when` says so."""
    return named(
        lambda it, _: it._replace(timeout_ms=ms) if it.timeout_ms is None and when(it) else it
    )


def after_thirty(ms: int | None, *kinds: str) -> Any:
    """Rich questions of some kinds that name no timeout get another one."""
    return named(
        lambda it, given: (
            it._replace(timeout_ms=ms) if given.kind in kinds and given.timeout_ms is None else it
        )
    )


def told_without_an_interface(change: Any) -> Any:
    """Something else happens where there is no user interface; `change` gets how to tell."""

    def ask(original: Any, self: Writer, given: Any, show: Any, tell: Any) -> Any:
        return original(self, given, show, tell) if show else change(original, self, given, tell)

    return ask


def nothing_is_shown(*_: Any) -> None:
    """Show a question to nobody."""


WRITER: dict[str, Any] = {
    "JRN-034 ask lets-time-answer-without-an-interface": told_without_an_interface(
        lambda original, self, given, tell: (
            original(self, given, None, tell),
            original(self, given, nothing_is_shown, tell),
        )
    ),
    "JRN-035 ask asks-nobody": told_without_an_interface(
        lambda original, self, given, tell: original(self, given, nothing_is_shown, tell)
    ),
    "JRN-008 timed gives-every-question-a-minute": waiting(MINUTE_MS, is_single),
    "JRN-008 timed gives-texts-five-minutes": waiting(
        asks.LONGEST_MS, lambda it: it.kind == "text"
    ),
    "JRN-009 timed waits-a-second-less": after_thirty(29_000, "select"),
    "JRN-009 timed waits-for-ever-for-many-choices": after_thirty(None, "multi-select"),
}
table(ROLE, Writer, "writer", WRITER)

# Collecting answers


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
    "JRN-005 go_back goes-back-to-the-first": lambda original, self: self.show_question(0),
    "JRN-005 act stays-at-the-last-question": acting(
        forward=lambda self: self.go_on() if self.position + 1 < len(self.questions) else None
    ),
    "JRN-008 JRN-011 JRN-022 JRN-032 stop_time lets-old-timers-run": lambda original, self: None,
    # Time
    "JRN-022 start_time lets-time-run-again": lambda original, self: (
        put(self, _timer=self._clock.after(SHORT_MS, self.run_out))
        if self.position in self.outcomes and self.questions[self.position].timeout_ms
        else original(self)
    ),
    "JRN-011 start_time waits-a-minute-at-most": timing(lambda ms: min(ms, MINUTE_MS), is_single),
    "JRN-011 start_time has-one-clock-for-a-batch": lambda original, self: timing(
        lambda ms: ms - (self._clock.now - self.__dict__.setdefault("begun", self._clock.now)),
        is_single,
    )(original, self),
    "JRN-016 JRN-015 run_out never-runs-out-of-many-choices": running_out(
        lambda one: one.kind == "multi-select" and one.timeout_ms < 30_000
    ),
    "JRN-016 start_time waits-thirty-seconds-at-most": timing(
        lambda ms: min(ms, 30_000), names_its_time
    ),
    # Finalizing
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
    "JRN-031 end ends-again-when-answered": again(lambda it: it.status == "answered"),
    "JRN-031 end ends-again-without-an-answer": again(
        lambda it: it.status == "timed-out" and it.source == "none"
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
    "JRN-034 interrupt writes-the-answers-before": writing(lambda self, _: self.completed()),
    "JRN-034 interrupt writes-what-is-selected": writing(drafted),
    "JRN-034 interrupt says-cancelled-of-what-failed": writing(
        lambda self, how: self.cancelled() if how == "failed" else []
    ),
    "JRN-035 interrupt calls-it-failed": before(lambda *_: "failed"),
}
table(ROLE, Collector, "collector", COLLECTOR)
