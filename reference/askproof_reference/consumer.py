"""The receipt consumer: keeps evidence while it holds, and says what a human has agreed to.

Tests: `tests/test_reference_receipts.py`, and the cases for `receipt-consumer`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol

Receipt = Mapping[str, Any]
Subscribe = Callable[[Any, Callable[[Receipt], None]], Callable[[], None]]


class Manager(Protocol):
    """What a consumer needs of a session manager."""

    session_id: str
    cwd: str

    def get_branch(self) -> list[str]:
        """The ids of the entries on the live branch."""


class Watch(NamedTuple):
    """The active session of a consumer, and how many bytes of evidence it keeps there.

    It is also the mark of what its own subscription delivers: compared by identity, and never
    written down, so that nothing that arrives in another way can carry it.
    """

    manager: Manager
    session_id: str
    cwd: str
    budget: int


class Consumer:
    """Subscribes with the host's own function, and keeps what that subscription delivers.

    Attributes:
        evidence: the receipts that it holds, the oldest first.
        active: the session that it watches, if any.
    """

    def __init__(self, subscribe: Subscribe) -> None:
        self.subscribe = subscribe
        self.evidence: list[Receipt] = []
        self.active: Watch | None = None
        self.unsubscribe: Callable[[], None] | None = None

    # Its life

    def watch(self, manager: Manager, budget: int) -> None:
        """Make the manager's session the active one, instead of any other (RCP-066)."""
        self.replace_session()
        self.active = Watch(manager, manager.session_id, manager.cwd, budget)
        self.unsubscribe = self.subscribe(manager, partial(self.receive, self.active))

    def replace_session(self) -> None:
        """Another session becomes the active one (RCP-066, RCP-070)."""
        self.drop_evidence()
        self.end_subscription()

    def change_mode(self, mode: str | None) -> None:
        """The permission mode is now another; None if it was revoked (RCP-065, RCP-070)."""
        self.drop_evidence()
        if mode is None:
            self.end_subscription()

    def end_session(self, manager: Manager) -> None:
        """The session of a manager was shut down, replaced or changed (RCP-066, RCP-070)."""
        if self.active is not None and self.active.manager is manager:
            self.drop_evidence()
            self.end_subscription()

    def drop_evidence(self) -> None:
        """Forget everything that was kept (RCP-065, RCP-066)."""
        self.evidence.clear()

    def end_subscription(self) -> None:
        """Watch nothing any more (RCP-070)."""
        if self.unsubscribe is not None:
            self.unsubscribe()
        self.active = self.unsubscribe = None

    # What it keeps

    def receive(self, source: object, receipt: Receipt) -> None:
        """Take a receipt, wherever it comes from, and keep it if it is evidence (RCP-060)."""
        if self.active is not None and self.is_own(source) and self.is_from_here(receipt):
            self.keep(receipt, self.active.budget)

    def is_own(self, source: object) -> bool:
        """Whether the own subscription delivered it, and is still in force (RCP-061)."""
        return source is self.active

    def is_from_here(self, receipt: Receipt) -> bool:
        """Whether a receipt is of the active session (RCP-062)."""
        active = self.active
        return (
            active is not None
            and receipt["sessionManager"] is active.manager
            and receipt["sessionId"] == active.session_id
            and receipt["cwd"] == active.cwd
        )

    def keep(self, receipt: Receipt, budget: int) -> None:
        """Keep a receipt whole, at the cost of the oldest, if it fits at all (RCP-064)."""
        if self.cost(receipt) <= budget:
            self.evidence.append(receipt)
            while sum(map(self.cost, self.evidence)) > budget:
                self.evidence.pop(0)

    def cost(self, receipt: Receipt) -> int:
        """The bytes of a pair: its prompt, and its answer as compact JSON (RCP-064)."""
        answer = json.dumps(dict(receipt["answer"]), ensure_ascii=False, separators=(",", ":"))
        # What no UTF-8 can carry, a lone surrogate, counts as the three bytes that it would have.
        return len((receipt["prompt"] + answer).encode("utf-8", "surrogatepass"))

    # What counts

    def agreed(self, tool_call_id: str, question_index: int, text: str) -> bool:
        """Whether a human agreed to this text as the answer to this question (RCP-067)."""
        return any(
            self.is_live(receipt) and self.agrees(receipt["answer"], text)
            for receipt in self.evidence
            if self.is_about(receipt, tool_call_id, question_index)
        )

    def is_about(self, receipt: Receipt, tool_call_id: str, question_index: int) -> bool:
        """Whether a receipt is of this question (RCP-067)."""
        return bool(
            receipt["toolCallId"] == tool_call_id and receipt["questionIndex"] == question_index
        )

    def is_live(self, receipt: Receipt) -> bool:
        """Whether the anchor of a receipt lies on the live branch; null always does (RCP-063)."""
        anchor = receipt["branchAnchor"]
        return anchor is None or anchor in receipt["sessionManager"].get_branch()

    def agrees(self, answer: Mapping[str, Any], text: str) -> bool:
        """Whether this is exactly what an answer says (RCP-067)."""
        return text in self.agreed_texts(answer)

    def agreed_texts(self, answer: Mapping[str, Any]) -> list[str]:
        """What an answer says: its text, else its labels (RCP-068, RCP-069, RCP-071)."""
        if answer["kind"] in ("option", "custom"):
            return [answer["text"]]
        return [*answer["selected"]] if answer["kind"] == "multi" else []
