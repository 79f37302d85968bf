"""The checks of a submit, numbered and in their order as in the table of the specification.

Check 6, whether the flow is active, is between the two halves: only the host knows.
"""

from __future__ import annotations

from typing import Any

from askproof_reference.records import Record, is_current
from askproof_reference.text import is_blank

INVALID_REQUEST = "invalid_request"
FLOW_NOT_FOUND = "flow_not_found"
INVALID_ANSWER = "invalid_answer"


class Refusal(Exception):  # noqa: N818 - it is an outcome, not a mistake of this program
    """A submit is not taken: `code` says why to programs, the text to people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def check_envelope(payload: Any) -> None:
    """Checks 1 to 5 (EVT-072)."""
    check_payload(payload)
    check_version(payload)
    check_request_id(payload)
    check_flow_id(payload)
    check_response(payload.get("response"))


def check_answer(response: Record, questions: list[Record]) -> None:
    """Checks 7 to 12, of a response that passed check 5."""
    if response["kind"] == "cancel":
        return
    check_answers(response)
    check_mode(response)
    known = {question["id"]: question for question in questions}
    for question_id, entry in response["answers"].items():
        check_question_id(question_id, known)
        check_entry(known[question_id], entry)


def check_entry(question: Record, entry: Any) -> None:
    """Checks 8 to 12, of the entry of one question."""
    check_entry_type(entry)
    check_values(entry)
    check_distinct(entry)
    check_count(question, entry)
    check_custom_text(entry)
    check_either(question, entry)
    check_note(entry)
    check_option_notes(entry)
    check_offered(question, entry)
    check_noted(question, entry)


def check_payload(payload: Any) -> None:
    """Check 1."""
    require(isinstance(payload, dict), "the submit must be an object", INVALID_REQUEST)


def check_version(payload: Record) -> None:
    """Check 2."""
    require(is_current(payload), "version must be 1", INVALID_REQUEST)


def check_request_id(payload: Record) -> None:
    """Check 3."""
    require(
        is_id(payload.get("requestId")),
        "requestId must be a non-empty string",
        INVALID_REQUEST,
    )


def check_flow_id(payload: Record) -> None:
    """Check 4."""
    require(is_id(payload.get("flowId")), "flowId must be a non-empty string", INVALID_REQUEST)


def check_response(response: Any) -> None:
    """Check 5."""
    known = isinstance(response, dict) and response.get("kind") in ("answer", "cancel")
    require(known, "response must be an object of kind answer or cancel", INVALID_REQUEST)


def check_answers(response: Record) -> None:
    """Check 7, of the answers (EVT-075)."""
    is_object = isinstance(response.get("answers"), dict)
    require(is_object, "answers must be an object")


def check_mode(response: Record) -> None:
    """Check 7, of the mode (EVT-076, EVT-077, EVT-093)."""
    known = "mode" not in response or response["mode"] in ("submit", "elaborate")
    require(known, "mode must be submit or elaborate")


def check_question_id(question_id: str, known: dict[str, Record]) -> None:
    """Check 8, of a key (EVT-078)."""
    require(question_id in known, f"{question_id!r} is not the id of a question")


def check_entry_type(entry: Any) -> None:
    """Check 8, of a value (EVT-079)."""
    require(isinstance(entry, dict), "the answer to a question must be an object")


def check_values(entry: Record) -> None:
    """Check 9, of the type (EVT-079)."""
    values = entry.get("values", [])
    are_strings = isinstance(values, list) and all(isinstance(value, str) for value in values)
    require(are_strings, "values must be a list of strings")


def check_distinct(entry: Record) -> None:
    """Check 9, of repetition (EVT-081)."""
    values = entry.get("values", [])
    require(len(set(values)) == len(values), "values must be different")


def check_count(question: Record, entry: Record) -> None:
    """Check 9, of the number (EVT-082)."""
    fits = takes_several(question) or len(entry.get("values", [])) <= 1
    require(fits, "this question takes one value")


def check_custom_text(entry: Record) -> None:
    """Check 10, of the type (EVT-079)."""
    require(isinstance(entry.get("customText", ""), str), "customText must be a string")


def check_either(question: Record, entry: Record) -> None:
    """Check 10, of custom text beside a value (EVT-083)."""
    both = bool(entry.get("values")) and not is_blank(entry.get("customText", ""))
    fits = takes_several(question) or not both
    require(fits, "this question takes a value or custom text")


def check_note(entry: Record) -> None:
    """Check 11, of the note (EVT-079)."""
    require(isinstance(entry.get("note", ""), str), "note must be a string")


def check_option_notes(entry: Record) -> None:
    """Check 11, of the notes of options (EVT-079)."""
    notes = entry.get("optionNotes", {})
    are_strings = isinstance(notes, dict) and all(isinstance(note, str) for note in notes.values())
    require(are_strings, "optionNotes must be an object of strings")


def check_offered(question: Record, entry: Record) -> None:
    """Check 12, of the values (EVT-080)."""
    for value in entry.get("values", []):
        require(is_offered(question, value), f"{value!r} was not offered")


def check_noted(question: Record, entry: Record) -> None:
    """Check 12, of the notes of options (EVT-085)."""
    for value, note in entry.get("optionNotes", {}).items():
        known = is_blank(note) or is_offered(question, value)
        require(known, f"{value!r} was not offered, and has a note")


def is_id(value: Any) -> bool:
    """Whether a value can name a request or a flow."""
    return isinstance(value, str) and value != ""


def is_offered(question: Record, value: str) -> bool:
    """Whether a value is exactly that of an option of a question."""
    return any(value == option["value"] for option in question["options"])


def takes_several(question: Record) -> bool:
    """Whether a question is presented as multi-select."""
    return bool(question["type"] == "multi")


def require(condition: bool, message: str, code: str = INVALID_ANSWER) -> None:  # noqa: FBT001
    """Raise the refusal unless the condition holds."""
    if not condition:
        raise Refusal(code, message)
