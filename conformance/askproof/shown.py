"""Making what came from outside fit to be shown: nothing hidden, nothing that a terminal obeys."""

from __future__ import annotations

import json
import os
import unicodedata
from typing import IO, Any

from askproof.match import NOT_THERE

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def printable(value: str | bytes) -> str:
    """Text in which controls, bidirectional marks, surrogates and bad UTF-8 are escapes."""
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) for char in text)


def value(data: Any, width: int = 60) -> str:
    """A JSON value on one line, printable, cut to so many characters; `(nothing)` for NOT_THERE."""
    if data is NOT_THERE:
        return "(nothing)"
    text = printable(json.dumps(data, ensure_ascii=False))
    return text if len(text) <= width else text[: width - 1] + "…"


def _escaped(char: str) -> str:
    if unicodedata.category(char) not in _HIDDEN:
        return char
    code = ord(char)
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    return short or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


class Style:
    """Colours for a stream: none when it is piped or NO_COLOR is set."""

    def __init__(self, stream: IO[str]) -> None:
        """Look at the stream and the environment."""
        self.on = stream.isatty() and not os.environ.get("NO_COLOR")

    def _paint(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

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
