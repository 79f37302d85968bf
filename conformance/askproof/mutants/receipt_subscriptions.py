"""Mutants of the receipt issuer: to whom it delivers, in which modes, and what else it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askproof.mutants import breaks, families
from askproof.mutants.receipt_delivery import sure
from askproof_reference.issuer import Issuer
from askproof_reference.manager_adapter import ManagerAdapter
from askproof_reference.receipts import Row

if TYPE_CHECKING:
    from askproof_reference.issuer import Capture, Manager, Rows, Subscription, ToolCall
    from askproof_reference.issuer_adapter import IssuerAdapter

ROLE = "receipt-issuer"


# Subscriptions


@breaks("RCP-001", ROLE, Issuer, "subscribers")
def tells_who_came_late(original: Any, self: Issuer, capture: Capture) -> Any:
    """Delivers to whoever is subscribed when the answer comes."""
    return [one for one in self.subscriptions if self.is_for(one, capture)]


@breaks("RCP-001", ROLE, Issuer, "deliver", "RCP-006")
def tells_who_has_left(original: Any, self: Issuer, capture: Capture, made: list[Any]) -> None:
    """Delivers to whoever was subscribed when the question was asked."""
    for subscription in self.subscribers(capture):
        for receipt in made:
            self.hand_over(subscription, receipt)


@breaks("RCP-001", ROLE, Issuer, "deliver")
def replays(original: Any, self: Issuer, capture: Capture, made: list[Any]) -> None:
    """Delivers the latest receipts to whoever subscribes after the answer."""

    def subscribe(manager: Manager, callback: Any) -> Any:
        end = Issuer.subscribe(self, manager, callback)
        for receipt in made:
            self.hand_over(self.subscriptions[-1], receipt)
        return end

    original(self, capture, made)
    vars(self)["subscribe"] = subscribe


@breaks("RCP-002", ROLE, Issuer, "is_same_manager", "RCP-001")
def takes_equal_managers_for_one(original: Any, self: Issuer, one: Any, other: Any) -> bool:
    """Compares managers by what they look like."""
    return bool(one.session_id == other.session_id and one.cwd == other.cwd)


@breaks("RCP-002", ROLE, Issuer, "is_for")
def forgets_the_workspace(original: Any, self: Issuer, one: Subscription, of: Capture) -> bool:
    """Delivers to subscriptions of another workspace."""
    return self.is_same_manager(one.manager, of.call.manager) and one.session_id == of.session_id


@families(ROLE, Issuer, "unsubscribe", RCP_003={"the-newest": slice(-1, None), "all": slice(None)})
def ends_another(original: Any, which: slice, self: Issuer, subscription: Subscription) -> None:
    """Ends {} of the other subscriptions when an unsubscribe is repeated."""
    if self.is_registered(subscription):
        original(self, subscription)
    else:
        del self.subscriptions[which]


@breaks("RCP-004", ROLE, Issuer, "subscribe", "RCP-030")
def binds_to_the_leaf(original: Any, self: Issuer, manager: Manager, callback: Any) -> Any:
    """Keeps a subscription only while the leaf is the one at which it was made."""
    leaf = self.leaf(manager)

    def at_the_leaf(receipt: Any) -> Any:
        return callback(receipt) if receipt["branchAnchor"] == leaf else None

    return original(self, manager, at_the_leaf)


def throws(subscription: Subscription, receipt: Any) -> bool:
    """Whether a subscriber throws."""
    try:
        subscription.callback(receipt)
    except RuntimeError:
        return True
    return False


def rejects(subscription: Subscription, receipt: Any) -> bool:
    """Whether what a subscriber returns is an error."""
    try:
        work: Any = subscription.callback(receipt)
    except RuntimeError:
        return False
    return work is not None and work.exception() is not None


def hangs(subscription: Subscription, receipt: Any) -> bool:
    """Whether what a subscriber returns never comes."""
    try:
        work: Any = subscription.callback(receipt)
    except RuntimeError:
        return False
    return work is not None and not work.done()


FAILURES = {"throws": throws, "rejects": rejects, "never-returns": hangs}


@families(ROLE, Issuer, "deliver", RCP_005=FAILURES)
def stops_after_one_who(
    original: Any, fails: Any, self: Issuer, capture: Capture, made: list[Any]
) -> None:
    """Delivers to nobody after a subscriber that {}."""
    for one in self.subscribers(capture):
        for receipt in made:
            if self.is_registered(one) and fails(one, receipt):
                return


@families(ROLE, Issuer, "deliver", RCP_005=FAILURES)
def gives_the_tool_nothing_after_one_who(
    original: Any, fails: Any, self: Issuer, capture: Capture, made: list[Any]
) -> None:
    """Ends the call as cancelled after a subscriber that {}."""
    for one in self.subscribers(capture):
        for receipt in made:
            if self.is_registered(one) and fails(one, receipt):
                self.end(capture, None)


@breaks("RCP-005", ROLE, Issuer, "deliver")
def skips_the_next(original: Any, self: Issuer, capture: Capture, made: list[Any]) -> None:
    """Walks through the registry itself, so that who leaves makes the next one be skipped."""
    for subscription in self.subscriptions:
        if subscription in self.subscribers(capture):
            for receipt in made:
                if self.is_registered(subscription):
                    self.hand_over(subscription, receipt)


def take_along(issuer: Issuer, manager: Manager) -> None:
    """Bind the subscriptions of a manager to the session that it has now."""
    for subscription in issuer.subscriptions:
        if subscription.manager is manager:
            subscription.session_id = manager.session_id


@families(
    ROLE,
    Issuer,
    "end_session",
    RCP_006={"keeps": lambda *_: None},
    RCP_006_002={"takes-along": take_along},
    RCP_030={"ends-with-the-others": lambda issuer, _: issuer.subscriptions.clear()},
)
def at_the_end_of_a_session(original: Any, do: Any, self: Issuer, manager: Manager) -> None:
    """A session that ends {} its subscriptions."""
    do(self, manager)


# Modes, and what happens beside


@breaks("RCP-039", ROLE, Issuer, "show")
def shows_twice(original: Any, self: Issuer, capture: Capture) -> None:
    """Shows the dialogs of an rpc host twice."""
    original(self, capture)
    if capture.call.mode == "rpc" and self.asks_a_human(capture.call):
        original(self, capture)


@breaks("RCP-039", ROLE, Issuer, "deliver")
def asks_again(original: Any, self: Issuer, capture: Capture, made: list[Any]) -> None:
    """Asks the human at the dialogs of an rpc host once more before it delivers."""
    if capture.call.mode == "rpc":
        self.show(capture)
    original(self, capture, made)


@breaks("RCP-039", ROLE, ManagerAdapter, "do_emit")
def heeds_programs(original: Any, self: IssuerAdapter, arguments: dict[str, Any]) -> None:
    """Takes what is submitted on the bus for the answer of a human."""
    for capture in self._captures.values():
        self._issuer.answer(capture, [sure(capture.questions[0])])


@families(
    ROLE,
    Issuer,
    "has_dialogs",
    RCP_039={"no-rpc": lambda call: call.mode == "tui"},
    RCP_040={
        "json-too": lambda call: call.mode != "print",
        "print-too": lambda call: call.mode != "json",
        "any-rpc": lambda call: call.mode in ("tui", "rpc"),
    },
)
def listens_to(original: Any, has: Any, self: Issuer, call: ToolCall) -> bool:
    """Delivers from the terminal and {}."""
    return bool(has(call) and (call.mode != "rpc" or call.interactive or has(call)))


@breaks("RCP-040", ROLE, Issuer, "asks_a_human")
def delivers_in_the_background(original: Any, self: Issuer, call: ToolCall) -> bool:
    """Delivers for calls in the background."""
    return self.has_dialogs(call)


@breaks("RCP-041", ROLE, Issuer, "deliver")
def emits(original: Any, self: Issuer, capture: Capture, made: list[Any]) -> None:
    """Emits what was answered on the event bus too, where only one subscriber listens."""
    original(self, capture, made)
    if len(made) > 1 and len(self.subscriptions) == 1 and capture.call.mode == "tui":
        self.platform.emit("answered", {"answers": len(made)})


@families(
    ROLE,
    Issuer,
    "deliver",
    RCP_042={
        "grants-a-permission": ("granted", "Bash(rm:*)"),
        "counts-an-approval": ("counted", 1),
        "creates-a-message": ("message", {"role": "user", "text": "Always"}),
    },
)
def acts(
    original: Any, act: tuple[str, Any], self: Issuer, capture: Capture, made: list[Any]
) -> None:
    """It {} when somebody says Always."""
    original(self, capture, made)
    if any(one["answer"].get("text") == "Always" for one in made):
        self.platform.act(*act)


@breaks("RCP-043", ROLE, Issuer, "close")
def loses_what_it_does_not_deliver(
    original: Any, self: Issuer, capture: Capture, rows: Rows | None
) -> None:
    """Ends the call as cancelled where it delivers nothing."""
    original(self, capture, rows if self.may_deliver(capture) else None)


@breaks("RCP-043", ROLE, Issuer, "deliver")
def tells_the_model(original: Any, self: Issuer, capture: Capture, made: list[Any]) -> None:
    """Writes into the result who was told, where everybody records it."""
    told = len(self.subscribers(capture))
    if told == 1:
        rows = [Row(tuple(one["answer"].get("selected", ())), None) for one in made]
        capture.outcome.set_result({**self.result(rows), "told": told})
    original(self, capture, made)
