"""Reading a journal in parts: in turn, or those of a large file by several processes at once.

What is found is the same. To parse takes nearly all of the time, and a parser keeps one processor.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from pickle import UnpicklingError, dump, load
from subprocess import DEVNULL, PIPE, Popen
from typing import TYPE_CHECKING, Any, NamedTuple

from askproof.errors import InputError
from askproof.journal_judgement import Judgement, judge
from askproof.journal_lines import DECISION_OF, LENGTH, BadLine, record_of
from askproof.shown import printable
from askproof.wire import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from typing import BinaryIO

PART = 1 << 18  # bytes: so few that all that is found in some parts fits into memory
LARGE = 1 << 25  # bytes of a file for which it pays to start processes
MOST_PROCESSES = 4

_AHEAD = 1 << 16
# Nothing of the folder at hand is imported, and the classes of what is pickled keep their names.
_READER = [sys.executable, "-P", "-c", f"from {__name__} import write_parts; write_parts()"]
_BLANK = b" \t"
_TORN = "; the file ends within a line: was it cut off?"


class Bad(NamedTuple):
    """Why a line is bad: its code (JRN-093), and words that repeat nothing of it."""

    code: str
    message: str


class Decision(NamedTuple):
    """A decision: what may be believed of it, its id and what was asked, as they are written."""

    verdict: Judgement
    ident: Any
    question: Any


class Part(NamedTuple):
    """What some lines of a journal hold.

    Attributes:
        found: the number of each line that matters, from one, and the offset of its first byte.
        lines: how many there are, `blank` ones among them.
        end: the offset behind them.
        whole: whether the last of them is bad, or ends with a line feed.
    """

    found: list[tuple[int, int, Bad | Decision]]
    lines: int
    blank: int
    end: int
    whole: bool


def pieces_of(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream; one of more than `MAX_BYTES` comes in pieces."""
    return iter(partial(stream.readline, MAX_BYTES + 1), b"")


def parts_in_turn(stream: BinaryIO, form: str) -> Generator[Part, None, None]:
    """The parts of a journal of this form."""
    pieces = pieces_of(stream)
    offset = 0
    while (part := read_part(pieces, form, offset, offset + PART)).lines:
        yield part
        offset = part.end


def parts_at_once(name: str, form: str, step: Callable[[], None]) -> Generator[Part, None, None]:
    """The same for a file that can be read from any place; after each part comes a step.

    Each process reads every so manieth part. It waits while nobody takes what it has read.
    """
    count = processors()
    file = os.path.realpath(name)  # another process has another /dev/stdin
    readers = [
        Popen(
            [*_READER, file, form, str(first), str(count)],
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=DEVNULL,
        )
        for first in range(count)
    ]
    try:
        for number in range(-(-Path(name).stat().st_size // PART)):
            pipe: Any = readers[number % count].stdout
            try:
                part: Part = load(pipe)  # noqa: S301 - of our own process
            except (EOFError, UnpicklingError):
                raise InputError(printable(name), "it was changed while it was read") from None
            yield part
            step()
    finally:
        for reader in readers:
            reader.kill()
            reader.communicate()


def write_parts() -> None:
    """The work of such a process: to pickle the parts that its arguments name, for its parent."""
    name, form, first, count = sys.argv[1:]
    with Path(name).open("rb", buffering=_AHEAD) as stream:
        for start in range(int(first) * PART, Path(name).stat().st_size, int(count) * PART):
            dump(read_range(stream, form, start, start + PART), sys.stdout.buffer)
            sys.stdout.flush()


def processors() -> int:
    """How many processes can work at the same time, and are worth their start."""
    if hasattr(os, "sched_getaffinity"):
        return min(MOST_PROCESSES, len(os.sched_getaffinity(0)))
    return min(MOST_PROCESSES, os.cpu_count() or 1)


def read_range(stream: BinaryIO, form: str, start: int, end: int) -> Part:
    """Read the lines that begin in a range of a file."""
    offset = start
    if start:
        # The byte before belongs to a line of the range before, which may go on here.
        offset = stream.seek(start - 1)
        while offset < end and (piece := stream.readline(end - offset)):
            offset += len(piece)
            if piece.endswith(b"\n"):
                break
    return read_part(pieces_of(stream), form, offset, end)


def read_part(pieces: Iterator[bytes], form: str, offset: int, end: int) -> Part:
    """Read the lines from an offset on that begin before another."""
    decision_of = DECISION_OF[form]
    found: list[tuple[int, int, Bad | Decision]] = []
    number = blank = 0
    line = b"\n"
    what: dict[str, Any] | BadLine | None = None
    for number, line in enumerate(pieces if offset < end else (), 1):
        try:
            what = decision_of(record_of(line))
        except BadLine as bad:
            what = bad
        if what is not None:
            if not isinstance(what, BadLine):
                asked = what.get("decisionId"), what.get("question")
                found.append((number, offset, Decision(judge(what), *asked)))
            elif _is_blank(line):
                blank += 1
            else:
                found.append((number, offset, _bad(what, line)))
                offset += _rest_of(line, pieces)
        offset += len(line)
        if offset >= end:
            break
    whole = line.endswith(b"\n") or isinstance(what, BadLine)
    return Part(found, number, blank, offset, whole)


def _is_blank(line: bytes) -> bool:
    return not line.removesuffix(b"\n").removesuffix(b"\r").strip(_BLANK)


def _bad(bad: BadLine, line: bytes) -> Bad:
    torn = bad.code != LENGTH and not line.endswith(b"\n")
    return Bad(bad.code, sys.intern(f"{bad}{_TORN if torn else ''}"))


def _rest_of(line: bytes, pieces: Iterator[bytes]) -> int:
    """Pass what is left of a line that comes in pieces; how many bytes that is."""
    passed = 0
    while not line.endswith(b"\n") and (line := next(pieces, b"")):
        passed += len(line)
    return passed
