"""The errors of the kit, each with the exit status that it ends a command with."""

from __future__ import annotations


class AskproofError(Exception):
    """What went wrong, where, and what to do about it; `exit_status` is the command's."""

    exit_status = 4


class UsageError(AskproofError):
    """The command was called in a way that cannot be carried out."""

    exit_status = 2


class InputError(AskproofError):
    """A file that cannot be read, understood or written.

    Attributes:
        file: as the user named it.
        problem: what is wrong, in a sentence without a full stop.
        line: one-based, where it is known.
        pointer: JSON pointer to the wrong value, where there is one.
        hint: what to do about it.
    """

    exit_status = 3

    def __init__(
        self,
        file: str,
        problem: str,
        line: int | None = None,
        pointer: str | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(file, problem, line, pointer, hint)
        self.file = file
        self.problem = problem
        self.line = line
        self.pointer = pointer
        self.hint = hint

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        at = f" at {self.pointer}" if self.pointer else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{where}: {self.problem}{at}{hint}"


class AdapterError(AskproofError):
    """An adapter that cannot be started, or does not answer `initialize` well."""

    exit_status = 3


class InternalError(AskproofError):
    """The kit itself is wrong: a case, a fixture, a message or a schema of its own."""

    exit_status = 4
