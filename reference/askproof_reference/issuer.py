"""The receipt issuer: captures what a tool asks, and delivers receipts of the human's answer.

Each row of the decision table of spec/receipts.md has a small method of its own here, or a small
function in `receipts`.

Tests: `tests/test_reference_receipts.py`, and the cases for `receipt-issuer`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, Protocol

from askproof_reference import receipts
from askproof_reference.deferred import Deferred, Signal
from askproof_reference.managers import UNDEFINED
from askproof_reference.receipts import Question, Row
from askproof_reference.records import Record

Rows = Sequence[Row | None]
Callback = Callable[[Any], object]


class Manager(Protocol):
    """What an issuer needs of a session manager; its leaf is asked for with more care."""

    session_id: str
    cwd: str


class ToolCall(NamedTuple):
    """A call of one of the two tools.

    Attributes:
        tool: its name.
        id: of the call.
        manager: of the session in which it is called.
        input: the caller's own object.
        mode: how the agent runs: `tui`, `rpc`, `json` or `print`.
        interactive: whether a person is attached to the dialogs of the mode.
        background: whether the agent goes on meanwhile.
        signal: aborts the operation.
    """

    tool: str
    id: str
    manager: Manager
    input: Record
    mode: str
    interactive: bool
    background: bool
    signal: Signal


class Subscription:
    """One registration of a callback, bound to a manager, its session and its workspace."""

    def __init__(self, manager: Manager, callback: Callback) -> None:
        self.manager = manager
        self.session_id = manager.session_id
        self.cwd = manager.cwd
        self.callback = callback


class Capture:
    """What was captured of a call before its UI opened.

    Attributes:
        call: the call.
        questions: what is asked.
        session_id: of the session, and so the workspace and the leaf.
        subscriptions: those that were there.
        outcome: of the tool call.
        returned: whether the UI has returned.
    """

    def __init__(
        self,
        call: ToolCall,
        questions: Sequence[Question],
        leaf: Any,
        subscriptions: Sequence[Subscription],
    ) -> None:
        self.call = call
        self.questions = questions
        self.session_id = call.manager.session_id
        self.cwd = call.manager.cwd
        self.leaf = leaf
        self.subscriptions = subscriptions
        self.outcome = Deferred()
        self.returned = False


class Platform(Protocol):
    """Where an issuer runs: what it can do there, of which it needs only to show a form."""

    def show(self, capture: Capture) -> None:
        """Show the form of a call; the UI returns through `answer` or `cancel` of the issuer."""

    def emit(self, channel: str, data: Any) -> None:
        """Emit on the event bus, which no receipt reaches (RCP-041)."""

    def act(self, kind: str, what: Any) -> None:
        """Grant a permission, change a counter, create a message: no receipt does (RCP-042)."""


class Issuer:
    """Issues receipts on a platform.

    Attributes:
        subscriptions: the registry, in the order in which they were made.
    """

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.subscriptions: list[Subscription] = []

    # Subscriptions

    def subscribe(self, manager: Manager, callback: Callback) -> Callable[[], None]:
        """Subscribe in the manager's present session and workspace; return what ends that."""
        subscription = Subscription(manager, callback)
        self.subscriptions.append(subscription)
        return partial(self.unsubscribe, subscription)

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription, if that has not happened yet (RCP-003)."""
        if self.is_registered(subscription):
            self.subscriptions.remove(subscription)

    def is_registered(self, subscription: Subscription) -> bool:
        """Whether a subscription has not ended (RCP-001)."""
        return subscription in self.subscriptions

    def end_session(self, manager: Manager) -> None:
        """End the subscriptions of a session that is shut down or replaced (RCP-006)."""
        for subscription in list(self.subscriptions):
            if subscription.manager is manager:
                self.unsubscribe(subscription)

    # Capture

    def ask(self, call: ToolCall) -> Capture:
        """Capture what is asked, then show it; the outcome comes when the UI returns (RCP-015)."""
        capture = self.capture(call)
        call.signal.on_abort(partial(self.abort, capture))
        if not call.signal.aborted:
            self.show(capture)
        return capture

    def capture(self, call: ToolCall) -> Capture:
        """What a receipt will say of a call, and who may get it."""
        return Capture(
            call, self.read_questions(call), self.leaf(call.manager), self.present_subscriptions()
        )

    def read_questions(self, call: ToolCall) -> Sequence[Question]:
        """The questions of a call as its caller has them now."""
        previews = self.displays_previews(call)
        return receipts.read_questions(call.tool, call.input, previews=previews)

    def displays_previews(self, call: ToolCall) -> bool:
        """Whether the UI displays previews (RCP-019)."""
        return call.mode == "tui"

    def leaf(self, manager: Any) -> Any:
        """The leaf id of a manager, a string or None; `UNDEFINED` if it cannot be told."""
        try:
            leaf = manager.get_leaf_id()
        except Exception:  # noqa: BLE001 - a manager may fail in any way
            return UNDEFINED
        return leaf

    def present_subscriptions(self) -> Sequence[Subscription]:
        """The subscriptions that there are now."""
        return tuple(self.subscriptions)

    def show(self, capture: Capture) -> None:
        """Ask the human, once (RCP-039)."""
        self.platform.show(capture)

    # The UI returns

    def answer(self, capture: Capture, rows: Rows) -> None:
        """The human has answered: a row for each question, None where there is no answer."""
        self.close(capture, rows)

    def cancel(self, capture: Capture) -> None:
        """The human has cancelled."""
        self.close(capture, None)

    def abort(self, capture: Capture) -> None:
        """The operation was aborted; the UI may return even so."""
        self.end(capture, None)

    def close(self, capture: Capture, rows: Rows | None) -> None:
        """Deliver what there is to deliver, and end the call in any case (RCP-043)."""
        if self.claim(capture) and self.may_deliver(capture):
            self.deliver(capture, self.receipts(capture, rows))
        self.end(capture, rows)

    def claim(self, capture: Capture) -> bool:
        """Claim the delivery of a call, which the first return of its UI has (RCP-031)."""
        claimed, capture.returned = not capture.returned, True
        return claimed

    def end(self, capture: Capture, rows: Rows | None) -> None:
        """End the tool call, if that has not happened yet."""
        capture.outcome.set_result(self.result(rows))

    def result(self, rows: Rows | None) -> Record:
        """The result of a tool call, which knows nothing of receipts (RCP-005, RCP-043)."""
        answers = [
            None if row is None else {"labels": list(row.labels), "text": row.text}
            for row in rows or ()
        ]
        return {"cancelled": rows is None, "answers": answers}

    # The decision table: for whom anything is delivered at all

    def may_deliver(self, capture: Capture) -> bool:
        """Whether everything is as it was captured, and a human was asked."""
        return (
            self.asks_a_human(capture.call)
            and not self.is_aborted(capture.call)
            and self.is_same_session(capture)
            and self.is_same_workspace(capture)
            and self.is_same_leaf(capture)
            and self.is_known_leaf(capture.leaf)
        )

    def asks_a_human(self, call: ToolCall) -> bool:
        """Whether a person is at the UI (RCP-039, RCP-040)."""
        return self.has_dialogs(call) and not call.background

    def has_dialogs(self, call: ToolCall) -> bool:
        """Whether the mode has a terminal, or dialogs with a person at them (RCP-039, RCP-040)."""
        return call.mode == "tui" or (call.mode == "rpc" and call.interactive)

    def is_aborted(self, call: ToolCall) -> bool:
        """Whether the operation was aborted (RCP-033)."""
        return call.signal.aborted

    def is_same_session(self, capture: Capture) -> bool:
        """Whether the session is still that of the capture (RCP-034)."""
        return capture.call.manager.session_id == capture.session_id

    def is_same_workspace(self, capture: Capture) -> bool:
        """Whether the workspace is still that of the capture (RCP-034)."""
        return capture.call.manager.cwd == capture.cwd

    def is_same_leaf(self, capture: Capture) -> bool:
        """Whether the leaf is still that of the capture (RCP-035)."""
        now = self.leaf(capture.call.manager)
        return bool(now == capture.leaf)

    def is_known_leaf(self, leaf: Any) -> bool:
        """Whether the leaf can be told; that of an empty branch can (RCP-036)."""
        return leaf is None or isinstance(leaf, str)

    # What is delivered

    def receipts(self, capture: Capture, rows: Rows | None) -> list[Any]:
        """The receipts of a call, one for each question in order, or none (RCP-030)."""
        valid = self.valid_rows(capture, self.given_rows(capture, rows))
        return [receipts.freeze(self.receipt(capture, at, row)) for at, row in valid]

    def given_rows(self, capture: Capture, rows: Rows | None) -> list[tuple[int, Row]]:
        """The rows with their positions: all of them, or none if one is missing (RCP-032)."""
        given = [(at, row) for at, row in enumerate(rows or ()) if row is not None]
        asked = range(len(capture.questions))
        return given if [at for at, _ in given] == list(asked) else []

    def valid_rows(self, capture: Capture, rows: list[tuple[int, Row]]) -> list[tuple[int, Row]]:
        """The rows, or none if one is not valid (RCP-037, RCP-038)."""
        valid = all(receipts.is_valid(self.question(capture, at), row) for at, row in rows)
        return rows if valid else []

    def question(self, capture: Capture, position: int) -> Question:
        """A question as it was captured (RCP-015)."""
        return capture.questions[position]

    def receipt(self, capture: Capture, position: int, row: Row) -> Record:
        """The receipt of one question, not yet frozen (RCP-010 to RCP-014, RCP-024)."""
        question = self.question(capture, position)
        return {
            "sessionManager": capture.call.manager,
            "sessionId": capture.session_id,
            "cwd": capture.cwd,
            "branchAnchor": capture.leaf,
            "toolName": capture.call.tool,
            "toolCallId": capture.call.id,
            "questionIndex": position,
            "question": question.text,
            "prompt": question.prompt,
            "answer": receipts.answer(question, row),
        }

    # The decision table: to which subscriber

    def deliver(self, capture: Capture, made: list[Any]) -> None:
        """Deliver to each subscriber all receipts, in order, while it is subscribed (RCP-030)."""
        for subscription in self.subscribers(capture):
            for receipt in made:
                if self.is_registered(subscription):
                    self.hand_over(subscription, receipt)

    def subscribers(self, capture: Capture) -> list[Subscription]:
        """The subscriptions that were made before the capture, for its session (RCP-001)."""
        return [one for one in capture.subscriptions if self.is_for(one, capture)]

    def is_for(self, subscription: Subscription, capture: Capture) -> bool:
        """Whether a subscription is for the place of a capture (RCP-002, RCP-004)."""
        return (
            self.is_same_manager(subscription.manager, capture.call.manager)
            and subscription.session_id == capture.session_id
            and subscription.cwd == capture.cwd
        )

    def is_same_manager(self, one: Manager, other: Manager) -> bool:
        """Whether two managers are one (RCP-002)."""
        return one is other

    def hand_over(self, subscription: Subscription, receipt: Any) -> None:
        """Call one subscriber; what it does, or fails to do, is its own affair (RCP-005)."""
        with suppress(Exception):
            subscription.callback(receipt)
