"""What becomes of a question, and the record of it: the journal's and the result's.

A secret is redacted here, once, when its question is completed: what comes after has never seen it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from askproof_reference import ids
from askproof_reference.asks import Question
from askproof_reference.records import Record, record

REDACTED = "[REDACTED:secret-answer]"

# `{"selectedOptions": [...], "customInput": ...}` of a question with options, else the text.
Answer = Record | str


class Outcome(NamedTuple):
    """What became of a question.

    Attributes:
        question: the question.
        status: `answered`, `timed-out` or `cancelled`.
        timed_out: whether its time ran out.
        source: `human`, `automatic` or `none`: whose answer it is.
        answer: as it is recorded; None if there is none.
        value: as it is in the result; None if there is none.
    """

    question: Question
    status: str
    timed_out: bool
    source: str
    answer: Answer | None = None
    value: Any = None


# What happens


def answered(question: Question, answer: Answer) -> Outcome:
    """A human chose, or typed (JRN-010)."""
    outcome = Outcome(question, status="answered", timed_out=False, source="human")
    return completed(outcome, answer)


def timed_out(question: Question, selected: list[str]) -> Outcome:
    """The time ran out, with these labels selected (JRN-013, JRN-015)."""
    outcome = Outcome(question, status="timed-out", timed_out=True, source="none")
    if question.kind is not None:
        return outcome
    return completed(outcome._replace(source="automatic"), automatic_answer(question, selected))


def automatic_answer(question: Question, selected: list[str]) -> Answer:
    """The answer of an option question that nobody answered in time (JRN-011, JRN-012)."""
    recommended = [question.labels[question.recommended]]
    return {"selectedOptions": selected if question.several else recommended}


def cancelled(question: Question) -> Outcome:
    """A human cancelled, and whatever had been chosen or typed is gone (JRN-017)."""
    return Outcome(question, status="cancelled", timed_out=False, source="none")


def completed(outcome: Outcome, answer: Answer) -> Outcome:
    """The outcome with an answer."""
    question = outcome.question
    return outcome._replace(
        answer=recorded_answer(question, answer), value=value_of(question, answer)
    )


# Answers


def recorded_answer(question: Question, answer: Answer) -> Answer:
    """The answer for both journals (JRN-040, JRN-045)."""
    recorded: Answer = redact(question, answer)
    return recorded


def value_of(question: Question, answer: Answer) -> Any:
    """The answer for the result (JRN-020, JRN-041)."""
    return redact(question, plain_value(question, answer))


def plain_value(question: Question, answer: Answer) -> Any:
    """The value of a rich choice without the names of what it is made of (JRN-020, JRN-021)."""
    if question.kind is None or isinstance(answer, str):
        return answer
    chosen = [*answer["selectedOptions"], *custom_input(answer)]
    return chosen if question.several else chosen[0]


def custom_input(answer: Record) -> list[str]:
    """The custom input of an answer, if there is any, as a list (JRN-021)."""
    return [answer["customInput"]] if "customInput" in answer else []


def redact(question: Question, answer: Any) -> Any:
    """The answer, or a fixed marker in place of a secret one, of whatever kind (JRN-042)."""
    return REDACTED if question.sensitivity == "secret" else answer


# Records


def decision(outcome: Outcome) -> Record:
    """The record of a question for both journals (JRN-050, JRN-055)."""
    return record(
        decisionId=ids.decision_id(outcome.question.id),
        status=outcome.status,
        question=outcome.question.text,
        answer=outcome.answer,
        metadata=metadata(outcome),
    )


def metadata(outcome: Outcome) -> Record:
    """Where a decision comes from, and what was asked (JRN-051)."""
    question = outcome.question
    return record(
        source="ask",
        timedOut=outcome.timed_out,
        answerSource=outcome.source,
        multi=True if question.several and question.kind is None else None,
        kind=question.kind,
        sensitivity=question.sensitivity,
    )


def result(outcome: Outcome) -> Record:
    """What the result of the ask says of a question (JRN-019, JRN-020)."""
    return record(
        questionId=outcome.question.id,
        status=outcome.status,
        timedOut=outcome.timed_out,
        answerSource=outcome.source,
        value=outcome.value,
    )
