"""Which cases a command is about."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from askproof import case as cases
from askproof.errors import UsageError
from askproof.specification import LEVELS, ROLES, catalogue

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection

    from askproof.case import Case


@dataclass(frozen=True)
class Selection:
    """What the options of a command line ask for; nothing in a field means everything."""

    roles: tuple[str, ...]
    level: str
    globs: tuple[str, ...]
    requirements: tuple[str, ...]

    @classmethod
    def of(cls, args: argparse.Namespace) -> Selection:
        """Read the options. Raises UsageError for a role or requirement that there is not."""
        for role in args.role:
            _known(role, ROLES, "role")
        for ident in args.requirement:
            _known(ident, catalogue(), "requirement")
        return cls(tuple(args.role), args.level, tuple(args.case), tuple(args.requirement))

    def cases(self) -> list[Case]:
        """The chosen cases, in the order of their ids. Raises UsageError if there are none."""
        ids = [
            ident
            for ident in cases.case_ids()
            if (not self.roles or ident.split("/")[1] in self.roles)
            and (not self.globs or any(fnmatchcase(ident, glob) for glob in self.globs))
        ]
        chosen = [case for case in map(cases.load, ids) if self._shows(case)]
        if not chosen:
            raise UsageError("no case is selected; see the ids with: askproof list")
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


def _known(name: str, names: Collection[str], what: str) -> None:
    if name not in names:
        from difflib import get_close_matches

        close = get_close_matches(name, names, n=1)
        hint = f"did you mean {close[0]}?" if close else f"see: askproof list {what}s"
        raise UsageError(f"there is no {what} {name!r}; {hint}")
