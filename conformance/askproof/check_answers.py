"""What a submit carries, whether it must be refused, and what a result makes of it.

What is carried is kept as digests: it may be long, and it may be secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from askproof import schemas
from askproof.check_findings import digest, quoted
from askproof.match import escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from askproof.schemas import Problem

ENVELOPE = "EVT-072"


class Fault(NamedTuple):
    """What is wrong: the requirement, where in the submit or the result, and in words."""

    rule: str
    pointer: str
    message: str


class Question(NamedTuple):
    """What a well-formed `started` said of a question; an option is its value and its label."""

    label: str
    prompt: str
    presented: str
    requested: str
    options: list[tuple[str, str]]


class Given(NamedTuple):
    """What was given to a question, by digests; empty for what was not."""

    chosen: bytes = b""
    text: bytes = b""
    note: bytes = b""
    option_notes: dict[str, bytes] = {}  # noqa: RUF012 - nobody changes it

    @property
    def answers(self) -> bool:
        """Whether it answers the question, which no note does."""
        return bool(self.chosen or self.text)


class Carried(NamedTuple):
    """What a submit carried that must be accepted; `given` has what is not empty."""

    cancels: bool
    mode: str
    given: dict[str, Given]


def questions_of(started: dict[str, Any]) -> dict[str, Question]:
    """The questions of a well-formed `started`, by id."""
    return {
        each["id"]: Question(
            each["label"],
            each["prompt"],
            each["type"],
            each.get("requestedType", each["type"]),
            [(option["value"], option["label"]) for option in each["options"]],
        )
        for each in started["questions"]
    }


# Submits


def submit_fault(
    data: dict[str, Any], problems: list[Problem], questions: dict[str, Question] | None
) -> Fault | None:
    """Why a submit must be refused if its flow is active, as far as that can be told."""
    found = [Fault(_rule(data, one), one.pointer, "malformed") for one in problems]
    if found:
        return next((fault for fault in found if fault.rule == ENVELOPE), found[0])
    if questions is None:
        return None
    answers = data["response"].get("answers", {}) if _is_answer(data) else {}
    for ident, entry in answers.items():
        if ident not in questions:
            return Fault("EVT-078", "/response/answers", "an answer to no question of the flow")
        for rule, pointer, message in _entry_faults(entry, questions[ident]):
            return Fault(rule, f"/response/answers/{escape(ident)}{pointer}", message)
    return None


def label_for_value(data: dict[str, Any], questions: dict[str, Question]) -> Fault | None:
    """Where a well-formed submit names by its label, or its prompt, what it must name by an id."""
    names = {name for one in questions.values() for name in (one.label, one.prompt)}
    answers = data["response"].get("answers", {}) if _is_answer(data) else {}
    for ident, entry in answers.items():
        question = questions.get(ident)
        if question is None:
            if ident in names:
                message = "the label or the prompt of a question, and not its id"
                return Fault("EVT-200", "/response/answers", message)
            continue
        offered, labels = ({*texts} for texts in zip(*question.options, strict=True))
        for position, chosen in enumerate(entry.get("values", [])):
            if chosen in labels - offered:
                where = f"/response/answers/{escape(ident)}/values/{position}"
                return Fault("EVT-200", where, "the label of an option, and not its value")
    return None


def carried(data: dict[str, Any]) -> Carried:
    """What a submit without a fault carries."""
    response = data["response"]
    if not _is_answer(data):
        return Carried(cancels=True, mode="", given={})
    answers = response["answers"]
    given = {ident: _given(entry, entry.get("values", [])) for ident, entry in answers.items()}
    kept = {ident: one for ident, one in given.items() if one != Given()}
    return Carried(cancels=False, mode=response.get("mode", "submit"), given=kept)


def _is_answer(data: dict[str, Any]) -> bool:
    return bool(data["response"]["kind"] == "answer")


def _rule(data: dict[str, Any], problem: Problem) -> str:
    """The rule by which a host must refuse a submit of this shape."""
    pointer, keyword = problem.pointer, problem.keyword
    if pointer.startswith("/response/answers/"):
        known = {"uniqueItems": "EVT-081", "pattern": "EVT-080", "not": "EVT-080"}
        return known.get(keyword, "EVT-079")
    if pointer == "/response/answers":
        return "EVT-075" if keyword == "type" else "EVT-078"
    if pointer == "/response" and keyword == "required" and "kind" in data["response"]:
        return "EVT-075"
    return "EVT-076" if pointer.startswith("/response/mode") else ENVELOPE


def _entry_faults(entry: dict[str, Any], question: Question) -> Iterator[Fault]:
    """What is wrong with a well-formed entry, in the order of the checks of the specification."""
    values, is_single = entry.get("values", []), question.presented != "multi"
    offered = {value for value, _ in question.options}
    if is_single and len(values) > 1:
        yield Fault("EVT-082", "/values", "more than one value for a question that takes one")
    if is_single and values and _is_text(entry.get("customText")):
        yield Fault("EVT-083", "/customText", "beside a value, for a question that takes one")
    for position, chosen in enumerate(values):
        if chosen not in offered:
            yield Fault("EVT-080", f"/values/{position}", "no value that was offered")
    for noted, note in entry.get("optionNotes", {}).items():
        if noted not in offered and _is_text(note):
            yield Fault("EVT-085", "/optionNotes", "on a value that was not offered")


def _given(entry: dict[str, Any], values: list[str]) -> Given:
    """What an entry of a submit, or a row of a result, gives; the order of values is free."""
    notes = entry.get("optionNotes", {})
    return Given(
        digest(sorted(values)) if values else b"",
        _text_digest(entry.get("customText")),
        _text_digest(entry.get("note")),
        {value: digest(notes[value]) for value in values if _is_text(notes.get(value))},
    )


def _is_text(text: Any) -> bool:
    """Whether it is a text that says anything (EVT-084)."""
    return schemas.is_valid("events/non-blank-text", text)


def _text_digest(text: str | None) -> bytes:
    return digest(text) if _is_text(text) else b""


# Results, well-formed


def summary_faults(result: dict[str, Any], questions: dict[str, Question]) -> Iterator[Fault]:
    """Where the questions of a result are not those of its `started`."""
    listed = result["questions"]
    if [one["id"] for one in listed] != [*questions]:
        message = "not the questions of its started, in their order, by their ids"
        yield Fault("EVT-103", "/questions", message)
        return
    for position, (one, asked) in enumerate(zip(listed, questions.values(), strict=True)):
        presented = asked.presented if asked.presented != asked.requested else None
        for rule, member, expected in (
            ("EVT-103", "label", asked.label),
            ("EVT-103", "prompt", asked.prompt),
            ("EVT-047", "type", asked.requested),
            ("EVT-047", "presentedType", presented),
        ):
            if one.get(member) != expected:
                yield Fault(rule, f"/questions/{position}/{member}", "not as its started has it")


def row_faults(result: dict[str, Any], questions: dict[str, Question]) -> Iterator[Fault]:
    """What is wrong with the answer rows of a result, beside what was declared."""
    for ident, row in result["answers"].items():
        for rule, pointer, message in _row_faults(row, questions.get(ident)):
            yield Fault(rule, f"/answers/{escape(ident)}{pointer}", message)


def _row_faults(row: dict[str, Any], question: Question | None) -> Iterator[Fault]:
    values, labels, indices = row["values"], row["labels"], row["indices"]
    own = ["customText"] if "customText" in row else []
    if question is None:
        yield Fault("EVT-100", "", "no question of its started")
    elif not len(values) == len(labels) == len(indices) + len(own):
        yield Fault("EVT-101", "", "values, labels and indices are not of one length")
    else:
        for position, index in enumerate(indices):
            # The schema takes 1.0, too.
            known = type(index) is int and index <= len(question.options)
            option, label = question.options[index - 1] if known else (None, None)
            if values[position] != option:
                message = "not the index of the value beside it"
                yield Fault("EVT-101", f"/indices/{position}", message)
            elif labels[position] != label:
                yield Fault("EVT-100", f"/labels/{position}", "not the label that was declared")
        if own and not values[-1] == labels[-1] == row["customText"]:
            yield Fault("EVT-101", "/customText", "not the last value and label")


def differences(submitted: Carried, result: dict[str, Any]) -> Iterator[Fault]:
    """Where a result is not what the submit carried that was accepted."""
    if submitted.cancels and not result["cancelled"]:
        yield Fault("EVT-089", "/cancelled", "false, and the accepted submit cancels")
    elif result["cancelled"] and not submitted.cancels:
        rule = "EVT-108" if submitted.given else "EVT-087"
        yield Fault(rule, "/cancelled", "true, and the accepted submit answers")
    elif not submitted.cancels:
        if submitted.mode != result["mode"]:
            message = f"not the mode of the accepted submit, {submitted.mode}"
            yield Fault("EVT-109", "/mode", message)
        rows = {ident: _row_given(row) for ident, row in result["answers"].items()}
        for ident, given in submitted.given.items():
            if ident not in rows:
                yield from _lost(ident, given, result["mode"])
        for ident, row in rows.items():
            given = submitted.given.get(ident, Given())
            added = "EVT-088" if submitted.given else "EVT-087"
            for rule, pointer, message in _changed(given, row, result["mode"], added):
                yield Fault(rule, f"/answers/{escape(ident)}{pointer}", message)


def _row_given(row: dict[str, Any]) -> Given:
    """A row has its own text among its values, last."""
    return _given(row, row["values"][:-1] if "customText" in row else row["values"])


def _lost(ident: str, given: Given, mode: str) -> Iterator[Fault]:
    """What is wrong when a question has no row."""
    message = f"no row for question {quoted(ident)}, for which the accepted submit has"
    if given.answers:
        yield Fault("EVT-088", "/answers", f"{message} an answer")
    elif given.note and mode == "submit":
        yield Fault("EVT-105", "/answers", f"{message} a note")


def _changed(given: Given, row: Given, mode: str, added: str) -> Iterator[Fault]:
    """What is wrong with a row; `added` is the rule against what was not submitted."""
    if not given.answers and not row.answers and (mode == "elaborate" or not row.note):
        rule = "EVT-127" if given.note and row.note else "EVT-104"
        yield Fault(rule, "", "a row for a question that the accepted submit does not answer")
        return
    if given.chosen != row.chosen:
        yield Fault(added, "/values", "not the values of the accepted submit")
    parts = [("customText", "EVT-088", given.text, row.text)]
    parts.append(("note", "EVT-110", given.note, row.note))
    if given.chosen == row.chosen:
        for noted in {**given.option_notes, **row.option_notes}:
            before, after = given.option_notes.get(noted, b""), row.option_notes.get(noted, b"")
            parts.append(("optionNotes", "EVT-110", before, after))
    for member, lost, before, after in parts:
        if before and not after:
            yield Fault(lost, "", f"lacks {member} of the accepted submit")
        elif before != after:
            rule = "EVT-008" if before else added
            yield Fault(rule, f"/{member}", f"not {member} of the accepted submit")
