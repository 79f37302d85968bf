"""The adapter of the reference writer: the human whom it asks, its clock, and its two files.

Performs the commands for `journal-writer` of `spec/adapter-protocol.md`.
"""

from __future__ import annotations

import errno
import os
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from askproof_reference.asks import AskError
from askproof_reference.clock import Clock
from askproof_reference.collector import Collector
from askproof_reference.journals import LineFile, SessionJournal, Store
from askproof_reference.records import Record
from askproof_reference.scratch import Scratch
from askproof_reference.writer import ToolResult, Writer

START = 1_700_000_000_000
SESSION, CWD = "s1", "/w"
FAULTS = {"full": errno.ENOSPC, "read-only": errno.EROFS, "denied": errno.EACCES}


class Observer:
    """Keeps what is observed. It knows no adapter, so that one goes when it is dropped."""

    def __init__(self) -> None:
        self._observations: list[Record] = []

    def observe(self, **observation: Any) -> None:
        """Keep something as it is now."""
        self._observations.append(observation)

    def show(self, call: str, position: int) -> None:
        """Show the human a question; the adapter answers it later."""
        self.observe(shown=call, question=position)

    def tell(self, call: str, ended: ToolResult | AskError) -> None:
        """Tell how a call has ended."""
        if isinstance(ended, AskError):
            self.observe(tool=call, error={"status": ended.status, "message": ended.message})
        else:
            self.observe(tool=call, **ended._asdict())

    def take(self) -> list[Record]:
        """What was observed since this was called before."""
        taken, self._observations = self._observations, []
        return taken


class ObservedFile(LineFile):
    """A file of which everything is observed that is appended, and which can be made to fail."""

    def __init__(self, path: Path, name: str, observe: Callable[..., None]) -> None:
        super().__init__(path)
        self.name = name
        self.observe = observe
        self.block("free")

    def block(self, how: str) -> None:
        """Let every write fail from now on, or none."""
        self.fault = FAULTS.get(how)
        self.has_room = how == "full"

    def append(self, value: Any) -> None:
        """Append a line, and report what of it is in the file then."""
        before = self.size()
        is_decision = "session" not in (value.get("type"), value.get("kind"))
        try:
            super().append(value)
        except OSError:
            self.report(before, is_decision=False)
            raise
        self.report(before, is_decision=is_decision)

    def write(self, data: bytes) -> None:
        """Append these bytes, or as many of them as a full disk takes."""
        if self.fault is None:
            super().write(data)
            return
        if self.has_room:
            super().write(data[: len(data) // 2])
            self.has_room = False
        raise OSError(self.fault, os.strerror(self.fault))

    def size(self) -> int:
        """The bytes that it has."""
        with suppress(FileNotFoundError):
            return self.path.stat().st_size
        return 0

    def report(self, before: int, *, is_decision: bool) -> None:
        """Report what was appended to so many bytes; a torn decision is none, and merely said."""
        data = b""
        with suppress(FileNotFoundError), self.path.open("rb", buffering=0) as file:
            file.seek(before)
            data = file.read()
        if not data:
            return
        if not is_decision:
            self.observe(said=self.name, text=data.decode("utf-8", "backslashreplace"))
            return
        try:
            self.observe(appended=self.name, text=data.decode())
        except UnicodeDecodeError:
            self.observe(appended=self.name, base64=b64encode(data).decode())


class WriterAdapter:
    """Performs the commands for a writer; a subclass may set another `writer_class`."""

    writer_class: type[Writer] = Writer

    def __init__(self) -> None:
        self._scratch = Scratch("journal-writer")

    def begin(self, params: Record) -> Record:
        """Make a new writer, with a session that has just begun and no store yet."""
        self._observer = Observer()
        self._calls: dict[str, Collector | None] = {}
        folder = self._scratch.folder_of(self).path
        self._files = {
            name: ObservedFile(folder / f"{name}.jsonl", name, self._observer.observe)
            for name in ("session", "store")
        }
        self._clock = Clock(START)
        session = SessionJournal(self._files["session"], self._clock, SESSION, CWD)
        session.begin()
        store = Store(self._files["store"], self._clock, SESSION)
        self._writer = self.writer_class(self._clock, {"session": session, "store": store})
        return {}

    def perform(self, params: Record) -> Record:
        """Perform one command; everything that follows from it has happened when it returns."""
        ((name, arguments),) = params.items()
        command = getattr(self, f"do_{name}", None)
        if command is None:
            raise NotImplementedError(f"the writer has no command {name!r}")
        command(arguments)
        return {"observations": self._observer.take()}

    # Calls

    def do_ask(self, arguments: Record) -> None:
        """Call the tool."""
        call = arguments["call"]
        show = partial(self._observer.show, call) if arguments.get("ui", True) else None
        tell = partial(self._observer.tell, call)
        self._calls[call] = self._writer.ask(arguments["input"], show, tell)

    def do_act(self, arguments: Record) -> None:
        """Let the human act; where nothing is shown nobody can."""
        collector = self._calls[arguments["call"]]
        if collector is not None:
            collector.act(arguments["then"], arguments.get("options"), arguments.get("text"))

    def do_interrupt(self, arguments: Record) -> None:
        """Let the prompt be superseded, become unavailable, or fail."""
        collector = self._calls[arguments["call"]]
        if collector is not None:
            collector.interrupt(arguments["how"])

    def do_advance(self, arguments: Record) -> None:
        """Let time pass."""
        self._clock.advance(arguments["ms"])

    def do_emit(self, arguments: Record) -> None:
        """Emit on the event bus, on which a writer does not listen."""

    # Files

    def do_hold(self, arguments: Record) -> None:
        """Let the store hold something already."""
        self._files["store"].path.write_bytes(b64decode(arguments["base64"]))

    def do_block(self, arguments: Record) -> None:
        """Let a journal not be written, or be written again."""
        self._files[arguments["journal"]].block(arguments["how"])


class PatientWriterAdapter(WriterAdapter):
    """Performs the commands for a writer that waits for ever for a rich choice."""

    def begin(self, params: Record) -> Record:
        """Make a new writer of that variant."""
        began = super().begin(params)
        self._writer.rich_timeout_ms = None
        return began
