"""The ids of the decision journal: made for people to recognize, and keys of nothing."""

from __future__ import annotations

import re

FNV_OFFSET, FNV_PRIME = 2_166_136_261, 16_777_619
LONGEST = 80


def question_id(text: str) -> str:
    """The id of a rich question: FNV-1a of 32 bits over the UTF-16 units of its text (JRN-054)."""
    hashed = FNV_OFFSET
    for unit in code_units(text):
        hashed = (hashed ^ unit) * FNV_PRIME % 2**32
    return f"q_{hashed:x}"


def code_units(text: str) -> list[int]:
    """The UTF-16 code units of a text, in which a lone surrogate is one like any other."""
    written = text.encode("utf-16-le", "surrogatepass")
    return [written[at] | written[at + 1] << 8 for at in range(0, len(written), 2)]


def decision_id(question: str) -> str:
    """The id of a decision, made of the id of its question (JRN-053)."""
    return slug(f"ask-{question}")[:LONGEST]


def slug(text: str) -> str:
    """A text in lower case, in which each run of other characters than a-z and 0-9 is a hyphen."""
    return re.sub("[^a-z0-9]+", "-", text.lower()).removeprefix("-").removesuffix("-")
