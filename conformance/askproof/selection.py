"""Which cases a command is about."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

from askproof import case as cases
from askproof.errors import UsageError
from askproof.specification import LEVELS, ROLES, catalogue

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from askproof.case import Case

_IDS = "see the ids with: askproof list"


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
        ids = [
            ident
            for ident in cases.case_ids()
            if (not self.roles or ident.split("/")[1] in self.roles)
            and (not self.globs or any(fnmatchcase(ident, glob) for glob in self.globs))
        ]
        for glob in self.globs:
            if not any(fnmatchcase(ident, glob) for ident in ids):
                raise UsageError(f"no case is selected by {glob!r}; {_IDS}")
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
    """Raise UsageError for a name that there is not, with the one that was perhaps meant."""
    if name not in names:
        from difflib import get_close_matches

        close = get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]}?" if close else f"see: {where}"
        raise UsageError(f"there is no {what} {name!r}; {hint}")
