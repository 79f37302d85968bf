"""Mutants of the host that read the input of an ask in another way (EVT-020 to EVT-032)."""

from __future__ import annotations

import re
from functools import partial
from typing import Any
from unicodedata import normalize

from askproof.mutants import breaks, families
from askproof_reference import questions, submits
from askproof_reference.host import AskHost
from askproof_reference.questions import TYPES, InputReader
from askproof_reference.text import trim

ROLE = "ask-host"
of_reader = partial(families, ROLE, InputReader)


@breaks("EVT-020", ROLE, InputReader, "questions", "EVT-031")
def asks_nothing(original: Any, self: Any, given: Any) -> Any:
    """Opens a form without questions."""
    return original(self, given) if given else []


@breaks("EVT-026", ROLE, InputReader, "options", "EVT-031")
def offers_nothing(original: Any, self: Any, given: Any, *more: Any) -> Any:
    """Asks a question without options."""
    return original(self, given, *more) if given else []


def texts(*names: str) -> dict[str, str]:
    """A family with a mutant for each of these texts."""
    return {name: name for name in names}


@of_reader(
    "text",
    EVT_021=texts("prompt", "label"),
    EVT_021_023_031=texts("id"),
    EVT_021_024_031=texts("value"),
)
def does_not_trim(original: Any, name: str, self: Any, given: Any, *at: str) -> Any:
    """Uses the {} of a question or option with the white space around it."""
    text = original(self, given, *at)
    return given[name] if text and at[0] == name else text


@of_reader("text", EVT_022_031=texts("id", "label"), EVT_022_030_031=texts("prompt", "value"))
def takes_a_blank(original: Any, name: str, self: Any, given: Any, *at: str) -> Any:
    """Takes a question or option with a blank {}."""
    return trim(given[name]) if at[0] == name else original(self, given, *at)


@families(
    ROLE,
    questions,
    "trim",
    EVT_021={
        "only-that-of-ascii": lambda text: text.strip(" \t\r\n"),
        "all-that-of-python": str.strip,
    },
)
def trims_white_space(original: Any, trimmed: Any, text: str) -> Any:
    """Trims white space, {}."""
    return trimmed(text)


@breaks("EVT-022", ROLE, questions, "is_blank", "EVT-031")
def takes_rare_white_space_for_text(original: Any, text: str) -> Any:
    """Takes a text of rare white space for one that is not blank."""
    return text.strip(" \t\r\n") == ""


def folding(member: str, fold: Any) -> Any:
    """How records are compared that are folded before."""
    return lambda check, given: check([{**one, member: fold(one[member])} for one in given])


@of_reader(
    "check_ids",
    EVT_023_031={"never": lambda check, given: None},
    EVT_023={
        "without-case": folding("id", str.casefold),
        "in-one-normal-form": folding("id", partial(normalize, "NFC")),
    },
)
def compares_ids(original: Any, compare: Any, self: Any, given: Any) -> None:
    """Compares the ids of questions {}."""
    compare(partial(original, self), given)


@of_reader(
    "check_values",
    EVT_024_031={"never": lambda check, given: None},
    EVT_024={"without-case": folding("value", str.casefold)},
    EVT_025_040_051={
        "and-then-their-labels": lambda check, given: [
            check(given),
            check([{"value": one.get("label")} for one in given]),
        ]
    },
)
def compares_values(original: Any, compare: Any, self: Any, given: Any, path: str) -> None:
    """Compares the values of options {}."""
    compare(lambda options: original(self, options, path), given)


@breaks("EVT-025", ROLE, InputReader, "options", "EVT-043")
def merges_equal_labels(original: Any, self: Any, given: Any, kind: str, path: str) -> Any:
    """Offers one of several options with one label."""
    return list({option["label"]: option for option in original(self, given, kind, path)}.values())


@of_reader(
    "kind",
    EVT_027_031={
        "an-unknown-type-for-single": lambda given: (
            given if given.get("type") in (None, *TYPES) else {}
        ),
        "null-for-single": lambda given: {} if given.get("type", "") is None else given,
    },
    EVT_029_043_046_047_148={"no-type-for-multi": lambda given: {"type": "multi", **given}},
)
def takes(original: Any, read: Any, self: Any, given: Any, path: str) -> Any:
    """Takes {}."""
    return original(self, read(given), path)


@of_reader(
    "preview",
    EVT_028_031={
        "nothing": lambda given, kind: "single",
        "white-space": lambda given, kind: "single" if given.get("preview") else kind,
    },
)
def shows_as_a_preview(original: Any, read: Any, self: Any, given: Any, *more: str) -> Any:
    """Shows {} as a preview."""
    return original(self, given, read(given, more[0]), more[1])


@of_reader(
    "label",
    EVT_029_103={
        "from-zero": lambda given, position: (given, position - 1),
        "by-their-ids": lambda given, position: ({"label": given["id"], **given}, position),
    },
)
def labels_questions(original: Any, read: Any, self: Any, *given: Any) -> Any:
    """Labels questions {}."""
    return original(self, *read(*given[:2]), given[2])


@breaks("EVT-029", ROLE, InputReader, "required")
def requires_by_default(original: Any, self: Any, given: Any, path: str) -> Any:
    """Makes every question required that does not say otherwise."""
    return given.get("required", True)


@of_reader(
    "fault",
    EVT_030={
        "the-first": lambda faults, path: "" if faults else path,
        "an-equal-id-at-its-first-place": lambda faults, path: path.replace("[1].id", "[0].id"),
        "paths-from-one": lambda faults, path: re.sub(r"\d+", lambda at: str(int(at[0]) + 1), path),
    },
)
def reports(original: Any, read: Any, self: Any, path: str, message: str) -> None:
    """Reports of the faults {}."""
    if read(self.faults, path):
        original(self, read(self.faults, path), message)


def emitting(name: str, **more: Any) -> Any:
    """How a host emits something about an input that it refuses."""
    event = {"version": 1, "flowId": "flow", "source": "tool", **more}
    return lambda self, result: self.emit(name, event)


@families(
    ROLE,
    AskHost,
    "without_flow",
    EVT_030={
        "a-result-that-is-not-cancelled": lambda self, result: result.update(cancelled=False),
        "a-result-with-answers": lambda self, result: result.update(answers={"deploy": {}}),
        "a-result-without-an-error": lambda self, result: result.pop("error"),
    },
    EVT_031={
        "started": emitting("started", questions=[], createdAt=0),
        "completed": emitting("completed", result={}, completedAt=0),
    },
)
def answers_an_invalid_input_with(original: Any, do: Any, self: Any, result: Any) -> Any:
    """Answers an invalid input with {}."""
    if "error" in result:
        do(self, result)
    return original(self, result)


@breaks("EVT-031", ROLE, AskHost, "ask")
def looks_for_a_provider_first(original: Any, self: Any, ask: Any) -> Any:
    """Looks for a provider before it looks at the input."""
    reader = self.input_reader(ask)
    reader.form(ask.input)
    if reader.faults and self.needs_provider(ask):
        self.find_provider(ask)
    return original(self, ask)


@breaks("EVT-032", ROLE, submits, "check_answer")
def requires_an_answer(original: Any, response: Any, form: Any) -> None:
    """Refuses an answer that leaves out a required question."""
    original(response, form)
    answers = response["answers"] if response["kind"] == "answer" else [one["id"] for one in form]
    left_out = [one for one in form if one["required"] and one["id"] not in answers]
    submits.require(not left_out, "a required question is unanswered")
