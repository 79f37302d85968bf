"""The search for somebody to show a form, while one event is being delivered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from askproof_reference.records import Record, is_current
from askproof_reference.text import is_text


class Negotiation:
    """Takes the first valid provider that connects in time.

    Attributes:
        open: how to open a form at that provider, once there is one.
        over: whether the listeners have returned.
    """

    def __init__(self) -> None:
        self.open: Callable[[Record], Any] | None = None
        self.over = False

    def connect(self, provider: Any) -> bool:
        """Say whether a provider is taken (EVT-143)."""
        if self.is_late() or self.is_taken() or not self.is_valid(provider):
            return False
        self.open = provider["open"]
        return True

    def is_late(self) -> bool:
        """Whether a provider that connects now is too late (EVT-146)."""
        return self.over

    def is_taken(self) -> bool:
        """Whether there is a provider already (EVT-145)."""
        return self.open is not None

    def is_valid(self, provider: Any) -> bool:
        """Whether something is a provider that this host can use (EVT-144)."""
        return (
            is_current(provider) and is_text(provider.get("id")) and callable(provider.get("open"))
        )
