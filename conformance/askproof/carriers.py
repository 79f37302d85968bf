"""The two ways in which a request line reaches an adapter: in process, and over a subprocess."""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import threading
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING, Protocol

from askproof import wire
from askproof.errors import AdapterError
from askproof.faults import broke_protocol, crashed, timed_out
from askproof.serve import respond

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator

    from askproof.serve import PythonAdapter

KEPT_STDERR = 64 * 1024
_CHUNK = 64 * 1024
_GLANCE_MS = 100


class Carrier(Protocol):
    """Brings one line to an adapter and one line back."""

    def start(self) -> None:
        """Start the adapter. Raises AdapterError if that is impossible."""

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Send a request line, return the response line, both without their ends. Raises Fault."""

    def stderr(self) -> str:
        """What the adapter wrote to its standard error since the last call: at most the last 64 KiB."""

    def close(self) -> None:
        """End the adapter, and everything that it started."""


class InProcess:
    """A Python adapter in the kit's own process."""

    def __init__(self, make: Callable[[], PythonAdapter]) -> None:
        """Take a callable that makes the adapter; it is called at each start."""
        self._make = make
        self._said = io.StringIO()

    def start(self) -> None:
        """Make the adapter."""
        try:
            with self._listening():
                self._adapter = self._make()
        except AdapterError:
            raise
        except (Exception, SystemExit) as error:
            raise AdapterError(f"the adapter could not be made: {error!r}") from error

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Call the adapter; what it prints is kept as its standard error."""
        with self._listening(), _alarm(seconds):
            return respond(self._adapter, line)

    def stderr(self) -> str:
        """What it printed."""
        said = self._said.getvalue()[-KEPT_STDERR:]
        self._said.seek(0)
        self._said.truncate()
        return said

    def close(self) -> None:
        """Drop it."""
        self._adapter = None  # type: ignore[assignment]

    @contextmanager
    def _listening(self) -> Iterator[None]:
        with redirect_stdout(self._said), redirect_stderr(self._said):
            yield


class _Alarmed(BaseException):
    """Not an Exception, so that no adapter's `except Exception` swallows it."""


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Interrupt Python code that runs too long; only the main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(*_: object) -> None:
        raise _Alarmed

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _Alarmed:
        raise timed_out(seconds) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Subprocess:
    """An adapter in a process of its own, in a session of its own so that all of it can be ended."""

    def __init__(self, command: list[str]) -> None:
        """Take the command and its arguments; no shell is involved."""
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process."""
        import subprocess

        try:
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise AdapterError(f"cannot start {self._command[0]!r}: {reason}") from None
        assert process.stdin and process.stdout and process.stderr
        self._process = process
        self._in, self._out, self._err = process.stdin, process.stdout, process.stderr
        for stream in (self._in, self._out, self._err):
            os.set_blocking(stream.fileno(), False)
        self._read = bytearray()
        self._said = bytearray()
        self._err_open = True

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Write a line and read one, draining the standard error meanwhile."""
        end = time.monotonic() + seconds
        self._refuse_unasked()
        unsent = memoryview(line + b"\n")
        searched = 0
        while (at := self._read.find(b"\n", searched)) < 0:
            searched = len(self._read)
            if searched > wire.MAX_BYTES:
                raise broke_protocol(
                    f"a line of more than {wire.MAX_BYTES} bytes", "ADP-003", bytes(self._read[:200])
                )
            left = end - time.monotonic()
            if left <= 0:
                raise self._silent(seconds)
            unsent = self._turn(unsent, left)
        answer = bytes(self._read[:at])
        del self._read[: at + 1]
        if self._read:
            raise self._stray()
        return answer

    def _turn(self, unsent: memoryview, left: float) -> memoryview:
        """Wait for one of the three streams to be ready and use it; return what is still unsent."""
        poll = select.poll()
        poll.register(self._out, select.POLLIN)
        if self._err_open:
            poll.register(self._err, select.POLLIN)
        if unsent:
            poll.register(self._in, select.POLLOUT)
        events = poll.poll(min(left * 1000, _GLANCE_MS))
        ready = dict(events)
        if self._err.fileno() in ready:
            self._hear()
        if self._out.fileno() in ready:
            chunk = os.read(self._out.fileno(), _CHUNK)
            if not chunk:
                raise self._ended()
            self._read += chunk
        elif unsent and self._in.fileno() in ready:
            try:
                unsent = unsent[os.write(self._in.fileno(), unsent) :]
            except BrokenPipeError:
                raise self._ended() from None
        elif not events and self._process and self._process.poll() is not None:
            raise self._ended()
        return unsent

    def _refuse_unasked(self) -> None:
        poll = select.poll()
        poll.register(self._out, select.POLLIN)
        if not self._read and poll.poll(0):
            chunk = os.read(self._out.fileno(), _CHUNK)
            if not chunk:
                raise self._ended()
            self._read += chunk
        if self._read:
            raise self._stray()

    def _stray(self) -> Exception:
        return broke_protocol(
            "wrote to its standard output what nobody asked for; write logs to the standard error,"
            " and one response for each request",
            "ADP-002",
            bytes(self._read[:200]),
        )

    def _silent(self, seconds: float) -> Exception:
        fault = timed_out(seconds)
        if self._read:
            fault.message += f"; it had written {len(self._read)} bytes without a line feed"
            fault.raw = bytes(self._read[:200])
        return fault

    def _ended(self) -> Exception:
        """Describe a process that closed its output or died."""
        import subprocess

        assert self._process
        try:
            status = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return crashed("the adapter closed a standard stream, and still runs")
        self._hear()
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        half = f", in the middle of a line of {len(self._read)} bytes" if self._read else ""
        return crashed(f"the adapter ended with {how}{half}; see what it wrote to standard error")

    def _hear(self) -> None:
        with suppress(BlockingIOError):
            chunk = os.read(self._err.fileno(), _CHUNK)
            self._err_open = bool(chunk)
            self._said += chunk
            del self._said[:-KEPT_STDERR]

    def stderr(self) -> str:
        """What it wrote, as text; bytes that are no UTF-8 are shown as escapes."""
        said = self._said.decode("utf-8", "backslashreplace")
        self._said.clear()
        return said

    def close(self) -> None:
        """Close its input, give it a moment to exit, then end its whole session."""
        import subprocess

        process = self._process
        if process is None:
            return
        with suppress(OSError):
            self._in.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (self._out, self._err):
            stream.close()
        self._process = None


def python_adapter(where: str) -> Callable[[], PythonAdapter]:
    """The callable of `MODULE:NAME` or `FILE.py:NAME`. Raises AdapterError if it cannot be found."""
    import importlib
    import importlib.util

    module_name, _, name = where.rpartition(":")
    if not module_name or not name:
        raise AdapterError(f"python:{where} does not name an adapter; write python:MODULE:NAME")
    try:
        if module_name.endswith(".py"):
            if os.path.dirname(module_name) not in sys.path:
                sys.path.insert(0, os.path.dirname(os.path.abspath(module_name)))
            spec = importlib.util.spec_from_file_location("askproof_adapter", module_name)
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(module_name)
        made: Callable[[], PythonAdapter] = getattr(module, name)
    except FileNotFoundError:
        raise AdapterError(f"there is no file {module_name}") from None
    except AttributeError:
        raise AdapterError(f"{module_name} has no {name!r}") from None
    except (Exception, SystemExit) as error:
        raise AdapterError(f"{module_name} cannot be imported: {error!r}") from error
    return made
