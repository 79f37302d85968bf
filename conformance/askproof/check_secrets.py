"""Searching every byte of a file for secrets, however JSON escapes them; never showing one."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, NamedTuple

from askproof.errors import InputError, UsageError
from askproof.shown import printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LEAST, MOST = 5, 4096  # bytes of a secret: shorter ones occur by chance
_LONGEST_ESCAPE = 24  # bytes of one character: two code units, each after seven backslashes

_LETTERS = {"\b": b"b", "\t": b"t", "\n": b"n", "\f": b"f", "\r": b"r"}
_RUN = re.compile(r"(\\*)([^\\]|$)", re.DOTALL)


class Hit(NamedTuple):
    """A place where a secret was found: the offset of its first byte, and the number of the line.

    Secrets are known by their number, from one.
    """

    offset: int
    line: int
    secret: int


class Secrets:
    """The secrets that are searched for, and hidden in what is shown."""

    def __init__(self, secrets: Iterable[str]) -> None:
        """Take them in their order; `UsageError` if one is too short or too long."""
        self._secrets = list(secrets)
        for number, secret in enumerate(self._secrets, 1):
            if not LEAST <= len(_bytes(secret)) <= MOST:
                bounds = f"fewer than {LEAST} or more than {MOST}"
                raise UsageError(f"secret {number} has {bounds} bytes: it cannot be searched for")
        self.patterns = [re.compile(_pattern(secret)) for secret in self._secrets]
        self.reach = _LONGEST_ESCAPE * max(map(len, self._secrets), default=0)

    def hide(self, text: str) -> str:
        """Text that is to be shown, with a mark in place of each secret."""
        longest_first = sorted(enumerate(self._secrets, 1), key=lambda one: -len(one[1]))
        for number, secret in longest_first:  # one may be a part of another
            text = text.replace(printable(secret), f"[secret {number}]")
        return text


def secrets_in(file: Path) -> list[str]:
    """The secrets of a file, one a line; a byte that is not UTF-8 is itself."""
    try:
        lines = file.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    except OSError as error:
        raise InputError(printable(str(file)), error.strerror or "cannot be read") from None
    secrets = (line.removesuffix(b"\r") for line in lines)
    found = [secret.decode("utf-8", "surrogateescape") for secret in secrets if secret.strip()]
    if not found:
        raise UsageError(f"{printable(str(file))} holds no secret that could be searched for")
    return found


class Search:
    """A search through the blocks of one file, in their order."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._tail = b""  # of what was searched, as a secret may go on in the next block
        self._start = 0  # offset of the tail
        self._line = 1  # number of the line in which the tail begins

    def search(self, block: bytes) -> list[Hit]:
        """Where secrets end in the next block."""
        data = self._tail + block
        found = sorted(
            (match.start(), number)
            for number, pattern in enumerate(self._secrets.patterns, 1)
            for match in pattern.finditer(data)
            if match.end() > len(self._tail)
        )
        hits, line, counted = [], self._line, 0
        for start, number in found:
            line += data.count(b"\n", counted, start)
            counted = start
            hits.append(Hit(self._start + start, line, number))
        kept = max(0, len(data) - self._secrets.reach)
        self._line += data.count(b"\n", 0, kept)
        self._start += kept
        self._tail = data[kept:]
        return hits


def _bytes(secret: str) -> bytes:
    return secret.encode("utf-8", "surrogateescape")


def _pattern(secret: str) -> bytes:
    """A pattern for a secret as it is, or in a JSON string, or in one within such a string, ...

    Each step but the first is final (`(?>`), so that no file makes the search slow.
    """
    first, *rest = (_step(len(run[1]), run[2]) for run in _RUN.finditer(secret) if run[0])
    return b"(?:%b)" % first + b"".join(b"(?>%b)" % step for step in rest)


def _step(backslashes: int, char: str) -> bytes:
    """What may stand for some backslashes and the character after them, if there is one."""
    raw, escaped = _run(backslashes, 0), _run(backslashes, 1)
    spellings = [raw + re.escape(_bytes(char))]
    if char and char in '"/':
        spellings.append(escaped + char.encode())
    if char in _LETTERS:
        spellings.append(escaped + _LETTERS[char])
    if char and not "\udc80" <= char <= "\udcff":
        first, *rest = _code_units(char)
        spellings.append(escaped + first + b"".join(_run(0, 1) + unit for unit in rest))
    return b"|".join(spellings)


def _run(backslashes: int, escapes: int) -> bytes:
    """So many backslashes, each of them doubled up to three times, and those of so many escapes."""
    least, most = backslashes + escapes, backslashes * 8 + escapes * 7
    # The first is apart, since the engine leaps to where a literal is.
    return rb"\\\\{%d,%d}+" % (least - 1, most - 1) if least else b""


def _code_units(char: str) -> list[bytes]:
    r"""What comes after the backslash of each `\uXXXX`, with digits in either case."""
    digits = char.encode("utf-16-be", "surrogatepass").hex()
    either = [f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in digits]
    return [("u" + "".join(either[at : at + 4])).encode() for at in range(0, len(either), 4)]
