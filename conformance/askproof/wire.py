"""Strict JSON, one value a line, for everything that comes from outside or goes there."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 64
MAX_WRAPPED_BYTES = 8 * MAX_BYTES

# Possessive, and content with a string that does not end: no text makes this slow.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[\[\]{}]', re.DOTALL)


class WireError(ValueError):
    """A line that is not the JSON that this protocol allows (ADP-003); the text says why."""


def decode(line: bytes, *, wrapped: bool = False) -> Any:
    """Read one JSON value, or raise `WireError`.

    Refused beside malformed JSON: invalid UTF-8, `NaN` and infinities, repeated keys, more than
    `MAX_BYTES` bytes, and more than `MAX_DEPTH` levels. A message that is `wrapped` in a record of
    the kit's own has become longer, by its escapes, and deeper.
    """
    most_bytes, most_levels = MAX_BYTES, MAX_DEPTH
    if wrapped:
        most_bytes, most_levels = MAX_WRAPPED_BYTES, MAX_DEPTH + 8
    if len(line) > most_bytes:
        raise WireError(f"more than {most_bytes} bytes in a line")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WireError(f"invalid UTF-8 at byte {error.start}") from None
    if text.count("[") + text.count("{") > most_levels and _is_deeper(text, most_levels):
        raise WireError(f"nested deeper than {most_levels} levels")
    try:
        return _DECODER.decode(text)
    except WireError:
        raise
    except json.JSONDecodeError as error:
        raise WireError(f"not JSON: {error.msg} at column {error.pos + 1}") from None
    except ValueError:  # an integer with more digits than Python converts
        raise WireError("a number that is too long") from None


def encode(value: Any) -> bytes:
    """Write one JSON value as a line without its end, in ASCII so that lone surrogates survive."""
    return _ENCODER.encode(value).encode("ascii")


def _is_deeper(text: str, levels: int) -> bool:
    depth = 0
    for token in _STRING_OR_BRACKET.findall(text):
        if token in "[{":
            depth += 1
            if depth > levels:
                return True
        elif token in "]}":
            depth -= 1
    return False


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        left = dict(members)
        repeated = next(name for name, _ in pairs if left.pop(name, _GONE) is _GONE)
        raise WireError(f"the key {json.dumps(repeated[:80])} is repeated")
    return members


def _constant(name: str) -> NoReturn:
    raise WireError(f"{name} is not JSON")


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise WireError("a number that is too large")
    return number


_GONE = object()
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float)
_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
