"""Which cases a command is about."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from askproof import case as cases
from askproof.errors import UsageError
from askproof.specification import LEVELS, ROLES, catalogue

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable

    from askproof.case import Case

_IDS = "see the ids with: askproof list"
_MOST_MEANT = 3
_SHORTEST = 3  # letters of a word that says anything
_NEAR = 0.6  # how much of a name must be as in the one that was meant, from 0 to 1


class Selection(NamedTuple):
    """What the options of a command line ask for; nothing in a field means everything."""

    roles: tuple[str, ...]
    level: str
    globs: tuple[str, ...]
    requirements: tuple[str, ...]

    @classmethod
    def of(cls, args: argparse.Namespace) -> Selection:
        """Read the options. Raises UsageError for a role or requirement that there is not."""
        for role in args.role:
            known(role, ROLES, "role", "askproof list roles")
        for ident in args.requirement:
            known(ident, catalogue(), "requirement", "askproof list requirements")
        roles, globs, requirements = map(dict.fromkeys, (args.role, args.case, args.requirement))
        return cls(tuple(roles), args.level, tuple(globs), tuple(requirements))

    def cases(self) -> list[Case]:
        """The chosen cases, in the order of their ids.

        Raises UsageError if there are none, or if a pattern or a requirement chooses none of them:
        what somebody misspelt must not look like something that was run.
        """
        of_roles = [
            ident
            for ident in cases.case_ids()
            if not self.roles or ident.split("/")[1] in self.roles
        ]
        for glob in self.globs:
            if not any(fnmatchcase(ident, glob) for ident in of_roles):
                hint = did_you_mean(glob, of_roles) or _IDS
                raise UsageError(f"no case is selected by {glob!r}; {hint}")
        ids = [
            ident
            for ident in of_roles
            if not self.globs or any(fnmatchcase(ident, glob) for glob in self.globs)
        ]
        chosen = [case for case in map(cases.load, ids) if self._shows(case)]
        for ident in self.requirements:
            if not any(ident in case.shows for case in chosen):
                hint = f"see: askproof explain {ident}"
                raise UsageError(f"no case that is selected shows {ident}; {hint}")
        if not chosen:
            raise UsageError(f"no case is selected; {_IDS}")
        return chosen

    def record(self) -> dict[str, Any]:
        """The selection for the header of the results."""
        return {
            "roles": list(self.roles),
            "level": self.level,
            "cases": list(self.globs),
            "requirements": list(self.requirements),
        }

    def _shows(self, case: Case) -> bool:
        if self.requirements and not set(self.requirements) & set(case.shows):
            return False
        demanded = LEVELS[: LEVELS.index(self.level) + 1]
        return any(catalogue()[ident].level in demanded for ident in case.shows)


def known(name: str, names: Collection[str], what: str, where: str) -> None:
    """Raise UsageError for a name that there is not, with those that were perhaps meant."""
    if name not in names:
        hint = did_you_mean(name, names) or f"see: {where}"
        raise UsageError(f"there is no {what} {name!r}; {hint}")


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The question that names what was perhaps meant; empty where nothing is near enough."""
    folded = {one.lower(): one for one in names}
    meant = name.lower()
    close = [meant] if meant in folded else _containing(meant, folded) or _nearest(meant, folded)
    return f"did you mean {' or '.join(folded[one] for one in close)}?" if close else ""


def _containing(meant: str, names: Iterable[str]) -> list[str]:
    """The shortest that have all the words of what was meant, or are a part of it."""
    words = re.findall(r"[a-z0-9]+", meant)
    if min(map(len, words), default=0) < _SHORTEST:
        return []
    close = [one for one in names if one in meant or all(word in one for word in words)]
    return sorted(close, key=len)[:_MOST_MEANT]


def _nearest(meant: str, names: Iterable[str]) -> list[str]:
    """The name that is most like it; none if it is as near to one as to another."""
    from difflib import SequenceMatcher

    ratios = {one: SequenceMatcher(None, one, meant).ratio() for one in names}
    highest = max(ratios.values(), default=0.0)
    close = [one for one, ratio in ratios.items() if ratio == highest >= _NEAR]
    return close if len(close) == 1 else []
