"""What a receipt says: of a question as it was captured, and of the row that answers it.

Each rule has a function of its own. `issuer` decides whether a receipt is delivered at all.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any, NamedTuple

from askproof_reference.records import Record, record
from askproof_reference.text import is_blank

CHOICE = "ask_user_choice"
QUESTIONNAIRE = "ask_user_question"


class Question(NamedTuple):
    """One question as it was captured before the UI opened.

    Attributes:
        text: the question itself.
        prompt: all that the human is shown of it, as JSON.
        labels: of the options, as offered.
        multi_select: whether several labels may be chosen.
        custom_text: whether the human may write a text of their own.
    """

    text: str
    prompt: str
    labels: tuple[str, ...]
    multi_select: bool
    custom_text: bool


class Row(NamedTuple):
    """What the UI returns for one question: the chosen labels, and custom text, as they are."""

    labels: tuple[str, ...] = ()
    text: str | None = None


# The questions


def read_questions(tool: str, given: Record, *, previews: bool) -> tuple[Question, ...]:
    """The questions of a tool's input, with nothing of the caller's objects in them (RCP-015)."""
    if tool == CHOICE:
        return (read_choice(given),)
    return tuple(read_question(one, previews=previews) for one in given["questions"])


def read_choice(given: Record) -> Question:
    """The question of a choice."""
    return Question(
        text=given["question"],
        prompt=write_prompt(choice_prompt(given)),
        labels=labels(given),
        multi_select=False,
        custom_text=given["allowCustomResponse"],
    )


def read_question(given: Record, *, previews: bool) -> Question:
    """One question of a questionnaire; custom text is always allowed there."""
    return Question(
        text=given["question"],
        prompt=write_prompt(questionnaire_prompt(given, previews=previews)),
        labels=labels(given),
        multi_select=given["multiSelect"],
        custom_text=True,
    )


def labels(given: Record) -> tuple[str, ...]:
    """The labels of a question's options, in order."""
    return tuple(option["label"] for option in given["options"])


def choice_prompt(given: Record) -> Record:
    """The prompt of a choice (RCP-016, RCP-017)."""
    return {
        "question": given["question"],
        "options": [shown_option(option) for option in given["options"]],
        "allowCustomResponse": given["allowCustomResponse"],
    }


def questionnaire_prompt(given: Record, *, previews: bool) -> Record:
    """The prompt of a question of a questionnaire (RCP-016, RCP-018, RCP-019)."""
    return {
        "question": given["question"],
        "header": given["header"],
        "multiSelect": given["multiSelect"],
        "options": [shown_option(option, previews=previews) for option in given["options"]],
    }


def shown_option(option: Record, *, previews: bool = False) -> Record:
    """What is shown of an option: never its opaque value (RCP-016, RCP-019, RCP-022)."""
    return record(
        label=option["label"],
        description=option.get("description"),
        preview=option.get("preview") if previews else None,
    )


def write_prompt(prompt: Record) -> str:
    """A prompt as JSON, every text kept as it is (RCP-016, RCP-021)."""
    return json.dumps(prompt, ensure_ascii=False, separators=(",", ":"))


# The answers


def answer(question: Question, row: Row) -> Record:
    """The visible answer of a valid row (RCP-020, RCP-021, RCP-024)."""
    if row.text is not None:
        return record(kind="custom", text=row.text, selected=in_order(question, row) or None)
    if question.multi_select:
        return {"kind": "multi", "selected": in_order(question, row)}
    return {"kind": "option", "text": row.labels[0], "selected": [row.labels[0]]}


def in_order(question: Question, row: Row) -> list[str]:
    """The chosen labels in the order in which they were offered (RCP-020)."""
    return sorted(row.labels, key=question.labels.index)


def is_valid(question: Question, row: Row) -> bool:
    """Whether a selection is valid (RCP-037)."""
    return (
        are_offered(question, row)
        and are_different(row)
        and is_one_answer(question, row)
        and is_fit_text(question, row)
    )


def are_offered(question: Question, row: Row) -> bool:
    """Whether every label was offered."""
    return all(label in question.labels for label in row.labels)


def are_different(row: Row) -> bool:
    """Whether no label is repeated."""
    return len(set(row.labels)) == len(row.labels)


def is_one_answer(question: Question, row: Row) -> bool:
    """Whether there are as many labels as the question takes; text stands for the single one."""
    if question.multi_select:
        return bool(row.labels) or row.text is not None
    return len(row.labels) == (1 if row.text is None else 0)


def is_fit_text(question: Question, row: Row) -> bool:
    """Whether custom text, if there is any, is allowed and not blank."""
    return row.text is None or (question.custom_text and not is_blank(row.text))


# The receipt


def freeze(value: Any) -> Any:
    """A record that nobody can change, at any depth; what is no record stays itself (RCP-025)."""
    if isinstance(value, dict):
        return MappingProxyType({name: freeze(member) for name, member in value.items()})
    if isinstance(value, list):
        return tuple(freeze(item) for item in value)
    return value
