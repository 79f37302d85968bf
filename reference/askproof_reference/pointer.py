"""JSON pointers (RFC 6901), as far as adapters need them."""

from __future__ import annotations

from typing import Any


def set_member(target: Any, path: str, value: Any) -> None:
    """Set the member of an object or a list at a pointer; one past its end, a list grows."""
    *parents, last = [t.replace("~1", "/").replace("~0", "~") for t in path.split("/")[1:]]
    for token in parents:
        target = target[_key(target, token)]
    if isinstance(target, list) and int(last) == len(target):
        target.append(value)
    else:
        target[_key(target, last)] = value


def _key(target: Any, token: str) -> Any:
    """What a token stands for in an object or a list."""
    return int(token) if isinstance(target, list | tuple) else token
