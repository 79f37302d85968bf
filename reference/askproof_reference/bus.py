"""The event bus inside one process: synchronous, in order, by reference, without replay."""

from collections import deque
from collections.abc import Callable
from typing import Any

Listener = Callable[[Any], object]


class EventBus:
    """Delivers what is emitted on a channel to the listeners of that channel.

    Attributes:
        errors: the latest errors of listeners; they reach nobody else.
    """

    def __init__(self) -> None:
        self._channels: dict[str, dict[object, Listener]] = {}
        self.errors: deque[BaseException] = deque(maxlen=100)

    def on(self, channel: str, listener: Listener) -> Callable[[], None]:
        """Register a listener, once more if it is there already; return what removes this one."""
        registration = object()
        listeners = self._channels.setdefault(channel, {})
        listeners[registration] = listener

        def unsubscribe() -> None:
            listeners.pop(registration, None)

        return unsubscribe

    def emit(self, channel: str, data: Any) -> None:
        """Call every listener that is registered by now; return when all have returned."""
        for listener in list(self._channels.get(channel, {}).values()):
            self.deliver(listener, data)

    def deliver(self, listener: Listener, data: Any) -> None:
        """Call one listener; whether it raises, or its work fails later, is its own affair."""
        try:
            work = listener(data)
            if hasattr(work, "add_done_callback"):
                work.add_done_callback(self.finish)
        except Exception as error:  # noqa: BLE001 - isolating listeners is what a bus is for
            self.errors.append(error)

    def finish(self, work: Any) -> None:
        """Keep the error of what a listener went on doing, if it failed."""
        error = work.exception()
        if error is not None:
            self.errors.append(error)
