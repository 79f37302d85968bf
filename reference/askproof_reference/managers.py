"""Session managers: a session, its workspace, and the branch of entries on which it stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

UNDEFINED: Any = object()
"""What a function gives that gives nothing. `None` is `null` here, which is something."""


class SessionManager:
    """Keeps the entries of a session as a tree; it is compared by identity (RCP-002).

    Attributes:
        session_id: of the session that it has now.
        cwd: the workspace of that.
    """

    def __init__(self, session_id: str, cwd: str, branch: Iterable[str] = ()) -> None:
        self.session_id = session_id
        self.cwd = cwd
        self._parents: dict[str, str | None] = {}
        self._leaf: str | None = None
        for entry in branch:
            self.append(entry)

    def get_leaf_id(self) -> str | None:
        """The id of the entry at the end of the live branch, or None for the empty branch."""
        return self._leaf

    def get_branch(self) -> list[str]:
        """The ids on the live branch, from the root to the leaf."""
        branch: list[str] = []
        entry = self._leaf
        while entry is not None:
            branch.append(entry)
            entry = self._parents[entry]
        return branch[::-1]

    def append(self, entry: str) -> None:
        """Append an entry; the leaf moves to it."""
        if entry in self.get_branch():
            raise ValueError(f"{entry!r} is on the branch already")
        self._parents[entry] = self._leaf
        self._leaf = entry

    def move(self, entry: str | None) -> None:
        """Move the leaf to an entry, or before all of them."""
        if entry is not None and entry not in self._parents:
            raise ValueError(f"there is no entry {entry!r}")
        self._leaf = entry

    def enter(self, session_id: str, cwd: str) -> None:
        """Go on with another session or workspace."""
        self.session_id = session_id
        self.cwd = cwd
