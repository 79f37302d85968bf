"""A small bridge and its adapter, to copy from.

askproof run python:examples/python/bridge.py:BridgeAdapter
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, ClassVar

from askproof.adapter import Adapter

if TYPE_CHECKING:
    from collections.abc import Callable


class Bridge:
    """Shows what started, submits what its human chose, and tells how it went.

    This half is the product: it knows nothing of the kit. `emit` puts an event on the bus; `show`,
    `tell` and `close` are what its human sees.
    """

    def __init__(
        self,
        emit: Callable[[dict[str, Any]], None],
        show: Callable[[str, list[dict[str, Any]]], None],
        tell: Callable[[str, str, list[list[str]] | None], None],
        close: Callable[[str], None],
    ) -> None:
        self._emit, self._show, self._tell, self._close = emit, show, tell, close
        self._numbers = itertools.count(1)
        self._questions: dict[str, list[dict[str, Any]]] = {}
        self._pending: set[tuple[str, str]] = set()

    def on_event(self, channel: str, event: dict[str, Any]) -> None:
        """Take an event of the host."""
        if event.get("version") != 1:
            return
        flow = event["flowId"]
        if channel == "started" and flow not in self._questions:
            self._questions[flow] = event["questions"]
            self._show(flow, event["questions"])
        elif channel == "submit-result":
            self._on_result(flow, event)
        elif channel == "completed" and flow in self._questions:
            self._on_completed(flow, event["result"])

    def submit(self, flow: str, response: dict[str, Any]) -> None:
        """Submit for a form that is still open, with a request id of its own."""
        if flow in self._questions:
            request = f"request-{next(self._numbers)}"
            self._pending.add((request, flow))
            self._emit({"version": 1, "requestId": request, "flowId": flow, "response": response})

    def questions(self, flow: str) -> list[dict[str, Any]]:
        """What is asked in an open form; nothing once it is closed."""
        return self._questions.get(flow, [])

    def _on_result(self, flow: str, event: dict[str, Any]) -> None:
        key = (event["requestId"], flow)
        if key not in self._pending:
            return
        self._pending.remove(key)
        if event["ok"]:
            return
        late = event["error"] == "flow_not_found"
        self._tell(flow, "late" if late else "refused", None)
        if late and self._questions.pop(flow, None):
            self._close(flow)

    def _on_completed(self, flow: str, result: dict[str, Any]) -> None:
        questions = self._questions.pop(flow)
        if result["cancelled"]:
            self._tell(flow, "cancelled", None)
        else:
            rows = [result["answers"].get(question["id"], {}) for question in questions]
            outcome = "elaborated" if result["mode"] == "elaborate" else "answered"
            self._tell(flow, outcome, [row.get("labels", []) for row in rows])
        self._close(flow)


class BridgeAdapter(Adapter):
    """What lets the kit drive the bridge: its commands in, its observations out."""

    implementation: ClassVar = {"name": "example-bridge", "version": "1.0", "language": "python"}
    namespace: ClassVar = "@example/ask"
    roles: ClassVar = {"ask-bridge": {"capabilities": ["virtual-time"], "variants": {}}}

    def reset(self, role: str) -> None:
        """Make a clean bridge; the form of a flow is named by the flow."""
        self.bridge = Bridge(
            self._emitted, self._shown, self._told, lambda flow: self.see(closed=flow)
        )

    def do_emit(self, channel: str, data: dict[str, Any]) -> None:
        """Let the host emit."""
        self.bridge.on_event(channel.rpartition(":")[2], data)

    def do_act(self, form: str, then: str, answers: list[Any] | None = None) -> None:
        """Let the human act on a form, by position."""
        if then == "cancel":
            self.bridge.submit(form, {"kind": "cancel"})
            return
        given = {}
        for question, answer in zip(self.bridge.questions(form), answers or [], strict=False):
            entry = _entry(question, answer or {})
            if entry:
                given[question["id"]] = entry
        self.bridge.submit(form, {"kind": "answer", "mode": then, "answers": given})

    def do_advance(self, ms: int) -> None:
        """Let time pass: this bridge does nothing by itself."""

    def _emitted(self, data: dict[str, Any]) -> None:
        self.see(emitted=f"{self.namespace}:submit", data=data)

    def _shown(self, flow: str, questions: list[dict[str, Any]]) -> None:
        labels = [[option["label"] for option in one["options"]] for one in questions]
        asked = [one["prompt"] for one in questions]
        forms = zip(asked, labels, strict=True)
        self.see(shown=flow, questions=[{"prompt": p, "options": o} for p, o in forms])

    def _told(self, flow: str, outcome: str, answers: list[list[str]] | None) -> None:
        self.see(told=flow, outcome=outcome, **({} if answers is None else {"answers": answers}))


def _entry(question: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """What the human gave to one question, by values; what was not given is left out."""
    values = [option["value"] for option in question["options"]]
    entry: dict[str, Any] = {}
    if answer.get("options"):
        entry["values"] = [values[at] for at in answer["options"]]
    if answer.get("text"):
        entry["customText"] = answer["text"]
    if answer.get("note"):
        entry["note"] = answer["note"]
    notes = {values[int(at)]: note for at, note in answer.get("optionNotes", {}).items() if note}
    if notes:
        entry["optionNotes"] = notes
    return entry
