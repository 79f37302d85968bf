"""The two ways in which a request line reaches an adapter: in process, and over a subprocess."""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from askproof import wire
from askproof.errors import AdapterError
from askproof.faults import NOT_HERE, Fault, broke_protocol, crashed, timed_out
from askproof.serve import respond

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from askproof.serve import PythonAdapter

KEPT_STDERR = 64 * 1024
_CHUNK = 64 * 1024
_GLANCE = 0.1  # how often a silent process is looked at, in seconds
_SHOWN = 200  # bytes of a line that is in the way
_STRAY = f"wrote to its standard output what nobody asked for; {NOT_HERE}"
_CLOSED = (
    "closed its standard input or output and still runs;"
    " keep both until the kit closes the input, then exit"
)


class Carrier(Protocol):
    """Brings one line to an adapter and one line back."""

    def start(self) -> None:
        """Start the adapter. Raises AdapterError if that is impossible."""

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Send a request line, return the response line, both without their ends. Raises Fault."""

    def stderr(self) -> str:
        """What was written to the standard error since the last call: at most the last 64 KiB."""

    def close(self, seconds: float = 0) -> bool:
        """End the adapter and all that it started; return whether it went by itself, in time."""


class InProcess:
    """A Python adapter in the kit's own process."""

    def __init__(self, make: Callable[[], PythonAdapter]) -> None:
        """Take a callable that makes the adapter; it is called at each start."""
        self._make = make
        self._adapter: PythonAdapter | None = None
        self._tail = _Tail()

    def start(self) -> None:
        """Make the adapter."""
        try:
            self._adapter = self._listening(self._make)
        except AdapterError:
            raise
        except (Exception, SystemExit) as error:
            raise AdapterError(f"the adapter could not be made: {error!r}") from error

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Call the adapter; what it prints is kept as its standard error."""
        answer: bytes = within(seconds, self._listening, respond, self._adapter, line)
        return answer

    def stderr(self) -> str:
        """What it printed."""
        return self._tail.take()

    def close(self, seconds: float = 0) -> bool:
        """Drop it."""
        self._adapter = None
        return True

    def _listening(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Keep what a call prints; its streams are new, whatever became of those before."""
        streams = sys.stdout, sys.stderr
        buffer = io.BufferedWriter(_Stream(self._tail))
        said = io.TextIOWrapper(buffer, "utf-8", "backslashreplace", write_through=True)
        sys.stdout = sys.stderr = said
        try:
            return work(*arguments)
        finally:
            sys.stdout, sys.stderr = streams
            with suppress(ValueError):  # the adapter may have closed or detached it
                said.flush()


class _Tail:
    """The end of what was written."""

    def __init__(self) -> None:
        self._kept = bytearray()

    def write(self, data: Any) -> int:
        """Add to it."""
        self._kept += data
        del self._kept[:-KEPT_STDERR]
        return len(data)

    def take(self) -> str:
        """Empty it; bytes that are no UTF-8 are shown as escapes."""
        text = self._kept.decode("utf-8", "backslashreplace")
        self._kept.clear()
        return text


class _Stream(io.RawIOBase):
    """A file of one call, which the adapter may close: the tail stays open for the next."""

    def __init__(self, tail: _Tail) -> None:
        self._tail = tail

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._tail.write(data)


class _Alarm(KeyboardInterrupt):
    """No Exception, and of the kind that event loops let through, so that nothing swallows it."""


def within(seconds: float, work: Callable[..., Any], *arguments: Any) -> Any:
    """Call something and interrupt it when it takes too long. Raises Fault.

    Only the main thread can be interrupted, and only where there are signals; elsewhere this waits.
    """

    def ring(*_: object) -> None:
        raise _Alarm

    try:
        handler = signal.signal(signal.SIGALRM, ring)
    except (ValueError, AttributeError):
        return work(*arguments)
    other = signal.setitimer(signal.ITIMER_REAL, seconds, _GLANCE)

    def disarm() -> None:
        """Leave the alarm to whoever had it before, a test runner say."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *other)

    try:
        try:
            return work(*arguments)
        finally:
            disarm()
    except _Alarm:
        disarm()
        raise timed_out(seconds) from None


_INSTALL = {"node": "; install Node.js 20 or newer, from https://nodejs.org"}


class Subprocess:
    """An adapter in a process and a session of its own, so that all of it can be ended."""

    def __init__(self, command: list[str]) -> None:
        """Take the command and its arguments; no shell is involved."""
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._tail = _Tail()

    def start(self) -> None:
        """Start the process."""
        import subprocess

        if not hasattr(select, "poll"):
            raise AdapterError("exec: needs a system that has poll(2), such as Linux or macOS")
        try:
            process = subprocess.Popen(
                self._command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if isinstance(error, FileNotFoundError) and "/" not in self._command[0]:
                reason = f"no such command on the PATH{_INSTALL.get(self._command[0], '')}"
            raise AdapterError(f"cannot start {self._command[0]!r}: {reason}") from None
        streams = [one.fileno() for one in (process.stdin, process.stdout, process.stderr) if one]
        for stream in streams:
            os.set_blocking(stream, False)
        self._process = process
        self._in, self._out, self._err = streams
        self._poll = select.poll()
        self._poll.register(self._err, select.POLLIN)
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._in, 0)  # that it was closed is always told
        self._read = bytearray()
        self._unsent = memoryview(b"")

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Write a line and read one, draining the standard error meanwhile."""
        end = time.monotonic() + seconds
        self._turn(0)
        if self._read:
            raise self._stray()
        self._unsent = memoryview(line + b"\n")
        self._send()
        searched = 0
        while (at := self._read.find(b"\n", searched)) < 0:
            searched = len(self._read)
            if searched > wire.MAX_BYTES:
                message = f"wrote a line of more than {wire.MAX_BYTES} bytes"
                raise broke_protocol(message, "ADP-003", self._shown())
            left = end - time.monotonic()
            if left <= 0:
                raise self._silent(seconds)
            self._turn(min(left, _GLANCE))
        answer = bytes(self._read[:at])
        del self._read[: at + 1]
        if self._read:
            self._read[:0] = answer + b"\n"
            raise self._stray()
        return answer

    def stderr(self) -> str:
        """What it wrote."""
        if self._process:
            self._hear()
        return self._tail.take()

    def close(self, seconds: float = 0) -> bool:
        """Close its input, give it so long to exit, then end its whole session."""
        import subprocess

        process, self._process = self._process, None
        if process is None:
            return True
        with process:  # closes the streams and waits
            if process.stdin:
                process.stdin.close()
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                return False
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
        return True

    def _turn(self, seconds: float) -> None:
        """Wait until a stream is ready, and use it."""
        ready = dict(self._poll.poll(seconds * 1000))
        if self._err in ready:
            self._hear()
        if self._out in ready:
            chunk = os.read(self._out, _CHUNK)
            if not chunk:
                raise self._ended()
            self._read += chunk
        elif self._in in ready and self._unsent:
            self._send()
        elif self._in in ready:
            raise self._ended()
        elif not ready and self._process and self._process.poll() is not None:
            raise self._ended()  # a child of it may still hold the streams

    def _send(self) -> None:
        with suppress(BlockingIOError):
            try:
                self._unsent = self._unsent[os.write(self._in, self._unsent) :]
            except BrokenPipeError:
                raise self._ended() from None
        self._poll.modify(self._in, select.POLLOUT if self._unsent else 0)

    def _hear(self) -> None:
        """Take what there is on the standard error, but do not let a flood hold the kit up."""
        for _ in range(16):
            try:
                chunk = os.read(self._err, _CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                with suppress(KeyError):
                    self._poll.unregister(self._err)
                return
            self._tail.write(chunk)

    def _ended(self) -> Fault:
        """Say how it ended, or that it only closed a stream."""
        import subprocess

        try:
            status = self._process.wait(timeout=0.5) if self._process else 0
        except subprocess.TimeoutExpired:
            return broke_protocol(_CLOSED, "ADP-006")
        self._hear()
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        half = f", in the middle of a line of {len(self._read)} bytes" if self._read else ""
        return crashed(f"the adapter ended with {how}{half}; it must run until its input ends")

    def _silent(self, seconds: float) -> Fault:
        half = f", only {len(self._read)} bytes without a line feed" if self._read else ""
        return timed_out(seconds, half, self._shown())

    def _stray(self) -> Fault:
        return broke_protocol(_STRAY, "ADP-002", self._shown())

    def _shown(self) -> bytes:
        return bytes(self._read[:_SHOWN])


def python_adapter(where: str) -> Callable[[], PythonAdapter]:
    """The callable of `MODULE:NAME` or `FILE.py:NAME`. Raises AdapterError if there is none."""
    from importlib import import_module

    module_name, _, name = where.rpartition(":")
    try:
        if module_name.endswith(".py"):
            module = _module_of(Path(module_name))
        else:
            _importable_from(Path.cwd())
            module = import_module(module_name)
    except (Exception, SystemExit) as error:
        problem = f"{type(error).__name__}: {error}"
        raise AdapterError(f"{module_name} cannot be imported: {problem}") from error
    try:
        made: Callable[[], PythonAdapter] = getattr(module, name)
    except AttributeError:
        raise AdapterError(f"{module_name} has no {name!r}") from None
    return made


def _importable_from(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _module_of(file: Path) -> Any:
    """The module of a file; what lies beside it can be imported by it."""
    from importlib.util import module_from_spec, spec_from_file_location

    _importable_from(file.resolve().parent)
    spec = spec_from_file_location("askproof_adapter", file)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
