"""Making what came from outside fit to be shown: nothing hidden, nothing that a terminal obeys."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, Any

from askproof.match import NOT_THERE

if TYPE_CHECKING:
    from askproof.match import Difference

_PIPED = 200
_NARROWEST = 60
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """Text in which controls, bidirectional marks, odd spaces and surrogates are escapes."""
    if text.isprintable():
        return text
    return "".join(map(_escaped, text))


def value(data: Any, width: int = 60) -> str:
    """A JSON value on one line, printable, cut to so many characters; `(nothing)` for NOT_THERE."""
    return _cut(_json(data), 0, width)


def ends(text: str, width: int) -> str:
    """Text, printable; where it is too long, its start and its end."""
    text = printable(text)
    start = width // 3
    return text if len(text) <= width else f"{text[:start]}…{text[start + 1 - width :]}"


def columns(stream: IO[str]) -> int:
    """How wide what is written to a stream may be: as wide as the terminal, if it is one."""
    if not stream.isatty():
        return _PIPED
    from shutil import get_terminal_size

    return max(_NARROWEST, get_terminal_size().columns)


def is_screen(stream: IO[str]) -> bool:
    """Whether a stream is a terminal that knows colours and moves its cursor."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def sides(difference: Difference, width: int = 60) -> tuple[str, str]:
    """What was expected, and what was observed, each cut to where they begin to differ."""
    if difference.early:
        return "in its turn", "before its turn"
    expected, observed = _json(difference.expected), _json(difference.observed)
    at = 0
    if max(len(printable(text[: width + 1])) for text in (expected, observed)) > width:
        pairs = enumerate(zip(expected, observed, strict=False))
        shorter = min(len(expected), len(observed))
        at = next((at for at, (one, other) in pairs if one != other), shorter)
    return _cut(expected, at, width), _cut(observed, at, width)


def _json(data: Any) -> str:
    import json

    return "(nothing)" if data is NOT_THERE else json.dumps(data, ensure_ascii=False)


def _cut(text: str, at: int, width: int) -> str:
    """Text, printable, cut to so many characters, among them what is at that place."""
    before, room = printable(text[max(0, at - width) : at]), width // 3
    if len(before) > room:
        before = "…" + before[-room:]
    text = before + printable(text[at : at + width + 1])
    return text if len(text) <= width else text[: width - 1] + "…"


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    return _SHORT.get(char) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


class Style:
    """Colours for a stream: none where it shows none, or NO_COLOR is set."""

    def __init__(self, stream: IO[str]) -> None:
        """Look at the stream and the environment."""
        self._on = is_screen(stream) and not os.environ.get("NO_COLOR")

    def _paint(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._on else text

    def good(self, text: str) -> str:
        """Green."""
        return self._paint(32, text)

    def bad(self, text: str) -> str:
        """Red."""
        return self._paint(31, text)

    def quiet(self, text: str) -> str:
        """Dim."""
        return self._paint(2, text)

    def strong(self, text: str) -> str:
        """Bold."""
        return self._paint(1, text)
