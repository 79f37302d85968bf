"""The line on a terminal that says how far long work has come; nothing where it is piped."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Self, TypeVar

from askproof.shown import is_screen

if TYPE_CHECKING:
    from types import TracebackType

_T = TypeVar("_T")


class Progress:
    """Counts steps on one line, which is gone at the end."""

    def __init__(self, stream: IO[str], count: int) -> None:
        """Take the stream, and how many steps there will be."""
        self._stream = stream if is_screen(stream) else None
        self._count = count
        self._done = 0

    def step(self, result: _T, name: str) -> _T:
        """Count a step that has given this result, and show its name; return the result."""
        self._done += 1
        if self._stream:
            self._stream.write(f"\r\x1b[K{self._done}/{self._count} {name}")
            self._stream.flush()
        return result

    def clear(self) -> None:
        """Take the line away, to write something else."""
        if self._stream:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()
