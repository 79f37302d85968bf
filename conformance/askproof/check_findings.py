"""What is found in a log, and how it is worded: printable, shortened, and without any answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from askproof.shown import printable, value

if TYPE_CHECKING:
    from askproof.schemas import Problem

_MAX_POINTER = 200
_MAX_ID = 60
_MAX_NAMES = 120
_NOTED_VALUE = re.compile(r"/optionNotes/[^/]*$")
_KINDS = {
    "'object'": "an object",
    "'array'": "a list",
    "'string'": "a string",
    "'integer'": "an integer",
    "'boolean'": "true or false",
}
# Of what the validator says of these, only what comes after the refused value may be told.
_TOLD = {
    "enum": (" is not one of ", "must be one of "),
    "type": (" is not of type ", "must be "),
    "minimum": (" is less than the minimum of ", "must be at least "),
}
_WORDS = {
    "minItems": "must not be empty",
    "minLength": "must not be empty",
    "minProperties": "must not be empty",
    "maxItems": "has too many items",
    "maxProperties": "must be empty",
    "uniqueItems": "must not have an item twice",
    "pattern": "must not be blank",
    "oneOf": "has none of the forms that it may have",
    "depth": "is nested too deep",
}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong in a log; all of it is printable, and shortened.

    Attributes:
        line: one-based.
        pointer: JSON pointer into the record.
        rule: the requirement that is broken, or `syntax`, `schema` or `order`.
        message: what is wrong, without anything that a human answered.
    """

    file: str
    line: int
    pointer: str
    rule: str
    channel: str
    message: str
    hint: str = ""


class At(NamedTuple):
    """The record at hand: where its findings are, and whose ids it bears."""

    file: str
    line: int
    channel: str = ""
    namespace: str = ""

    def finding(self, rule: str, pointer: str, message: str, hint: str = "") -> Finding:
        """A finding in this record."""
        pointer = _NOTED_VALUE.sub("/optionNotes", pointer)
        where = shortened(pointer, _MAX_POINTER)
        return Finding(self.file, self.line, where, rule, self.channel, message, hint)

    def malformed(self, problem: Problem, schema: str, where: str, rule: str = "schema") -> Finding:
        """What a schema has against this record, in words."""
        words = f"{_words(problem)} ({problem.keyword or 'false'} in the schema {schema})"
        return self.finding(rule, f"{where}{problem.pointer}", printable(words))

    def key(self, *ids: str) -> bytes:
        """A key of 16 bytes for ids of any length, in this namespace."""
        return digest((self.namespace, *ids))


def digest(data: object) -> bytes:
    """16 bytes that stand for strings, or tuples and lists of them, of any length."""
    return blake2b(repr(data).encode(), digest_size=16).digest()


def is_milliseconds(time: object) -> bool:
    """Whether it can be a time of this age in Unix milliseconds, so that it is not in seconds."""
    return type(time) is int and 10**11 <= time < 10**14


def shortened(text: str, most: int = _MAX_ID) -> str:
    """Text made printable, with so many of its characters."""
    return printable(text[:most]) + "…" * (len(text) > most)


def quoted(ident: str) -> str:
    """An id as a finding shows it."""
    return value(ident[: _MAX_ID * 2], _MAX_ID)


def unnamed(problem: Problem) -> str:
    """The names of members that a schema does not name, of what the validator says of them."""
    names = re.sub(r" (was|were) unexpected\)$", "", problem.message.partition("(")[2])
    return shortened(names, _MAX_NAMES)


def _words(problem: Problem) -> str:
    """What is wrong. The validator repeats the value that it refuses, which may be an answer."""
    message, keyword = problem.message, problem.keyword
    if keyword == "required":
        return message
    steps = _NOTED_VALUE.sub("/optionNotes", problem.pointer).split("/")
    name = next((step for step in reversed(steps) if step and not step.isdecimal()), "it")
    return f"{name[:_MAX_ID]} {_told(problem, message)}"


def _told(problem: Problem, message: str) -> str:
    keyword = problem.keyword
    if not keyword:
        return "must not be there"
    if keyword == "additionalProperties":
        return f"has members that the schema does not name: {unnamed(problem)}"
    if message.endswith("is not trimmed, non-blank text"):
        return "must not be blank, or have white space at its ends"
    if keyword == "const" and message.endswith(" was expected"):
        return f"must be {_json(message.removesuffix(' was expected'))}"
    separator, must = _TOLD.get(keyword, ("", ""))
    if separator and separator in message:
        wanted = message.rpartition(separator)[2]
        return must + _KINDS.get(wanted, _json(wanted))
    return _WORDS.get(keyword, "is not well-formed")


def _json(constant: str) -> str:
    return constant.replace("True", "true").replace("False", "false")
