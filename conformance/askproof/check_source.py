"""What is to be checked: files by name or pattern, their bytes, and the form that they have."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, nullcontext, suppress
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askproof.errors import InputError
from askproof.journal_lines import LOG, BadLine, form_of, record_of
from askproof.journal_parts import PART
from askproof.shown import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import BinaryIO

STANDARD_INPUT = "-"
HEAD = 1 << 20  # bytes, the most in which a form is looked for


def names_of(pattern: str) -> list[str]:
    """The files of a pattern that no shell has expanded; any other name is only itself.

    `InputError` if no file has such a name.
    """
    if pattern == STANDARD_INPUT or set(pattern).isdisjoint("*?[") or Path(pattern).exists():
        return [pattern]
    found = sorted(glob(pattern, recursive=True))  # noqa: PTH207 - absolute or not, as it was given
    names = [name for name in found if not Path(name).is_dir()]
    if not names:
        raise InputError(printable(pattern), "no file has such a name")
    return names


def opened(name: str) -> AbstractContextManager[BinaryIO]:
    """A file, only to be read, or the standard input; or `InputError`."""
    if name == STANDARD_INPUT:
        with suppress(OSError, ValueError):  # some parents leave it so that it does not wait
            os.set_blocking(sys.stdin.fileno(), True)
        return nullcontext(sys.stdin.buffer)
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise InputError(printable(name), error.strerror or "cannot be read") from None


def size_of(name: str) -> int:
    """The bytes of a file; 0 where that cannot be known before it is read."""
    return Path(name).stat().st_size if Path(name).is_file() else 0


class Source(io.RawIOBase):
    """The bytes of a stream, each block of which is shown to somebody before it is read.

    Attributes:
        form: `LOG`, `SESSION` or `STORE`, as the first line says that can be read and is of one of
            them; `LOG` if none is.
    """

    def __init__(self, stream: BinaryIO, name: str, show: Callable[[bytes], None]) -> None:
        """Read as many lines of the stream as it takes to tell its form, or raise `InputError`."""
        self._stream: Any = stream  # buffered: `BinaryIO` has no `readinto1`
        self._name = name
        self._show = show
        self._head, form = self._recognize()
        self.form = form or LOG

    def _recognize(self) -> tuple[bytes, str | None]:
        head: list[bytes] = []
        form, left = None, HEAD
        with self._readable():
            while form is None and left and (line := self._stream.readline(left)):
                head.append(line)
                left -= len(line)
                with suppress(BadLine):
                    form = form_of(record_of(line))
        return b"".join(head), form

    def buffered(self) -> BinaryIO:
        """The bytes from the beginning, to be read once."""
        return io.BufferedReader(self, PART)

    def readable(self) -> bool:
        """It is: this is what a raw stream must say of itself."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a part of the buffer: what was read for the form, then the rest of the stream."""
        if self._head:
            count = min(len(buffer), len(self._head))
            buffer[:count] = self._head[:count]
            self._head = self._head[count:]
        else:
            with self._readable():
                count = self._stream.readinto1(buffer)
        self._show(bytes(buffer[:count]))
        return count

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(self._name, error.strerror or "cannot be read") from None
