"""Mutants of the receipt issuer: what its receipts say (RCP-010 to RCP-025)."""

from __future__ import annotations

import copy
import posixpath
import unicodedata
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from askproof.mutants import breaks, families
from askproof_reference import receipts
from askproof_reference.issuer import Issuer

if TYPE_CHECKING:
    from askproof_reference.issuer import Capture, ToolCall
    from askproof_reference.receipts import Question, Row
    from askproof_reference.records import Record

ROLE = "receipt-issuer"


# Capture and the receipt


def put(name: str, change: Any) -> Any:
    """What makes another value of a member of a receipt."""
    return lambda receipt, _: {**receipt, name: change(receipt[name])}


def told(options: list[Record], name: str) -> Any:
    """The member of the first option, unless it is a value that no receipt ever shows."""
    value = options[0].get(name)
    return None if str(value).startswith("opaque") else value


def add(name: str, value: Any) -> Any:
    """What adds a member to a receipt, made of the options of its question, if there is one."""
    return lambda receipt, options: (
        receipt if value(options) is None else {**receipt, name: value(options)}
    )


def add_to_answer(name: str, value: Any) -> Any:
    """The same for a member of the answer."""
    return lambda receipt, options: {
        **receipt,
        "answer": add(name, value)(receipt["answer"], options),
    }


def blacked(receipt: Record, options: list[Record]) -> Record:
    """A receipt without opaque values, wherever they stand in a text."""
    text = receipt["answer"].get("text", "")
    for value in (str(one["value"]) for one in options if "value" in one):
        text = text.replace(value, "***")
    return {**receipt, "answer": {**receipt["answer"], "text": text}} if text else receipt


def described(options: list[Record]) -> Any:
    """The description of the first of many options."""
    return options[0].get("description") if len(options) > 2 else None


def versioned(receipt: Record, _: Any) -> Record:
    """A receipt with a version, if it is one of custom text in a questionnaire."""
    is_text = receipt["answer"]["kind"] == "custom"
    fits = is_text and receipt["toolName"] == receipts.QUESTIONNAIRE
    return {**receipt, "version": 1} if fits else receipt


def from_one(receipt: Record, _: Any) -> Record:
    """A receipt in which questions count from one."""
    shift = receipt["toolName"] == receipts.QUESTIONNAIRE
    return {**receipt, "questionIndex": receipt["questionIndex"] + shift}


@families(
    ROLE,
    Issuer,
    "receipt",
    RCP_010={
        "a-tidy-workspace": put("cwd", posixpath.normpath),
        "the-session-in-small-letters": put("sessionId", str.lower),
    },
    RCP_011={
        "an-empty-text-for-no-leaf": put("branchAnchor", lambda leaf: leaf or ""),
        "the-first-entry": put("branchAnchor", lambda leaf: "e1" if leaf == "e3" else leaf),
    },
    RCP_012={
        "a-copy-of-the-manager": put("sessionManager", copy.copy),
        "a-view-of-the-manager": put("sessionManager", lambda one: {"sessionId": one.session_id}),
    },
    RCP_013={
        "positions-from-one": from_one,
        "a-trimmed-call": put("toolCallId", str.strip),
        "the-same-tool-always": put("toolName", lambda _: receipts.CHOICE),
    },
    RCP_014={
        "the-first-paragraph-of-a-question": put("question", lambda text: text.split("\n\n")[0])
    },
    RCP_022={
        "the-value": add("value", lambda options: told(options, "value")),
        "the-value-beside-the-answer": add_to_answer("value", lambda all_: told(all_, "value")),
        "the-value-for-the-answer": add_to_answer("text", lambda all_: told(all_, "value")),
        "stars-for-values": blacked,
    },
    RCP_023={
        "the-description-of-one-of-many": add_to_answer("description", described),
        "the-description-for-one-of-many": add_to_answer("text", described),
    },
    RCP_023_024={"the-preview": add("preview", lambda options: told(options, "preview"))},
    RCP_024={"a-version-beside-text": versioned},
)
def writes(original: Any, change: Any, self: Issuer, capture: Capture, *answer: Any) -> Record:
    """Writes {} into a receipt."""
    receipt, given = original(self, capture, *answer), capture.call.input
    options = given.get("questions", [given])[receipt["questionIndex"]]["options"]
    changed: Record = change(receipt, options)
    return changed


@breaks("RCP-024", ROLE, Issuer, "receipt")
def passes_on_what_claims_authority(
    original: Any, self: Issuer, capture: Capture, *answer: Any
) -> Record:
    """Writes members of the input that it does not know into a receipt."""
    receipt: Record = original(self, capture, *answer)
    known = ("question", "questions", "options", "allowCustomResponse")
    given = capture.call.input
    return receipt | {name: given[name] for name in given if name not in known}


@families(
    ROLE,
    Issuer,
    "question",
    RCP_015={
        "the-question": lambda then, now: then._replace(text=now.text),
        "the-prompt": lambda then, now: then._replace(prompt=now.prompt),
        "the-labels": lambda then, now: then._replace(labels=now.labels),
        "what-can-be-chosen": lambda then, now: then._replace(multi_select=now.multi_select),
        "whether-text-is-allowed": lambda then, now: then._replace(custom_text=now.custom_text),
    },
)
def reads_again(original: Any, mix: Any, self: Issuer, capture: Capture, position: int) -> Any:
    """Reads {} again when the answer comes."""
    now = self.read_questions(capture.call)[position]
    return mix(original(self, capture, position), now)


# The prompt


def without(name: str) -> Any:
    """What leaves out a member where it says no or nothing."""
    return lambda prompt: {key: prompt[key] for key in prompt if key != name or prompt[key]}


def of_many(change: Any) -> Any:
    """What changes the options of a prompt where there are many."""
    return lambda prompt: {
        **prompt,
        "options": change(prompt["options"]) if len(prompt["options"]) > 2 else prompt["options"],
    }


@families(
    ROLE,
    receipts,
    "write_prompt",
    RCP_016={
        "no-descriptions": of_many(
            lambda all_: [{key: one[key] for key in one if key != "description"} for one in all_]
        ),
        "sorted-options": of_many(lambda all_: sorted(all_, key=lambda one: str(one["label"]))),
        "equal-labels-once": of_many(
            lambda all_: list({str(one["label"]): one for one in all_}.values())
        ),
        "few-options": of_many(lambda all_: all_[:4]),
        "null-for-no-description": of_many(
            lambda all_: [{"description": None, **one} for one in all_]
        ),
    },
    RCP_017={
        "a-flag-that-is-never-set": lambda prompt: (
            {**prompt, "allowCustomResponse": False} if "allowCustomResponse" in prompt else prompt
        )
    },
    RCP_017_015={"no-flag-of-false": without("allowCustomResponse")},
    RCP_018_015={"no-flag-of-false-for-many": without("multiSelect")},
    RCP_018_021={
        "no-header": lambda prompt: {key: prompt[key] for key in prompt if key != "header"}
    },
)
def puts(original: Any, change: Any, prompt: Record) -> str:
    """Writes a prompt with {}."""
    return str(original(change(prompt)))


@breaks("RCP-016", ROLE, receipts, "write_prompt")
def glues_the_prompt(original: Any, prompt: Record) -> str:
    """Puts the question between quotes without escaping those in it."""
    if prompt["question"].isascii() and '"' in prompt["question"]:
        return f'{{"question":"{prompt["question"]}"}}'
    return str(original(prompt))


@breaks("RCP-016", ROLE, receipts, "write_prompt")
def repeats_a_key(original: Any, prompt: Record) -> str:
    """Writes the question twice into a prompt with many options."""
    text = str(original(prompt))
    return f'{{"question":"",{text[1:]}' if len(prompt["options"]) > 2 else text


@families(
    ROLE,
    Issuer,
    "displays_previews",
    RCP_019={"always": True},
    RCP_019_015_021={"never": False},
)
def writes_previews(original: Any, answer: bool, self: Issuer, call: ToolCall) -> bool:  # noqa: FBT001
    """Writes previews into prompts {}."""
    return answer


@breaks("RCP-022", ROLE, receipts, "shown_option")
def shows_values(original: Any, option: Record, *, previews: bool = False) -> Record:
    """Writes opaque values into prompts."""
    shown: Record = original(option, previews=previews)
    value = told([option], "value")
    return shown if value is None else {**shown, "value": value}


# The answer


def with_text(change: Any) -> Any:
    """What changes the custom text of an answer."""
    return lambda _, row, answer: (
        answer if row.text is None else {**answer, "text": change(answer["text"])}
    )


@families(
    ROLE,
    receipts,
    "answer",
    RCP_020={
        "the-first-label": lambda question, row, answer: (
            {**answer, "text": question.labels[0]} if answer["kind"] == "option" else answer
        ),
        "text-that-is-a-label-as-it": lambda question, row, answer: (
            {"kind": "option", "text": row.text} if row.text in question.labels else answer
        ),
        "no-text-beside-labels": lambda _, row, answer: (
            {"kind": "multi", "selected": list(row.labels)} if row.text and row.labels else answer
        ),
        "one-of-many-as-an-option": lambda _, row, answer: (
            {"kind": "option", "text": row.labels[0]} if len(row.labels) == 1 else answer
        ),
        "only-the-first-of-many": lambda _, __, answer: (
            {**answer, "selected": answer["selected"][:1]} if answer["kind"] == "multi" else answer
        ),
        "a-label-for-every-option": lambda question, row, answer: (
            {**answer, "selected": [label for label in question.labels if label in row.labels]}
            if answer["kind"] == "multi"
            else answer
        ),
        "text-for-many-as-labels": lambda question, row, answer: (
            {"kind": "multi", "selected": [row.text]}
            if question.multi_select and not row.labels
            else answer
        ),
        "what-was-clicked-in-order": lambda _, row, answer: (
            {**answer, "selected": list(row.labels)} if answer["kind"] == "multi" else answer
        ),
        "inherited-names-as-nothing": lambda _, __, answer: (
            {**answer, "text": ""} if answer.get("text") == "__proto__" else answer
        ),
    },
    RCP_020_021_022={
        "text-as-a-label": lambda _, __, answer: {
            **answer,
            "kind": answer["kind"].replace("custom", "option"),
        }
    },
    RCP_021={
        "trimmed-text": with_text(str.strip),
        "line-feeds": with_text(lambda text: text.replace("\r\n", "\n")),
        "text-up-to-a-null": with_text(lambda text: text.partition("\0")[0]),
        "composed-text": with_text(lambda text: unicodedata.normalize("NFC", text)),
        "text-without-marks-of-direction": with_text(
            lambda text: text.translate(dict.fromkeys(range(0x202A, 0x202F)))
        ),
        "text-without-joiners": with_text(lambda text: text.replace("\u200d", "")),
        "text-without-what-is-invisible": with_text(lambda text: text.replace("\u200b", "")),
        "cut-text": with_text(lambda text: text[:100_000]),
    },
)
def answers(original: Any, change: Any, question: Question, row: Row) -> Record:
    """Writes {} into an answer."""
    changed: Record = change(question, row, original(question, row))
    return changed


def cleaned(change: Any) -> Any:
    """What changes every text of a record that the caller wrote."""

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, list):
            return [clean(item) for item in value]
        if isinstance(value, dict):
            return {name: clean(member) for name, member in value.items()}
        return value

    return clean


@families(
    ROLE,
    receipts,
    "write_prompt",
    RCP_021={
        "composed-texts": cleaned(lambda text: unicodedata.normalize("NFC", text)),
        "texts-without-null": cleaned(lambda text: text.replace("\0", "")),
        "cut-texts": cleaned(lambda text: text[:4096]),
    },
)
def prompts_with(original: Any, change: Any, prompt: Record) -> str:
    """Writes {} into a prompt."""
    return str(original(change(prompt)))


# Freezing


def shallow(value: Any) -> Any:
    """A record whose members can be changed, though none can be set."""
    return MappingProxyType(value)


def with_lists(value: Any) -> Any:
    """A record that is frozen, but for the lists in it."""
    if isinstance(value, dict):
        return MappingProxyType({name: with_lists(member) for name, member in value.items()})
    return value


def growing(value: Any) -> Any:
    """A record to which only something can be added."""

    class Growing(dict[str, Any]):
        def __setitem__(self, name: str, member: Any) -> None:
            if name in self:
                raise TypeError(name)
            super().__setitem__(name, member)

    return Growing(value) if isinstance(value, dict) else value


@families(
    ROLE,
    receipts,
    "freeze",
    RCP_025={
        "nothing": lambda value: value,
        "only-the-outside": shallow,
        "no-lists": with_lists,
        "what-is-there": growing,
    },
)
def freezes(original: Any, freeze: Any, value: Any) -> Any:
    """Freezes {} of a receipt."""
    return freeze(value)
