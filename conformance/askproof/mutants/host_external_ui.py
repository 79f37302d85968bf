"""Mutants of the host around its external UI (EVT-140 to EVT-157)."""

from __future__ import annotations

from functools import partial
from typing import Any

from askproof.mutants import breaks, families
from askproof.mutants.host_life import PATH, drop, in_questions, put
from askproof_reference import results
from askproof_reference.deferred import Deferred, Signal
from askproof_reference.host import AskHost
from askproof_reference.negotiation import Negotiation
from askproof_reference.questions import InputReader
from askproof_reference.submits import FLOW_NOT_FOUND, Refusal

ROLE = "ask-host"
YES = {"kind": "answer", "answers": {"deploy": {"values": ["yes"]}}}

of_host = partial(families, ROLE, AskHost)
of_negotiation = partial(families, ROLE, Negotiation)

# Looking for a provider


@of_host(
    "needs_provider",
    EVT_140={
        "never-in-mode-json": lambda self, ask, needs: needs and ask.mode != "json",
        "never-in-mode-print": lambda self, ask, needs: needs and ask.mode != "print",
        "once": lambda self, ask, needs: needs and self.__dict__.setdefault("first", ask) is ask,
    },
    EVT_141={
        "without-a-call": lambda self, ask, needs: (
            needs or (ask.mode != "tui" and ask.source == "tool" and not ask.background)
        ),
        "in-the-background": lambda self, ask, needs: needs or ask.background,
        "for-commands": lambda self, ask, needs: ask.mode != "tui" and not ask.background,
    },
    EVT_141_014_140={
        "in-the-terminal": lambda self, ask, needs: ask.source == "tool" and not ask.background,
    },
)
def looks_for_a_provider(original: Any, needs: Any, self: Any, ask: Any) -> Any:
    """Looks for a provider {}."""
    return needs(self, ask, original(self, ask))


@of_host(
    "find_provider",
    EVT_140_143_147={"looks-again": lambda found, find: found or find()},
    EVT_147={"waits-for-one": lambda found, find: found or (lambda request: Deferred())},
)
def without_a_provider(original: Any, otherwise: Any, self: Any, ask: Any) -> Any:
    """Where no provider connects, {}."""
    return otherwise(original(self, ask), lambda: original(self, ask))


@of_host(
    "connection",
    EVT_142={
        "with-mode-rpc": put(mode="rpc"),
        "with-its-call-folded": lambda made: put(toolCallId=made["toolCallId"].lower())(made),
        "without-its-call": drop("toolCallId"),
    },
)
def emits_external_ui(original: Any, change: Any, self: Any, *given: Any) -> Any:
    """Emits external-ui {}."""
    return change(original(self, *given))


@of_host(
    "without_flow",
    EVT_147={
        "an-answer": put(cancelled=False),
        "a-choice": put(answers={"deploy": {"values": ["yes"], "labels": ["Yes"], "indices": [1]}}),
    },
)
def returns_for_nobody(original: Any, change: Any, self: Any, result: Any) -> Any:
    """Returns {} for a call that nobody saw."""
    return original(self, result if "error" in result else change(result))


# Connecting


@breaks("EVT-143", ROLE, Negotiation, "is_valid")
def refuses_an_id_with_spaces(original: Any, self: Any, provider: Any) -> Any:
    """Turns away a provider whose id has spaces around it."""
    return original(self, provider) and " " not in provider["id"]


@of_negotiation(
    "is_valid",
    EVT_144={"version": put(version=1), "id": put(id="phone"), "open": put(open=print)},
)
def overlooks_the(original: Any, mend: Any, self: Any, provider: Any) -> Any:
    """Takes a provider whatever its {} is."""
    return original(self, mend(provider) if isinstance(provider, dict) else provider)


@breaks("EVT-144", ROLE, Negotiation, "is_valid")
def fails_on_what_is_no_provider(original: Any, self: Any, provider: Any) -> Any:
    """Fails when something connects that is no object."""
    return original(self, {**provider})


@of_negotiation(
    "connect",
    EVT_144={"the-first": lambda self, given: self.__dict__.update(over=True)},
    EVT_145={"every-valid-one": lambda self, given: self.is_taken() and self.is_valid(given)},
    EVT_145_143={
        "the-last-valid-one": lambda self, given: (
            self.__dict__.update(open=given["open"]) if self.is_valid(given) else None
        )
    },
)
def takes_a_provider(original: Any, also: Any, self: Any, provider: Any) -> Any:
    """Takes of several providers {}."""
    taken = original(self, provider)
    return bool(also(self, provider)) or taken


@breaks("EVT-146", ROLE, Negotiation, "is_late")
def takes_a_late_provider(original: Any, self: Any) -> Any:
    """Says yes to a provider that connects when the listeners have returned."""
    return False


# The request


@of_host(
    "request",
    EVT_003={"of-version-2": put(version=2)},
    EVT_005={"with-a-path": put(file=PATH)},
    EVT_046={"without-the-presented-type": in_questions(drop("presentedType"))},
    EVT_148={
        "without-its-title": drop("title"),
        "without-its-call": drop("toolCallId"),
        "of-another-flow": lambda made: put(flowId=f"ui:{made['flowId']}")(made),
    },
)
def requests(original: Any, change: Any, self: Any, flow: Any) -> Any:
    """Hands a provider a request {}."""
    return change(original(self, flow))


@breaks("EVT-149", ROLE, AskHost, "request")
def hands_out_its_questions(original: Any, self: Any, flow: Any) -> Any:
    """Hands a provider the questions of the flow, and no copies."""
    return {**original(self, flow), "questions": flow.form.questions}


@breaks("EVT-150", ROLE, InputReader, "read_file")
def hands_out_a_path(original: Any, self: Any, name: str) -> Any:
    """Hands on the path of a preview file in place of its text."""
    return name


@breaks("EVT-150", ROLE, InputReader, "option")
def hands_out_a_path_too(original: Any, self: Any, given: Any, *more: Any) -> Any:
    """Hands on the path of a preview file beside its text."""
    paths = {"previewFile": given["previewFile"]} if "previewFile" in given else {}
    return {**original(self, given, *more), **paths}


# What open resolves with


def mended(member: str, wrong: Any, right: Any) -> Any:
    """How a response gets a right member in place of one that is wrong, or None for not there."""
    return lambda given: {**given, member: right} if given.get(member) == wrong else given


@of_host(
    "on_response",
    EVT_152={
        "a-cancel": mended("kind", "cancel", ""),
        "an-elaboration": mended("mode", "elaborate", ""),
        "empty-answers": mended("answers", {}, None),
    },
    EVT_153={
        "a-submit": lambda given: given.get("response", given),
        "values-without-a-kind": mended("kind", None, "answer"),
        "another-kind": lambda given: YES if given.get("kind") == "approve" else given,
        "another-mode": mended("mode", "approve", "submit"),
        "an-answer-without-answers": mended("answers", None, {}),
        "an-answer-to-nothing": lambda given: YES if "other" in given.get("answers", {}) else given,
    },
    EVT_153_054={"what-was-not-offered": lambda given: YES if "maybe" in str(given) else given},
)
def misreads(original: Any, read: Any, self: Any, flow: Any, given: Any) -> None:
    """Misreads {} from a provider."""
    original(self, flow, read(given) if isinstance(given, dict) else given)


@of_host(
    "on_response",
    EVT_153={"nothing": (None, {"kind": "cancel"}), "a-text": ("yes", YES)},
)
def makes_a_response_of(original: Any, reading: Any, self: Any, flow: Any, given: Any) -> None:
    """Makes a response of {}."""
    original(self, flow, reading[1] if given == reading[0] else given)


@breaks("EVT-152", ROLE, AskHost, "on_response")
def takes_labels_of_a_provider(original: Any, self: Any, flow: Any, given: Any) -> None:
    """Calls the chosen options what a provider calls them."""
    entries = given.get("answers", {}) if isinstance(given, dict) else {}
    for question in flow.form.questions:
        for option in question["options"]:
            entry = entries.get(question["id"], {})
            if option["value"] in entry.get("values", []):
                option["label"] = entry.get("labels", [option["label"]])[0]
    original(self, flow, given)


@of_host(
    "on_invalid",
    EVT_153_054={"a-fault-as-a-cancel": AskHost.cancel},
    EVT_153={"a-fault-as-nothing": AskHost.is_active},
)
@of_host(
    "on_rejected",
    EVT_154_054={"a-failure-as-a-cancel": AskHost.cancel},
    EVT_154={"a-failure-as-nothing": AskHost.is_active},
)
def treats(original: Any, end: Any, self: Any, flow: Any, error: Any) -> None:
    """Treats {}."""
    end(self, flow)


@breaks("EVT-154", ROLE, AskHost, "on_rejected")
def believes_an_error(original: Any, self: Any, flow: Any, error: Any) -> None:
    """Cancels when a provider rejects since something was cancelled."""
    if "cancelled" in str(error):
        self.cancel(flow)
    else:
        original(self, flow, error)


# The signal, and what comes too late


@of_host("complete", EVT_155={"a-result": None})
@of_host("fail", EVT_155={"a-failure": None})
@of_host("cancel", EVT_155={"a-cancel": None})
@of_host("dispose", EVT_155_056={"its-session": None})
def keeps_the_signal_after(original: Any, _: Any, self: Any, flow: Any, *given: Any) -> None:
    """Does not abort the signal of a flow after {}."""
    flow.signal = Signal()
    original(self, flow, *given)


@breaks("EVT-155", ROLE, AskHost, "refuse")
def aborts_the_signal_on_a_refusal(original: Any, self: Any, payload: Any, why: Any) -> None:
    """Aborts the signal of a flow after a submit that it refuses."""
    original(self, payload, why)
    for flow in self.flows.values():
        self.abort_signal(flow)


@of_host(
    "on_settled",
    EVT_156_056={"an-answer": lambda late: "answers" in str(late)},
    EVT_156={
        "a-cancel": lambda late: "cancel" in str(late),
        "an-error": lambda late: isinstance(late, Exception),
    },
)
def heeds_late(original: Any, heeds: Any, self: Any, flow: Any, given: Any) -> None:
    """Emits completed again after {} that comes too late."""
    if not self.is_active(flow) and heeds(given.exception() or given.result()):
        self.emit_completed(flow, results.cancelled(flow.form))
    original(self, flow, given)


@breaks("EVT-157", ROLE, AskHost, "emit_started", "EVT-040", "EVT-148", "EVT-150")
def announces_terminals_only(original: Any, self: Any, flow: Any) -> None:
    """Emits no started for a form that a provider shows."""
    if flow.ask.mode == "tui":
        original(self, flow)


@breaks("EVT-157", ROLE, AskHost, "emit_started")
def takes_submits_after_open_only(original: Any, self: Any, flow: Any) -> None:
    """Refuses submits while a provider has not opened the form yet."""
    if flow.ask.mode != "tui":
        self.deactivate(flow)
    original(self, flow)
    self.activate(flow)


@breaks(
    "EVT-157", ROLE, AskHost, "find_flow", "EVT-050", "EVT-051", "EVT-092", "EVT-094", "EVT-155"
)
def takes_answers_of_its_provider_only(original: Any, self: Any, flow_id: str) -> Any:
    """Refuses submits for a form that a provider shows."""
    flow = original(self, flow_id)
    if flow.ask.mode != "tui":
        raise Refusal(FLOW_NOT_FOUND, "the form is open elsewhere")
    return flow
