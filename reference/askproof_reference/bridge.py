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

    def show(self, form: Form, view: list[dict[str, Any]]) -> None:
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
        """Remove every listener of this life."""
        for unsubscribe in self.listening:
            unsubscribe()
        self.listening.clear()

    def shutdown(self) -> None:
        """End with the session: what is open is closed, for nobody will say how it ended."""
        self.stop_listening()
        for form in list(self.forms.values()):
            self.fail(form)
            self.close(form)
        self.forms.clear()
        self.pending.clear()

    def reload(self) -> None:
        """Begin a new life on the same bus, without anything of the former one."""
        self.shutdown()
        self.start()

    # What the host says

    def receive(self, handler: Callable[[str, Any], None], namespace: str, event: Any) -> None:
        """Handle an event, unless it is of a version that nobody here knows."""
        if self.heeds(event):
            handler(namespace, event)

    def heeds(self, event: Any) -> bool:
        """Whether an event can be understood; members that nobody knows do not matter."""
        return is_version_1(event)

    def on_started(self, namespace: str, event: Mapping[str, Any]) -> None:
        """Show a form that was opened elsewhere."""
        self.show(self.form_of(namespace, event))

    def on_submit_result(self, namespace: str, result: Mapping[str, Any]) -> None:
        """Take what became of a submit of this bridge; those of others are not its business."""
        key = self.pending_key(namespace, result["requestId"], result["flowId"])
        form = self.pending.pop(key, None)
        if form is None:
            return
        if result["ok"]:
            self.on_accepted(form)
        elif result["error"] == "flow_not_found":
            self.on_late(form)
        else:
            self.on_refused(form)

    def on_accepted(self, form: Form) -> None:
        """Say so; the form is closed when the flow completes, which may have been before."""
        self.tell(form, "accepted")

    def on_refused(self, form: Form) -> None:
        """Say so; the form stays, to be corrected."""
        self.tell(form, "refused")

    def on_late(self, form: Form) -> None:
        """Say so; the flow is over, even if nobody says how it ended."""
        self.tell(form, "late")
        self.close(form)

    def on_completed(self, namespace: str, event: Mapping[str, Any]) -> None:
        """Say how a flow ended, and close its form."""
        key = self.form_key(namespace, self.flow_id(event))
        if key not in self.forms:
            return
        form = self.forms[key]
        outcome, answers = self.outcome(form, event["result"])
        del self.forms[key]
        self.tell(form, outcome, answers)
        self.close(form)

    def outcome(self, form: Form, result: Mapping[str, Any]) -> tuple[str, list[list[str]] | None]:
        """What a result means to a human; what a cancelled one has left in answers means nothing."""
        if result["cancelled"]:
            return "cancelled", None
        outcome = "elaborated" if result["mode"] == "elaborate" else "answered"
        return outcome, self.chosen(form, result["answers"])

    def chosen(self, form: Form, answers: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
        """What is chosen, by question: the labels of its row; without a row nothing is chosen."""
        rows = (answers.get(question.id) for question in form.questions)
        return [list(row["labels"]) if row else [] for row in rows]

    # Forms

    def form_key(self, namespace: str, flow_id: str) -> Hashable:
        """What tells one form from another: equal flow ids in two namespaces are two flows."""
        return namespace, flow_id

    def flow_id(self, record: Mapping[str, Any]) -> str:
        """The flow id of an event or a request, as it is."""
        flow_id: str = record["flowId"]
        return flow_id

    def form_of(self, namespace: str, record: Mapping[str, Any]) -> Form:
        """The one form of a flow, whether it started first or was opened first."""
        flow_id = self.flow_id(record)
        key = self.form_key(namespace, flow_id)
        form = self.forms.get(key)
        if form is None or form.closed:
            deadline = None if self.patience is None else self.clock() + self.patience
            form = Form(namespace, flow_id, self.questions(record), deadline)
            self.forms[key] = form
        return form

    def questions(self, record: Mapping[str, Any]) -> tuple[Question, ...]:
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
        """Show a form once, as soon as there is a line to show it on."""
        if self.transport.connected and not form.shown and not form.over:
            form.shown = True
            self.transport.show(form, self.view(form))

    def view(self, form: Form) -> list[dict[str, Any]]:
        """What the human sees: every question with every label, in the declared order."""
        return [
            {"prompt": question.prompt, "options": [option.label for option in question.options]}
            for question in form.questions
        ]

    def tell(self, form: Form, outcome: str, answers: list[list[str]] | None = None) -> None:
        """Tell a human who saw the form how it stands."""
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
        """Answer with what a button stands for; one without a mapping stands for nothing."""
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
        """Give up a form on which nobody acted in time: cancelled, never answered."""
        if self.may_act(form):
            self.respond(form, {"kind": "cancel"})

    def may_act(self, form: Form) -> bool:
        """Whether what the human does to a form still reaches anybody."""
        return self.transport.connected and form.shown and not form.over

    def button_answers(self, button: str) -> dict[str, Any] | None:
        """The answers that a button was given explicitly; nothing is guessed from its name."""
        if button not in self.buttons:
            return None
        return {ident: {"values": list(values)} for ident, values in self.buttons[button].items()}

    def response(self, form: Form, then: str, given: Sequence[Given | None]) -> dict[str, Any]:
        """The response that says what the human did."""
        if then == "cancel":
            return {"kind": "cancel"}
        return {"kind": "answer", "mode": self.mode(then), "answers": self.answers(form, given)}

    def mode(self, then: str) -> str:
        """The mode of an answer."""
        return "elaborate" if then == "elaborate" else "submit"

    def answers(self, form: Form, given: Sequence[Given | None]) -> dict[str, Any]:
        """The answers by question id, without those questions to which nothing was given."""
        answers = {
            question.id: self.answer_entry(question, one)
            for question, one in zip(form.questions, given, strict=False)
            if one is not None
        }
        return {ident: entry for ident, entry in answers.items() if entry}

    def answer_entry(self, question: Question, given: Given) -> dict[str, Any]:
        """The answer to one question: what was given, unchanged, and nothing else."""
        entry = {
            "values": self.values_of(question, given.options),
            "customText": given.text,
            "note": given.note,
            "optionNotes": self.option_notes(question, given.option_notes),
        }
        return {member: value for member, value in entry.items() if value}

    def values_of(self, question: Question, positions: Collection[int]) -> list[str]:
        """The values of the options at these positions, in the declared order."""
        return [option.value for at, option in enumerate(question.options) if at in positions]

    def option_notes(self, question: Question, notes: Mapping[int, str]) -> dict[str, str]:
        """Notes by the value of their option."""
        return {question.options[at].value: note for at, note in notes.items() if note}

    # What the bridge sends

    def respond(self, form: Form, response: dict[str, Any]) -> None:
        """Bring a response back the way that the form came."""
        if form.opened is None:
            self.submit(form, response)
        else:
            self.resolve(form.opened, response)

    def submit(self, form: Form, response: dict[str, Any]) -> None:
        """Emit a submit; its result may arrive before this returns."""
        submission = self.submission(form, response)
        key = self.pending_key(form.namespace, submission["requestId"], form.flow_id)
        self.pending[key] = form
        self.bus.emit(self.channel(form), submission)

    def submission(self, form: Form, response: dict[str, Any]) -> dict[str, Any]:
        """The record of a submit."""
        return {
            "version": 1,
            "requestId": self.request_id(),
            "flowId": form.flow_id,
            "response": response,
        }

    def channel(self, form: Form) -> str:
        """Where to submit: in the namespace in which the flow started."""
        return f"{form.namespace}:submit"

    def request_id(self) -> str:
        """A fresh name for a submit, unlike those of other lives and of other bridges."""
        return os.urandom(12).hex()

    def pending_key(self, namespace: str, request_id: str, flow_id: str) -> Hashable:
        """What relates a result to its submit."""
        return namespace, request_id, flow_id

    # The provider

    def on_external_ui(self, namespace: str, connection: Any) -> None:
        """Offer a provider while the event is being delivered; later is too late."""
        if self.may_offer(connection):
            offer = Offer(namespace)
            offer.taken = connection["connect"](self.provider(offer))

    def may_offer(self, connection: Any) -> bool:
        """Whether to offer a provider: only for a device that is there, and in a known version."""
        return is_version_1(connection) and self.transport.connected

    def provider(self, offer: Offer) -> dict[str, Any]:
        """The record of a provider."""
        return {"version": 1, "id": PROVIDER_ID, "open": partial(self.open, offer)}

    def open(self, offer: Offer, request: Mapping[str, Any]) -> Deferred:
        """Show the form of a request; the human's response resolves what this returns."""
        opened = Deferred()
        try:
            self.open_form(offer, request, opened)
        except Exception as error:  # noqa: BLE001 - whatever fails, the host must not wait for ever
            opened.set_exception(error)
        return opened

    def open_form(self, offer: Offer, request: Mapping[str, Any], opened: Deferred) -> None:
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
        """Whether to show a form for a connection: not for one that took another provider."""
        return offer.taken is not False and bool(self.listening) and is_version_1(request)

    def resolve(self, opened: Deferred, response: dict[str, Any]) -> None:
        """Resolve `open` with what the human did, explicitly."""
        opened.set_result(response)

    def on_abort(self, form: Form) -> None:
        """Close the form of a request that is over; nothing can be sent for it afterwards."""
        self.close(form)

    def line_changed(self) -> None:
        """Show what has waited for the line, or give up what was opened over it."""
        for form in list(self.forms.values()):
            if self.transport.connected:
                self.show(form)
            else:
                self.fail(form)

    def fail(self, form: Form) -> None:
        """Reject what was opened: nobody said no, there is just no way to the human any more."""
        if form.opened is not None and not form.over:
            form.opened.set_exception(ConnectionError("the human cannot be reached any more"))


def is_version_1(record: Any) -> bool:
    """Whether a record is one of the version that this bridge knows; true and 1.0 are not 1."""
    return (
        isinstance(record, dict) and type(record.get("version")) is int and record["version"] == 1
    )
