"""The null adapters: each speaks the protocol in every role, and is as naive as its name says."""

import json
from typing import Any

import pytest

from askproof import nulls
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


@pytest.mark.parametrize("role", RECEIPT_ROLES)
@pytest.mark.parametrize("name", nulls.ADAPTERS)
def test_it_takes_every_command_and_observes_what_can_be(name: str, role: str) -> None:
    for path in sorted((EXAMPLES / f"adapter/{role}-command" / "valid").glob("*.json")):
        adapter = begun(name, role)
        if role == "receipt-issuer":
            adapter.perform({"subscribe": {"subscriber": "p1", "manager": "m1", "then": "record"}})
            adapter.perform({"ask": ASK})
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
