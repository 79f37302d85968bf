"""The input of an ask in its two forms, and the questions that it asks.

What is wrong raises an AskError, whose message repeats nothing of the input.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from askproof_reference import ids
from askproof_reference.records import Record
from askproof_reference.text import is_text

CHOICES = ("select", "multi-select")
KINDS = (*CHOICES, "text", "editor")
SENSITIVITIES = ("public", "internal", "secret")
SHORTEST_MS, LONGEST_MS = 1000, 300_000


class AskError(Exception):
    """An ask that has no result.

    Attributes:
        status: `invalid`, `unsupported`, `superseded`, `unavailable` or `failed`.
        message: why, for people.
    """

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class Question(NamedTuple):
    """One question, of either form.

    Attributes:
        id: given in the option form, made of the text in the rich form (JRN-054).
        text: what is asked.
        labels: of the options; none for a text or editor question.
        several: whether several options may be chosen.
        recommended: the position of the option that is chosen where nobody does (JRN-011).
        timeout_ms: how long it waits for the human; None: for ever.
        kind: of a rich question; None in the option form.
        sensitivity: of a rich question.
        selected: the positions that are selected when it is shown first.
        typed: the text that is there when it is shown first.
    """

    id: str
    text: str
    labels: tuple[str, ...]
    several: bool
    recommended: int = 0
    timeout_ms: int | None = None
    kind: str | None = None
    sensitivity: str | None = None
    selected: tuple[int, ...] = ()
    typed: str = ""


def questions(given: Any) -> list[Question]:
    """The questions of an ask, in either form (JRN-001, JRN-002)."""
    demand(isinstance(given, dict), "the input must be an object")
    in_option_form = "questions" in given
    in_rich_form = not given.keys().isdisjoint(("question", "kind"))
    demand(in_option_form != in_rich_form, "there must be either questions, or one with its kind")
    return batch(given["questions"]) if in_option_form else [rich_question(given)]


def demand(holds: object, message: str) -> None:
    """Refuse the input unless something holds (JRN-002)."""
    if not holds:
        raise AskError("invalid", message)


# The option form


def batch(given: Any) -> list[Question]:
    """All questions of the option form."""
    demand(isinstance(given, list) and given, "questions must be a list of at least one")
    asked = [option_question(one) for one in given]
    demand(len({one.id for one in asked}) == len(asked), "no two questions may have one id")
    return asked


def option_question(given: Any) -> Question:
    """One question of the option form."""
    demand(isinstance(given, dict), "a question must be an object")
    demand(is_text(given.get("id")), "the id of a question must be a text that is not blank")
    labels = labels_of(given)
    return Question(
        id=given["id"],
        text=text_of(given),
        labels=labels,
        several=flag(given, "multi"),
        recommended=recommended(given, len(labels)),
        timeout_ms=timeout_ms(given),
    )


def recommended(given: Record, offered: int) -> int:
    """The position of the recommended option, or of the first if none is (JRN-011)."""
    position = given.get("recommended", 0)
    demand(type(position) is int and 0 <= position < offered, "recommended must be an option's")
    return int(position)


# The rich form


def rich_question(given: Record) -> Question:
    """The one question of the rich form."""
    kind, sensitivity = given.get("kind"), given.get("sensitivity", "internal")
    demand(kind in KINDS, f"the kind must be one of {', '.join(KINDS)}")
    demand(sensitivity in SENSITIVITIES, f"the sensitivity: one of {', '.join(SENSITIVITIES)}")
    demand(isinstance(given.get("reason", ""), str), "the reason must be a text")
    flag(given, "allowCustom")
    text = text_of(given)
    question = Question(
        id=ids.question_id(text),
        text=text,
        labels=labels_of(given) if kind in CHOICES else (),
        several=kind == "multi-select",
        kind=kind,
        sensitivity=sensitivity,
    )
    if "default" in given:
        question = with_default(question, given["default"])
    refuse_dialog_timeout(given)
    return question._replace(timeout_ms=timeout_ms(given))


def with_default(question: Question, default: Any) -> Question:
    """The question with something selected or typed when it is shown first."""
    demand(isinstance(default, list if question.several else str), "the default is of a wrong type")
    if question.kind not in CHOICES:
        return question._replace(typed=default)
    labels = default if question.several else [default]
    demand(all(label in question.labels for label in labels), "the default must be offered")
    demand(len({*labels}) == len(labels), "the default must name each label once")
    return question._replace(selected=tuple(map(question.labels.index, labels)))


def refuse_dialog_timeout(given: Record) -> None:
    """Refuse a timeout where the host's dialog can neither be timed nor cancelled (JRN-004)."""
    if given["kind"] not in CHOICES and "timeoutMs" in given:
        raise AskError("unsupported", "a text or editor question cannot have a timeout")


# Both forms


def text_of(given: Record) -> str:
    """The text of a question, as it is."""
    demand(is_text(given.get("question")), "a question must have a text that is not blank")
    return str(given["question"])


def labels_of(given: Record) -> tuple[str, ...]:
    """The labels of the options, as they are."""
    options = given.get("options")
    demand(isinstance(options, list) and options, "options must be a list of at least one")
    return tuple(label_of(option) for option in options or ())


def label_of(option: Any) -> str:
    """The label of an option, as it is."""
    demand(isinstance(option, dict), "an option must be an object")
    demand(is_text(option.get("label")), "the label of an option must be a text that is not blank")
    demand(isinstance(option.get("description", ""), str), "a description must be a text")
    return str(option["label"])


def timeout_ms(given: Record) -> int | None:
    """How long a question waits, in milliseconds; None if it does not say (JRN-003)."""
    if "timeoutMs" not in given:
        return None
    timeout = given["timeoutMs"]
    demand(
        type(timeout) is int and SHORTEST_MS <= timeout <= LONGEST_MS,
        f"timeoutMs must be an integer from {SHORTEST_MS} to {LONGEST_MS}",
    )
    return int(timeout)


def flag(given: Record, member: str) -> bool:
    """A member that is true or false, and false where it is absent."""
    value = given.get(member, False)
    demand(isinstance(value, bool), f"{member} must be true or false")
    return bool(value)
