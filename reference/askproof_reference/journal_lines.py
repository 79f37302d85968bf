"""The lines of a journal, from bytes to objects: what splits them, and when one is not JSON.

Tests: `tests/test_reference_reader.py`, and the cases for `journal-reader`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from askproof_reference.records import Record

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 64

BLANK = b" \t"

# Possessive, and content with a string that does not end: no text makes this slow.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[\[\]{}]', re.DOTALL)


_LEVELS = {"[": 1, "{": 1, "]": -1, "}": -1}


class BadLineError(ValueError):
    """A line that cannot be read (JRN-092).

    Attributes:
        code: its fault, as the table of "Reading files" names it, or `length` (JRN-093).
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def split(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a file without their ends, in order (JRN-090).

    A torn file may have lost its last line feed, and kept the carriage return. Of a line that is
    too long only the beginning is kept, which is still too long.
    """
    limit = MAX_BYTES + len(b"\r\n")
    while piece := stream.readline(limit):
        yield piece.removesuffix(b"\n").removesuffix(b"\r")
        while piece and not piece.endswith(b"\n"):
            piece = stream.readline(limit)


def is_blank(line: bytes) -> bool:
    """Whether a line holds nothing but spaces and tabs (JRN-090)."""
    return len(line) <= MAX_BYTES and not line.strip(BLANK)


def decode(line: bytes) -> Record:
    """The object that a line holds, or BadLineError with the first code that applies (JRN-093)."""
    text = decode_text(line)
    if is_deep(text):
        raise BadLineError("depth")
    value, repeated = parse(text)
    if not isinstance(value, dict):
        raise BadLineError("json")
    if repeated:
        raise BadLineError("duplicate-key")
    return value


def decode_text(line: bytes) -> str:
    """The text of a line that is not too long and holds no NUL byte; BadLineError if it does."""
    if len(line) > MAX_BYTES:
        raise BadLineError("length")
    if b"\0" in line:
        raise BadLineError("nul")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        raise BadLineError("utf-8") from None


def parse(text: str) -> tuple[Any, bool]:
    """The value of a JSON text, and whether an object in it repeats a key.

    Raises BadLineError if it is not JSON, or holds a number that Python could not keep: an integer
    of more digits than it converts, or what would become an infinity.
    """
    repeated = False

    def members(pairs: list[tuple[str, Any]]) -> Record:
        nonlocal repeated
        repeated = repeated or repeats_a_key(pairs)
        return dict(pairs)

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_float=finite, parse_constant=refuse
        )
    except ValueError:
        raise BadLineError("json") from None
    return value, repeated


def repeats_a_key(pairs: list[tuple[str, Any]]) -> bool:
    """Whether one object has two members of the same name (JRN-094)."""
    return len(dict(pairs)) != len(pairs)


def finite(text: str) -> float:
    """A number with a fraction or an exponent; ValueError if it is too large."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(text)
    return number


def refuse(name: str) -> NoReturn:
    """Refuse `NaN` and the infinities, which are not JSON."""
    raise ValueError(name)


# Depth


def is_deep(text: str) -> bool:
    """Whether a text is nested deeper than allowed, as far as its brackets tell."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        depth += _LEVELS.get(token[0], 0)
        if depth > MAX_DEPTH:
            return True
    return False
