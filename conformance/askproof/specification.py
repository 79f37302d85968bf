"""The catalogue of requirements and source clauses, read from the prose in `spec/`."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from askproof.errors import InternalError
from askproof.schemas import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION = "1.0"
LEVELS = ("must", "should", "may")
ROLES = (
    *("ask-host", "ask-bridge"),
    *("receipt-issuer", "receipt-consumer"),
    *("journal-writer", "journal-reader"),
)
RECEIPT_ROLES = ROLES[2:4]

_HEADING = re.compile(r"^### (?P<id>[A-Z]{3}-[0-9]{3})$")
_NAMES = re.compile(r"^Roles: (?P<roles>[a-z, -]+)\. Source: (?P<sources>[a-z0-9, -]+)\.$")
_KEYWORD = re.compile(r"\*\*(MUST|MUST NOT|SHOULD|SHOULD NOT|MAY)\*\*")


class Requirement(NamedTuple):
    """One normative sentence of the specification.

    Attributes:
        id: such as `EVT-031`.
        level: `must`, `should` or `may`.
        roles: the roles that it binds.
        clauses: ids of the source clauses that it comes from.
        decision: whether the specification decided something that the sources leave open.
        text: the sentence, in Markdown.
        explanation: the prose between it and the next requirement, in Markdown.
        chapter: the file name, without its ending.
        line: one-based, of the heading.
    """

    id: str
    level: str
    roles: tuple[str, ...]
    clauses: tuple[str, ...]
    decision: bool
    text: str
    explanation: str
    chapter: str
    line: int

    @property
    def plain(self) -> str:
        """The sentence without the marks of Markdown."""
        return self.text.replace("**", "").replace("`", "")


@cache
def catalogue() -> dict[str, Requirement]:
    """Every requirement by its id, in the order of the chapters.

    Raises InternalError for prose that does not have the form that `spec/conventions.md` names.
    """
    found: dict[str, Requirement] = {}
    for path in sorted(data_folder("spec").glob("*.md")):
        for requirement in _requirements(path):
            if requirement.id in found:
                raise InternalError(
                    f"{path.name}:{requirement.line}: {requirement.id} is defined twice"
                )
            found[requirement.id] = requirement
    return found


class Clause(NamedTuple):
    """One rule of a source document: its id, what it says, and why it is excluded if it is."""

    id: str
    text: str
    excluded: str


@cache
def clauses() -> dict[str, Clause]:
    """Every source clause by its id, from `spec/clauses.toml`."""
    import tomllib

    table = tomllib.loads((data_folder("spec") / "clauses.toml").read_text(encoding="utf-8"))
    return {
        ident: Clause(ident, entry["text"], entry.get("excluded", ""))
        for ident, entry in table.items()
    }


def _requirements(path: Path) -> Iterator[Requirement]:
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = [number for number, line in enumerate(lines) if _HEADING.match(line)]
    for start in starts:
        stop = next(
            (n for n in range(start + 1, len(lines)) if lines[n].startswith("#")), len(lines)
        )
        yield _requirement(path, start + 1, lines[start:stop])


def _requirement(path: Path, line: int, block: list[str]) -> Requirement:
    heading = _HEADING.match(block[0])
    names = _NAMES.match(block[3]) if len(block) > 3 else None
    quotes = [text for text in block if text.startswith(">")]
    keywords = _KEYWORD.findall(" ".join(quotes))
    if not heading or not names or len(quotes) != 1 or block[1] != quotes[0] or len(keywords) != 1:
        raise InternalError(
            f"{path.name}:{line}: a requirement is a heading, one quoted sentence with one "
            "keyword, an empty line and a line 'Roles: ... Source: ...'"
        )
    sources = names["sources"].split(", ")
    return Requirement(
        id=heading["id"],
        level=keywords[0].split()[0].lower(),
        roles=tuple(names["roles"].split(", ")),
        clauses=tuple(source for source in sources if source != "specification"),
        decision="specification" in sources,
        text=quotes[0].removeprefix(">").strip(),
        explanation="\n".join(block[4:]).strip(),
        chapter=path.stem,
        line=line,
    )
