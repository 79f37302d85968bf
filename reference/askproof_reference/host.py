"""The ask host: opens questions as flows, takes submits, and gives the tool call its result.

Each rule of the specification has a small method or function of its own, here and in the modules
that this one uses: `questions` reads the input, `negotiation` finds a provider, `submits` checks,
`results` computes.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

from askproof_reference import questions, results, submits
from askproof_reference.bus import EventBus
from askproof_reference.deferred import Deferred
from askproof_reference.flows import Ask, Flow
from askproof_reference.negotiation import Negotiation
from askproof_reference.questions import Form, InputReader
from askproof_reference.records import VERSION, Record, record
from askproof_reference.results import Answers
from askproof_reference.submits import FLOW_NOT_FOUND, INVALID_ANSWER, Refusal


class AskHost:
    """A host on a bus, under a namespace of its own.

    Attributes:
        flows: the active flows by id.
        after_abort: the variant: whether `completed` follows an abort, `cancelled`, or `none` does.
    """

    after_abort = "cancelled"

    def __init__(self, bus: EventBus, namespace: str, clock: Callable[[], int]) -> None:
        self.bus = bus
        self.namespace = namespace
        self.clock = clock
        self.flows: dict[str, Flow] = {}
        self.used_ids: set[str] = set()
        self.unsubscribe = self.listen()

    # Its life

    def listen(self) -> Callable[[], None]:
        """Take submits on the own channel, and on no other (EVT-012)."""
        return self.bus.on(self.channel("submit"), self.on_submit)

    def end_session(self) -> None:
        """Dispose of the active flows; submits for them are answered as any other (EVT-056)."""
        for flow in list(self.flows.values()):
            self.dispose(flow)

    def close(self) -> None:
        """End the session, and stop listening: the next life does (EVT-057)."""
        self.end_session()
        self.unsubscribe()

    # Asking

    def ask(self, ask: Ask) -> Deferred:
        """Ask a human; the outcome comes when the flow ends (EVT-151)."""
        reader = self.input_reader(ask)
        form = reader.form(ask.input)
        if reader.faults:
            return self.without_flow(results.invalid(reader.faults))
        form = self.presented(ask, form)
        open_form = self.find_provider(ask) if self.needs_provider(ask) else None
        if ask.signal.aborted or (ask.mode != "tui" and open_form is None):
            return self.without_flow(results.cancelled(form))
        flow = self.open_flow(ask, form)
        if open_form is not None:
            self.open_externally(flow, open_form)
        return flow.outcome

    def input_reader(self, ask: Ask) -> InputReader:
        """What reads the input of an ask."""
        return InputReader(ask.folder)

    def presented(self, ask: Ask, form: Form) -> Form:
        """The form as it is shown (EVT-046)."""
        return questions.as_multi(form) if ask.single_as_multi else form

    def without_flow(self, result: Record) -> Deferred:
        """The outcome of an ask that opens no flow (EVT-031, EVT-147)."""
        outcome = Deferred()
        outcome.set_result(result)
        return outcome

    def open_flow(self, ask: Ask, form: Form) -> Flow:
        """Open a flow, and say so when it takes submits (EVT-040)."""
        flow = Flow(self.new_flow_id(ask), ask, form, self.clock())
        self.activate(flow)
        ask.signal.on_abort(partial(self.abort, flow))
        self.emit_started(flow)
        return flow

    def new_flow_id(self, ask: Ask) -> str:
        """An id that no flow has or had, so that a late answer finds no other flow (EVT-048)."""
        base = "flow" if ask.tool_call_id is None else f"tool:{ask.tool_call_id}"
        flow_id, number = base, 1
        while flow_id in self.used_ids:
            number += 1
            flow_id = f"{base}#{number}"
        return flow_id

    # The external UI

    def needs_provider(self, ask: Ask) -> bool:
        """Whether to look for an external UI (EVT-140, EVT-141)."""
        return ask.mode != "tui" and not ask.background and self.is_tool_call(ask)

    def is_tool_call(self, ask: Ask) -> bool:
        """Whether an ask came from a tool call."""
        return ask.source == "tool" and ask.tool_call_id is not None

    def find_provider(self, ask: Ask) -> Callable[[Record], Any] | None:
        """Look for a provider while the listeners run, and return how to open a form there."""
        negotiation = Negotiation()
        self.emit("external-ui", self.connection(ask, negotiation))
        negotiation.over = True
        return negotiation.open

    def open_externally(self, flow: Flow, open_form: Callable[[Record], Any]) -> None:
        """Let the provider show the form, unless a listener of `started` has ended the flow."""
        if not self.is_active(flow):
            return
        try:
            pending = open_form(self.request(flow))
            pending.add_done_callback(partial(self.on_settled, flow))
        except Exception as error:  # noqa: BLE001 - the provider may fail in any way
            self.on_rejected(flow, error)

    def on_settled(self, flow: Flow, pending: Any) -> None:
        """Take what `open` came to, unless it comes too late."""
        if not self.heeds_provider(flow):
            return
        try:
            response = pending.result()
        except Exception as error:  # noqa: BLE001 - the provider may fail in any way
            self.on_rejected(flow, error)
        else:
            self.on_response(flow, response)

    def heeds_provider(self, flow: Flow) -> bool:
        """Whether what a provider says still counts (EVT-156)."""
        return self.is_active(flow)

    def on_response(self, flow: Flow, response: Any) -> None:
        """Take what `open` resolved with like the response of a submit (EVT-152)."""
        try:
            self.check_response(flow, response)
            self.apply(flow, response)
        except Exception as error:  # noqa: BLE001 - the call must end in any case
            self.on_invalid(flow, error)

    def check_response(self, flow: Flow, response: Any) -> None:
        """Check what `open` resolved with by the rules of a submit (EVT-152)."""
        submits.check_response(response)
        submits.check_answer(response, flow.form.questions)

    def on_rejected(self, flow: Flow, error: Exception) -> None:
        """The external UI failed (EVT-154)."""
        self.fail(flow, f"the external UI failed: {error}")

    def on_invalid(self, flow: Flow, error: Exception) -> None:
        """The external UI returned what cannot be taken (EVT-153)."""
        self.fail(flow, f"the external UI returned an invalid response: {error}")

    # Submits

    def on_submit(self, payload: Any) -> None:
        """Answer a submit, whatever it is, once (EVT-070)."""
        try:
            flow = self.check_submit(payload)
            self.apply(flow, payload["response"])
        except Refusal as refusal:
            self.refuse(payload, refusal)
        except Exception as error:  # noqa: BLE001 - a host that says nothing hangs its bridges
            self.on_failure(payload, error)
        else:
            self.accept(payload)

    def check_submit(self, payload: Any) -> Flow:
        """Check a submit: the envelope, the flow, the answer (EVT-074)."""
        submits.check_envelope(payload)
        flow = self.find_flow(payload["flowId"])
        submits.check_answer(payload["response"], flow.form.questions)
        return flow

    def find_flow(self, flow_id: str) -> Flow:
        """The active flow of this id (EVT-071)."""
        if flow_id not in self.flows:
            raise Refusal(FLOW_NOT_FOUND, "the flow is not active")
        return self.flows[flow_id]

    def accept(self, payload: Record) -> None:
        """Say that a submit was taken (EVT-070)."""
        self.emit("submit-result", {**self.submit_result(payload), "ok": True})

    def refuse(self, payload: Any, refusal: Refusal) -> None:
        """Say that a submit was not taken, and leave everything as it is (EVT-086, EVT-092)."""
        said = {"ok": False, "error": refusal.code, "message": str(refusal)}
        self.emit("submit-result", {**self.submit_result(payload), **said})

    def on_failure(self, payload: Record, error: Exception) -> None:
        """Say that a submit could not be applied (EVT-091)."""
        self.refuse(payload, Refusal(INVALID_ANSWER, f"the answer could not be applied: {error}"))

    def submit_result(self, payload: Any) -> Record:
        """What both results of a submit begin with."""
        return {
            "version": VERSION,
            "requestId": self.echo(payload, "requestId"),
            "flowId": self.echo(payload, "flowId"),
        }

    def echo(self, payload: Any, member: str) -> str:
        """An id of a submit as it is, or the empty string where it is none (EVT-073)."""
        value = payload.get(member) if isinstance(payload, dict) else None
        return value if isinstance(value, str) else ""

    # Answers

    def apply(self, flow: Flow, response: Record) -> None:
        """Let a checked response end its flow; it is taken whole."""
        if self.is_cancel(response):
            self.cancel(flow)
        else:
            self.finish(flow, self.new_answers(flow, response), self.answer_mode(response))

    def is_cancel(self, response: Record) -> bool:
        """Whether a response cancels, explicitly (EVT-089)."""
        return bool(response["kind"] == "cancel")

    def new_answers(self, flow: Flow, response: Record) -> Answers:
        """The answers of a response; nothing of what the terminal had is kept (EVT-088)."""
        return results.read_answers(response["answers"], flow.form.questions)

    def answer_mode(self, response: Record) -> str:
        """The mode of an answer (EVT-093)."""
        mode: str = response.get("mode", "submit")
        return mode

    # The person at the terminal

    def fill(self, flow: Flow, entries: Record) -> None:
        """Make these the current answers of a form that stays open."""
        flow.answers = results.read_answers(entries, flow.form.questions)

    def finish(self, flow: Flow, answers: Answers, mode: str) -> None:
        """End a flow as answered."""
        self.complete(flow, results.answered(flow.form, answers, mode))

    def cancel(self, flow: Flow) -> None:
        """End a flow as cancelled."""
        self.complete(flow, results.cancelled(flow.form))

    # The ends of a flow

    def complete(self, flow: Flow, result: Record) -> None:
        """End a flow with a result (EVT-050, EVT-051)."""
        self.deactivate(flow)
        self.emit_completed(flow, result)
        self.return_result(flow, result)
        self.abort_signal(flow)

    def abort(self, flow: Flow) -> None:
        """End a flow whose operation was aborted (EVT-055)."""
        if not self.is_active(flow):
            return
        if self.after_abort == "none":
            self.dispose(flow)
        else:
            self.complete(flow, results.cancelled(flow.form))

    def fail(self, flow: Flow, message: str) -> None:
        """End a flow whose external UI failed; nobody has said no (EVT-053, EVT-054)."""
        self.deactivate(flow)
        flow.outcome.set_exception(RuntimeError(message))
        self.abort_signal(flow)

    def dispose(self, flow: Flow) -> None:
        """End a flow with its session (EVT-056)."""
        self.deactivate(flow)
        self.return_result(flow, results.cancelled(flow.form))
        self.abort_signal(flow)

    def activate(self, flow: Flow) -> None:
        """Let a flow take submits from now on."""
        self.flows[flow.id] = flow
        self.used_ids.add(flow.id)

    def deactivate(self, flow: Flow) -> None:
        """Let a flow take no more submits, and touch no other (EVT-049)."""
        self.flows.pop(flow.id, None)

    def is_active(self, flow: Flow) -> bool:
        """Whether a flow has not ended yet."""
        return self.flows.get(flow.id) is flow

    def return_result(self, flow: Flow, result: Record) -> None:
        """Give the tool call a result of its own (EVT-051, EVT-058)."""
        flow.outcome.set_result(deepcopy(result))

    def abort_signal(self, flow: Flow) -> None:
        """Tell a provider that the flow has ended (EVT-155)."""
        flow.signal.abort()

    # What is emitted and handed out

    def emit(self, name: str, payload: Record) -> None:
        """Emit an event; what its listeners do with it is their affair (EVT-014)."""
        self.bus.emit(self.channel(name), payload)

    def channel(self, name: str) -> str:
        """A channel of this host (EVT-001)."""
        return f"{self.namespace}:{name}"

    def emit_started(self, flow: Flow) -> None:
        """Say that a flow has opened (EVT-040)."""
        self.emit("started", self.started(flow))

    def emit_completed(self, flow: Flow, result: Record) -> None:
        """Say that a flow has ended with a result (EVT-050)."""
        self.emit("completed", self.completed(flow, result))

    def started(self, flow: Flow) -> Record:
        """The record of `started`, with copies of the questions (EVT-041 to EVT-045, EVT-058)."""
        return record(
            version=VERSION,
            flowId=flow.id,
            toolCallId=flow.ask.tool_call_id,
            source=flow.ask.source,
            title=flow.form.title,
            questions=deepcopy(flow.form.questions),
            createdAt=flow.created_at,
        )

    def completed(self, flow: Flow, result: Record) -> Record:
        """The record of `completed`, with a copy of the result (EVT-041 to EVT-044, EVT-058)."""
        return record(
            version=VERSION,
            flowId=flow.id,
            toolCallId=flow.ask.tool_call_id,
            source=flow.ask.source,
            result=deepcopy(result),
            completedAt=self.clock(),
        )

    def connection(self, ask: Ask, negotiation: Negotiation) -> Record:
        """The record of `external-ui` (EVT-142)."""
        return {
            "version": VERSION,
            "mode": ask.mode,
            "toolCallId": ask.tool_call_id,
            "connect": negotiation.connect,
        }

    def request(self, flow: Flow) -> Record:
        """What `open` is handed, with copies of the questions (EVT-148, EVT-149)."""
        return record(
            version=VERSION,
            flowId=flow.id,
            toolCallId=flow.ask.tool_call_id,
            title=flow.form.title,
            questions=deepcopy(flow.form.questions),
            signal=flow.signal,
        )
