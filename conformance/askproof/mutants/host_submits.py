"""Mutants of the host that read, take or answer submits in another way (EVT-070 to EVT-094)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askproof.mutants import breaks, families
from askproof_reference import results, submits
from askproof_reference.deferred import Deferred
from askproof_reference.host import AskHost
from askproof_reference.submits import FLOW_NOT_FOUND, INVALID_ANSWER, INVALID_REQUEST, Refusal
from askproof_reference.text import is_blank

if TYPE_CHECKING:
    from askproof_reference.flows import Flow
    from askproof_reference.records import Record

ROLE = "ask-host"
ABSENT: Any = ...
ENTRY = "response/answers/*"
VALUES = f"{ENTRY}/values"
NOTHING = {"kind": "answer", "answers": {}}


def at(path: str, wrong: Any, read: Any) -> Any:
    """How a host reads a submit that takes a wrong value, or all of a type, for something else."""
    name, _, rest = path.partition("/")

    def change(given: Any) -> Any:
        if rest:
            return at(rest, wrong, read)(given)
        fits = type(given) is wrong if isinstance(wrong, type) else repr(given) == repr(wrong)
        return (read(given) if callable(read) else read) if fits else given

    def changed(given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        names = list(given) if name == "*" else [name]
        members = given | {key: change(given.get(key, ABSENT)) for key in names}
        return {key: member for key, member in members.items() if member is not ABSENT}

    return changed


@families(
    ROLE,
    AskHost,
    "on_submit",
    EVT_072={
        "no-version-as-1": at("version", ABSENT, 1),
        "version-2-as-1": at("version", 2, 1),
        "text-as-version-1": at("version", "1", 1),
        "true-as-version-1": at("version", wrong=True, read=1),
        "a-response-of-null-as-a-cancel": at("response", None, {"kind": "cancel"}),
        "answers-without-a-kind-as-an-answer": at("response/kind", ABSENT, "answer"),
    },
    EVT_072_073={
        "no-request-id-as-one": at("requestId", ABSENT, "none"),
        "an-empty-request-id-as-one": at("requestId", "", "none"),
        "a-number-as-a-request-id": at("requestId", int, str),
        "no-flow-id-as-that-of-the-open-flow": at("flowId", ABSENT, "tool:c1"),
        "a-list-as-what-is-in-it": lambda given: given[0] if isinstance(given, list) else given,
    },
    EVT_072_074={"the-kind-approve-as-an-answer": at("response/kind", "approve", "answer")},
    EVT_075={
        "absent-answers-as-empty": at("response/answers", ABSENT, {}),
        "answers-of-null-as-empty": at("response/answers", None, {}),
        "a-list-of-answers-as-empty": at("response/answers", list, {}),
        "an-empty-list-of-answers-as-empty": at("response/answers", [], {}),
        "text-as-empty-answers": at("response/answers", str, {}),
    },
    EVT_076={
        "an-unknown-mode-as-submit": at("response/mode", "approve", "submit"),
        "an-empty-mode-as-submit": at("response/mode", "", "submit"),
        "a-mode-of-false-as-submit": at("response/mode", wrong=False, read="submit"),
        "a-mode-of-zero-as-submit": at("response/mode", 0, "submit"),
        "a-mode-of-null-as-submit": at("response/mode", None, "submit"),
    },
    EVT_078={
        "an-unknown-question-as-none": at("response/answers/nope", dict, ABSENT),
        "an-inherited-question-as-none": at("response/answers/constructor", dict, ABSENT),
        "a-prompt-as-none": at("response/answers/Deploy?", dict, ABSENT),
    },
    EVT_079={
        "an-entry-of-null-as-empty": at(ENTRY, None, {}),
        "an-empty-list-as-an-entry": at(ENTRY, [], {}),
        "a-list-as-values": at(ENTRY, list, lambda given: {"values": given}),
        "values-of-null-as-absent": at(VALUES, None, ABSENT),
        "text-as-a-value": at(VALUES, str, lambda given: [given]),
        "a-position-as-a-value": at(VALUES, [1], ["yes"]),
        "text-of-null-as-absent": at(f"{ENTRY}/customText", None, ABSENT),
        "a-note-of-null-as-absent": at(f"{ENTRY}/note", None, ABSENT),
        "option-notes-of-null-as-absent": at(f"{ENTRY}/optionNotes", None, ABSENT),
        "a-list-of-option-notes-as-absent": at(f"{ENTRY}/optionNotes", list, ABSENT),
        "an-option-note-of-null-as-absent": at(f"{ENTRY}/optionNotes/*", None, ABSENT),
    },
    EVT_080={
        "a-label-as-a-value": at(VALUES, ["Yes"], ["yes"]),
        "a-value-without-white-space": at(VALUES, ["yes "], ["yes"]),
        "a-synonym-as-a-value": at(VALUES, ["approve"], ["yes"]),
        "an-inherited-value-as-none": at(VALUES, ["constructor"], []),
        "a-value-of-another-question-as-none": at("response/answers/deploy/values", ["eu"], []),
        "a-value-among-others-as-none": at(VALUES, ["eu", "mars"], ["eu"]),
    },
    EVT_080_088_100={"a-value-in-small-letters": at(VALUES, ["YES"], ["yes"])},
    EVT_084={
        "blank-text-beside-a-value-as-text": at(f"{ENTRY}/customText", " ", "x"),
        "a-blank-note-of-nothing-as-a-note": at(f"{ENTRY}/optionNotes/maybe", "  ", "x"),
    },
    EVT_085={
        "a-note-of-an-unknown-option-as-none": at(f"{ENTRY}/optionNotes/maybe", str, ABSENT),
        "a-note-of-a-label-as-none": at(f"{ENTRY}/optionNotes/Yes", str, ABSENT),
    },
    EVT_089_108={"a-cancel-as-an-answer-of-nothing": at("response", {"kind": "cancel"}, NOTHING)},
    EVT_093={"no-mode-as-elaborate": at("response/mode", ABSENT, "elaborate")},
)
def reads(original: Any, read: Any, self: AskHost, payload: Any) -> None:
    """Reads {}."""
    original(self, read(payload))


def where(code: str | None, change: Any) -> Any:
    """How a host writes a result of a submit that changes those with an error, or without."""
    return lambda said: change(said) if said.get("error") == code else [said]


@families(
    ROLE,
    AskHost,
    "emit",
    EVT_070={
        "nothing-of-what-is-late": where(FLOW_NOT_FOUND, lambda _: []),
        "nothing-to-what-has-no-ids": lambda said: [said] if said["requestId"] else [],
        "trimmed-ids": lambda said: [said | {"requestId": said["requestId"].strip()}],
    },
    EVT_070_001_014_091={"nothing-of-what-it-took": where(None, lambda _: [])},
    EVT_073={"null-for-no-id": lambda said: [said | {"requestId": said["requestId"] or None}]},
    EVT_073_070={
        "no-ids": where(INVALID_REQUEST, lambda said: [said | {"requestId": "", "flowId": ""}])
    },
    EVT_092={"null-for-a-message": where(INVALID_ANSWER, lambda said: [said | {"message": None}])},
    EVT_092_072_074={
        "its-own-code": where(INVALID_REQUEST, lambda said: [said | {"error": "bad"}])
    },
)
def writes(original: Any, write: Any, self: AskHost, name: str, record: Record) -> None:
    """Writes {} into the result of a submit."""
    for one in write(record) if name == "submit-result" else [record]:
        original(self, name, one)


@families(
    ROLE,
    AskHost,
    "check_submit",
    EVT_087_094={"an-answer-of-nothing": lambda given: given["response"].get("answers") == {}},
    EVT_093={"an-answer-without-a-mode": lambda given: "mode" not in given["response"]},
    EVT_094={
        "a-blank-request-id": lambda given: is_blank(given["requestId"]),
        "to-elaborate": lambda given: given["response"].get("mode") == "elaborate",
    },
)
def refuses(original: Any, wrong: Any, self: AskHost, payload: Any) -> Any:
    """Refuses {}."""
    flow = original(self, payload)
    is_cancel = payload["response"]["kind"] == "cancel"
    submits.require(is_cancel or not wrong(payload), "this cannot be taken")
    return flow


@breaks("EVT-070", ROLE, AskHost, "accept", "EVT-050")
def says_twice_that_it_cancelled(original: Any, self: AskHost, payload: Record) -> None:
    """Says twice that it took a cancel."""
    original(self, payload)
    if payload["response"]["kind"] == "cancel":
        original(self, payload)


@families(ROLE, AskHost, "finish", EVT_071_040_050_074_090_156_157={"answered": None})
@families(ROLE, AskHost, "cancel", EVT_071_050={"cancelled": None})
@families(ROLE, AskHost, "abort", EVT_071_156={"aborted": None})
def takes_more_after_it_was(original: Any, _: None, self: AskHost, flow: Flow, *end: Any) -> None:
    """Takes answers for a flow after it was {}."""
    original(self, flow, *end)
    flow.outcome = Deferred()
    self.activate(flow)


@breaks("EVT-071", ROLE, AskHost, "find_flow", "EVT-092")
def takes_the_open_flow(original: Any, self: AskHost, flow_id: str) -> Any:
    """Gives an answer for a flow that never was to the one that is open."""
    known = flow_id in self.used_ids or not self.flows
    return original(self, flow_id if known else next(iter(self.flows)))


@breaks("EVT-074", ROLE, AskHost, "check_submit")
def looks_for_the_flow_first(original: Any, self: AskHost, payload: Any) -> Any:
    """Looks for the flow before it looks at the response."""
    if isinstance(payload, dict) and submits.is_id(payload.get("flowId")):
        self.find_flow(payload["flowId"])
    return original(self, payload)


@breaks("EVT-074", ROLE, AskHost, "check_submit")
def checks_the_answer_first(original: Any, self: AskHost, payload: Any) -> Any:
    """Checks the answer for a flow that has ended before it looks whether it has."""
    known = vars(self).setdefault("known", {})
    known.update({flow.id: flow.form.questions for flow in self.flows.values()})
    submits.check_envelope(payload)
    if payload["flowId"] in known:
        submits.check_answer(payload["response"], known[payload["flowId"]])
    return original(self, payload)


@breaks("EVT-077", ROLE, submits, "check_mode")
def calls_a_wrong_mode_an_invalid_request(original: Any, response: Record) -> None:
    """Refuses a wrong mode as an invalid request."""
    known = response.get("mode", "submit") in ("submit", "elaborate")
    submits.require(known, "mode must be submit or elaborate", INVALID_REQUEST)


@families(ROLE, submits, "check_distinct", EVT_081={"a-value-twice": None})
@families(ROLE, submits, "check_count", EVT_082={"two-values-for-one": None})
@families(ROLE, submits, "check_either", EVT_083={"text-beside-a-value": None})
def takes(original: Any, _: None, *given: Any) -> None:
    """Takes {}."""


@families(ROLE, submits, "check_count", EVT_082_094={"two-values": None})
@families(ROLE, submits, "check_either", EVT_083={"text-beside-a-value": None})
def forgets_what_it_presents(original: Any, _: None, question: Record, given: Record) -> None:
    """Refuses {} where one choice was asked for, and many are presented."""
    original({**question, "type": question.get("requestedType", question["type"])}, given)


def own(is_blank: Any) -> Any:
    """An answer whose own text is absent if something else than the host thinks so."""

    def change(given: Record, answer: results.Answer) -> results.Answer:
        text = given.get("customText")
        return answer._replace(custom_text=None if text is None or is_blank(text) else text)

    return change


@families(
    ROLE,
    results,
    "read_answer",
    EVT_084={
        "empty-text": own(lambda _: False),
        "white-space": own(lambda text: text == ""),
        "rare-white-space": own(lambda text: not text.strip(" \t\n\r\v\f")),
        "blank-notes": lambda given, answer: answer._replace(note=given.get("note")),
        "blank-option-notes": lambda given, answer: answer._replace(
            option_notes=given.get("optionNotes", {})
        ),
        "nothing-that-python-strips": own(lambda text: not text.strip()),
    },
)
def finds_text_in(original: Any, change: Any, question: Record, given: Record) -> Any:
    """Takes {} for what a human wrote."""
    return change(given, original(question, given))


@families(
    ROLE,
    AskHost,
    "is_cancel",
    EVT_084={"blank-text": lambda given: is_blank(given.get("customText", "x"))},
    EVT_089={"what-says-so": lambda given: "cancel" in given.get("values", [])},
)
def cancels_on(original: Any, wrong: Any, self: AskHost, response: Record) -> Any:
    """Takes {} for a cancel."""
    return original(self, response) or any(map(wrong, response["answers"].values()))


@breaks("EVT-089", ROLE, AskHost, "is_cancel")
def answers_where_answers_are(original: Any, self: AskHost, response: Record) -> Any:
    """Takes a cancel with answers for an answer."""
    return original(self, response) and "answers" not in response


@families(
    ROLE,
    AskHost,
    "refuse",
    EVT_086={"clears-the-form": lambda _, flow: flow.answers.clear()},
    EVT_086_014_090_157={"closes-the-form": AskHost.deactivate},
)
def after_a_refusal(original: Any, do: Any, self: AskHost, payload: Any, why: Refusal) -> None:
    """Refuses a wrong answer, and {}."""
    original(self, payload, why)
    if why.code == INVALID_ANSWER and payload["flowId"] in self.flows:
        do(self, self.flows[payload["flowId"]])


@families(
    ROLE,
    AskHost,
    "new_answers",
    EVT_088={
        "the-local-answers": lambda flow, answers: flow.answers | answers,
        "the-local-notes": lambda flow, answers: {
            key: answer._replace(note=flow.answers.get(key, answer).note)
            for key, answer in answers.items()
        },
    },
)
def adds(original: Any, add: Any, self: AskHost, flow: Flow, response: Record) -> Any:
    """Adds {} to those of a submit."""
    return add(flow, original(self, flow, response))


@breaks("EVT-090", ROLE, AskHost, "check_submit", "EVT-014")
def refuses_an_id_that_it_knows(original: Any, self: AskHost, payload: Any) -> Any:
    """Refuses a second submit with the same request id."""
    submits.check_envelope(payload)
    known = vars(self).setdefault("known", [])
    known.append((payload["requestId"], payload["flowId"]))
    submits.require(known.count(known[-1]) == 1, "it is known", INVALID_REQUEST)
    return original(self, payload)


@families(ROLE, AskHost, "on_failure", EVT_091={"nothing": lambda *_: None, "yes": AskHost.accept})
def says(original: Any, say: Any, self: AskHost, payload: Any, error: Exception) -> None:
    """Says {} where it fails to apply an answer."""
    say(self, payload)
