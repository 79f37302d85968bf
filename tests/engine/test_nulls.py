"""The null adapters: each speaks the protocol in every role, and is as naive as its name says."""

import json
from base64 import b64encode
from typing import Any

import pytest

from askproof import nulls
from askproof.null_journals import JOURNAL_ROLES
from askproof.schemas import data_folder, explain
from askproof.specification import RECEIPT_ROLES, ROLES

EXAMPLES = data_folder("schemas") / "examples"
ASK = {
    "call": "c1",
    "toolCallId": "t1",
    "tool": "ask_user_question",
    "manager": "m1",
    "mode": "tui",
    "input": {"questions": [{"question": "Deploy?"}, {"question": "When?"}]},
}
JOURNAL_ASK = {
    "call": "c1",
    "input": {
        "questions": [{"id": "deploy", "question": "Deploy?", "options": [{"label": "Yes"}]}]
    },
}
ANSWER = {"call": "c1", "rows": [{"labels": ["Yes"]}, {"labels": [], "text": "Now"}]}


def begun(name: str, role: str) -> nulls.Silent:
    adapter = nulls.ADAPTERS[name]({})
    adapter.begin({"role": role, "case": f"receipts/{role}/delivery/any"})
    return adapter


def performed(adapter: nulls.Silent, **command: Any) -> list[dict[str, Any]]:
    observations: list[dict[str, Any]] = adapter.perform(command)["observations"]
    return observations


@pytest.mark.parametrize("name", nulls.ADAPTERS)
def test_it_plays_every_role(name: str) -> None:
    said = nulls.ADAPTERS[name]({}).initialize({})
    assert explain("adapter/initialize-result", said) == []
    assert said["roles"].keys() == {*ROLES}


@pytest.mark.parametrize("role", [*RECEIPT_ROLES, *JOURNAL_ROLES])
@pytest.mark.parametrize("name", nulls.ADAPTERS)
def test_it_takes_every_command_and_observes_what_can_be(name: str, role: str) -> None:
    for path in sorted((EXAMPLES / f"adapter/{role}-command" / "valid").glob("*.json")):
        adapter = begun(name, role)
        if role == "receipt-issuer":
            adapter.perform({"subscribe": {"subscriber": "p1", "manager": "m1", "then": "record"}})
            adapter.perform({"ask": ASK})
        if role == "journal-writer":
            adapter.perform({"ask": JOURNAL_ASK})
        result = adapter.perform(json.loads(path.read_bytes()))
        if name != "echo":  # which has no idea of what can be observed
            assert explain(f"adapter/{role}-perform-result", result) == []


def test_one_delivers_to_everybody_whatever_happens() -> None:
    adapter = begun("accept-everything", "receipt-issuer")
    for subscriber in ("p1", "p2"):
        performed(adapter, subscribe={"subscriber": subscriber, "manager": "m1", "then": "record"})
        performed(adapter, unsubscribe={"subscriber": subscriber})
    assert performed(adapter, ask=ASK) == [{"shown": "c1"}]
    *delivered, ended = performed(adapter, answer=ANSWER)
    assert [(one["delivered"], one["receipt"]["answer"]["text"]) for one in delivered] == [
        ("p1", "Yes"),
        ("p2", "Yes"),
        ("p1", "Now"),
        ("p2", "Now"),
    ]
    assert ended["tool"] == "c1"


@pytest.mark.parametrize(
    ("name", "holds"), [("accept-everything", True), ("refuse-everything", False)]
)
def test_one_keeps_and_agrees_to_everything_and_one_to_nothing(name: str, *, holds: bool) -> None:
    adapter = begun(name, "receipt-consumer")
    receipt = json.loads((EXAMPLES / "receipts/receipt/valid/choice.json").read_bytes())
    pair = {key: receipt[key] for key in ("toolCallId", "questionIndex", "prompt", "answer")}
    assert performed(adapter, deliver={"receipt": receipt, "via": "file"}) == []
    assert performed(adapter, deliver={"receipt": "yes", "via": "bus"}) == []
    assert performed(adapter, evidence={}) == [{"evidence": [pair] * holds}]
    asked = {"toolCallId": "c1", "questionIndex": 0, "text": "No"}
    assert performed(adapter, agreed=asked) == [{"agreed": holds}]


# The decision journal


def read(name: str, text: str, *, strict: bool = False) -> list[dict[str, Any]]:
    file = {"form": "store", "base64": b64encode(text.encode()).decode(), "strict": strict}
    return performed(begun(name, "journal-reader"), read=file)


def test_one_finds_a_human_in_every_line_and_another_nobody() -> None:
    text = '{"kind":"session"}\n\nnot JSON\n' + '{"x":' * 70 + "1" + "}" * 70
    for name, human in (("accept-everything", True), ("open-and-refuse", False)):
        for strict in (True, False):
            found = read(name, text, strict=strict)
            assert [(one["record"], one["payload"], one["human"]) for one in found] == [
                (1, {"kind": "session"}, human),
                (3, {}, human),
                (4, {}, human),
            ]


def test_one_calls_every_line_bad_and_refuses_every_file() -> None:
    assert read("refuse-everything", "{}\n\n{}") == [
        {"diagnostic": 1, "code": "json"},
        {"diagnostic": 3, "code": "json"},
    ]
    assert read("refuse-everything", "{}", strict=True) == [{"refused": 1}]


@pytest.mark.parametrize(
    "last",
    [{"act": {"call": "c1", "then": "cancel"}}, {"interrupt": {"call": "c1", "how": "failed"}}],
)
def test_one_writes_an_answer_down_whatever_happens(last: dict[str, Any]) -> None:
    adapter = begun("accept-everything", "journal-writer")
    assert performed(adapter, ask=JOURNAL_ASK) == [{"shown": "c1", "question": 0}]
    session, store, ended = performed(adapter, **last)
    assert [session["appended"], store["appended"]] == ["session", "store"]
    decision = json.loads(store["text"])["entry"]["payload"]
    assert json.loads(session["text"])["data"] == decision
    assert decision["answer"] == {"selectedOptions": ["Yes"]}
    assert ended["result"]["outcomes"][0]["value"] == decision["answer"]


def test_one_refuses_to_ask_and_one_cancels_whatever_it_has_asked() -> None:
    refuses = begun("refuse-everything", "journal-writer")
    (refused,) = performed(refuses, ask=JOURNAL_ASK)
    assert refused["error"]["status"] == "invalid"
    assert performed(refuses, act={"call": "c1", "then": "answer"}) == []
    cancels = begun("open-and-refuse", "journal-writer")
    assert performed(cancels, ask=JOURNAL_ASK) == [{"shown": "c1", "question": 0}]
    (ended,) = performed(cancels, act={"call": "c1", "then": "answer"})
    assert ended["result"] == {"outcomes": [], "cancelled": True, "diagnostics": []}
