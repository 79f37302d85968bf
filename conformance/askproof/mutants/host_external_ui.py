"""Mutants of the host around its external UI (EVT-140 to EVT-157)."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from askproof.mutants import breaks
from askproof_reference import results, submits
from askproof_reference.deferred import Deferred, Signal
from askproof_reference.host import AskHost
from askproof_reference.host_adapter import HostAdapter
from askproof_reference.negotiation import Negotiation
from askproof_reference.questions import InputReader
from askproof_reference.submits import FLOW_NOT_FOUND, Refusal

if TYPE_CHECKING:
    from askproof_reference.flows import Ask, Flow
    from askproof_reference.records import Record

# Looking for a provider


@breaks("EVT-140", "ask-host", AskHost, "needs_provider", each={"json": "json", "print": "print"})
def looks_for_nobody_in_mode(original: Any, mode: str, self: AskHost, ask: Ask) -> Any:
    """Looks for no provider in mode {}."""
    return original(self, ask) and ask.mode != mode


@breaks("EVT-140", "ask-host", AskHost, "needs_provider")
def looks_around_once(original: Any, self: AskHost, ask: Ask) -> Any:
    """Looks for no provider any more after a call that found none."""
    return original(self, ask) and vars(self).setdefault("asker", ask) is ask


@breaks("EVT-140", "ask-host", AskHost, "find_provider", "EVT-147")
def looks_around_twice(original: Any, self: AskHost, ask: Ask) -> Any:
    """Looks for a provider again if none has connected."""
    return original(self, ask) or original(self, ask)


NEEDS: dict[str, Any] = {
    "in-the-terminal": lambda ask: ask.mode == "tui" and ask.source == "tool",
    "in-the-background": lambda ask: ask.background and ask.mode != "tui",
    "for-a-command": lambda ask: ask.source != "tool" and ask.mode != "tui",
}


@breaks("EVT-141", "ask-host", AskHost, "needs_provider", each=NEEDS)
def looks_for_a_provider(original: Any, needs: Any, self: AskHost, ask: Ask) -> Any:
    """Looks for a provider {}."""
    return original(self, ask) or needs(ask)


CONNECTIONS: dict[str, Any] = {
    "of-mode-rpc-always": lambda made: {**made, "mode": "rpc"},
    "with-its-call-folded": lambda made: {**made, "toolCallId": made["toolCallId"].lower()},
    "without-its-call": lambda made: {k: v for k, v in made.items() if k != "toolCallId"},
}


@breaks("EVT-142", "ask-host", AskHost, "connection", each=CONNECTIONS)
def emits_external_ui(original: Any, change: Any, self: AskHost, *given: Any) -> Any:
    """Emits external-ui {}."""
    return change(original(self, *given))


# Connecting


@breaks("EVT-143", "ask-host", Negotiation, "is_valid")
def refuses_ids_with_spaces(original: Any, self: Negotiation, provider: Any) -> Any:
    """Turns away a provider whose id has spaces around it."""
    return original(self, provider) and provider["id"] == provider["id"].strip()


MENDED = {"version": {"version": 1}, "id": {"id": "phone"}, "open": {"open": print}}


@breaks("EVT-144", "ask-host", Negotiation, "is_valid", each=MENDED)
def overlooks_the(original: Any, mended: Record, self: Negotiation, provider: Any) -> Any:
    """Takes a provider whatever its {} is."""
    return original(self, {**provider, **mended} if isinstance(provider, dict) else provider)


@breaks("EVT-144", "ask-host", Negotiation, "is_valid")
def fails_on_what_is_no_provider(original: Any, self: Negotiation, provider: Any) -> Any:
    """Fails when something that is no object connects."""
    return original(self, {**provider})


@breaks("EVT-144", "ask-host", Negotiation, "connect")
def looks_at_one_provider(original: Any, self: Negotiation, provider: Any) -> Any:
    """Looks at no other provider after the first one that connects."""
    taken = original(self, provider)
    self.over = True
    return taken


@breaks("EVT-145", "ask-host", Negotiation, "connect")
def says_yes_to_everybody(original: Any, self: Negotiation, provider: Any) -> Any:
    """Says yes to every valid provider, and opens the first."""
    return original(self, provider) or (self.is_taken() and self.is_valid(provider))


@breaks("EVT-145", "ask-host", Negotiation, "connect")
def opens_everybody(original: Any, self: Negotiation, provider: Any) -> Any:
    """Opens every valid provider, and says yes to the first."""
    first = self.open
    taken = original(self, provider)
    if first is not None and not self.is_late() and self.is_valid(provider):
        self.open = lambda request: (provider["open"](request), first(request))[1]
    return taken


@breaks("EVT-146", "ask-host", Negotiation, "is_late")
def says_yes_to_the_late(original: Any, self: Negotiation) -> Any:
    """Says yes to a provider that connects when the listeners have returned."""
    return False


@breaks("EVT-147", "ask-host", AskHost, "find_provider")
def waits_for_nobody(original: Any, self: AskHost, ask: Ask) -> Any:
    """Opens a flow that nobody shows."""
    return original(self, ask) or (lambda request: Deferred())


FALLBACKS: dict[str, Any] = {
    "an-answer": lambda result: {**result, "cancelled": False},
    "a-choice": lambda result: {**result, "answers": {
        question["id"]: {"values": [], "labels": [], "indices": [1]} for question in result["questions"]
    }},
}


@breaks("EVT-147", "ask-host", AskHost, "without_flow", each=FALLBACKS)
def returns_for_nobody(original: Any, change: Any, self: AskHost, result: Record) -> Any:
    """Returns {} for a call that nobody saw."""
    return original(self, result if "error" in result else change(result))


# The request


REQUESTS: dict[str, Any] = {
    "without-its-title": lambda made, flow: {k: v for k, v in made.items() if k != "title"},
    "of-another-flow": lambda made, flow: {**made, "flowId": f"ui:{flow.id}"},
    "without-its-call": lambda made, flow: {k: v for k, v in made.items() if k != "toolCallId"},
}


@breaks("EVT-148", "ask-host", AskHost, "request", each=REQUESTS)
def hands_out_a_form(original: Any, change: Any, self: AskHost, flow: Flow) -> Any:
    """Hands a provider the form {}."""
    return change(original(self, flow), flow)


@breaks("EVT-149", "ask-host", AskHost, "request")
def hands_out_its_own_questions(original: Any, self: AskHost, flow: Flow) -> Any:
    """Hands a provider the questions of the flow, and no copies."""
    return {**original(self, flow), "questions": flow.form.questions}


@breaks("EVT-149", "ask-host", AskHost, "open_externally")
def reads_the_request_again(original: Any, self: AskHost, flow: Flow, open_form: Any) -> None:
    """Takes the id of a flow from the request that it has handed out."""
    handed: list[Record] = []
    original(self, flow, lambda request: (handed.append(request), open_form(request))[1])
    self.completed = lambda *given: {**AskHost.completed(self, *given), "flowId": handed[0]["flowId"]}


@breaks("EVT-150", "ask-host", InputReader, "read_file")
def hands_out_a_path(original: Any, self: InputReader, name: str) -> Any:
    """Hands on the path of a preview file in place of its text."""
    return name


@breaks("EVT-150", "ask-host", InputReader, "option")
def hands_out_a_path_too(original: Any, self: InputReader, given: Record, *more: Any) -> Any:
    """Hands on the path of a preview file beside its text."""
    path = {"previewFile": given["previewFile"]} if "previewFile" in given else {}
    return {**original(self, given, *more), **path}


# What open resolves with


@breaks("EVT-151", "ask-host", HostAdapter, "do_advance", "EVT-052", "EVT-155")
def does_not_wait(original: Any, self: HostAdapter, arguments: Record) -> None:
    """Lets a call return while its form is open elsewhere."""
    original(self, arguments)
    for flow in self._host.flows.values():
        if flow.ask.mode != "tui":
            flow.outcome.set_result(results.cancelled(flow.form))


REFUSED: dict[str, Any] = {
    "a-cancel": lambda given: given["kind"] == "cancel",
    "an-elaboration": lambda given: given.get("mode") == "elaborate",
    "empty-answers": lambda given: given.get("answers") == {},
}


@breaks("EVT-152", "ask-host", AskHost, "check_response", each=REFUSED)
def takes_from_submits_only(original: Any, is_refused: Any, self: AskHost, *given: Any) -> None:
    """Refuses from a provider {}."""
    original(self, *given)
    submits.require(not is_refused(given[1]), "a provider cannot say that")


@breaks("EVT-152", "ask-host", AskHost, "on_response")
def takes_labels_of_a_provider(original: Any, self: AskHost, flow: Flow, response: Any) -> None:
    """Takes the labels for those of the options that a provider sends along."""
    for question in flow.form.questions:
        entry = response["answers"].get(question["id"], {}) if "answers" in (response or ()) else {}
        for option in question["options"]:
            if option["value"] in entry.get("values", []):
                option["label"] = entry.get("labels", [option["label"]])[0]
    original(self, flow, response)


GUESSES: dict[str, Any] = {
    "nothing": lambda given: given or {"kind": "cancel"},
    "any-text": lambda given: YES if isinstance(given, str) else given,
    "a-submit": lambda given: given["response"] if "response" in (given or ()) else given,
    "values-without-a-kind": lambda given: mended(given, "kind", None, "answer"),
    "another-kind": lambda given: YES if mended(given, "kind", "approve", "") != given else given,
    "another-mode": lambda given: mended(given, "mode", "approve", "submit"),
    "no-answers": lambda given: mended(given, "answers", None, {}),
    "what-was-not-offered": lambda given: YES if "maybe" in str(given) else given,
    "what-was-not-asked": lambda given: YES if "other" in str(given) else given,
}
YES = {"kind": "answer", "answers": {"deploy": {"values": ["yes"]}}}


def mended(given: Any, member: str, wrong: Any, right: Any) -> Any:
    """A response with a right member in place of one that is wrong, or not there for None."""
    if isinstance(given, dict) and given.get(member) == wrong:
        return {**given, member: right}
    return given


@breaks("EVT-153", "ask-host", AskHost, "on_response", each=GUESSES)
def takes_for_a_response(original: Any, guess: Any, self: AskHost, flow: Flow, given: Any) -> None:
    """Makes a response of {}."""
    original(self, flow, guess(given))


CANCELS: dict[str, Any] = {"cancels": lambda host, flow: host.cancel(flow)}
WAITS: dict[str, Any] = {"waits-on": lambda host, flow: None}


@breaks("EVT-153", "ask-host", AskHost, "on_invalid", "EVT-054", each=CANCELS)
@breaks("EVT-153", "ask-host", AskHost, "on_invalid", each=WAITS)
def after_an_invalid_response(original: Any, end: Any, self: AskHost, flow: Flow, _: Any) -> None:
    """After an invalid response the host {}."""
    end(self, flow)


@breaks("EVT-154", "ask-host", AskHost, "on_rejected", "EVT-054", each=CANCELS)
@breaks("EVT-154", "ask-host", AskHost, "on_rejected", each=WAITS)
def after_a_rejection(original: Any, end: Any, self: AskHost, flow: Flow, _: Any) -> None:
    """After a rejection the host {}."""
    end(self, flow)


@breaks("EVT-154", "ask-host", AskHost, "on_rejected")
def believes_an_error(original: Any, self: AskHost, flow: Flow, error: Exception) -> None:
    """Cancels when a provider rejects because something was cancelled."""
    if "cancelled" in str(error):
        self.cancel(flow)
    else:
        original(self, flow, error)


# The signal, and what comes after it


@breaks("EVT-155", "ask-host", AskHost, "complete", each={"a-result": None})
@breaks("EVT-155", "ask-host", AskHost, "fail", each={"a-failure": None})
@breaks("EVT-155", "ask-host", AskHost, "cancel", each={"a-cancel": None})
@breaks("EVT-155", "ask-host", AskHost, "dispose", each={"its-session": None})
def keeps_the_signal_after(original: Any, _: Any, self: AskHost, flow: Flow, *given: Any) -> None:
    """Does not abort the signal of a flow after {}."""
    flow.signal = Signal()
    original(self, flow, *given)


@breaks("EVT-155", "ask-host", AskHost, "refuse")
def aborts_the_signal_on_a_refusal(original: Any, self: AskHost, payload: Any, why: Any) -> None:
    """Aborts the signal of a flow after a submit that it refuses."""
    original(self, payload, why)
    flow = self.flows.get(self.echo(payload, "flowId"))
    if flow is not None:
        self.abort_signal(flow)


@breaks("EVT-155", "ask-host", HostAdapter, "do_advance", "EVT-052")
def aborts_the_signal_after_a_second(original: Any, self: HostAdapter, arguments: Record) -> None:
    """Aborts the signal of a flow that has been open for a second."""
    original(self, arguments)
    for flow in self._host.flows.values():
        if self._now - flow.created_at > 1000:  # noqa: PLR2004
            self._host.abort_signal(flow)


LATE: dict[str, Any] = {
    "an-answer": lambda pending: "answers" in (pending.result() or ()),
    "a-cancel": lambda pending: "answers" not in (pending.result() or ("answers",)),
    "an-error": lambda pending: True,
}


@breaks("EVT-156", "ask-host", AskHost, "on_settled", each=LATE)
def heeds_late(original: Any, heeds: Any, self: AskHost, flow: Flow, pending: Any) -> None:
    """Emits completed again after {} that comes too late."""
    failed = pending.exception() is not None
    if not self.is_active(flow) and failed == (heeds is LATE["an-error"]) and heeds(pending):
        self.emit_completed(flow, results.cancelled(flow.form))
    original(self, flow, pending)


@breaks("EVT-157", "ask-host", AskHost, "emit_started")
def announces_terminals_only(original: Any, self: AskHost, flow: Flow) -> None:
    """Emits no started for a form that a provider shows."""
    if flow.ask.mode == "tui":
        original(self, flow)


@breaks("EVT-157", "ask-host", AskHost, "emit_started")
def takes_submits_after_open_only(original: Any, self: AskHost, flow: Flow) -> None:
    """Refuses submits while a provider has not opened the form yet."""
    if flow.ask.mode != "tui":
        self.deactivate(flow)
    original(self, flow)
    self.activate(flow)


@breaks("EVT-157", "ask-host", AskHost, "find_flow")
def takes_answers_of_its_provider_only(original: Any, self: AskHost, flow_id: str) -> Any:
    """Refuses submits for a form that a provider shows."""
    flow = original(self, flow_id)
    if flow.ask.mode != "tui":
        raise Refusal(FLOW_NOT_FOUND, "the form is open elsewhere")
    return flow
