"""From the ADAPTER of a command line to a session with it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from askproof.carriers import InProcess, Subprocess, python_adapter
from askproof.errors import UsageError
from askproof.schemas import load
from askproof.selection import did_you_mean
from askproof.session import Session
from askproof.specification import ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from askproof.serve import PythonAdapter
    from askproof.session import Handshake

_REFERENCE = "askproof_reference.adapter:Adapter"


def connect(adapter: str) -> Session:
    """A session, not yet started, with `reference`, `python:...`, `exec:...` or `pi:...`.

    Raises UsageError for what is none of them.
    """
    kind, _, rest = adapter.partition(":")
    if kind == "exec":
        import shlex

        try:
            command = shlex.split(rest)
        except ValueError as error:
            raise UsageError(f"{adapter!r} cannot be split into words: {error}") from None
        if not command:
            raise UsageError("exec: needs a command, such as 'exec:node adapter.mjs'")
        return Session(Subprocess(command))
    if kind == "pi":
        from askproof import pi_extension

        return Session(Subprocess(pi_extension.command(rest)))
    make = in_process(adapter)
    if adapter != "reference":
        # In a process of its own it can hang, exit and print without harm to the kit.
        return Session(Subprocess([sys.executable, "-m", "askproof", "serve", adapter]))
    # What the reference says is held to the schemas by the project's own tests: here that would
    # only cost the time to load a validator.
    return Session(InProcess(make), checks=False)


def unknown(handshake: Handshake) -> Iterator[str]:
    """What an adapter declares and this kit does not know: something newer, or misspelt."""
    roles = [role for role in handshake.roles if role in ROLES]
    for role in handshake.roles.keys() - {*roles}:
        yield _unknown("role", role, ROLES)
    for what, schema, names in (
        ("capability", "capability", handshake.capabilities),
        ("variant", "variants", handshake.variants),
    ):
        loaded = load(f"adapter/{schema}")
        known = loaded.get("enum") or [*loaded["properties"]]
        declared = sorted({name for role in roles for name in names(role)})
        yield from (_unknown(what, name, known) for name in declared if name not in known)
    if not roles:
        yield f"the adapter declares no role that this kit knows; these are {', '.join(ROLES)}"


def _unknown(what: str, name: str, known: Collection[str]) -> str:
    text = f"the adapter declares the {what} {name!r}, which this kit does not know"
    hint = did_you_mean(name, known)
    return f"{text}; {hint}" if hint else text


def in_process(adapter: str) -> Callable[[], PythonAdapter]:
    """What makes the Python adapter of `reference` or `python:...`. Raises UsageError."""
    kind, _, where = adapter.partition(":")
    if adapter == "reference":
        where = _REFERENCE
    elif kind != "python" or not all(where.rpartition(":")):
        raise UsageError(
            f"{adapter!r} is no adapter; write reference, python:MODULE:NAME, python:FILE.py:NAME"
            ", 'exec:COMMAND ...' or pi:EXTENSION"
        )

    def make() -> PythonAdapter:
        return python_adapter(where)()

    return make
