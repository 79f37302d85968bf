"""Records as they cross the bus: plain dictionaries."""

from __future__ import annotations

from typing import Any

Record = dict[str, Any]

VERSION = 1


def record(**members: Any) -> Record:
    """A record of the members that there are; None stands for one that is absent."""
    return {name: value for name, value in members.items() if value is not None}


def is_current(value: Any) -> bool:
    """Whether a value is an object of this version; neither true nor 1.0 is an integer."""
    version = value.get("version") if isinstance(value, dict) else None
    return type(version) is int and version == VERSION
