"""Searching what was observed for parts of a secret."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from askproof.match import NOT_THERE, Difference, escape

if TYPE_CHECKING:
    from collections.abc import Iterator

PART = 5  # characters: shorter ones occur by chance
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def leaks(
    secrets: dict[str, list[str]], observed: list[dict[str, Any]], found: list[Difference]
) -> list[Difference]:
    """A difference for each text in which a part of a secret is observed.

    What differs anyway is left to its own blame: a record that was not redacted breaks that rule.
    `shown` is what the human sees of the question, and no surface of the answer.
    """
    explained = {id(one.observation) for one in found}
    return [
        Difference(pointer, NOT_THERE, text, tuple(idents), one, one, own=True)
        for secret, idents in secrets.items()
        for one in observed
        if "shown" not in one and id(one) not in explained
        for pointer, text in _texts(one)
        if holds(text, secret)
    ]


def holds(text: str, secret: str) -> bool:
    """Whether a part of a secret is in a text: in either case, escaped, as hex or as Base64."""
    unescaped = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    plain = f"{text}\n{unescaped}".casefold()
    data = secret.encode("utf-8", "surrogatepass")
    return (
        any(part in plain for part in _parts(secret.casefold()))
        or data.hex() in plain
        or any(coded in text for coded in _base64(data))
    )


def _parts(secret: str) -> Iterator[str]:
    for start in range(max(1, len(secret) - PART + 1)):
        yield secret[start : start + PART]


def _base64(data: bytes) -> Iterator[str]:
    """What Base64 makes of these bytes, wherever they begin in what was encoded."""
    from base64 import b64encode

    for before in range(3):
        whole = (before + len(data)) // 3 * 3 - before  # what follows shares its last characters
        coded = b64encode(bytes(before) + data[:whole]).decode()
        yield coded[0 if before == 0 else before + 1 :]


def _texts(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Every string in a value, and every name of a member, with where it is."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for name, item in value.items():
            inside = f"{pointer}/{escape(name)}"
            yield inside, name
            yield from _texts(item, inside)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _texts(item, f"{pointer}/{place}")
