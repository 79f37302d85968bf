"""What the adapters of the two receipt roles share: the session managers, and what is written.

Performs the commands of the section "Session managers" of `spec/adapter-protocol.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askproof_reference.managers import UNDEFINED, SessionManager
from askproof_reference.records import Record


def throw() -> None:
    """Fail, as a manager does that is told to."""
    raise RuntimeError("told to throw")


HIDDEN: dict[str, Any] = {"missing": None, "throws": throw, "undefined": lambda: UNDEFINED}


class ManagerAdapter:
    """Makes session managers and keeps them by name; a role adds its own commands."""

    def begin(self, params: Record) -> Record:
        """Begin without any manager."""
        self._observations: list[Record] = []
        self._managers: dict[str, SessionManager] = {}
        return {}

    def perform(self, params: Record) -> Record:
        """Perform one command; everything that follows from it has happened when it returns."""
        ((name, arguments),) = params.items()
        command = getattr(self, f"do_{name}", None)
        if command is None:
            raise NotImplementedError(f"the role has no command {name!r}")
        command(arguments)
        observed = list(self._observations)
        self._observations.clear()
        return {"observations": observed}

    def observe(self, **observation: Any) -> None:
        """Report something as it is now."""
        self._observations.append(self.written(observation))

    def written(self, value: Any) -> Any:
        """A copy as JSON; an object that JSON cannot carry is written as its handle."""
        if isinstance(value, Mapping):
            return {name: self.written(member) for name, member in value.items()}
        if isinstance(value, list | tuple):
            return [self.written(item) for item in value]
        if value is None or isinstance(value, str | int | float):
            return value
        return {"handle": self.name_of(value)}

    def name_of(self, manager: Any) -> str:
        """The name of a manager, by identity."""
        names = (name for name, one in self._managers.items() if one is manager)
        return next(names, "unknown")

    # The managers

    def do_manager(self, arguments: Record) -> None:
        """Make a manager, or another that looks like one."""
        if "like" in arguments:
            like = self._managers[arguments["like"]]
            made = SessionManager(like.session_id, like.cwd, like.get_branch())
        else:
            made = SessionManager(arguments["session"], arguments["cwd"], arguments["branch"])
        self._managers[arguments["manager"]] = made

    def do_append(self, arguments: Record) -> None:
        """Append an entry."""
        self._managers[arguments["manager"]].append(arguments["entry"])

    def do_move(self, arguments: Record) -> None:
        """Move the leaf."""
        self._managers[arguments["manager"]].move(arguments["entry"])

    def do_hide(self, arguments: Record) -> None:
        """Let the leaf not be told, or told again."""
        members = vars(self._managers[arguments["manager"]])
        members.pop("get_leaf_id", None)
        if arguments["leaf"] in HIDDEN:
            members["get_leaf_id"] = HIDDEN[arguments["leaf"]]

    def do_enter(self, arguments: Record) -> None:
        """Let the manager go on elsewhere, and tell the role that what it had has ended."""
        manager = self._managers[arguments["manager"]]
        session_id, cwd = manager.session_id, manager.cwd
        manager.enter(arguments.get("session", session_id), arguments.get("cwd", cwd))
        if manager.session_id != session_id:
            self.end_session(manager)
        elif manager.cwd != cwd:
            self.change_workspace(manager)

    def do_shutdown(self, arguments: Record) -> None:
        """Shut the session of the manager down."""
        self.end_session(self._managers[arguments["manager"]])

    def end_session(self, manager: SessionManager) -> None:
        """Tell the role that the session of a manager was shut down or replaced."""
        raise NotImplementedError

    def change_workspace(self, manager: SessionManager) -> None:
        """Tell the role that the workspace of a manager is another."""

    # What has no effect on either role

    def do_emit(self, arguments: Record) -> None:
        """Emit on the event bus, on which neither role listens."""

    def do_advance(self, arguments: Record) -> None:
        """Let time pass, for which neither role waits."""
