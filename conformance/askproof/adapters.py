"""From the ADAPTER of a command line to a session with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from askproof.carriers import InProcess, Subprocess, python_adapter
from askproof.errors import UsageError
from askproof.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable

    from askproof.serve import PythonAdapter

_REFERENCE = "askproof_reference.adapter:Adapter"


def connect(adapter: str) -> Session:
    """A session, not yet started, with `reference`, `python:...` or `exec:...`.

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
    # What the reference says is held to the schemas by the project's own tests: here that would
    # only cost the time to load a validator.
    return Session(InProcess(in_process(adapter)), checks=adapter != "reference")


def in_process(adapter: str) -> Callable[[], PythonAdapter]:
    """What makes the Python adapter of `reference` or `python:...`. Raises UsageError."""
    kind, _, where = adapter.partition(":")
    if adapter == "reference":
        where = _REFERENCE
    elif kind != "python" or not all(where.rpartition(":")):
        raise UsageError(
            f"{adapter!r} is no adapter; write reference, python:MODULE:NAME, python:FILE.py:NAME"
            " or 'exec:COMMAND ...'"
        )

    def make() -> PythonAdapter:
        return python_adapter(where)()

    return make
