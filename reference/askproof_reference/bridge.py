"""A bridge and its provider: what carries a form to a human elsewhere, and the answer back.

The device of the human knows no ids: it is shown texts, and says by position what was done to
them. Each rule of the specification has a small method of its own here.

Tests: `tests/test_reference_bridge.py`, and the cases for `ask-bridge`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, Protocol

from askproof_reference.bus import EventBus
from askproof_reference.deferred import Deferred
from askproof_reference.records import VERSION, Record, is_current

PROVIDER_ID = "askproof-reference-bridge"


class Option(NamedTuple):
    """One thing to choose."""

    value: str
    label: str


class Question(NamedTuple):
    """What a human is asked, and may choose from."""

    id: str
    prompt: str
    options: tuple[Option, ...]


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
        deadline: when the bridge's own time for it runs out, if it has one.
        opened: what `open` returned, for a form that a connection opened.
        shown: whether the human saw it.
        closed: whether it is over.
    """

    namespace: str
    flow_id: str
    questions: tuple[Question, ...]
    deadline: int | None = None
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
        patience: int | None = None,
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
        for namespace in self.namespaces:
            for name, handler in (
                ("started", self.on_started),
                ("submit-result", self.on_submit_result),
                ("completed", self.on_completed),
            ):
                self.listen(namespace, name, partial(self.receive, handler))
            self.listen(namespace, "external-ui", self.on_external_ui)

    def listen(self, namespace: str, name: str, handler: Callable[[str, Any], None]) -> None:
        """Register one listener, to be removed by `stop_listening`."""
        self.listening.append(self.bus.on(f"{namespace}:{name}", partial(handler, namespace)))

    def stop_listening(self) -> None:
        """Remove every listener of this life (EVT-219, EVT-220)."""
        for unsubscribe in self.listening:
            unsubscribe()
        self.listening.clear()

    def shutdown(self) -> None:
        """End with the session: close what is open, nobody will say how it ended (EVT-220)."""
        self.stop_listening()
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
        """Handle an event, unless it is to be ignored."""
        if self.heeds(event):
            handler(namespace, event)

    def heeds(self, event: Any) -> bool:
        """Whether its version is known; unknown members do not matter (EVT-006, EVT-216)."""
        return is_current(event)

    def on_started(self, namespace: str, event: Record) -> None:
        """Show a form that was opened elsewhere."""
        self.show(self.form_of(namespace, event))

    def on_submit_result(self, namespace: str, result: Record) -> None:
        """Say what became of a submit of this bridge; ignore those of others (EVT-209, EVT-212)."""
        key = self.pending_key(namespace, result["requestId"], result["flowId"])
        form = self.pending.pop(key, None)
        if form is None:
            return
        if result["ok"]:
            self.tell(form, "accepted")
        elif result["error"] == "flow_not_found":
            self.on_late(form)
        else:
            self.on_refused(form)

    def on_refused(self, form: Form) -> None:
        """Say so; the form stays, to be corrected (EVT-211)."""
        self.tell(form, "refused")

    def on_late(self, form: Form) -> None:
        """Say so; the flow is over, even if nobody will say how it ended."""
        self.tell(form, "late")
        self.close(form)

    def on_completed(self, namespace: str, event: Record) -> None:
        """Say how a flow ended, and close its form; results may still come (EVT-210, EVT-217)."""
        key = self.form_key(namespace, self.flow_id(event))
        if key not in self.forms:
            return
        form = self.forms[key]
        outcome, answers = self.outcome(form, event["result"])
        del self.forms[key]
        self.tell(form, outcome, answers)
        self.close(form)

    def outcome(self, form: Form, result: Record) -> tuple[str, list[list[str]] | None]:
        """What a result means; the answers in a cancelled one mean nothing (EVT-213)."""
        if result["cancelled"]:
            return "cancelled", None
        outcome = "elaborated" if result["mode"] == "elaborate" else "answered"
        return outcome, self.chosen(form, result["answers"])

    def chosen(self, form: Form, answers: Mapping[str, Record]) -> list[list[str]]:
        """What is chosen, by question: the labels of its row; without one, nothing (EVT-214)."""
        rows = (answers.get(question.id) for question in form.questions)
        return [list(row["labels"]) if row else [] for row in rows]

    # Forms

    def form_key(self, namespace: str, flow_id: str) -> Hashable:
        """What tells one form from another: its flow id in its namespace (EVT-013)."""
        return namespace, flow_id

    def flow_id(self, record: Record) -> str:
        """The flow id of an event or a request, as it is (EVT-201)."""
        flow_id: str = record["flowId"]
        return flow_id

    def form_of(self, namespace: str, record: Record) -> Form:
        """The one form of a flow, whether it started first or was opened first (EVT-218)."""
        flow_id = self.flow_id(record)
        key = self.form_key(namespace, flow_id)
        form = self.forms.get(key)
        if form is None or form.closed:
            deadline = None if self.patience is None else self.clock() + self.patience
            form = Form(namespace, flow_id, self.questions(record), deadline)
            self.forms[key] = form
        return form

    def questions(self, record: Record) -> tuple[Question, ...]:
        """A copy of the questions of an event or a request."""
        return tuple(
            Question(
                question["id"],
                question["prompt"],
                tuple(Option(option["value"], option["label"]) for option in question["options"]),
            )
            for question in record["questions"]
        )

    def show(self, form: Form) -> None:
        """Show a form once, as soon as there is a line to show it on (EVT-218)."""
        if self.transport.connected and not form.shown and not form.over:
            form.shown = True
            self.transport.show(form, self.view(form))

    def view(self, form: Form) -> list[Record]:
        """What the human sees: every question and label, in the declared order (EVT-215)."""
        return [
            {"prompt": question.prompt, "options": [option.label for option in question.options]}
            for question in form.questions
        ]

    def tell(self, form: Form, outcome: str, answers: list[list[str]] | None = None) -> None:
        """Tell a human who saw the form how it stands (EVT-212)."""
        if form.shown:
            self.transport.tell(form, outcome, answers)

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
        """Answer with what a button stands for, if that is anything."""
        answers = self.button_answers(button)
        if answers is not None and self.may_act(form):
            self.respond(form, {"kind": "answer", "mode": "submit", "answers": answers})

    def tick(self) -> None:
        """Look at the clock: let the time of forms run out."""
        for form in list(self.forms.values()):
            if form.deadline is not None and form.deadline <= self.clock():
                form.deadline = None
                self.on_time_out(form)

    def on_time_out(self, form: Form) -> None:
        """Cancel a form on which nobody acted in time; silence is no answer (EVT-204, EVT-205)."""
        if self.may_act(form):
            self.respond(form, {"kind": "cancel"})

    def may_act(self, form: Form) -> bool:
        """Whether what the human does to a form can still count (EVT-217, EVT-245)."""
        return self.transport.connected and form.shown and not form.over

    def button_answers(self, button: str) -> Record | None:
        """The answers that a button is mapped to; nothing is guessed from its name (EVT-206)."""
        if button not in self.buttons:
            return None
        return {ident: {"values": list(values)} for ident, values in self.buttons[button].items()}

    def response(self, form: Form, then: str, given: Sequence[Given | None]) -> Record:
        """The response that says what the human did (EVT-203, EVT-205)."""
        if then == "cancel":
            return {"kind": "cancel"}
        return {"kind": "answer", "mode": self.mode(then), "answers": self.answers(form, given)}

    def mode(self, then: str) -> str:
        """The mode of an answer (EVT-207)."""
        return "elaborate" if then == "elaborate" else "submit"

    def answers(self, form: Form, given: Sequence[Given | None]) -> Record:
        """The answers by question id, without what was left untouched (EVT-011, EVT-208)."""
        answers = {
            question.id: self.answer_entry(question, one)
            for question, one in zip(form.questions, given, strict=False)
            if one is not None
        }
        return {ident: entry for ident, entry in answers.items() if entry}

    def answer_entry(self, question: Question, given: Given) -> Record:
        """The answer to one question: what was given, unchanged (EVT-009, EVT-208)."""
        entry = {
            "values": self.values_of(question, given.options),
            "customText": given.text,
            "note": given.note,
            "optionNotes": self.option_notes(question, given.option_notes),
        }
        return {member: value for member, value in entry.items() if value}

    def values_of(self, question: Question, positions: Collection[int]) -> list[str]:
        """The values of the options at these positions, in the declared order (EVT-200)."""
        return [option.value for at, option in enumerate(question.options) if at in positions]

    def option_notes(self, question: Question, notes: Mapping[int, str]) -> dict[str, str]:
        """Notes by the value of their option (EVT-200)."""
        return {question.options[at].value: note for at, note in notes.items() if note}

    # What the bridge sends

    def respond(self, form: Form, response: Record) -> None:
        """Bring a response back the way that the form came."""
        if form.opened is None:
            self.submit(form, response)
        else:
            self.resolve(form.opened, response)

    def submit(self, form: Form, response: Record) -> None:
        """Emit a submit; its result may arrive before this returns."""
        submission = self.submission(form, response)
        key = self.pending_key(form.namespace, submission["requestId"], form.flow_id)
        self.pending[key] = form
        self.bus.emit(self.channel(form), submission)

    def submission(self, form: Form, response: Record) -> Record:
        """The record of a submit (EVT-007, EVT-203)."""
        return {
            "version": VERSION,
            "requestId": self.request_id(),
            "flowId": form.flow_id,
            "response": response,
        }

    def channel(self, form: Form) -> str:
        """Where to submit: in the namespace in which the flow started (EVT-002)."""
        return f"{form.namespace}:submit"

    def request_id(self) -> str:
        """A fresh name for a submit, in this life and among all bridges (EVT-202)."""
        return os.urandom(12).hex()

    def pending_key(self, namespace: str, request_id: str, flow_id: str) -> Hashable:
        """What relates a result to its submit (EVT-209)."""
        return namespace, request_id, flow_id

    # The provider

    def on_external_ui(self, namespace: str, connection: Any) -> None:
        """Offer a provider while the event is being delivered; later is too late (EVT-243)."""
        if self.may_offer(connection):
            offer = Offer(namespace)
            offer.taken = connection["connect"](self.provider(offer))

    def may_offer(self, connection: Any) -> bool:
        """Whether the version is known and the device is there (EVT-240 to EVT-242)."""
        return is_current(connection) and self.transport.connected

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
        """Show the form of a request, or raise why that cannot be."""
        if not self.may_open(offer, request):
            raise ConnectionError("nothing can be shown for this connection")
        form = self.form_of(offer.namespace, request)
        form.opened = opened
        request["signal"].on_abort(partial(self.on_abort, form))
        if not self.transport.connected:
            raise ConnectionError("the human cannot be reached")
        self.show(form)

    def may_open(self, offer: Offer, request: Any) -> bool:
        """Whether to show a form for a connection: not if it took another provider (EVT-247)."""
        return offer.taken is not False and bool(self.listening) and is_current(request)

    def resolve(self, opened: Deferred, response: Record) -> None:
        """Resolve what was opened with what the human did (EVT-244)."""
        opened.set_result(response)

    def on_abort(self, form: Form) -> None:
        """Close the form of a request that is over (EVT-245)."""
        self.close(form)

    def line_changed(self) -> None:
        """Show what has waited for the line, or give up what was opened over it."""
        for form in list(self.forms.values()):
            if self.transport.connected:
                self.show(form)
            else:
                self.fail(form)

    def fail(self, form: Form) -> None:
        """Reject what was opened: nobody said no, the human is out of reach (EVT-246)."""
        if form.opened is not None and not form.over:
            form.opened.set_exception(ConnectionError("the human cannot be reached any more"))
