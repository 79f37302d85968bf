"""Making what came from outside fit to be shown: nothing hidden, nothing that a terminal obeys."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING, Any

from askproof.match import NOT_THERE

if TYPE_CHECKING:
    from askproof.match import Difference

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """Text in which controls, bidirectional marks, odd spaces and surrogates are escapes."""
    if text.isprintable():
        return text
    return "".join(map(_escaped, text))


def value(data: Any, width: int = 60) -> str:
    """A JSON value on one line, printable, cut to so many characters; `(nothing)` for NOT_THERE."""
    return _cut(_json(data), 0, width)


def sides(difference: Difference, width: int = 60) -> tuple[str, str]:
    """What was expected, and what was observed, each cut to where they begin to differ."""
    if difference.early:
        return "in its turn", "before its turn"
    expected, observed = _json(difference.expected), _json(difference.observed)
    start = 0
    if max(len(expected), len(observed)) > width:
        alike = (at for at, (e, o) in enumerate(zip(expected, observed, strict=False)) if e != o)
        start = max(0, next(alike, 0) - width // 3)
    return _cut(expected, start, width), _cut(observed, start, width)


def _json(data: Any) -> str:
    import json

    return "(nothing)" if data is NOT_THERE else json.dumps(data, ensure_ascii=False)


def _cut(text: str, start: int, width: int) -> str:
    text = "…" * (start > 0) + printable(text[start : start + width + 1])
    return text if len(text) <= width else text[: width - 1] + "…"


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    return _SHORT.get(char) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


class Style:
    """Colours for a stream: none when it is piped or NO_COLOR is set."""

    def __init__(self, stream: IO[str]) -> None:
        """Look at the stream and the environment."""
        self._on = stream.isatty() and not os.environ.get("NO_COLOR")

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
