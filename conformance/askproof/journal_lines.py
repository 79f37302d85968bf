"""The lines of a decision journal: what each holds, or the code that says why it is bad (JRN-093).

`jiter` decides about the lines that it accepts, in less time than `json` would take. What it
refuses goes a slow and exact way, so that nothing is bad because of a limit of a parser: long
numbers and lone surrogates, say, are JSON.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any, NoReturn

import jiter

from askproof.wire import MAX_BYTES, MAX_DEPTH

LOG, SESSION, STORE = "log", "session", "store"
LENGTH = "length"  # the code of the kit's own limit

STATUSES = ("answered", "timed-out", "cancelled", "deferred")
STORE_KINDS = ("session", "entry")
STORE_TYPES = (
    "session_init",
    "message",
    "custom",
    "custom_message",
    "decision",
    "compact_summary",
    "branch_summary",
    "child_run",
    "artifact",
)
_ENTRY_MEMBERS = {"id", "parentId", "timestamp", "customType"}
_RECEIPT_MEMBERS = {"sessionManager", "branchAnchor"}
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[\[\]{}]', re.DOTALL)
_LEVELS = {"[": 1, "{": 1, "]": -1, "}": -1}

_parsed = partial(
    jiter.from_json, catch_duplicate_keys=True, allow_inf_nan=False, cache_mode="keys"
)


class BadLine(Exception):  # noqa: N818 - named as the specification does
    """A line that cannot be read; its text says why, and repeats nothing of it.

    Attributes:
        code: of the table in the specification, or `length`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def record_of(line: bytes) -> dict[str, Any]:
    """The JSON object in a line, with its line feed or without, or `BadLine`.

    Numbers may have lost digits: nothing depends on them.
    """
    if len(line) > MAX_BYTES:
        raise BadLine(LENGTH, f"longer than {MAX_BYTES} bytes")
    try:
        record = _parsed(line)
    except ValueError:
        return _read_exactly(line)
    if type(record) is not dict:
        raise BadLine("json", "not an object")
    if line.count(b"{") + line.count(b"[") > MAX_DEPTH and _is_deep(record):
        raise _deep()
    return record


def form_of(record: dict[str, Any]) -> str | None:
    """The form of the file that holds such a record: `LOG`, `SESSION`, `STORE`; None if unclear."""
    if isinstance(record.get("channel"), str) or not record.keys().isdisjoint(_RECEIPT_MEMBERS):
        return LOG
    if record.get("kind") in STORE_KINDS:
        return STORE
    kind = record.get("type")
    if kind == "session" or (
        isinstance(kind, str) and not record.keys().isdisjoint(_ENTRY_MEMBERS)
    ):
        return SESSION
    return None


def session_decision(record: dict[str, Any]) -> dict[str, Any] | None:
    """The decision in a line of a host's session file, None if it holds another, or `BadLine`."""
    kind = record.get("type")
    if type(kind) is not str:
        raise BadLine("type", "no type that is a string")
    if kind == "custom" and record.get("customType") == "decision":
        return _decision(record.get("data"), "data")
    return None


def store_decision(record: dict[str, Any]) -> dict[str, Any] | None:
    """The decision in a line of a store, None if it holds something else, or `BadLine`."""
    kind = record.get("kind")
    if kind not in STORE_KINDS:
        raise BadLine("type", "no kind, or one that is not known")
    entry = record.get(kind)
    if type(entry) is not dict:
        raise BadLine("shape", f"no {kind} that is an object")
    if kind == "session":
        return None
    if entry.get("type") not in STORE_TYPES:
        raise BadLine("type", "an entry without a type, or of one that is not known")
    return _decision(entry.get("payload"), "payload") if entry["type"] == "decision" else None


DECISION_OF = {SESSION: session_decision, STORE: store_decision}


def _decision(payload: Any, member: str) -> dict[str, Any]:
    if type(payload) is not dict:
        raise BadLine("shape", f"a decision without {member} that is an object")
    if payload.get("status") not in STATUSES:
        raise BadLine("shape", "a decision without a status, or with one that is not known")
    return payload


def _read_exactly(line: bytes) -> dict[str, Any]:
    """As the specification has it, code by code."""
    if b"\0" in line:
        raise BadLine("nul", "it holds a NUL byte")
    try:
        text = line.removesuffix(b"\n").decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadLine("utf-8", f"not UTF-8 at byte {error.start + 1} of the line") from None
    if _is_deep_text(text):
        raise _deep()
    repeats: list[bool] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        held = dict(pairs)
        repeats.append(len(held) < len(pairs))
        return held

    try:
        record = _decoder(object_pairs_hook=members).decode(text)
    except ValueError as error:
        raise BadLine("json", _why(error)) from None
    if type(record) is not dict:
        raise BadLine("json", "not an object")
    if any(repeats):
        raise BadLine("duplicate-key", "a key is repeated within an object")
    return record


def _why(error: ValueError) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    if error.doc.startswith("\ufeff"):
        return "it begins with a byte order mark (BOM), which JSON must not have"
    return f"not JSON: {error.msg.removesuffix(' at')} at column {error.pos + 1}"


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# An `int` of many digits is refused by Python, not by JSON.
_decoder = partial(json.JSONDecoder, parse_int=float, parse_constant=_constant)


def _deep() -> BadLine:
    return BadLine("depth", f"nested deeper than {MAX_DEPTH} levels")


def _is_deep(record: dict[str, Any]) -> bool:
    level: list[Any] = [record]
    for _ in range(MAX_DEPTH):
        inside = (each.values() if type(each) is dict else each for each in level)
        level = [item for items in inside for item in items if type(item) in (dict, list)]
        if not level:
            return False
    return True


def _is_deep_text(text: str) -> bool:
    """As far as its brackets tell, whatever else is wrong."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return False
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        depth += _LEVELS.get(token[0], 0)
        if depth > MAX_DEPTH:
            return True
    return False
