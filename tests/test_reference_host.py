"""The reference host, its bus and its models: what the cases for `ask-host` do not show."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import Future
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from askproof_reference import questions
from askproof_reference.bus import EventBus
from askproof_reference.deferred import Deferred, Signal
from askproof_reference.flows import Ask
from askproof_reference.host import AskHost
from askproof_reference.host_adapter import HostAdapter
from askproof_reference.models import MODELS, validate
from askproof_reference.text import WHITE_SPACE, is_blank, trim

Record = dict[str, Any]

NAMESPACE = "@test/host"
EMITTED = ("started", "completed", "submit-result", "external-ui")
DEPLOY = {
    "questions": [
        {
            "id": "deploy",
            "prompt": "Deploy?",
            "options": [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}],
        }
    ]
}


class Setting:
    """A host on a bus, and everything that it emits."""

    def __init__(self) -> None:
        self.bus = EventBus()
        self.emitted: list[tuple[str, Record]] = []
        for name in EMITTED:
            self.bus.on(f"{NAMESPACE}:{name}", self.recorder(name))
        self.host = AskHost(self.bus, NAMESPACE, lambda: 5)

    def recorder(self, name: str) -> Any:
        return lambda data: self.emitted.append((name, data))

    def of(self, name: str) -> list[Record]:
        return [data for emitted, data in self.emitted if emitted == name]

    def submit(self, payload: Any) -> list[Record]:
        before = len(self.of("submit-result"))
        self.bus.emit(f"{NAMESPACE}:submit", payload)
        return self.of("submit-result")[before:]

    def respond(self, flow_id: str, response: Any) -> Record:
        payload = {"version": 1, "requestId": "r", "flowId": flow_id, "response": response}
        (result,) = self.submit(payload)
        return result


def offering(setting: Setting, provider: Deferred, requests: list[Record]) -> None:
    """Let a provider connect to every call, which resolves as `provider` does."""

    def opened(request: Record) -> Deferred:
        requests.append(request)
        return provider

    def connect(connection: Record) -> None:
        connection["connect"]({"version": 1, "id": "p", "open": opened})

    setting.bus.on(f"{NAMESPACE}:external-ui", connect)


# The bus


def test_listeners_are_called_in_order_and_as_often_as_they_are_there() -> None:
    bus, heard = EventBus(), list[tuple[str, Any]]()
    first = bus.on("a", lambda data: heard.append(("first", data)))

    def listener(data: Any) -> None:
        heard.append(("twice", data))

    once = bus.on("a", listener)
    bus.on("a", listener)
    bus.on("b", lambda data: heard.append(("other", data)))
    bus.emit("a", 1)
    assert heard == [("first", 1), ("twice", 1), ("twice", 1)]
    once()
    once()
    bus.emit("a", 2)
    assert heard[3:] == [("first", 2), ("twice", 2)]
    first()
    bus.emit("a", 3)
    assert heard[5:] == [("twice", 3)]


def test_a_listener_that_is_added_or_removed_meanwhile_changes_the_next_event_only() -> None:
    bus, heard = EventBus(), list[tuple[str, int]]()

    def adding(data: int) -> None:
        if data == 1:
            bus.on("a", lambda data: heard.append(("added", data)))
            remove()

    bus.on("a", adding)
    remove = bus.on("a", lambda data: heard.append(("removed", data)))
    bus.emit("a", 1)
    bus.emit("a", 2)
    assert heard == [("removed", 1), ("added", 2)]


def test_the_faults_of_listeners_reach_nobody_else() -> None:
    bus, heard = EventBus(), list[int]()
    thrown, failed, later = ValueError("thrown"), ValueError("failed"), ValueError("later")
    work, foreign = Deferred(), Future[None]()

    def throw(_: Any) -> None:
        raise thrown

    def fail(_: Any) -> Deferred:
        failing = Deferred()
        failing.set_exception(failed)
        return failing

    for listener in (throw, fail, lambda _: work, lambda _: foreign, heard.append):
        bus.on("a", listener)
    bus.emit("a", 1)
    assert heard == [1]
    assert list(bus.errors) == [thrown, failed]
    work.set_exception(later)
    foreign.set_result(None)
    assert list(bus.errors) == [thrown, failed, later]
    for _ in range(200):
        bus.emit("a", 1)
    assert len(bus.errors) == 100


# What comes later


def test_what_comes_first_counts() -> None:
    deferred, seen = Deferred(), []
    deferred.add_done_callback(lambda done: seen.append(done.result()))
    deferred.set_result(1)
    deferred.set_result(2)
    deferred.set_exception(ValueError())
    deferred.add_done_callback(lambda done: seen.append(done.result()))
    assert (seen, deferred.exception(), deferred.done()) == ([1, 1], None, True)


def test_a_signal_aborts_once_whatever_its_callbacks_do() -> None:
    signal, seen = Signal(), []
    signal.on_abort(lambda: 1 // 0)
    signal.on_abort(lambda: seen.append("before"))
    signal.abort()
    signal.abort()
    signal.on_abort(lambda: seen.append("after"))
    assert seen == ["before", "after"]


# Text


@given(st.text())
@example("\x1c\x1d\x1e\x1f\x85")
@example(WHITE_SPACE)
def test_trimmed_text_has_no_white_space_at_its_ends_and_all_else(text: str) -> None:
    trimmed = trim(text)
    assert trimmed in text
    assert not trimmed or (trimmed[0] not in WHITE_SPACE and trimmed[-1] not in WHITE_SPACE)
    before, _, after = text.partition(trimmed) if trimmed else (text, "", "")
    assert set(before) | set(after) <= set(WHITE_SPACE)
    assert is_blank(text) == (trimmed == "")


# The records that a host emits

padding = st.text(WHITE_SPACE, max_size=2)
names = st.sampled_from(
    ["__proto__", "constructor", "a.b", "a", "b", "é", "e\u0301", "\x85", "\ud800"]
)
loose = st.text("ab \n\x85\ufeff😀\u202e\u0301\ud800", max_size=4)


def padded(text: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(padding, text, padding).map("".join)


def objects(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Record]:
    return st.fixed_dictionaries(required, optional={**optional, "unknown": st.just({})})


def lists_of(item: st.SearchStrategy[Record], key: str) -> st.SearchStrategy[list[Record]]:
    def trimmed(one: Record) -> str:
        return trim(one[key])

    return st.lists(item, min_size=1, max_size=3, unique_by=trimmed)


def options(*, with_preview: bool) -> st.SearchStrategy[list[Record]]:
    preview = {"preview": loose.map(lambda text: f"x{text}") if with_preview else loose}
    option = objects(
        {"value": padded(names), "label": padded(names), **(preview if with_preview else {})},
        {
            "description": loose,
            "recommended": st.booleans(),
            "freeform": st.booleans(),
            **({} if with_preview else preview),
        },
    )
    return lists_of(option, "value")


def question(kind: str | None) -> st.SearchStrategy[Record]:
    return objects(
        {
            "id": padded(names),
            "prompt": padded(names),
            "options": options(with_preview=kind == "preview"),
            **({"type": st.just(kind)} if kind else {}),
        },
        {"label": loose, "required": st.booleans()},
    )


inputs = objects(
    {"questions": lists_of(st.sampled_from([None, *questions.TYPES]).flatmap(question), "id")},
    {"title": loose},
)


@st.composite
def responses(draw: st.DrawFn, form: list[Record]) -> Record:
    """A response to a form, more often right than wrong."""
    if draw(st.integers(0, 9)) == 0:
        return {"kind": "cancel"}
    answers: Record = {}
    for one in draw(st.lists(st.sampled_from(form), unique_by=lambda one: str(one["id"]))):
        offered = st.sampled_from([option["value"] for option in one["options"]])
        several = one["type"] == "multi" or draw(st.integers(0, 9)) == 0
        values = st.lists(offered, unique=True, max_size=3 if several else 1)
        answers[one["id"]] = draw(
            objects(
                {},
                {
                    "values": values,
                    "customText": loose,
                    "note": loose,
                    "optionNotes": st.dictionaries(offered, loose, max_size=3),
                },
            )
        )
    modes = {"mode": st.sampled_from(["submit", "elaborate"])}
    return draw(objects({"kind": st.just("answer"), "answers": st.just(answers)}, modes))


def is_refused_rightly(form: list[Record], response: Record) -> bool:
    """Whether one of the answers is not one for its question."""
    single = {one["id"] for one in form if one["type"] != "multi"}
    return any(
        question_id in single
        and len(entry.get("values", ())) + (not is_blank(entry.get("customText", ""))) > 1
        for question_id, entry in response.get("answers", {}).items()
    )


@given(
    data=st.data(),
    given_input=inputs,
    external=st.booleans(),
    single_as_multi=st.booleans(),
    tool_call_id=st.none() | loose,
)
def test_what_a_host_emits_is_what_a_writer_may_emit(
    data: st.DataObject,
    given_input: Record,
    *,
    external: bool,
    single_as_multi: bool,
    tool_call_id: str | None,
) -> None:
    validate("ask-input", given_input, "reader")
    setting, provided, requests = Setting(), Deferred(), list[Record]()
    offering(setting, provided, requests)
    ask = Ask(
        input=given_input,
        mode="rpc" if external else "tui",
        tool_call_id="c1" if external else tool_call_id,
        single_as_multi=single_as_multi,
    )
    outcome = setting.host.ask(ask)
    (started,) = setting.of("started")
    response = data.draw(responses(started["questions"]))
    validate("response", response, "reader")
    if external and data.draw(st.booleans()):
        provided.set_result(response)
        accepted = outcome.exception() is None
    else:
        accepted = setting.respond(started["flowId"], response)["ok"]
    assert accepted != is_refused_rightly(started["questions"], response)

    if accepted:
        (completed,) = setting.of("completed")
        assert completed["flowId"] == started["flowId"]
        assert completed["result"] == outcome.result()
        assert completed["result"] is not outcome.result()
        validate("result", outcome.result())
    else:
        assert setting.of("completed") == []
    for name, record in setting.emitted:
        handles = {"connect": {"handle": "connect"}} if name == "external-ui" else {}
        validate(name, {**record, **handles})
    for request in requests:
        validate("external-request", {**request, "signal": {"handle": "signal"}})
        assert request["signal"].aborted == outcome.done()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | loose,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


def near(right: Any) -> st.SearchStrategy[Any]:
    """Something right, or anything, or something right with one member missing or wrong."""
    if not isinstance(right, dict):
        return st.just(right) | json_values
    spoiled = st.sampled_from(sorted(right)).flatmap(
        lambda name: near(right[name]).map(lambda value: {**right, name: value})
    )
    cut = st.sampled_from(sorted(right)).map(
        lambda name: {key: value for key, value in right.items() if key != name}
    )
    return st.just(right) | spoiled | cut | json_values


RESPONSE = {
    "kind": "answer",
    "mode": "submit",
    "answers": {
        "deploy": {
            "values": ["yes"],
            "customText": " ",
            "note": "n",
            "optionNotes": {"yes": "a", "no": ""},
        }
    },
}


@given(near({"version": 1, "requestId": "r", "flowId": "tool:c1", "response": RESPONSE}))
def test_every_submit_is_answered_once_and_ends_the_flow_if_it_is_right(payload: Any) -> None:
    setting = Setting()
    outcome = setting.host.ask(Ask(input=DEPLOY, tool_call_id="c1"))
    (result,) = setting.submit(payload)
    validate("submit-result", result)
    assert not setting.bus.errors
    assert result["ok"] == outcome.done() == bool(setting.of("completed"))
    assert result["ok"] != bool(setting.host.flows)


@given(near(RESPONSE))
def test_whatever_open_resolves_with_ends_the_call(response: Any) -> None:
    setting, provided, requests = Setting(), Deferred(), list[Record]()
    offering(setting, provided, requests)
    outcome = setting.host.ask(Ask(input=DEPLOY, mode="json", tool_call_id="c1"))
    assert not outcome.done()
    provided.set_result(response)
    assert outcome.done()
    assert requests[0]["signal"].aborted
    assert bool(setting.of("completed")) == (outcome.exception() is None)


@given(near({**DEPLOY, "title": "t"}))
def test_an_input_is_refused_with_paths_or_opens_a_flow(given_input: Any) -> None:
    setting = Setting()
    outcome = setting.host.ask(Ask(input=given_input))
    if outcome.done():
        result = validate("result", outcome.result())
        assert all(issue.path for issue in result.error.issues)
        assert setting.emitted == []
    else:
        assert [name for name, _ in setting.emitted] == ["started"]
    try:
        validate("ask-input", given_input, "reader")
    except ValidationError:
        assert outcome.done()


# Flows

calls = st.sampled_from([None, "c", "c#2", "c#3"])


@given(st.lists(st.tuples(calls, st.integers(0, 5)), max_size=12))
def test_no_flow_id_is_used_again(script: list[tuple[str | None, int]]) -> None:
    setting = Setting()
    for tool_call_id, ending in script:
        setting.host.ask(Ask(input=DEPLOY, tool_call_id=tool_call_id, source="ask:resume"))
        active = list(setting.host.flows.values())
        if ending < len(active):
            setting.respond(active[ending].id, {"kind": "cancel"})
            assert [*setting.host.flows.values()] == [*active[:ending], *active[ending + 1 :]]
    ids = [started["flowId"] for started in setting.of("started")]
    assert all(one != other for one, other in combinations(ids, 2))


@pytest.mark.parametrize("aborts", ["before", "while started", "while looking"])
def test_an_operation_may_abort_at_any_time(aborts: str) -> None:
    setting, signal, requests = Setting(), Signal(), list[Record]()
    offering(setting, Deferred(), requests)
    channel = {"while started": "started", "while looking": "external-ui"}.get(aborts)
    if channel is None:
        signal.abort()
    else:
        setting.bus.on(f"{NAMESPACE}:{channel}", lambda _: signal.abort())
    ask = Ask(input=DEPLOY, mode="rpc", tool_call_id="c1", signal=signal)
    outcome = setting.host.ask(ask)
    assert outcome.result()["cancelled"]
    assert (requests, setting.host.flows) == ([], {})
    assert len(setting.of("started")) == len(setting.of("completed")) <= 1


@pytest.mark.parametrize("returned", [None, "yes", {"kind": "cancel"}])
def test_an_open_that_returns_nothing_to_wait_for_has_failed(returned: Any) -> None:
    setting = Setting()
    offering(setting, returned, [])
    outcome = setting.host.ask(Ask(input=DEPLOY, mode="rpc", tool_call_id="c1"))
    assert isinstance(outcome.exception(), RuntimeError)
    assert not setting.of("completed")


def test_open_may_return_the_future_of_the_standard_library() -> None:
    setting, provided = Setting(), Future[Any]()
    offering(setting, provided, [])  # type: ignore[arg-type]
    outcome = setting.host.ask(Ask(input=DEPLOY, mode="rpc", tool_call_id="c1"))
    provided.set_result({"kind": "cancel"})
    assert outcome.result()["cancelled"]


# Preview files


@pytest.mark.parametrize(
    "name", ["../outside.md", "missing.md", "", ".", "blank.md", "binary", "link.md", "a\0b"]
)
def test_a_preview_file_lies_in_the_folder_and_has_text(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "ask"
    folder.mkdir()
    (tmp_path / "outside.md").write_text("secret")
    (folder / "blank.md").write_text(" \n")
    (folder / "binary").write_bytes(b"\xff")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    for file in (name, str(tmp_path / "outside.md")):
        option = {"value": "x", "label": "X", "previewFile": file}
        given_input = {"questions": [{"id": "a", "prompt": "A?", "options": [option]}]}
        outcome = Setting().host.ask(Ask(input=given_input, folder=str(folder)))
        (issue,) = outcome.result()["error"]["issues"]
        assert issue["path"] == "questions[0].options[0].previewFile"


# The models


def test_a_reader_drops_at_every_level_what_a_writer_may_not_emit() -> None:
    answers = {"deploy": {"values": ["yes"], "unknown": None}}
    record = {"kind": "answer", "answers": answers, "unknown": 1}
    with pytest.raises(ValidationError):
        validate("response", record)
    read = validate("response", record, "reader")
    kept = read.model_dump(by_alias=True, exclude_none=True)
    assert kept == {"kind": "answer", "answers": {"deploy": {"values": ["yes"]}}}


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("submit-result", {"version": True, "requestId": "r", "flowId": "f", "ok": True}),
        ("submit-result", {"version": 1.0, "requestId": "r", "flowId": "f", "ok": True}),
        ("submit-result", {"version": 1, "requestId": "r", "flowId": "f", "ok": 1}),
        ("answer", {"note": None}),
        ("answer-row", {"values": [], "labels": [], "indices": [1.0]}),
        ("option", {"value": "a\ufeff", "label": "A"}),
        ("result", None),
    ],
)
def test_near_misses_are_refused_in_both_readings(name: str, record: Any) -> None:
    for reading in ("writer", "reader"):
        with pytest.raises(ValidationError):
            validate(name, record, reading)


def test_there_is_a_model_for_every_kind_of_record() -> None:
    schemas = Path(__file__).parents[1] / "schemas"
    scalars = {"non-blank-text", "question-type", "source", "trimmed-text"}
    events = {path.stem for path in (schemas / "events").glob("*.json")} - scalars
    others = {
        f"{contract}/{path.stem}"
        for contract in ("receipts", "journal")
        for path in (schemas / contract).glob("*.json")
    }
    assert events | others - {"journal/timestamp"} == MODELS.keys()


# The adapter


def test_a_command_that_the_host_does_not_know_is_refused() -> None:
    host = HostAdapter()
    host.begin({"role": "ask-host", "case": "x"})
    with pytest.raises(NotImplementedError):
        host.perform({"dance": {}})


def test_files_cannot_be_written_outside_the_scratch_folder() -> None:
    host = HostAdapter()
    host.begin({"role": "ask-host", "case": "x"})
    ask = {"call": "c1", "mode": "tui", "input": DEPLOY, "files": {"../../outside.md": ""}}
    with pytest.raises(ValueError, match="outside"):
        host.perform({"ask": ask})


def test_the_reference_needs_nothing_but_the_standard_library() -> None:
    code = (
        "import sys, askproof_reference.host_adapter, askproof_reference.bridge_adapter\n"
        "print({'askproof', 'pydantic', 'jsonschema', 'logging'} & sys.modules.keys())"
    )
    command = [sys.executable, "-c", code]
    paths = {"PYTHONPATH": str(Path(__file__).parents[1] / "reference")}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=paths)
    assert done.stdout == "set()\n"
