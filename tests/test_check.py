"""Event logs: each rule is seen to fail for its own reason, and no file can harm the checker."""

import copy
import io
import json
import tracemalloc
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askproof import check
from askproof.__main__ import main
from askproof.check import Finding, Summary, check_log, lines_of
from askproof.schemas import data_folder

EXAMPLES = data_folder("schemas") / "examples"
SPACE = "@acme/ask"
SECRET = "hunter2"
OPTIONS = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}]
DEPLOY = {"id": "deploy", "label": "Q1", "prompt": "Deploy?", "required": False, "type": "single"}
Event = dict[str, Any]


def event(channel: str, data: Any, space: str = SPACE) -> Event:
    return {"time": 1700000000000, "channel": f"{space}:{channel}", "data": data}


def load(schema: str, name: str) -> Any:
    return json.loads((EXAMPLES / schema / "valid" / f"{name}.json").read_bytes())


def started(flow: str = "f1", space: str = SPACE, **more: Any) -> Event:
    data = {"version": 1, "flowId": flow, "source": "tool", "createdAt": 1}
    data |= {"questions": [{**DEPLOY, "type": "multi", "options": OPTIONS}], **more}
    return event("started", data, space)


def submit(request: str = "r1", flow: str = "f1", space: str = SPACE, **response: Any) -> Event:
    response = response or {"kind": "answer", "answers": {"deploy": {"values": ["yes"]}}}
    data = {"version": 1, "requestId": request, "flowId": flow, "response": response}
    return event("submit", data, space)


def answer(**answers: Any) -> Event:
    return submit(kind="answer", answers=answers)


def accepted(request: str = "r1", flow: str = "f1", space: str = SPACE) -> Event:
    data = {"version": 1, "requestId": request, "flowId": flow, "ok": True}
    return event("submit-result", data, space)


def refused(request: str = "r1", flow: str = "f1", error: Any = "invalid_answer") -> Event:
    data = {"version": 1, "requestId": request, "flowId": flow, "ok": False}
    return event("submit-result", data | {"error": error, "message": "no"})


def completed(flow: str = "f1", space: str = SPACE, row: Any = None, **more: Any) -> Event:
    summary = {key: DEPLOY[key] for key in ("id", "label", "prompt", "type")}
    row = row or {"values": ["yes"], "labels": ["Yes"], "indices": [1]}
    result = {"cancelled": False, "mode": "submit", "questions": [summary]}
    data = {"version": 1, "flowId": flow, "source": "tool", "completedAt": 2}
    data |= {"result": {**result, "answers": {"deploy": row}}, **more}
    return event("completed", data, space)


def lines(*records: Any) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in records]


def checked(log: Iterable[bytes]) -> tuple[list[Finding], Summary]:
    run = check_log(log, "bus.jsonl")
    found = []
    while True:
        try:
            found.append(next(run))
        except StopIteration as end:
            return found, end.value


def findings(*records: Any) -> list[tuple[int, str, str]]:
    return [(one.line, one.rule, one.pointer) for one in checked(lines(*records))[0]]


# Logs in which nothing is wrong


@pytest.mark.parametrize(
    "log",
    [
        [started(), submit(), accepted(), completed()],
        [started(), submit(), completed(), accepted()],
        [started(), answer(nope={}), refused(), submit("r2"), accepted("r2"), completed()],
        [started(), completed()],
        [started(), completed(), submit(), refused(error="flow_not_found")],
        [submit(flow="f9"), refused(flow="f9", error="flow_not_found")],
        [started(), submit(kind="cancel"), accepted(), completed()],
        [started(), completed(), started(), completed()],
        [started(), submit(), submit("r2"), refused("r2"), accepted(), completed()],
        [event("submit", None), refused("", "", "invalid_request")],
    ],
    ids=lambda log: " ".join(each["channel"].partition(":")[2] for each in log),
)
def test_conforming_log_has_no_finding(log: list[Event]) -> None:
    assert [one for one in findings(*log) if one[1] != "schema"] == []


def test_summary_counts_events_other_channels_and_open_flows() -> None:
    other = [event("started:late", {}), event("notice", None), event("started", {}, "")]
    found, summary = checked(lines(started(), *other, started("f2"), completed("f2")))
    assert found == []
    assert summary == Summary(events=3, ignored=3, open=1)


def test_flow_whose_submit_was_not_found_is_not_open() -> None:
    log = [started(), submit(), refused(error="flow_not_found")]
    assert checked(lines(*log)) == ([], Summary(events=3, ignored=0, open=0))
    assert findings(*log, started()) == []


def test_flows_of_two_namespaces_may_have_one_id() -> None:
    twins = [(make(), make(space="@acme/two")) for make in (started, submit, accepted, completed)]
    assert findings(*(each for pair in twins for each in pair)) == []


def test_unknown_members_are_ignored_at_every_level() -> None:
    log = [started(later=[]), submit(kind="answer", answers={"deploy": {"later": 1}}, later={})]
    assert findings(*({**each, "host": "a"} for each in [*log, accepted(), completed()])) == []


@pytest.mark.parametrize(
    "row",
    [
        {"values": [" x "], "labels": [" x "], "indices": [], "customText": " x "},
        {
            "values": ["no", "yes", "yes"],
            "labels": ["No", "Yes", "yes"],
            "indices": [2, 1],
            "customText": "yes",
        },
        {"values": [], "labels": [], "indices": [], "note": "why?"},
    ],
)
def test_row_that_agrees_with_started(row: Any) -> None:
    assert findings(started(), completed(row=row)) == []


def test_external_ui_needs_no_function_in_a_log() -> None:
    data = {"version": 1, "mode": "rpc", "toolCallId": "c1"}
    assert findings(event("external-ui", data)) == []
    assert findings(event("external-ui", {**data, "mode": "web"})) == [(1, "schema", "/data/mode")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\n\n  \n", b""])
def test_lines_may_end_in_several_ways(end: bytes) -> None:
    log = b"".join(line.rstrip() + b"\n" for line in lines(started(), completed())).rstrip() + end
    assert checked(lines_of(io.BytesIO(log))) == ([], Summary(2, 0, 0))


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\u2028b\u0085c\fd"
    log = json.dumps(started(title=text), ensure_ascii=False).encode() + b"\n"
    assert checked(lines_of(io.BytesIO(log))) == ([], Summary(1, 0, 1))


def test_empty_log_holds_nothing() -> None:
    assert checked(lines_of(io.BytesIO())) == ([], Summary(0, 0, 0))


# The rules that span events


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        pytest.param([completed()], (1, "EVT-050", "/data/flowId"), id="completed, never started"),
        pytest.param(
            [started(), completed(), completed()],
            (3, "EVT-050", "/data/flowId"),
            id="completed twice",
        ),
        pytest.param(
            [started(), submit(), accepted()],
            (3, "EVT-050", "/data/flowId"),
            id="accepted, never completed",
        ),
        pytest.param(
            [started(), submit(), accepted(), started(), completed()],
            (3, "EVT-050", "/data/flowId"),
            id="accepted, started again instead of completed",
        ),
        pytest.param([started(), submit()], (2, "EVT-070", "/data"), id="submit without result"),
        pytest.param([refused()], (1, "EVT-070", "/data/requestId"), id="result without submit"),
        pytest.param(
            [started(), submit(), refused(), refused()],
            (4, "EVT-070", "/data/requestId"),
            id="two results of one submit",
        ),
        pytest.param(
            [started(), completed(), submit(), accepted()],
            (4, "EVT-071", "/data/ok"),
            id="accepted after the end",
        ),
        pytest.param(
            [submit(), accepted()], (2, "EVT-071", "/data/ok"), id="accepted, never started"
        ),
        pytest.param(
            [started(), submit(), submit("r2"), completed(), accepted(), accepted("r2")],
            (6, "EVT-071", "/data/ok"),
            id="accepted twice, both sent while active",
        ),
        pytest.param(
            [started(), submit(), accepted(), submit("r2"), accepted("r2"), completed()],
            (5, "EVT-071", "/data/ok"),
            id="accepted between result and completed",
        ),
        pytest.param(
            [started(), started()], (2, "EVT-048", "/data/flowId"), id="two active flows, one id"
        ),
        pytest.param(
            [started(), completed(source="answer")], (2, "EVT-041", "/data/source"), id="source"
        ),
        pytest.param(
            [started(toolCallId="c1"), completed(toolCallId="c2")],
            (2, "EVT-042", "/data/toolCallId"),
            id="another tool call",
        ),
        pytest.param(
            [started(toolCallId="c1"), completed()],
            (2, "EVT-042", "/data/toolCallId"),
            id="tool call only in started",
        ),
        pytest.param(
            [started(), answer(deploy={"values": ["Yes"]}), accepted(), completed()],
            (3, "EVT-080", "/data/ok"),
            id="label accepted as a value",
        ),
        pytest.param(
            [started(), answer(regions={}), accepted(), completed()],
            (3, "EVT-078", "/data/ok"),
            id="answer to an unknown question accepted",
        ),
        pytest.param(
            [started(), submit(), refused(), submit(), accepted(), completed()],
            (4, "EVT-202", "/data/requestId"),
            id="requestId reused",
        ),
    ],
)
def test_rule_between_events(log: list[Event], expected: tuple[int, str, str]) -> None:
    assert findings(*log) == [expected]


def test_result_that_echoes_another_id_answers_nothing() -> None:
    [result, lost] = findings(started(), submit(), refused(flow="f2"))
    assert result == (3, "EVT-070", "/data/requestId")
    assert lost == (2, "EVT-070", "/data")


def test_result_on_another_namespace_answers_nothing() -> None:
    found = findings(started(), submit(), accepted(space="@acme/two"), completed())
    assert found == [(3, "EVT-070", "/data/requestId"), (2, "EVT-070", "/data")]


@pytest.mark.parametrize(
    ("row", "rule", "pointer"),
    [
        ({"values": ["yes"], "labels": ["No"], "indices": [1]}, "EVT-100", "/labels/0"),
        ({"values": ["yes"], "labels": ["yes"], "indices": [1]}, "EVT-100", "/labels/0"),
        ({"values": ["yes"], "labels": ["Yes"], "indices": [2]}, "EVT-101", "/indices/0"),
        ({"values": ["yes"], "labels": ["Yes"], "indices": [3]}, "EVT-101", "/indices/0"),
        ({"values": ["yes"], "labels": ["Yes"], "indices": [1.0]}, "EVT-101", "/indices/0"),
        ({"values": ["yes"], "labels": ["Yes"], "indices": []}, "EVT-101", ""),
        ({"values": ["yes"], "labels": [], "indices": [1]}, "EVT-101", ""),
        (
            {"values": ["x", "yes"], "labels": ["x", "Yes"], "indices": [1], "customText": "x"},
            "EVT-101",
            "/indices/0",
        ),
        (
            {"values": ["x"], "labels": ["x"], "indices": [], "customText": "y"},
            "EVT-101",
            "/customText",
        ),
    ],
)
def test_row_that_disagrees_with_started(row: Any, rule: str, pointer: str) -> None:
    found = findings(started(), completed(row=row))
    assert found[0] == (2, rule, f"/data/result/answers/deploy{pointer}")


def test_row_of_a_question_that_was_not_asked() -> None:
    result = completed()["data"]["result"]
    rows = {"a/b~": {"values": ["yes"], "labels": ["Yes"], "indices": [1]}}
    found = findings(started(), completed(result={**result, "answers": rows}))
    assert found == [(2, "EVT-100", "/data/result/answers/a~1b~0")]


# Records of the wrong shape


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"version": 2}, "EVT-072"),
        ({"response": None}, "EVT-072"),
        ({"response": {}}, "EVT-072"),
        ({"response": {"kind": "approve"}}, "EVT-072"),
        ({"response": {"kind": "answer"}}, "EVT-075"),
        ({"response": {"kind": "answer", "answers": []}}, "EVT-075"),
        ({"response": {"kind": "answer", "mode": "", "answers": {}}}, "EVT-076"),
        ({"response": {"kind": "answer", "answers": {" deploy": {}}}}, "EVT-078"),
        ({"response": {"kind": "answer", "answers": {"deploy": None}}}, "EVT-079"),
        ({"response": {"kind": "answer", "answers": {"deploy": {"note": None}}}}, "EVT-079"),
        ({"response": {"kind": "answer", "answers": {"deploy": {"values": ["no "]}}}}, "EVT-080"),
        (
            {"response": {"kind": "answer", "answers": {"deploy": {"values": ["no", "no"]}}}},
            "EVT-081",
        ),
    ],
)
def test_malformed_submit_must_be_refused(changed: Any, rule: str) -> None:
    wrong = event("submit", {**submit()["data"], **changed})
    [shape, verdict] = findings(started(), wrong, accepted(), completed())
    assert shape[:2] == (2, "schema")
    assert verdict == (3, rule, "/data/ok")
    [shape] = findings(started(), wrong, refused())
    assert shape[:2] == (2, "schema")


def test_envelope_comes_before_the_flow_and_the_flow_before_the_answer() -> None:
    envelope = event("submit", {**submit()["data"], "version": 2})
    assert findings(envelope, accepted())[1] == (2, "EVT-072", "/data/ok")
    assert findings(answer(deploy=None), accepted())[1] == (2, "EVT-071", "/data/ok")


@pytest.mark.parametrize("wrong", [None, [], "x", {}, {"requestId": 7, "flowId": None}])
def test_even_a_malformed_submit_has_a_result(wrong: Any) -> None:
    found = findings(event("submit", wrong))
    assert found[-1] == (1, "EVT-070", "/data")
    found = findings(event("submit", wrong), refused("", "", "invalid_request"))
    assert {rule for _, rule, _ in found} == {"schema"}


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"error": "closed"}, "/data/error"),
        ({"error": None}, "/data/error"),
        ({"message": None}, "/data/message"),
    ],
)
def test_refusal_has_a_reason(changed: Any, pointer: str) -> None:
    wrong = event("submit-result", {**refused()["data"], **changed})
    assert findings(started(), submit(), wrong) == [(3, "EVT-092", pointer)]
    [missing] = changed
    del wrong["data"][missing]
    assert findings(started(), submit(), wrong) == [(3, "EVT-092", "/data")]


@pytest.mark.parametrize(
    ("record", "pointer"),
    [
        (started(flowId=7), "/data/flowId"),
        (started(flowId=""), "/data/flowId"),
        (started(questions=[]), "/data/questions"),
        (started(source="dream"), "/data/source"),
        (event("started", None), "/data"),
        (event("completed", {}), "/data"),
        (completed(flowId=[]), "/data/flowId"),
        ({"time": 1, "channel": "@acme/ask:started"}, "/data"),
        ({"channel": "@acme/ask:started", "data": started()["data"]}, "/time"),
        ({**started(), "time": 1.0}, "/time"),
        ({**started(), "time": True}, "/time"),
        ({"time": 1, "data": {}}, ""),
        ({"time": 1, "channel": None, "data": {}}, ""),
        ([1, "@acme/ask:started", {}], ""),
        (7, ""),
    ],
)
def test_record_of_the_wrong_shape(record: Any, pointer: str) -> None:
    found = findings(record)
    assert {(line, rule) for line, rule, _ in found} == {(1, "schema")}
    assert pointer in {where for _, _, where in found}


def test_malformed_started_still_opens_its_flow() -> None:
    log = [started(createdAt="now"), answer(deploy={"values": ["maybe"]}), accepted(), completed()]
    assert findings(*log) == [(1, "schema", "/data/createdAt")]


def test_message_tells_what_is_missing() -> None:
    data = {key: value for key, value in started()["data"].items() if key != "questions"}
    [[found], _] = checked(lines(event("started", data)))
    expected = "'questions' is a required property (required in the schema events/started)"
    assert found == Finding("bus.jsonl", 1, "/data", "schema", "@acme/ask:started", expected)


# Receipts

RECEIPT = load("receipts/receipt", "choice")
QUESTIONNAIRE = load("receipts/receipt", "questionnaire")


def test_receipts_are_counted_and_their_shape_is_checked() -> None:
    log = [RECEIPT, QUESTIONNAIRE, {**RECEIPT, "approved": SECRET}, started()]
    found, summary = checked(lines(*log))
    assert [(one.line, one.rule, one.pointer) for one in found] == [(3, "schema", "")]
    assert SECRET not in texts(found)
    assert summary == Summary(events=1, ignored=0, open=1, receipts=3, valid_receipts=2)


@pytest.mark.parametrize(
    ("changed", "pointer"),
    [
        ({"branchAnchor": 7}, "/branchAnchor"),
        ({"answer": {"kind": "option", "text": 1}}, "/answer/text"),
        ({"prompt": "{"}, "/prompt"),
        ({"prompt": '{"question":"a","question":"b"}'}, "/prompt"),
        ({"prompt": "7"}, "/prompt"),
        ({"toolName": "ask_user_question"}, "/prompt"),
    ],
)
def test_receipt_of_the_wrong_shape(changed: dict[str, Any], pointer: str) -> None:
    found = findings({**RECEIPT, **changed})
    assert {(rule, where) for _, rule, where in found} == {("schema", pointer)}


@pytest.mark.parametrize("channel", ["receipt", "started"])
def test_a_receipt_on_an_event_bus_is_a_finding(channel: str) -> None:
    assert (1, "RCP-041", "/data") in findings(event(channel, RECEIPT))
    assert (1, "RCP-041", "/data") in findings({**event("x", RECEIPT), "channel": "plain"})


def test_a_receipt_on_the_bus_of_another_namespace_is_not_looked_at() -> None:
    log = lines(event("receipt", RECEIPT, "@other/ask"))
    assert list(check_log(log, "bus.jsonl", [SPACE])) == []


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_the_command_says_that_receipts_prove_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: list[str]
) -> None:
    file = tmp_path / "receipts.jsonl"
    file.write_bytes(b"".join(lines(RECEIPT, QUESTIONNAIRE)))
    assert main(["check", str(file), *as_json]) == 0
    note = "2 receipts of valid shape, which proves nothing, since a serialized receipt is no"
    assert f"{note} evidence (RCP-061)" in capsys.readouterr().out
    file.write_bytes(b"".join(lines(RECEIPT, {**RECEIPT, "answer": "Yes"})))
    assert main(["check", str(file), *as_json]) == 1
    assert "2 receipts, 1 of valid shape, which proves nothing" in capsys.readouterr().out


# Secrets, and text that a terminal would obey


def texts(found: list[Finding]) -> str:
    return "\n".join("\n".join(map(str, vars(one).values())) for one in found)


@pytest.mark.parametrize(
    "told",
    [
        {"values": [SECRET]},
        {"values": [SECRET, SECRET]},
        {"values": [f"{SECRET} "]},
        {"values": SECRET},
        {"customText": [SECRET]},
        {"note": {"text": SECRET}},
        {"optionNotes": {"yes": [SECRET]}},
        SECRET,
    ],
)
def test_no_answer_is_repeated(told: Any) -> None:
    row = {"values": [SECRET], "labels": [SECRET], "indices": [1]}
    odd = {"values": [SECRET, 1], "labels": SECRET, "indices": [0], "customText": "", "note": 7}
    log = [started(), answer(deploy=told), accepted(), completed(row=row), completed(row=odd)]
    found, _ = checked(lines(*log, event("submit-result", {"message": SECRET, "ok": SECRET})))
    assert len(found) > 4
    assert SECRET not in texts(found)


def test_ids_are_escaped_and_shortened() -> None:
    flow = "\x1b[31m\u202e\ud800" + "x" * 100_000
    key = "\x1b[2J" + "/" * 100_000
    log = [completed(flow), submit(flow, flow), refused(flow, "f"), answer(**{key: 7})]
    found, _ = checked(lines(*log, event("started", {}, flow)))
    assert {one.rule for one in found} == {"EVT-050", "EVT-070", "schema"}
    assert all(line.isprintable() for line in texts(found).split("\n"))
    assert max(map(len, texts(found).split("\n"))) <= 1300


# Lines that cannot be read


@pytest.mark.parametrize(
    "bad",
    [
        b'{"time": NaN, "channel": "@acme/ask:started", "data": {}}',
        b'{"time": 1, "channel": "@acme/ask:started", "data": -Infinity}',
        b'{"time": 1, "time": 1, "channel": "@acme/ask:started", "data": {}}',
        b'{"time": 1, "channel": "@acme/ask:started", "data": {"a": 1, "\\u0061": 2}}',
        b'{"time": 1, "channel": "\xff:started", "data": {}}',
        b'{"time": 1, "channel": "\xed\xa0\x80:started", "data": {}}',
        b'{"time": 1} {"time": 2}',
        b'{"time": 1, "channel": "@acme/ask:sta',
        b"\xef\xbb\xbf" + lines(started())[0].strip(),
        b"\0" * 1000,
        b'{"time": 1, "channel": "x", "data": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"data": ' * 65 + b"1" + b"}" * 65,
        b"9" * 10_000,
        b"'" * 10,
    ],
    ids=lambda line: repr(line[:60]),
)
def test_unreadable_line_is_one_finding_and_the_rest_goes_on(bad: bytes) -> None:
    [first, *rest] = lines(started(), submit(), accepted(), completed())
    found, summary = checked([first, bad + b"\n", *rest])
    assert [(one.line, one.rule, one.hint) for one in found] == [(2, "syntax", "")]
    assert found[0].message.isprintable()
    assert summary == Summary(4, 0, 0)


@pytest.mark.parametrize("kept", [1, 30, 60])
def test_torn_tail_is_named(kept: int) -> None:
    [first, last] = lines(started(), completed())
    [[torn], summary] = checked(lines_of(io.BytesIO(first + last[:kept])))
    assert (torn.line, torn.rule) == (2, "syntax")
    assert "cut off" in torn.hint
    assert summary == Summary(1, 0, 1)


class Endless(io.RawIOBase):
    """One line of so many bytes, then others; it is never held as a whole."""

    def __init__(self, size: int, rest: bytes) -> None:
        self._left = size
        self._rest = io.BytesIO(rest)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            return self._rest.readinto(buffer)
        size = min(len(buffer), self._left)
        buffer[:size] = b"x" * size
        self._left -= size
        return size


def test_line_of_a_hundred_megabytes_is_never_held() -> None:
    rest = b"\n" + b"".join(lines(started(), completed()))
    stream: Any = io.BufferedReader(Endless(100_000_000, rest))
    tracemalloc.start()
    found, summary = checked(lines_of(stream))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(one.line, one.rule, one.message) for one in found] == [
        (1, "syntax", "longer than 8388608 bytes")
    ]
    assert summary == Summary(2, 0, 0)
    assert peak < 40_000_000


@pytest.mark.parametrize(("size", "fits"), [(8 * 1024 * 1024, True), (8 * 1024 * 1024 + 1, False)])
def test_longest_line(size: int, *, fits: bool) -> None:
    record = event("notice", "")
    record["data"] = "x" * (size - len(json.dumps(record)))
    for end in (b"\n", b""):
        log = io.BytesIO(json.dumps(record).encode() + end)
        found, summary = checked(lines_of(log))
        assert [one.rule for one in found] == ([] if fits else ["syntax"])
        assert summary.ignored == fits


def test_memory_does_not_grow_with_the_log() -> None:
    def log() -> Iterator[bytes]:
        for number in range(3000):
            flow, request = f"f{number}" + "x" * 1000, f"r{number}" + "x" * 1000
            script = [
                started(flow),
                submit(request, flow),
                completed(flow),
                accepted(request, flow),
            ]
            yield from lines(*script, submit(f"u{request}", flow))

    run = check_log(log(), "bus.jsonl")
    tracemalloc.start()
    lost = sum(one.rule == "EVT-070" for one in run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lost == 3000
    assert peak < 4_000_000


def test_only_the_latest_ends_and_requests_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "REMEMBERED", 2)
    ended = [(started(flow), completed(flow)) for flow in ("f1", "f2", "f3")]
    log = [*(each for pair in ended for each in pair), completed("f1"), completed("f3")]
    found, _ = checked(lines(*log))
    assert [one.message.partition(" ")[2] for one in found] == [
        '"f1" did not start in this log',
        '"f3" had ended in line 6',
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["values", "kind", "deploy", "ok"]) | st.text(), inner)
    ),
    max_leaves=5,
)


@st.composite
def broken(draw: st.DrawFn) -> Event:
    record = draw(st.sampled_from([started(), submit(), accepted(), refused(), completed()]))
    record = copy.deepcopy(record)
    target: Any = record["data"]
    while isinstance(target, dict) and target and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(target)))
        if not isinstance(target[key], dict) or draw(st.booleans()):
            target[key] = draw(JSON)
            break
        target = target[key]
    return {**record, "data": draw(st.just(record["data"]) | JSON)}


@given(st.lists(broken(), max_size=6))
def test_nothing_in_a_log_breaks_the_checker(log: list[Event]) -> None:
    for one in checked(lines(*log))[0]:
        assert one.rule in {"syntax", "schema"} or one.rule.startswith("EVT-")
        assert all(str(text).isprintable() for text in vars(one).values())


@given(st.lists(st.binary(max_size=20) | st.sampled_from([b"\n", b'{"time":1', b"[]\n"])))
def test_no_bytes_break_the_checker(chunks: list[bytes]) -> None:
    log = list(lines_of(io.BytesIO(b"".join(chunks))))
    assert b"".join(log) == b"".join(chunks)
    assert all(one.rule in {"syntax", "schema"} for one in checked(log)[0])
