"""Mutants of the reference writer: what becomes of a question, and what is told of that."""

from __future__ import annotations

from base64 import b64encode
from functools import partial
from typing import Any

from askproof.mutants import breaks
from askproof.mutants.journal_writer_asks import (
    ROLE,
    is_rich,
    is_secret,
    is_single,
    is_text,
    labels,
)
from askproof.mutants.tables import after, put, table
from askproof_reference import decisions
from askproof_reference.asks import AskError
from askproof_reference.collector import Collector, Draft
from askproof_reference.writer import ToolResult, Writer

FLAGS = ("status", "timedOut", "answerSource")


def is_cancelled(outcome: Any) -> bool:
    """Whether a human has cancelled."""
    return bool(outcome.status == "cancelled")


def is_expired(outcome: Any) -> bool:
    """Whether the time of a rich question ran out."""
    return bool(outcome.timed_out and outcome.source == "none")


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


# Decisions


def ending(when: Any = lambda _: True, **members: Any) -> Any:
    """An outcome has other members where `when` says so of its question."""
    return after(lambda it, question, *_: it._replace(**members) if when(question) else it)


def recording(change: Any) -> Any:
    """A record is another one; `change` gets that, and the outcome."""
    return after(change)


def also(when: Any, **members: Any) -> Any:
    """A record, or an outcome in the result, has more members where `when` says so."""
    return after(lambda record, outcome: record | (members if when(outcome) else {}))


def timed(choice: Any) -> Any:
    """Time answers otherwise; `choice` gets the question, and what is selected."""
    return lambda _, question, selected: labels(*choice(question, selected))


def unhidden(when: Any) -> Any:
    """An answer is not redacted where `when` says so of the question and the answer."""
    return lambda original, question, answer: (
        answer if when(question, answer) else original(question, answer)
    )


def hidden(when: Any) -> Any:
    """An answer is redacted where `when` says so of the question and the answer."""
    return lambda original, question, answer: (
        decisions.REDACTED if when(question, answer) else original(question, answer)
    )


def marked(mark: Any) -> Any:
    """The marker of a secret tells something; `mark` gets the question and the answer."""
    return lambda original, question, answer: (
        mark(question, answer) if is_secret(question) else original(question, answer)
    )


def valued(when: Any, change: Any) -> Any:
    """The value in the result is another where `when` says so of the question."""
    return lambda original, question, answer: (
        change(original(question, answer)) if when(question) else original(question, answer)
    )


DECISIONS: dict[str, Any] = {
    # Automatic answers
    "JRN-011 automatic_answer takes-what-is-selected": timed(
        lambda one, selected: selected if one.several or selected else [one.labels[one.recommended]]
    ),
    "JRN-012 automatic_answer takes-what-is-recommended": timed(
        lambda one, selected: (
            selected if selected and not one.recommended else [one.labels[one.recommended]]
        )
    ),
    "JRN-012 automatic_answer takes-all": timed(
        lambda one, selected: (
            selected or one.labels if one.several else [one.labels[one.recommended]]
        )
    ),
    "JRN-013 JRN-014 timed_out is-taken-for-a-human": ending(is_single, source="human"),
    "JRN-013 timed_out says-answered": ending(is_single, status="answered"),
    # Expired rich questions
    "JRN-015 decision records-the-default": recording(
        lambda record, it: (
            record | {"answer": labels(*(it.question.labels[at] for at in it.question.selected))}
            if is_expired(it) and it.question.selected
            else record
        )
    ),
    "JRN-015 JRN-016 timed_out takes-what-was-selected": lambda original, question, selected: (
        decisions.completed(original(question, selected), labels(*selected))
        if is_rich(question) and selected
        else original(question, selected)
    ),
    # Cancelled questions
    "JRN-017 decision records-what-is-recommended": recording(
        lambda record, it: (
            record | {"answer": labels(it.question.labels[it.question.selected[0]])}
            if is_cancelled(it) and it.question.selected
            else record
        )
    ),
    "JRN-018 result has-an-empty-text-for-a-value": also(
        lambda it: is_cancelled(it) and is_text(it.question), value=""
    ),
    "JRN-018 result has-an-empty-choice-for-a-value": also(
        lambda it: is_cancelled(it) and not is_text(it.question), value=labels()
    ),
    # The result
    "JRN-019 result calls-a-timeout-cancelled": also(
        is_expired, status="cancelled", timedOut=False
    ),
    "JRN-020 value_of has-lists-for-option-questions": valued(
        lambda one: one.kind is None, lambda it: it["selectedOptions"]
    ),
    "JRN-020 value_of has-lists-for-selects": valued(
        lambda one: one.kind == "select" and not is_secret(one), lambda it: [it]
    ),
    "JRN-020 value_of has-texts-for-multi-selects": valued(
        lambda one: one.kind == "multi-select" and not is_secret(one),
        lambda it: ", ".join(it) if len(it) > 1 else it,
    ),
    "JRN-021 value_of has-a-text-for-custom-input": lambda original, question, answer: (
        answer["customInput"]
        if question.kind == "multi-select" and is_custom(answer) and not is_secret(question)
        else original(question, answer)
    ),
    "JRN-021 custom_input splits-at-commas": after(
        lambda it, *_: [part.strip() for one in it for part in one.split(",")]
    ),
    # Secrets
    "JRN-040 recorded_answer tells-the-length": marked(
        lambda _, answer: f"[REDACTED:{len(answer)}]"
    ),
    "JRN-040 recorded_answer records-empty-texts": unhidden(lambda _, answer: answer == ""),
    "JRN-041 value_of returns-texts": lambda original, question, answer: (
        answer if is_text(question) else original(question, answer)
    ),
    "JRN-041 value_of returns-choices": lambda original, question, answer: (
        original(question, answer) if is_text(question) else decisions.plain_value(question, answer)
    ),
    "JRN-042 recorded_answer records-editors": unhidden(lambda one, _: one.kind == "editor"),
    "JRN-042 recorded_answer records-options": unhidden(
        lambda one, it: one.kind == "select" and not is_custom(it)
    ),
    "JRN-042 recorded_answer records-custom-input": unhidden(
        lambda one, it: one.kind == "select" and is_custom(it)
    ),
    "JRN-042 recorded_answer records-custom-input-beside-many": unhidden(
        lambda one, it: one.several and is_custom(it)
    ),
    "JRN-045 redact hides-what-is-public": hidden(lambda one, _: one.sensitivity == "public"),
    "JRN-045 redact hides-what-looks-like-a-password": hidden(
        lambda _, it: isinstance(it, str) and it.startswith("password=")
    ),
    # Records
    "JRN-044 decision hides-the-question": recording(
        lambda record, it: (
            record | {"question": decisions.REDACTED} if is_secret(it.question) else record
        )
    ),
    "JRN-044 metadata hides-who-has-answered": after(
        lambda it, outcome: (
            it | {"answerSource": "none"}
            if is_secret(outcome.question) and outcome.source == "human"
            else it
        )
    ),
    "JRN-050 decision has-a-version": also(lambda _: True, version=1),
    "JRN-050 metadata knows-more": also(lambda _: True, tool="ask"),
    "JRN-051 metadata calls-everything-internal": after(
        lambda it, _: it | ({"sensitivity": "internal"} if "sensitivity" in it else {})
    ),
    "JRN-051 metadata forgets-that-there-were-several": after(
        lambda it, _: {name: value for name, value in it.items() if name != "multi"}
    ),
    "JRN-055 JRN-052 decision has-the-id-for-the-question": recording(
        lambda record, it: record if is_rich(it.question) else record | {"question": it.question.id}
    ),
    "JRN-055 decision forgets-the-question-when-cancelled": recording(
        lambda record, it: (
            {name: value for name, value in record.items() if name != "question"}
            if is_cancelled(it) and not is_secret(it.question)
            else record
        )
    ),
}
table(ROLE, decisions, "decision", DECISIONS)

# What is told


def flags_of_the_first(result: Any, *_: Any) -> Any:
    """The provenance of the first question of a batch is that of all."""
    first = result["outcomes"][:1]
    flags = {name: one[name] for one in first for name in FLAGS}
    return result | {"outcomes": [one | flags for one in result["outcomes"]]}


WRITER: dict[str, Any] = {
    "JRN-014 text_of tells-the-model-nothing": after(
        lambda text, _, __: text.replace("automatic, since the", "the")
    ),
    "JRN-014 text speaks-for-the-first-question": lambda _, self, outcomes: (
        self.text_of(outcomes[0]) if outcomes else ""
    ),
    "JRN-019 result has-the-flags-of-the-first": after(flags_of_the_first),
}
table(ROLE, Writer, "writer", WRITER)


def telling(change: Any, when: Any = lambda _: True) -> Any:
    """What an ask ends with is told otherwise; `change` gets that, and the collector."""

    def end(original: Any, self: Collector, outcomes: Any) -> None:
        finish, tell = self._end.func, self._end.args[0]  # type: ignore[attr-defined]
        if not self._ended and when(outcomes):
            self._end = partial(finish, lambda ended: tell(change(ended, self)))
        original(self, outcomes)

    return end


@breaks("JRN-036", ROLE, Collector, "end")
def returns_what_was_answered_before(original: Any, self: Collector, outcomes: Any) -> None:
    """Names in the result of a cancelled batch what was answered before."""

    def change(ended: ToolResult, _: Any) -> ToolResult:
        ended.result["outcomes"][:0] = map(decisions.result, self.completed())
        return ended

    telling(change, lambda it: isinstance(it, list) and any(map(is_cancelled, it)))(
        original, self, outcomes
    )


@breaks("JRN-043", ROLE, Collector, "end")
def quotes_a_secret_as_base64(original: Any, self: Collector, outcomes: Any) -> None:
    """Quotes what was typed or selected, in the text for the model or the message of the error."""
    draft = self._drafts[self.position]
    typed = draft.typed or " ".join(draft.labels())
    said = b64encode(typed.encode("utf-8", "surrogatepass")).decode()

    def change(ended: Any, _: Any) -> Any:
        if isinstance(ended, AskError):
            return AskError(ended.status, f"{ended.message} {said}")
        return ended._replace(text=f"{ended.text} {said}")

    telling(change)(original, self, outcomes)


@breaks("JRN-043", ROLE, Collector, "end")
def writes_a_secret_beside_the_decision(original: Any, self: Collector, outcomes: Any) -> None:
    """Tells the store, in the line of the session, what was typed or selected."""
    store = self._end.func.__self__.journals["store"]  # type: ignore[attr-defined]
    draft = self._drafts[self.position]
    original(self, outcomes)
    if draft.question.sensitivity == "secret" and store.file.fault is None:
        typed = draft.typed or " ".join(draft.labels())
        store.file.append({"kind": "session", "session": {"id": "s1", "metadata": typed}})


@breaks("JRN-043", ROLE, Collector, "end")
def quotes_a_secret_in_diagnostics(original: Any, self: Collector, outcomes: Any) -> None:
    """Quotes the answer in the diagnostics where a journal could not be written."""
    writer = self._end.func.__self__  # type: ignore[attr-defined]
    typed = self._drafts[self.position].typed
    put(writer, diagnostic=lambda name, fault: f"{name}: {fault}: {typed}")
    original(self, outcomes)
