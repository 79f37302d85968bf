"""The adapter of the reference reader: the scratch files that it reads.

Performs the commands for `journal-reader` of `spec/adapter-protocol.md`.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

from askproof_reference import journal_reader
from askproof_reference.journal_judgement import Decision
from askproof_reference.journal_reader import Diagnostic, RefusedError
from askproof_reference.records import Record
from askproof_reference.scratch import Scratch


class ReaderAdapter:
    """Performs the commands for a reader, which keeps nothing from one to the next."""

    def __init__(self) -> None:
        self._scratch = Scratch("journal-reader")

    def begin(self, params: Record) -> Record:
        """Begin, with an empty folder."""
        self._folder = self._scratch.folder_of(self)
        return {}

    def perform(self, params: Record) -> Record:
        """Perform one command."""
        ((name, arguments),) = params.items()
        command = getattr(self, f"do_{name}", None)
        if command is None:
            raise NotImplementedError(f"the role has no command {name!r}")
        return {"observations": [*command(arguments)]}

    def do_read(self, arguments: Record) -> Iterator[Record]:
        """Let the reader read a file, and look afterwards whether it has written anything."""
        folder = self._folder.path
        journal = folder / "journal.jsonl"
        data = b64decode(arguments["base64"], validate=True)
        before = {journal.name: data}
        try:
            journal.write_bytes(data)
            yield from self.read(journal, arguments)
            after = contents(folder)
        finally:
            self._folder.empty()
        for written in sorted(before.keys() | after.keys()):
            if before.get(written) != after.get(written):
                yield {"wrote": written}

    def read(self, journal: Path, arguments: Record) -> list[Record]:
        """What the reader says of a file."""
        found = journal_reader.read_journal(journal, arguments["form"], strict=arguments["strict"])
        try:
            return [observation_of(one) for one in found]
        except RefusedError as refused:
            return [{"refused": refused.line}]

    # What has no effect on a reader

    def do_emit(self, arguments: Record) -> Iterator[Record]:
        """Emit on the event bus, on which it does not listen."""
        yield from ()

    def do_advance(self, arguments: Record) -> Iterator[Record]:
        """Let time pass, for which it does not wait."""
        yield from ()


def observation_of(found: Decision | Diagnostic) -> Record:
    """A decision or a bad line, as the protocol writes it."""
    if isinstance(found, Diagnostic):
        return {"diagnostic": found.line, "code": found.code}
    return {
        "record": found.line,
        "payload": found.payload,
        "outcome": found.outcome(),
        "by": found.by(),
        "human": found.is_human(),
        "consistent": found.is_consistent(),
    }


def contents(folder: Path) -> dict[str, bytes]:
    """The files and folders below a folder; a folder holds nothing itself."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }
