"""Text as the specification reads it: code points, and a white space of its own."""

from typing import Any

WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def trim(text: str) -> str:
    """The text without white space at its ends."""
    return text.strip(WHITE_SPACE)


def is_blank(text: str) -> bool:
    """Whether nothing but white space is there."""
    return not trim(text)


def is_text(value: Any) -> bool:
    """Whether a value is a string that is not blank."""
    return isinstance(value, str) and not is_blank(value)
