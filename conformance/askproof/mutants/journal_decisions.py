"""Mutants of the reference writer: what becomes of a question, and the record of that."""

from __future__ import annotations

from typing import Any

from askproof.mutants.journal_asks import (
    ROLE,
    is_rich,
    is_secret,
    is_single,
    is_text,
    labels,
)
from askproof.mutants.journal_collecting import is_custom
from askproof.mutants.journal_telling import is_cancelled, is_expired
from askproof.mutants.tables import after, table
from askproof_reference import decisions


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
    # Human answers
    "JRN-010 answered says-automatic-of-a-text": ending(
        lambda it: is_text(it) and not is_secret(it), source="automatic"
    ),
    "JRN-010 answered says-none-of-a-choice": ending(is_single, source="none"),
    "JRN-010 answered says-timed-out": ending(
        lambda it: is_rich(it) and not is_secret(it), timed_out=True
    ),
    # Automatic answers
    "JRN-011 automatic_answer takes-the-first": timed(
        lambda one, selected: selected if one.several else one.labels[:1]
    ),
    "JRN-011 automatic_answer takes-what-is-selected": timed(
        lambda one, selected: selected if one.several or selected else [one.labels[one.recommended]]
    ),
    "JRN-012 automatic_answer takes-what-is-recommended": timed(
        lambda one, selected: (
            selected if selected and not one.recommended else [one.labels[one.recommended]]
        )
    ),
    "JRN-012 automatic_answer takes-nothing": timed(
        lambda one, _: [] if one.several else [one.labels[one.recommended]]
    ),
    "JRN-012 automatic_answer takes-all": timed(
        lambda one, selected: (
            selected or one.labels if one.several else [one.labels[one.recommended]]
        )
    ),
    "JRN-013 JRN-014 timed_out is-taken-for-a-human": ending(is_single, source="human"),
    "JRN-013 timed_out says-answered": ending(is_single, status="answered"),
    # Expired rich questions
    "JRN-015 timed_out calls-it-cancelled": ending(is_rich, status="cancelled"),
    "JRN-015 timed_out calls-nothing-automatic": ending(is_rich, source="automatic"),
    "JRN-015 decision records-the-choice-of-none": also(is_expired, answer=labels()),
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
    "JRN-016 result has-an-empty-list-for-a-value": also(
        lambda it: is_expired(it) and it.question.several, value=[]
    ),
    "JRN-016 result has-null-for-a-value": also(
        lambda it: is_expired(it) and not it.question.several, value=None
    ),
    # Cancelled questions
    "JRN-017 cancelled says-that-time-ran-out": ending(timed_out=True),
    "JRN-017 cancelled says-timed-out-of-a-select": ending(is_rich, status="timed-out"),
    "JRN-017 decision records-null": also(is_cancelled, answer=None),
    "JRN-017 decision records-an-empty-text": also(
        lambda it: is_cancelled(it) and is_text(it.question), answer=""
    ),
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
    "JRN-019 result says-that-all-were-answered": also(lambda it: True, status="answered"),
    "JRN-019 result says-that-all-were-human": also(
        lambda it: it.source == "automatic", answerSource="human"
    ),
    "JRN-019 result calls-a-timeout-cancelled": also(
        is_expired, status="cancelled", timedOut=False
    ),
    "JRN-019 result calls-a-cancellation-timed-out": also(is_cancelled, status="timed-out"),
    "JRN-020 result keeps-automatic-values-back": after(
        lambda it, outcome: (
            {name: value for name, value in it.items() if name != "value"}
            if outcome.source == "automatic"
            else it
        )
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
    "JRN-040 recorded_answer records-texts": unhidden(lambda one, _: one.kind == "text"),
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
    "JRN-042 recorded_answer records-many-options": unhidden(
        lambda one, it: one.several and not is_custom(it)
    ),
    "JRN-042 recorded_answer records-custom-input-beside-many": unhidden(
        lambda one, it: one.several and is_custom(it)
    ),
    "JRN-042 recorded_answer redacts-within-the-answer": marked(
        lambda _, it: labels(decisions.REDACTED) if isinstance(it, dict) else decisions.REDACTED
    ),
    "JRN-045 redact hides-what-is-public": hidden(lambda one, _: one.sensitivity == "public"),
    "JRN-045 redact hides-what-looks-random": hidden(
        lambda one, it: (
            not is_secret(one)
            and isinstance(it, str)
            and any(map(str.isdigit, it))
            and it.isalnum()
        )
    ),
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
    "JRN-051 metadata forgets-the-kind": after(
        lambda it, _: {name: value for name, value in it.items() if name != "kind"}
    ),
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
