"""Every example of the specification: right ones fit their schemas, marked ones are refused."""

import json
import re
from typing import Any

import pytest

from askproof import schemas, wire
from askproof.schemas import data_folder
from askproof.specification import catalogue
from askproof_reference.adapter import Adapter

FENCED = re.compile(r"^```json (?P<what>[^\n]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^    .*\n)+", re.MULTILINE)


def page(name: str) -> str:
    return (data_folder("spec") / f"{name}.md").read_text(encoding="utf-8")


EXAMPLES = [(m["what"], m["text"]) for m in FENCED.finditer(page("remote-events"))]
RIGHT = [(what, text) for what, text in EXAMPLES if "refused by" not in what]
REFUSED = [(*what.split(" refused by "), text) for what, text in EXAMPLES if "refused by" in what]


def data(text: str) -> Any:
    return wire.decode(text.encode())


@pytest.mark.parametrize(("schema", "text"), RIGHT)
def test_an_example_is_valid(schema: str, text: str) -> None:
    assert schemas.explain(schema, data(text)) == []
    assert schemas.is_valid(schema, data(text))


@pytest.mark.parametrize(("schema", "requirement", "text"), REFUSED)
def test_a_marked_example_is_refused_by_the_reference(
    schema: str, requirement: str, text: str
) -> None:
    assert requirement in catalogue()
    adapter = Adapter()
    adapter.begin({"role": "ask-host", "case": "example"})
    (asked,) = (text for what, text in RIGHT if what == "events/ask-input")
    wrong = data(text)
    ask = {"call": "c1", "toolCallId": "c1", "mode": "tui", "input": data(asked)}
    if schema == "events/ask-input":
        (seen,) = adapter.perform({"ask": {**ask, "input": wrong}})["observations"]
        assert seen["result"]["error"]["kind"] == "invalid_input"
        return
    (started,) = adapter.perform({"ask": ask})["observations"]
    assert started["data"]["flowId"] == wrong["flowId"]
    seen = emit(adapter, wrong)
    assert (seen[0]["data"]["ok"], len(seen)) == (False, 1)
    (right,) = (text for what, text in RIGHT if what == "events/submit")
    assert any(one.get("data", {}).get("ok") is True for one in emit(adapter, data(right)))


def emit(adapter: Adapter, submit: Any) -> list[dict[str, Any]]:
    channel = "@askproof/reference:submit"
    command = {"emit": {"channel": channel, "data": submit}}
    observations: list[dict[str, Any]] = adapter.perform(command)["observations"]
    return observations


def test_the_messages_of_the_protocol_chapter_fit_their_schemas() -> None:
    (block,) = (text for text in INDENTED.findall(page("adapter-protocol")) if "→" in text)
    messages = [json.loads(line.strip()[2:]) for line in block.splitlines()]
    requests, answers = messages[::2], messages[1::2]
    shapes = ["initialize", "begin", "ask-host"]
    for shape, request, answer in zip(shapes, requests, answers, strict=True):
        asks, answered = (
            ("command", "perform-result") if shape == "ask-host" else ("params", "result")
        )
        assert schemas.explain(f"adapter/{shape}-{asks}", request["params"]) == []
        assert schemas.explain(f"adapter/{shape}-{answered}", answer["result"]) == []
        assert request["id"] == answer["id"]


def test_the_case_of_the_format_chapter_is_a_case() -> None:
    text = next(text for text in INDENTED.findall(page("case-format")) if '"case":' in text)
    assert schemas.explain("case", data(text)) == []
