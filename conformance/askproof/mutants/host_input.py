"""Mutants of the host that read the input of an ask in another way (EVT-020 to EVT-032)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from askproof.mutants import breaks
from askproof_reference import questions, submits
from askproof_reference.host import AskHost
from askproof_reference.questions import InputReader
from askproof_reference.text import trim

if TYPE_CHECKING:
    from askproof_reference.flows import Ask
    from askproof_reference.records import Record

TRIMS: dict[str, Any] = {
    "ascii": lambda text: text.strip(" \t\r\n"),
    "all-that-python-does": str.strip,
}
FOLDS: dict[str, Any] = {"by-case": str.casefold, "by-normal-form": lambda text: normalize("NFC", text)}


def texts(*names: str) -> dict[str, str]:
    """A family with a mutant for each of these texts."""
    return {name: name for name in names}


@breaks("EVT-020", "ask-host", InputReader, "questions", "EVT-031")
def takes_no_questions(original: Any, self: InputReader, given: Any) -> Any:
    """Opens a form without questions."""
    return original(self, given) if given else []


@breaks("EVT-021", "ask-host", InputReader, "text", each=texts("prompt", "label"))
@breaks("EVT-021", "ask-host", InputReader, "text", "EVT-023", "EVT-031", each=texts("id"))
@breaks("EVT-021", "ask-host", InputReader, "text", "EVT-024", "EVT-031", each=texts("value"))
def does_not_trim(original: Any, name: str, self: InputReader, given: Record, member: str, path: str) -> Any:
    """Uses the {} of a question or option with the white space around it."""
    text = original(self, given, member, path)
    return given[member] if text and member == name else text


@breaks("EVT-021", "ask-host", questions, "trim", each=TRIMS)
def trims(original: Any, trim: Any, text: str) -> Any:
    """Takes another set of characters for white space: {}."""
    return trim(text)


@breaks("EVT-022", "ask-host", InputReader, "text", "EVT-031", each=texts("id", "label"))
@breaks("EVT-022", "ask-host", InputReader, "text", "EVT-030", "EVT-031", each=texts("prompt", "value"))
def takes_a_blank(original: Any, name: str, self: InputReader, given: Record, member: str, path: str) -> Any:
    """Takes a question or option with a blank {}."""
    return trim(given[name]) if member == name else original(self, given, member, path)


@breaks("EVT-022", "ask-host", questions, "is_blank", "EVT-031")
def takes_rare_white_space_for_text(original: Any, text: str) -> Any:
    """Knows the white space of ASCII only."""
    return text.strip(" \t\r\n") == ""


@breaks("EVT-023", "ask-host", InputReader, "check_ids", "EVT-031")
def takes_an_id_twice(original: Any, self: InputReader, form: list[Record]) -> None:
    """Takes two questions with one id."""


@breaks("EVT-023", "ask-host", InputReader, "check_ids", each=FOLDS)
def confuses_ids(original: Any, fold: Any, self: InputReader, form: list[Record]) -> None:
    """Takes different ids for one, {}."""
    original(self, [{**question, "id": fold(question["id"])} for question in form])


@breaks("EVT-024", "ask-host", InputReader, "check_values", "EVT-031")
def takes_a_value_twice(original: Any, self: InputReader, options: list[Record], path: str) -> None:
    """Takes two options with one value."""


@breaks("EVT-024", "ask-host", InputReader, "check_values")
def confuses_values(original: Any, self: InputReader, options: list[Record], path: str) -> None:
    """Takes values that differ in case for one."""
    original(self, [{**option, "value": option["value"].casefold()} for option in options], path)


@breaks("EVT-025", "ask-host", InputReader, "check_values")
def refuses_equal_labels(original: Any, self: InputReader, options: list[Record], path: str) -> None:
    """Refuses two options with one label."""
    original(self, options, path)
    for at in questions.repeated(option.get("label") for option in options):
        self.fault(f"{path}[{at}].label", "must be unlike the labels before it")


@breaks("EVT-025", "ask-host", InputReader, "options")
def merges_equal_labels(original: Any, self: InputReader, given: Any, kind: str, path: str) -> Any:
    """Offers one of the options with one label."""
    return list({option["label"]: option for option in original(self, given, kind, path)}.values())


@breaks("EVT-026", "ask-host", InputReader, "options", "EVT-031")
def takes_no_options(original: Any, self: InputReader, given: Any, kind: str, path: str) -> Any:
    """Asks a question that offers nothing."""
    return original(self, given, kind, path) if given else []


@breaks("EVT-027", "ask-host", InputReader, "kind", "EVT-031")
def guesses_the_type(original: Any, self: InputReader, given: Record, path: str) -> Any:
    """Takes a type that it does not know for single."""
    return given["type"] if given.get("type") in questions.TYPES else "single"


@breaks("EVT-027", "ask-host", InputReader, "kind", "EVT-031")
def takes_null_for_no_type(original: Any, self: InputReader, given: Record, path: str) -> Any:
    """Takes the type null for an absent one."""
    return "single" if given.get("type", 0) is None else original(self, given, path)


@breaks("EVT-028", "ask-host", InputReader, "preview", "EVT-031")
def needs_no_preview(original: Any, self: InputReader, given: Record, kind: str, path: str) -> Any:
    """Shows a preview question without previews."""
    return original(self, given, "single", path)


@breaks("EVT-028", "ask-host", InputReader, "preview", "EVT-031")
def takes_a_blank_preview(original: Any, self: InputReader, given: Record, kind: str, path: str) -> Any:
    """Shows a preview question with an empty pane."""
    return given["preview"] if "preview" in given else original(self, given, kind, path)


@breaks("EVT-028", "ask-host", InputReader, "preview")
def refuses_long_previews(original: Any, self: InputReader, given: Record, kind: str, path: str) -> Any:
    """Refuses a preview question with a preview of more than one line."""
    if kind == "preview" and "\n" in given.get("preview", ""):
        self.fault(f"{path}.preview", "must be one line")
    return original(self, given, kind, path)


@breaks("EVT-029", "ask-host", InputReader, "label", "EVT-103")
def counts_questions_from_zero(original: Any, self: InputReader, given: Record, position: int, path: str) -> Any:
    """Calls the first question Q0."""
    return original(self, given, position - 1, path)


@breaks("EVT-029", "ask-host", InputReader, "label", "EVT-103")
def takes_the_id_for_a_label(original: Any, self: InputReader, given: Record, position: int, path: str) -> Any:
    """Labels a question with its id."""
    return original(self, {"label": given["id"], **given}, position, path)


@breaks("EVT-029", "ask-host", InputReader, "kind", "EVT-043", "EVT-046", "EVT-047", "EVT-148")
def takes_many_by_default(original: Any, self: InputReader, given: Record, path: str) -> Any:
    """Makes a question without a type multi-select."""
    return original(self, {"type": "multi", **given}, path)


@breaks("EVT-029", "ask-host", InputReader, "required")
def requires_by_default(original: Any, self: InputReader, given: Record, path: str) -> Any:
    """Makes every question required that does not say otherwise."""
    return given.get("required", True)


@breaks("EVT-030", "ask-host", InputReader, "fault")
def reports_one_fault(original: Any, self: InputReader, path: str, message: str) -> None:
    """Reports the first fault only."""
    if not self.faults:
        original(self, path, message)


@breaks("EVT-030", "ask-host", InputReader, "check_ids")
def blames_the_first_id(original: Any, self: InputReader, form: list[Record]) -> None:
    """Reports the first of two equal ids."""
    ids = [question["id"] for question in form]
    for at in questions.repeated(ids):
        self.fault(f"questions[{ids.index(ids[at])}].id", "must be unlike the ids after it")


@breaks("EVT-030", "ask-host", InputReader, "fault")
def counts_paths_from_one(original: Any, self: InputReader, path: str, message: str) -> None:
    """Counts questions and options from one in the paths of faults."""
    original(self, re.sub(r"\d+", lambda number: str(int(number[0]) + 1), path), message)


INVALID = {
    "without-cancelled": {"cancelled": False},
    "with-an-answer": {"answers": {"deploy": {"values": [], "labels": [], "indices": []}}},
    "without-a-kind": {"error": "invalid input"},
}


@breaks("EVT-030", "ask-host", AskHost, "without_flow", each=INVALID)
def invalid_result(original: Any, changed: Record, self: AskHost, result: Record) -> Any:
    """Answers an invalid input with a result {}."""
    return original(self, {**result, **changed} if "error" in result else result)


@breaks("EVT-030", "ask-host", AskHost, "without_flow")
def fails_for_an_invalid_input(original: Any, self: AskHost, result: Record) -> Any:
    """Answers an invalid input with a tool error."""
    outcome = original(self, result)
    if "error" in result:
        outcome._error = ValueError("invalid input")
    return outcome


EVENTS = {
    "started": {"questions": [], "createdAt": 0},
    "completed": {"result": {}, "completedAt": 0},
}


@breaks("EVT-031", "ask-host", AskHost, "without_flow", each=EVENTS)
def emits_for_an_invalid_input(original: Any, more: Record, self: AskHost, result: Record) -> Any:
    """Emits {} for an invalid input."""
    if "error" in result:
        name = "started" if "questions" in more else "completed"
        self.emit(name, {"version": 1, "flowId": "flow", "source": "tool", **more})
    return original(self, result)


@breaks("EVT-031", "ask-host", AskHost, "ask")
def looks_for_a_provider_first(original: Any, self: AskHost, ask: Ask) -> Any:
    """Looks for a provider before it looks at the input."""
    reader = self.input_reader(ask)
    reader.form(ask.input)
    if reader.faults and self.needs_provider(ask):
        self.find_provider(ask)
    return original(self, ask)


@breaks("EVT-032", "ask-host", submits, "check_answer")
def requires_an_answer(original: Any, response: Record, form: list[Record]) -> None:
    """Refuses an answer that leaves out a required question."""
    original(response, form)
    for question in form if response["kind"] == "answer" else []:
        answered = not question["required"] or question["id"] in response["answers"]
        submits.require(answered, "a required question is unanswered")
