"""Mutants of the host in its envelopes and ids, and in the life of a flow (EVT-001 to EVT-058)."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any
from unicodedata import normalize

from askproof.mutants import breaks, families
from askproof_reference import host, results, submits
from askproof_reference.adapter import SECOND_NAMESPACE
from askproof_reference.bus import EventBus
from askproof_reference.host import AskHost
from askproof_reference.host_adapter import HostAdapter
from askproof_reference.negotiation import Negotiation
from askproof_reference.results import Answer
from askproof_reference.submits import FLOW_NOT_FOUND, Refusal
from askproof_reference.text import trim

ROLE = "ask-host"
of_host = partial(families, ROLE, AskHost)
of_results = partial(families, ROLE, results)
DAY = 24 * 60 * 60 * 1000
START = 1_700_000_000_000
INHERITED = Answer([], "function Object() { [native code] }", None, {})
LATE = Refusal(FLOW_NOT_FOUND, "the flow is not active")
YES = {"values": ["yes"]}
PATH = "/home/me/plan.md"


def put(**members: Any) -> Any:
    """How a record gets members, in place of its own."""
    return lambda made: {**made, **members}


def drop(name: str) -> Any:
    """How a record loses a member."""
    return lambda made: {key: value for key, value in made.items() if key != name}


def in_questions(change: Any) -> Any:
    """How the questions of a record change."""
    return lambda made: {**made, "questions": [change(one) for one in made["questions"]]}


def in_options(change: Any) -> Any:
    """How the options of the questions of a record change."""
    return in_questions(lambda made: {**made, "options": [change(one) for one in made["options"]]})


# Envelopes, texts and ids


@breaks("EVT-001", ROLE, AskHost, "channel", "EVT-014", "EVT-070", "EVT-091")
def answers_without_a_namespace(original: Any, self: Any, name: str) -> Any:
    """Emits submit-result without the namespace."""
    return name if name == "submit-result" else original(self, name)


@of_host(
    "emit",
    EVT_003={"without-version": drop("version"), "with-version-as-text": put(version="1")},
    EVT_005={"with-a-path": put(file=PATH)},
)
def emits_events(original: Any, change: Any, self: Any, name: str, payload: Any) -> None:
    """Emits events {}."""
    original(self, name, change(payload))


@breaks("EVT-004", ROLE, submits, "check_envelope", each={"a-submit": ("response", "requestId")})
@breaks("EVT-004", ROLE, submits, "check_answer", "EVT-152", each={"a-response": ("mode",)})
@breaks("EVT-004", ROLE, submits, "check_entry_type", "EVT-152", each={"an-entry": ()})
def knows_every_member_of(original: Any, known: Any, given: Any, *more: Any) -> None:
    """Refuses a member that it does not know in {}."""
    original(given, *more)
    known = {"version", "flowId", "kind", "answers", "values", "customText", "note", *known}
    submits.require(not set(given) - known - {"optionNotes"}, "there is an unknown member")


@breaks("EVT-004", ROLE, Negotiation, "is_valid")
def knows_every_member_of_a_provider(original: Any, self: Any, given: Any) -> Any:
    """Turns away a provider with a member that it does not know."""
    return original(self, given) and not set(given) - {"version", "id", "open"}


@breaks("EVT-005", ROLE, AskHost, "submit_result")
def hands_on_unknown_members(original: Any, self: Any, payload: Any) -> Any:
    """Copies what a bridge adds to a submit into its result."""
    given = drop("response")(payload) if isinstance(payload, dict) else {}
    return {**given, **original(self, payload)}


@of_results(
    "text_or_none",
    EVT_008={
        "without-its-end": lambda text: text[:4000],
        "normalized": lambda text: normalize("NFC", text),
        "escaped": lambda text: text.replace("&", "&amp;").replace("<", "&lt;"),
        "without-carriage-returns": lambda text: text.replace("\r", ""),
        "without-control-characters": lambda text: text.replace("\x1b", "").replace("\u202e", ""),
        "without-emoji": lambda text: "".join(one for one in text if one <= "\uffff"),
        "without-half-an-emoji": lambda text: text.encode("utf-8", "replace").decode(),
    },
    EVT_008_101_125={"trimmed": trim},
)
def hands_on_text(original: Any, change: Any, text: str) -> Any:
    """Hands on what a human wrote {}."""
    return None if original(text) is None else change(text)


@of_results(
    "read_answers",
    EVT_010={
        "loses-that-of-a-prototype": lambda found, ids: drop("__proto__")(found),
        "loses-that-of-a-path": lambda found, ids: drop("a.b")(found),
        "loses-the-notes-of-a-prototype": lambda found, ids: {
            name: one._replace(option_notes=drop("__proto__")(one.option_notes))
            for name, one in found.items()
        },
    },
    EVT_010_104_121={
        "inherits-one": lambda found, ids: (
            {"constructor": INHERITED} | found if "constructor" in ids else found
        ),
    },
)
def reads_the_answers_and(original: Any, change: Any, entries: Any, questions: Any) -> Any:
    """Reads the answers of a submit, and {}."""
    return change(original(entries, questions), [question["id"] for question in questions])


@of_results(
    "continuation",
    EVT_010={
        "where-a-prototype-stands": lambda made: {
            **made,
            "questionStates": drop("__proto__")(made["questionStates"]),
        },
        "what-a-prototype-preserves": lambda made: {
            **made,
            "preservedAnswers": drop("__proto__")(made["preservedAnswers"]),
        },
    },
)
def forgets(original: Any, change: Any, form: Any, answers: Any, rows: Any) -> Any:
    """Forgets {}."""
    return change(original(form, answers, rows))


@of_host(
    "listen",
    EVT_012={
        "takes": AskHost.on_submit,
        "refuses": lambda self, payload: (
            payload["flowId"] in self.flows or self.refuse(payload, LATE)
        ),
    },
)
def hears_and(original: Any, hear: Any, self: Any) -> Any:
    """Hears what is submitted to another host, and {} it."""
    self.bus.on(f"{SECOND_NAMESPACE}:submit", lambda payload: hear(self, payload))
    return original(self)


@breaks("EVT-014", ROLE, EventBus, "deliver")
def stops_at_a_listener_that_fails(original: Any, self: Any, *given: Any) -> None:
    """Calls no listener any more when one has failed."""
    if not self.errors:
        original(self, *given)


@breaks("EVT-014", ROLE, AskHost, "emit")
def gives_up_at_a_listener_that_fails(original: Any, self: Any, *given: Any) -> None:
    """Ends its flows when a listener has failed."""
    original(self, *given)
    if self.bus.errors:
        self.end_session()


# What the records of a flow say


@of_host(
    "started",
    EVT_041={
        "with-the-source-tool": put(source="tool"),
        "with-half-the-source": lambda made: put(source=made["source"].split(":")[0])(made),
    },
    EVT_042={
        "without-the-tool-call": drop("toolCallId"),
        "with-a-tool-call-of-null": lambda made: {"toolCallId": None, **made},
    },
    EVT_043={
        "without-the-title": drop("title"),
        "without-descriptions": in_options(drop("description")),
    },
    EVT_043_150={"without-previews": in_options(drop("preview"))},
    EVT_044={
        "with-seconds": lambda made: put(createdAt=made["createdAt"] // 1000)(made),
        "with-a-time-as-text": put(createdAt="2023-11-14T22:13:20Z"),
        "with-the-time-of-the-first": put(createdAt=START),
    },
    EVT_045={"without-recommendations": in_options(drop("recommended"))},
    EVT_046_043={
        "with-the-requested-type": in_questions(
            lambda made: put(type=made.get("requestedType", made["type"]))(made)
        )
    },
    EVT_046={"without-the-requested-type": in_questions(drop("requestedType"))},
)
def starts(original: Any, change: Any, self: Any, flow: Any) -> Any:
    """Emits started {}."""
    return change(original(self, flow))


@of_host(
    "completed",
    EVT_041={"without-the-source": drop("source")},
    EVT_042={"without-the-tool-call": drop("toolCallId")},
    EVT_044={"with-the-time-of-the-start": put(completedAt=START)},
    EVT_050={
        "of-no-flow-after-a-cancel": lambda made: (
            put(flowId="")(made) if made["result"]["cancelled"] else made
        ),
    },
)
def completes(original: Any, change: Any, self: Any, flow: Any, result: Any) -> Any:
    """Emits completed {}."""
    return change(original(self, flow, result))


@of_results(
    "summary",
    EVT_047={
        "as-presented": lambda made, question: {**made, "type": question["type"]},
        "twice-always": lambda made, question: {**made, "presentedType": question["type"]},
        "once-always": lambda made, question: drop("presentedType")(made),
    },
)
def tells_the_type(original: Any, change: Any, question: Any) -> Any:
    """Tells the agent the type of a question {}."""
    return change(original(question), question)


@breaks("EVT-040", ROLE, AskHost, "open_flow")
def starts_again(original: Any, self: Any, ask: Any, form: Any) -> Any:
    """Emits started again for the open flows when another one opens."""
    for flow in self.flows.values():
        self.emit_started(flow)
    return original(self, ask, form)


@breaks("EVT-040", ROLE, AskHost, "emit_started", "EVT-157")
def starts_too_early(original: Any, self: Any, flow: Any) -> None:
    """Emits started while submits are still refused."""
    self.deactivate(flow)
    original(self, flow)
    self.activate(flow)


@breaks("EVT-045", ROLE, AskHost, "finish")
def follows_recommendations(original: Any, self: Any, flow: Any, answers: Any, mode: str) -> None:
    """Answers what nobody answered with what was recommended."""
    questions = flow.form.questions
    entries = {one["id"]: YES for one in questions if one["options"][0].get("recommended")}
    recommended = results.read_answers(entries, questions)
    original(self, flow, {**recommended, **answers}, mode)


@breaks("EVT-048", ROLE, AskHost, "new_flow_id")
def names_flows_after_calls(original: Any, self: Any, ask: Any) -> Any:
    """Gives all flows of a tool call one id."""
    return f"tool:{ask.tool_call_id}"


@families(
    ROLE, host, "deepcopy", EVT_058_149={"nothing": lambda made: made, "the-outside-only": copy}
)
def copies(original: Any, copied: Any, made: Any) -> Any:
    """Copies of what it hands out {}."""
    return copied(made)


# The ends of a flow


@breaks("EVT-049", ROLE, AskHost, "deactivate")
def ends_all_flows_of_a_call(original: Any, self: Any, flow: Any) -> None:
    """Ends every flow of a tool call with one of them."""
    for one in [*self.flows.values()]:
        if one.ask.tool_call_id == flow.ask.tool_call_id:
            original(self, one)


@breaks("EVT-050", ROLE, AskHost, "abort")
def completes_again(original: Any, self: Any, flow: Any) -> None:
    """Emits completed again when the operation of a flow that is over is aborted."""
    if not self.is_active(flow):
        self.emit_completed(flow, results.cancelled(flow.form))
    original(self, flow)


@breaks("EVT-051", ROLE, AskHost, "return_result", "EVT-088")
def returns_no_notes(original: Any, self: Any, flow: Any, result: Any) -> None:
    """Gives the tool call a result without notes."""
    rows = {name: drop("note")(row) for name, row in result["answers"].items()}
    original(self, flow, {**result, "answers": rows})


@families(
    ROLE,
    HostAdapter,
    "do_advance",
    EVT_052={
        "an-answer": (2000, lambda self, flow: self.finish(flow, {}, "submit")),
        "a-cancel": (DAY, lambda self, flow: self.cancel(flow)),
    },
    EVT_151_052_155={
        "the-end-of-a-call": (
            10,
            lambda self, flow: self.return_result(flow, results.cancelled(flow.form)),
        ),
    },
    EVT_155_052={"the-end-of-a-form": (1000, lambda self, flow: self.abort_signal(flow))},
)
def takes_silence_for(original: Any, patience: Any, self: Any, arguments: Any) -> None:
    """Takes silence for {}."""
    original(self, arguments)
    ms, end = patience
    for flow in [*self._host.flows.values()]:
        if self._now - flow.created_at >= ms:
            end(self._host, flow)


@breaks("EVT-052", ROLE, AskHost, "fill", "EVT-050", "EVT-051")
def submits_what_is_filled_in(original: Any, self: Any, flow: Any, entries: Any) -> None:
    """Submits the local form as soon as it is filled in."""
    original(self, flow, entries)
    self.finish(flow, flow.answers, "submit")


@of_host(
    "fail",
    EVT_053_054_108={"an-answer": lambda form: results.answered(form, {}, "submit")},
    EVT_054={"a-cancel": results.cancelled},
)
def makes_of_a_failure(original: Any, made: Any, self: Any, flow: Any, message: str) -> None:
    """Emits completed after a failure of the external UI, as after {}."""
    original(self, flow, message)
    self.emit_completed(flow, made(flow.form))


@of_host("cancel", EVT_050_089={"cancelled-without-completed": AskHost.dispose})
@of_host(
    "abort",
    EVT_055={
        "aborted-as-an-error": lambda self, flow: self.fail(flow, "aborted"),
        "aborted-with-what-was-filled-in": lambda self, flow: self.complete(
            flow, results.answered(flow.form, flow.answers, "submit") | {"cancelled": True}
        ),
        "aborted-as-answered": lambda self, flow: self.finish(flow, flow.answers, "submit"),
        "aborted-with-completed-always": AskHost.cancel,
        "aborted-without-completed-ever": AskHost.dispose,
        "aborted-not-at-all": lambda self, flow: None,
    },
)
@of_host(
    "dispose",
    EVT_056_055={
        "of-the-session-with-completed": AskHost.cancel,
        "of-the-session-but-leaves-them-active": lambda self, flow: self.abort_signal(flow),
        "of-the-session-but-leaves-their-signals": lambda self, flow: self.deactivate(flow),
    },
)
def ends_flows(original: Any, end: Any, self: Any, flow: Any) -> None:
    """Ends flows otherwise: {}."""
    if self.is_active(flow):
        end(self, flow)


@breaks("EVT-057", ROLE, AskHost, "close")
def listens_after_its_life(original: Any, self: Any) -> None:
    """Goes on listening after a reload."""
    self.end_session()
