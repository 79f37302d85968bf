"""The adapter of the reference issuer: the human at its UI, its subscribers, and its platform.

Performs the commands for `receipt-issuer` of `spec/adapter-protocol.md`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from functools import partial
from typing import Any

from askproof_reference.deferred import Deferred, Signal
from askproof_reference.issuer import Capture, Issuer, ToolCall
from askproof_reference.manager_adapter import ManagerAdapter
from askproof_reference.managers import SessionManager
from askproof_reference.pointer import set_member
from askproof_reference.receipts import Row
from askproof_reference.records import Record


class ObservedPlatform:
    """A platform on which everything that an issuer does is observed."""

    def __init__(self, observe: Callable[..., None]) -> None:
        self.observe = observe
        self.names: dict[Signal, str] = {}

    def show(self, capture: Capture) -> None:
        """Show a form; the adapter answers it later."""
        self.observe(shown=self.names[capture.call.signal])

    def emit(self, channel: str, data: Any) -> None:
        """Emit on the event bus."""
        self.observe(emitted=channel, data=data)

    def act(self, kind: str, what: Any) -> None:
        """Let something be `granted` or `counted`, or create a `message`."""
        self.observe(**{kind: what})


class IssuerAdapter(ManagerAdapter):
    """Performs the commands for an issuer; a subclass may set another `issuer_class`."""

    issuer_class: type[Issuer] = Issuer

    def begin(self, params: Record) -> Record:
        """Make a new issuer on a new platform."""
        self._platform = ObservedPlatform(self.observe)
        self._issuer = self.issuer_class(self._platform)
        self._unsubscribe: dict[str, Callable[[], None]] = {}
        self._signals: defaultdict[str, Signal] = defaultdict(Signal)
        self._captures: dict[str, Capture] = {}
        return super().begin(params)

    def end_session(self, manager: SessionManager) -> None:
        """Tell the issuer."""
        self._issuer.end_session(manager)

    # Subscribers

    def do_subscribe(self, arguments: Record) -> None:
        """Register a subscriber."""
        callback = partial(self._on_receipt, arguments["subscriber"], arguments["then"])
        manager = self._managers[arguments["manager"]]
        self._unsubscribe[arguments["subscriber"]] = self._issuer.subscribe(manager, callback)

    def do_unsubscribe(self, arguments: Record) -> None:
        """End a subscription, or try that again."""
        self._unsubscribe[arguments["subscriber"]]()

    def _on_receipt(self, subscriber: str, then: Any, receipt: Any) -> Deferred | None:
        self.observe(delivered=subscriber, receipt=receipt)
        if then == "throw":
            raise RuntimeError("told to throw")
        if then == "hang":
            return Deferred()
        if then == "reject":
            rejected = Deferred()
            rejected.set_exception(RuntimeError("told to reject"))
            return rejected
        if "unsubscribe" in then:
            for name in then["unsubscribe"]:
                self._unsubscribe[name]()
        elif "set" in then:
            self._try_to_change(subscriber, receipt, **then["set"])
        return None

    def _try_to_change(self, subscriber: str, receipt: Any, path: str, value: Any) -> None:
        before = self.written(receipt)
        with suppress(TypeError, LookupError, ValueError):
            set_member(receipt, path, value)
        if self.written(receipt) != before:
            self.observe(changed=subscriber)

    # Calls

    def do_ask(self, arguments: Record) -> None:
        """Call the tool with an input object of the caller's own."""
        name = arguments["call"]
        call = ToolCall(
            tool=arguments["tool"],
            id=arguments["toolCallId"],
            manager=self._managers[arguments["manager"]],
            input=deepcopy(arguments["input"]),
            mode=arguments["mode"],
            interactive=arguments.get("interactive", True),
            background=arguments.get("background", False),
            signal=self._signals[name],
        )
        self._platform.names[call.signal] = name
        self._captures[name] = self._issuer.ask(call)
        self._captures[name].outcome.add_done_callback(partial(self._ended, name))

    def _ended(self, call: str, outcome: Deferred) -> None:
        self.observe(tool=call, result=outcome.result())

    def do_answer(self, arguments: Record) -> None:
        """Let the UI return what the human gave."""
        rows = [
            None if row is None else Row(tuple(row.get("labels", ())), row.get("text"))
            for row in arguments["rows"]
        ]
        self._issuer.answer(self._captures[arguments["call"]], rows)

    def do_cancel(self, arguments: Record) -> None:
        """Let the human cancel."""
        self._issuer.cancel(self._captures[arguments["call"]])

    def do_abort(self, arguments: Record) -> None:
        """Abort the operation of a call, even before it was made."""
        self._signals[arguments["call"]].abort()

    def do_change(self, arguments: Record) -> None:
        """Change the caller's own input object."""
        given = self._captures[arguments["call"]].call.input
        set_member(given, arguments["path"], arguments["value"])
