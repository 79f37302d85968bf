"""A bridge and its provider: what carries a form to a human elsewhere, and the answer back.

The device of the human knows no ids: it is shown texts, and says by position what was done to
them.

Tests: `tests/test_reference_bridge.py`, and the cases for `ask-bridge`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol

from askproof_reference.bus import EventBus
from askproof_reference.deferred import Deferred
from askproof_reference.records import VERSION, Record, is_current

PROVIDER_ID = "askproof-reference-bridge"


class Question(NamedTuple):
    """What a human is asked, and the values and labels of its options, in the declared order."""

    id: str
    prompt: str
    values: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Given:
    """What a human gave to one question; options are named by position, from zero."""

    options: Collection[int] = ()
    text: str = ""
    note: str = ""
    option_notes: Mapping[int, str] = field(default_factory=dict)


@dataclass(eq=False)
class Form:
    """A flow as the bridge keeps it: a copy, since everybody shares the payloads of the bus.

    Attributes:
        namespace: whose flow it is.
        flow_id: its name there, opaque.
        questions: in the order of presentation.
        deadline: when the bridge's own time for it runs out.
        opened: what `open` returned, for a form that a connection opened.
        shown: whether the human saw it.
        closed: whether it is over.
    """

    namespace: str
    flow_id: str
    questions: tuple[Question, ...]
    deadline: float
    opened: Deferred | None = None
    shown: bool = False
    closed: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing that a human does to it can count any more."""
        return self.closed or (self.opened is not None and self.opened.done())


@dataclass(eq=False)
class Offer:
    """A provider in the hands of one connection; `taken` is what `connect` returned."""

    namespace: str
    taken: bool | None = None


class Transport(Protocol):
    """The bridge's own line to the device of its human."""

    @property
    def connected(self) -> bool:
        """Whether the device is there, and is one that the bridge supports."""

    def show(self, form: Form, view: list[Record]) -> None:
        """Show a form: for each question its `prompt` and the labels of its `options`."""

    def tell(self, form: Form, outcome: str, answers: list[list[str]] | None) -> None:
        """Say how a form stands, and what counts as chosen, by question, where that is known."""

    def close(self, form: Form) -> None:
        """Take a form away."""


class AskBridge:
    """Serves the hosts of some namespaces on one bus.

    Whoever owns the transport calls `act`, `press` and `line_changed`; a timer calls `tick`.
    `buttons` maps names of buttons to what they stand for: values by question id. `patience` is
    how many milliseconds a human has; without it the bridge waits for as long as the host does.
    """

    def __init__(  # noqa: PLR0913 - its parts, and two settings
        self,
        bus: EventBus,
        namespaces: Iterable[str],
        transport: Transport,
        clock: Callable[[], int],
        *,
        buttons: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
        patience: float = math.inf,
    ) -> None:
        self.bus = bus
        self.namespaces = tuple(namespaces)
        self.transport = transport
        self.clock = clock
        self.buttons = buttons or {}
        self.patience = patience
        self.forms: dict[Hashable, Form] = {}
        self.pending: dict[Hashable, Form] = {}
        self.listening: list[Callable[[], None]] = []
        self.start()

    # Its life

    def start(self) -> None:
        """Listen to the hosts."""
        handlers = {
            "started": self.on_started,
            "submit-result": self.on_submit_result,
            "completed": self.on_completed,
            "external-ui": self.on_external_ui,
        }
        for namespace in self.namespaces:
            for name, handler in handlers.items():
                listener = partial(self.receive, handler, namespace)
                self.listening.append(self.bus.on(f"{namespace}:{name}", listener))

    def shutdown(self) -> None:
        """End with the session: nobody will say how what is open ended (EVT-220, EVT-248)."""
        while self.listening:
            self.listening.pop()()
        for form in list(self.forms.values()):
            self.fail(form)
            self.close(form)
        self.forms.clear()
        self.pending.clear()

    def reload(self) -> None:
        """Begin a new life on the same bus, without anything of the former one (EVT-219)."""
        self.shutdown()
        self.start()

    # What the host says

    def receive(self, handler: Callable[[str, Any], None], namespace: str, event: Any) -> None:
        """Handle an event of a known version, with any members (EVT-006, EVT-216, EVT-242)."""
        if is_current(event):
            handler(namespace, event)

    def on_started(self, namespace: str, event: Record) -> None:
        """Show a form that was opened elsewhere."""
        self.show(self.form_of(namespace, event))

    def on_submit_result(self, namespace: str, result: Record) -> None:
        """Say what became of a submit of this bridge (EVT-209, EVT-211, EVT-212)."""
        key = self.key(namespace, result["flowId"], result["requestId"])
        form = self.pending.pop(key, None)
        if form is None:
            return
        if result["ok"]:
            self.tell(form, "accepted")
        elif result["error"] == "flow_not_found":
            self.tell(form, "late")
            self.close(form)
        else:
            self.tell(form, "refused")

    def on_completed(self, namespace: str, event: Record) -> None:
        """Say how a flow ended, and close its form; results may still come (EVT-210, EVT-217)."""
        key = self.key(namespace, event["flowId"])
        form = self.forms.get(key)
        if form is not None:
            outcome, chosen = self.outcome(form, event["result"])
            del self.forms[key]
            self.tell(form, outcome, chosen)
            self.close(form)

    def outcome(self, form: Form, result: Record) -> tuple[str, list[list[str]] | None]:
        """What a result means, and the labels that it chose, by question (EVT-213, EVT-214)."""
        if result["cancelled"]:
            return "cancelled", None
        rows = [result["answers"].get(question.id) for question in form.questions]
        outcome = "elaborated" if result["mode"] == "elaborate" else "answered"
        return outcome, [list(row["labels"]) if row else [] for row in rows]

    # Forms

    def key(self, namespace: str, *ids: str) -> Hashable:
        """What tells flows apart, or submits (EVT-013, EVT-201, EVT-209)."""
        return namespace, *ids

    def form_of(self, namespace: str, record: Record) -> Form:
        """The one form of a flow, whether it started first or was opened first (EVT-218)."""
        flow_id = record["flowId"]
        key = self.key(namespace, flow_id)
        form = self.forms.get(key)
        if form is None or form.closed:
            deadline = self.clock() + self.patience
            form = Form(namespace, flow_id, self.questions(record), deadline)
            self.forms[key] = form
        return form

    def questions(self, record: Record) -> tuple[Question, ...]:
        """A copy of the questions of an event or a request."""
        return tuple(
            Question(
                question["id"],
                question["prompt"],
                tuple(option["value"] for option in question["options"]),
                tuple(option["label"] for option in question["options"]),
            )
            for question in record["questions"]
        )

    def show(self, form: Form) -> None:
        """Show a form once, as soon as there is a line to show it on."""
        if self.transport.connected and not form.shown and not form.over:
            form.shown = True
            self.transport.show(form, self.view(form))

    def view(self, form: Form) -> list[Record]:
        """What the human sees: every question and label, in the declared order (EVT-215)."""
        return [{"prompt": one.prompt, "options": list(one.labels)} for one in form.questions]

    def tell(self, form: Form, outcome: str, chosen: list[list[str]] | None = None) -> None:
        """Tell a human who saw the form how it stands."""
        if form.shown:
            self.transport.tell(form, outcome, chosen)

    def close(self, form: Form) -> None:
        """Close a form, once."""
        if not form.closed:
            form.closed = True
            if form.shown:
                self.transport.close(form)

    # What the human does

    def act(self, form: Form, then: str, given: Sequence[Given | None] = ()) -> None:
        """Finish a form: `submit`, `elaborate` or `cancel`; None is an untouched question."""
        if self.may_act(form):
            self.respond(form, self.response(form, then, given))

    def press(self, form: Form, button: str) -> None:
        """Answer with what a button is mapped to, and guess nothing from its name (EVT-206)."""
        if button in self.buttons and self.may_act(form):
            answers = {
                ident: {"values": [*values]} for ident, values in self.buttons[button].items()
            }
            self.respond(form, {"kind": "answer", "mode": "submit", "answers": answers})

    def tick(self) -> None:
        """Look at the clock: cancel the forms whose time ran out (EVT-204, EVT-205)."""
        for form in list(self.forms.values()):
            if form.deadline <= self.clock():
                form.deadline = math.inf
                self.act(form, "cancel")

    def may_act(self, form: Form) -> bool:
        """Whether what the human does to a form can still count (EVT-217, EVT-245)."""
        return self.transport.connected and form.shown and not form.over

    def response(self, form: Form, then: str, given: Sequence[Given | None]) -> Record:
        """The response that says what the human did (EVT-203, EVT-205, EVT-207)."""
        if then == "cancel":
            return {"kind": "cancel"}
        mode = "elaborate" if then == "elaborate" else "submit"
        return {"kind": "answer", "mode": mode, "answers": self.answers(form, given)}

    def answers(self, form: Form, given: Sequence[Given | None]) -> Record:
        """The answers by question id, without what was left untouched (EVT-011, EVT-208)."""
        answers = {
            question.id: self.answer(question, one)
            for question, one in zip(form.questions, given, strict=False)
            if one is not None
        }
        return {ident: answer for ident, answer in answers.items() if answer}

    def answer(self, question: Question, given: Given) -> Record:
        """What was given to one question, by values, unchanged (EVT-009, EVT-200, EVT-208)."""
        notes = given.option_notes.items()
        answer = {
            "values": [value for at, value in enumerate(question.values) if at in given.options],
            "customText": given.text,
            "note": given.note,
            "optionNotes": {question.values[at]: note for at, note in notes if note},
        }
        return {member: value for member, value in answer.items() if value}

    # What the bridge sends

    def respond(self, form: Form, response: Record) -> None:
        """Bring a response back the way that the form came (EVT-244)."""
        if form.opened is None:
            self.submit(form, response)
        else:
            form.opened.set_result(response)

    def submit(self, form: Form, response: Record) -> None:
        """Emit a submit where the flow started; its result may come meanwhile (EVT-002)."""
        submission = self.submission(form, response)
        self.pending[self.key(form.namespace, form.flow_id, submission["requestId"])] = form
        self.bus.emit(f"{form.namespace}:submit", submission)

    def submission(self, form: Form, response: Record) -> Record:
        """The record of a submit, under a name of its own (EVT-007, EVT-202, EVT-203)."""
        request_id = os.urandom(12).hex()
        ids = {"requestId": request_id, "flowId": form.flow_id}
        return {"version": VERSION, **ids, "response": response}

    # The provider

    def on_external_ui(self, namespace: str, connection: Record) -> None:
        """Offer a provider at once, if the device is there (EVT-240, EVT-241, EVT-243)."""
        if self.transport.connected:
            offer = Offer(namespace)
            offer.taken = connection["connect"](self.provider(offer))

    def provider(self, offer: Offer) -> Record:
        """The record of a provider (EVT-007, EVT-243)."""
        return {"version": VERSION, "id": PROVIDER_ID, "open": partial(self.open, offer)}

    def open(self, offer: Offer, request: Record) -> Deferred:
        """Show the form of a request; the human's response resolves what this returns."""
        opened = Deferred()
        try:
            self.open_form(offer, request, opened)
        except Exception as error:  # noqa: BLE001 - whatever fails, the host must not wait for ever
            opened.set_exception(error)
        return opened

    def open_form(self, offer: Offer, request: Record, opened: Deferred) -> None:
        """Show a form until its signal aborts, or raise why that cannot be (EVT-245, EVT-247)."""
        if offer.taken is False or not self.listening or not is_current(request):
            raise ConnectionError("nothing can be shown for this connection")
        form = self.form_of(offer.namespace, request)
        form.opened = opened
        request["signal"].on_abort(partial(self.close, form))
        if not self.transport.connected:
            raise ConnectionError("the human cannot be reached")
        self.show(form)

    def line_changed(self) -> None:
        """Show what has waited for the line, or give up what was opened over it."""
        for form in list(self.forms.values()):
            if self.transport.connected:
                self.show(form)
            else:
                self.fail(form)

    def fail(self, form: Form) -> None:
        """Reject what was opened: nobody said no, the human is out of reach (EVT-246, EVT-248)."""
        if form.opened is not None and not form.over:
            form.opened.set_exception(ConnectionError("the human cannot be reached any more"))
