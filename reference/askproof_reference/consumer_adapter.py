"""The adapter of the reference consumer: the host that it subscribes to, and who asks it.

Performs the commands for `receipt-consumer` of `spec/adapter-protocol.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from askproof_reference.consumer import Consumer, Receipt
from askproof_reference.manager_adapter import ManagerAdapter
from askproof_reference.managers import SessionManager
from askproof_reference.receipts import freeze
from askproof_reference.records import Record

PAIR = ("toolCallId", "questionIndex", "prompt", "answer")


class ConsumerAdapter(ManagerAdapter):
    """Performs the commands for a consumer; a subclass may set another `consumer_class`."""

    consumer_class: type[Consumer] = Consumer

    def begin(self, params: Record) -> Record:
        """Make a new consumer, of a host without subscriptions."""
        self._subscriptions: dict[object, Callable[[Receipt], None]] = {}
        self._consumer = self.consumer_class(self._subscribe)
        return super().begin(params)

    def _subscribe(self, manager: Any, callback: Callable[[Receipt], None]) -> Callable[[], None]:
        subscription = object()
        self._subscriptions[subscription] = callback
        return partial(self._unsubscribe, subscription, manager)

    def _unsubscribe(self, subscription: object, manager: Any) -> None:
        if self._subscriptions.pop(subscription, None) is not None:
            self.observe(unsubscribed=self.name_of(manager))

    def end_session(self, manager: SessionManager) -> None:
        """Tell the consumer."""
        self._consumer.end_session(manager)

    def change_workspace(self, manager: SessionManager) -> None:
        """Tell the consumer, whose session has changed with it."""
        self._consumer.end_session(manager)

    # What reaches it

    def do_watch(self, arguments: Record) -> None:
        """Make a session the active one."""
        self._consumer.watch(self._managers[arguments["manager"]], arguments["budget"])

    def do_deliver(self, arguments: Record) -> None:
        """Deliver as a host does, or let something arrive that looks like that."""
        handle = arguments["receipt"]["sessionManager"]["handle"]
        receipt = freeze({**arguments["receipt"], "sessionManager": self._managers.get(handle)})
        if arguments["via"] != "subscription":
            self._consumer.receive(arguments["via"], receipt)
            return
        for callback in list(self._subscriptions.values()):
            callback(receipt)

    def do_mode(self, arguments: Record) -> None:
        """Change or revoke the permission mode."""
        self._consumer.change_mode(arguments["mode"])

    # What it says

    def do_agreed(self, arguments: Record) -> None:
        """Ask whether a human agreed."""
        agreed = self._consumer.agreed(
            arguments["toolCallId"], arguments["questionIndex"], arguments["text"]
        )
        self.observe(agreed=agreed)

    def do_evidence(self, arguments: Record) -> None:
        """Ask what it holds."""
        held = self._consumer.evidence
        self.observe(evidence=[{name: receipt[name] for name in PAIR} for receipt in held])
