"""Virtual time: it passes when it is told to, and what is due by then happens in its order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from sched import Event, scheduler

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock:
    """A clock with timers.

    Attributes:
        now: milliseconds since the Unix epoch.
    """

    def __init__(self, now: int) -> None:
        self.now = now
        self._timers = scheduler(lambda: self.now, lambda _: None)

    def after(self, ms: int, action: Callable[[], None]) -> Event:
        """Call when so much time has passed."""
        return self._timers.enter(ms, 0, action)

    def cancel(self, timer: Event) -> None:
        """Do not call; the timer has not run out yet."""
        self._timers.cancel(timer)

    def advance(self, ms: int) -> None:
        """Let time pass; what becomes due on the way finds the clock at its own time."""
        end = self.now + ms
        while self._timers.queue and self._timers.queue[0].time <= end:
            self.now = int(self._timers.queue[0].time)
            self._timers.run(blocking=False)
        self.now = end

    def timestamp(self) -> str:
        """The present time as RFC 3339, in UTC."""
        moment = EPOCH + timedelta(milliseconds=self.now)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
