"""Values that come later, and the signal that nobody waits for them any more.

Where JavaScript has promises and abort signals. Everything is synchronous: who is told is told at
once. `Deferred` speaks the part of `concurrent.futures.Future` that is needed, so that either may
be handed to a host, but without the cost of importing that.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any


class Deferred:
    """A value or an error that comes later; the first one counts."""

    def __init__(self) -> None:
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Deferred], object]] = []

    def done(self) -> bool:
        """Whether it has come."""
        return self._done

    def result(self) -> Any:
        """The value that has come, or the error, raised."""
        if self._error is not None:
            raise self._error
        return self._value

    def exception(self) -> BaseException | None:
        """The error that has come, if it is one."""
        return self._error

    def set_result(self, value: Any) -> None:
        """Let the value come."""
        self._settle(value, None)

    def set_exception(self, error: BaseException) -> None:
        """Let an error come."""
        self._settle(None, error)

    def add_done_callback(self, callback: Callable[["Deferred"], object]) -> None:
        """Call back when it has come, or now; the callback does not raise."""
        if self._done:
            callback(self)
        else:
            self._callbacks.append(callback)

    def _settle(self, value: Any, error: BaseException | None) -> None:
        if self._done:
            return
        self._done, self._value, self._error = True, value, error
        for callback in self._callbacks:
            callback(self)


class Signal:
    """Aborts once. A callback that raises harms neither the others nor whoever aborts."""

    def __init__(self) -> None:
        self.aborted = False
        self._callbacks: list[Callable[[], object]] = []

    def on_abort(self, callback: Callable[[], object]) -> None:
        """Call back when it aborts, or now if it has."""
        if self.aborted:
            callback()
        else:
            self._callbacks.append(callback)

    def abort(self) -> None:
        """Abort, if that has not happened yet."""
        if self.aborted:
            return
        self.aborted = True
        for callback in self._callbacks:
            with suppress(Exception):
                callback()
