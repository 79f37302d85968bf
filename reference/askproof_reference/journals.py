"""The two journals: the session file of the host, and the tool's own store. Both are JSON Lines.

A record goes to the end of its file in one write. Whatever fails raises OSError.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from askproof_reference.clock import Clock
from askproof_reference.records import Record

OWNER_ONLY = 0o600
# JSON numbers beyond are not the same to everybody, so that nobody can have counted so far.
MOST = 2**53 - 1


def line_of(value: Any) -> bytes:
    """A value as a line of JSON (JRN-063).

    It is all ASCII, which is UTF-8: escapes keep every code point, lone surrogates too (JRN-052).
    """
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


class LineFile:
    """A file to whose end lines are appended, and which is made with the first of them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, value: Any) -> None:
        """Append a value as a line of its own."""
        self.write(self.fresh_start() + line_of(value))

    def fresh_start(self) -> bytes:
        """What ends a torn last line: that of a crash, a full disk, or somebody else (JRN-064)."""
        with suppress(FileNotFoundError), self.path.open("rb", buffering=0) as file:
            if file.seek(0, os.SEEK_END) > 0:
                file.seek(-1, os.SEEK_END)
                return b"" if file.read() == b"\n" else b"\n"
        return b""

    def write(self, data: bytes) -> None:
        """Append these bytes."""
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, OWNER_ONLY)
        try:
            # Going on with the rest could tear the line of somebody who appends as well.
            if os.write(descriptor, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(descriptor)


class SessionJournal:
    """The session file of a host: a header, and entries of which each names the one before."""

    def __init__(self, file: LineFile, clock: Clock, session_id: str, cwd: str) -> None:
        self.file = file
        self.clock = clock
        self.session_id = session_id
        self.cwd = cwd
        self._entries: list[str] = []

    def begin(self) -> None:
        """Write the header of a new session."""
        self.file.append(
            {
                "type": "session",
                "version": 3,
                "id": self.session_id,
                "timestamp": self.clock.timestamp(),
                "cwd": self.cwd,
            }
        )

    def write(self, decision: Record) -> None:
        """Append a decision (JRN-067)."""
        entry = self.entry(decision)
        self.file.append(entry)
        self._entries.append(entry["id"])

    def entry(self, decision: Record) -> Record:
        """The custom entry of a decision (JRN-067)."""
        return {
            "type": "custom",
            "customType": "decision",
            "data": decision,
            "id": f"{len(self._entries) + 1:08x}",
            "parentId": self._entries[-1] if self._entries else None,
            "timestamp": self.clock.timestamp(),
        }


class Store:
    """The tool's own journal, to which one run after the other appends."""

    def __init__(self, file: LineFile, clock: Clock, session_id: str) -> None:
        self.file = file
        self.clock = clock
        self.session_id = session_id
        self._highest: int | None = None
        self._introduced = False

    def write(self, decision: Record) -> None:
        """Append a decision, and after the first one what session it is of."""
        if self._highest is None:
            self._highest = self.highest()
        self.file.append(self.entry(decision, self._highest + 1))
        self._highest += 1
        if not self._introduced:
            # Last, since where there is room for one more line it is for the decision.
            with suppress(OSError):
                self.introduce()

    def entry(self, decision: Record, sequence: int) -> Record:
        """The line of a decision (JRN-065)."""
        return {
            "kind": "entry",
            "entry": {
                "id": f"entry-{sequence}",
                "sessionId": self.session_id,
                "type": "decision",
                "payload": decision,
                "createdAt": self.clock.timestamp(),
                "sequence": sequence,
            },
        }

    def introduce(self) -> None:
        """Append the line of the session."""
        session = {"id": self.session_id, "createdAt": self.clock.timestamp()}
        self.file.append({"kind": "session", "session": session})
        self._introduced = True

    def highest(self) -> int:
        """The highest number of an entry in the file, or 0 (JRN-066)."""
        return max(self.numbers(), default=0)

    def numbers(self) -> Iterator[int]:
        """The numbers of the entries in the file, one line at a time, without what is no number."""
        if self.file.path.is_file():
            with self.file.path.open("rb") as lines:
                for line in lines:
                    number = number_of(line)
                    if type(number) is int and 0 <= number <= MOST:
                        yield number


def number_of(line: bytes) -> Any:
    """What stands for the number of an entry on a line; None if nothing does."""
    try:
        return json.loads(line.decode())["entry"]["sequence"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
