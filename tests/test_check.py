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

from askproof import adapters, check_flows, engine
from askproof import case as cases
from askproof.__main__ import main
from askproof.check import Finding, Summary, check_log, lines_of
from askproof.schemas import data_folder
from askproof.specification import catalogue

EXAMPLES = data_folder("schemas") / "examples"
SPACE = "@acme/ask"
SECRET = "hunter2"
OPTIONS = [{"value": "yes", "label": "Yes"}, {"value": "no", "label": "No"}]
DEPLOY = {"id": "deploy", "label": "Q1", "prompt": "Deploy?", "required": False, "type": "multi"}
Event = dict[str, Any]


def event(channel: str, data: Any, space: str = SPACE) -> Event:
    return {"time": 1700000000000, "channel": f"{space}:{channel}", "data": data}


def load(schema: str, name: str) -> Any:
    return json.loads((EXAMPLES / schema / "valid" / f"{name}.json").read_bytes())


def started(flow: str = "f1", space: str = SPACE, **more: Any) -> Event:
    data = {"version": 1, "flowId": flow, "source": "tool", "createdAt": 1_700_000_000_000}
    data |= {"questions": [{**DEPLOY, "options": OPTIONS}], **more}
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
    data = {"version": 1, "flowId": flow, "source": "tool", "completedAt": 1_700_000_000_001}
    data |= {"result": {**result, "answers": {"deploy": row}}, **more}
    return event("completed", data, space)


def result(base: Event, **more: Any) -> Event:
    """A completed whose result is changed."""
    return {**base, "data": {**base["data"], "result": {**base["data"]["result"], **more}}}


def gave_up() -> Event:
    return result(completed(), cancelled=True, answers={})


NOT_FOUND = refused("r2", error="flow_not_found")


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
        [started(), submit(kind="cancel"), accepted(), gave_up()],
        [started(), submit(kind="cancel"), gave_up(), accepted()],
        [started(), answer(), accepted(), result(completed(), answers={})],
        [started(), gave_up()],
        [started(), completed(), started(), completed()],
        [started(), submit(), submit("r2"), NOT_FOUND, accepted(), completed()],
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


def test_unknown_members_of_a_record_are_ignored() -> None:
    assert findings(*({**each, "host": "a"} for each in [started(), completed()])) == []


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
            [started(), answer(nope={}), refused(), refused()],
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
            [started(), answer(nope={}), refused(), submit(), accepted(), completed()],
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


# What was submitted, and what came of it

ROW = {"values": ["yes"], "labels": ["Yes"], "indices": [1]}
NO = {"values": ["no"], "labels": ["No"], "indices": [2]}
OWN = {"values": [SECRET], "labels": [SECRET], "indices": [], "customText": SECRET}
EMPTY: Event = {"values": [], "labels": [], "indices": []}
NOTE = {"note": f" {SECRET} "}
NOTED = completed(row={**ROW, **NOTE})
AT = "/data/result/answers/deploy"
MODE = "/data/result/mode"


def elaborated(answers: Any) -> Event:
    data = load("events/completed", "elaborated")
    return result(completed(), **{**data["result"], "questions": SUMMARIES, "answers": answers})


SUMMARIES = completed()["data"]["result"]["questions"]


@pytest.mark.parametrize(
    ("told", "row"),
    [
        ({"values": ["no", "yes"]}, {"values": ["yes", "no"], "labels": ["Yes", "No"]}),
        ({"values": ["yes"], "note": "\t", "customText": ""}, ROW),
        ({"values": ["yes"], "labels": ["No"], "indices": [7]}, ROW),
        ({"values": ["yes"], **NOTE}, {**ROW, **NOTE}),
        ({"customText": SECRET}, OWN),
        (NOTE, {**EMPTY, **NOTE}),
        ({"values": ["yes"], "optionNotes": {"yes": SECRET}}, {"optionNotes": {"yes": SECRET}}),
        # A note on an option that is not chosen should be left out (EVT-106), and may stay.
        ({"values": ["yes"], "optionNotes": {"no": SECRET}}, {"optionNotes": {"no": SECRET}}),
        ({"values": ["yes"], "optionNotes": {"no": SECRET, "nope": " "}}, ROW),
    ],
)
def test_a_result_that_is_what_was_submitted(told: Any, row: Any) -> None:
    row = {**ROW, "indices": [1, 2][: len(row.get("labels", "."))], **row}
    end = [accepted(), completed(row=row)]
    for order in (end, end[::-1]):
        found = [one for one in findings(started(), answer(deploy=told), *order) if one[0] > 2]
        assert found == []


@pytest.mark.parametrize(
    ("told", "end", "rule", "pointer"),
    [
        ({"values": ["yes"]}, completed(row=NO), "EVT-088", f"{AT}/values"),
        ({"values": ["no", "yes"]}, completed(row=NO), "EVT-088", f"{AT}/values"),
        ({"values": ["yes"]}, completed(row=OWN), "EVT-088", f"{AT}/values"),
        ({"values": ["yes"]}, result(completed(), answers={}), "EVT-088", AT[:-7]),
        ({"values": ["yes"]}, NOTED, "EVT-088", f"{AT}/note"),
        ({"values": ["yes"], **NOTE}, completed(), "EVT-110", AT),
        ({"values": ["yes"], "note": SECRET}, NOTED, "EVT-008", f"{AT}/note"),
        ({"customText": f"{SECRET} "}, completed(row=OWN), "EVT-008", f"{AT}/customText"),
        ({"customText": "e\u0301"}, completed(row=OWN), "EVT-008", f"{AT}/customText"),
        (NOTE, result(completed(), answers={}), "EVT-105", AT[:-7]),
        (NOTE, completed(row=EMPTY), "EVT-104", AT),
        ({}, completed(), "EVT-087", f"{AT}/values"),
        ({}, completed(row=EMPTY), "EVT-104", AT),
        ({"optionNotes": {"yes": SECRET}, **NOTE}, NOTED, "EVT-088", f"{AT}/values"),
        ({"values": ["yes"], "optionNotes": {"yes": SECRET}}, completed(), "EVT-110", AT),
        (
            {"values": ["yes"], "optionNotes": {"yes": "a"}},
            completed(row={**ROW, "optionNotes": {"yes": SECRET}}),
            "EVT-008",
            f"{AT}/optionNotes",
        ),
        (
            {"values": ["yes"]},
            completed(row={**ROW, "optionNotes": {"yes": SECRET}}),
            "EVT-088",
            f"{AT}/optionNotes",
        ),
        ({"values": ["yes"]}, gave_up(), "EVT-108", "/data/result/cancelled"),
        ({}, gave_up(), "EVT-087", "/data/result/cancelled"),
        ({"values": ["yes"]}, elaborated({"deploy": ROW}), "EVT-109", MODE),
    ],
)
def test_a_result_that_is_not_what_was_submitted(
    told: Any, end: Event, rule: str, pointer: str
) -> None:
    for order, line in (([accepted(), end], 4), ([end, accepted()], 3)):
        log = [started(), answer(deploy=told), *order]
        found = checked(lines(*log))[0]
        assert (line, rule, pointer) in [(one.line, one.rule, one.pointer) for one in found]
        assert {one.channel for one in found} == {f"{SPACE}:completed"}
        assert SECRET not in texts(found)
        refusal = [refused(error="flow_not_found")]
        assert findings(*log[:2], *refusal, end) == []  # it came from elsewhere


def elaborate(**told: Any) -> Event:
    return submit(kind="answer", mode="elaborate", answers={"deploy": told})


@pytest.mark.parametrize(
    ("sent", "end", "expected"),
    [
        (submit(kind="cancel"), completed(), [("EVT-089", "/data/result/cancelled")]),
        (answer(), completed(), [("EVT-087", f"{AT}/values")]),
        (answer(), gave_up(), [("EVT-087", "/data/result/cancelled")]),
        (elaborate(values=["yes"]), elaborated({"deploy": ROW}), []),
        (elaborate(values=["yes"]), completed(), [("EVT-109", MODE)]),
        (elaborate(**NOTE), elaborated({}), []),
        (elaborate(**NOTE), elaborated({"deploy": {**EMPTY, **NOTE}}), [("EVT-127", AT)]),
        (elaborate(), elaborated({"deploy": EMPTY}), [("EVT-104", AT)]),
    ],
)
def test_a_result_of_the_wrong_kind(
    sent: Event, end: Event, expected: list[tuple[str, str]]
) -> None:
    for order, line in (([accepted(), end], 4), ([end, accepted()], 3)):
        found = findings(started(), sent, *order)
        assert found == [(line, rule, pointer) for rule, pointer in expected]


def test_a_submit_that_had_to_be_refused_says_nothing_about_the_result() -> None:
    log = [started(), answer(deploy={"values": ["Yes"]}), accepted(), completed(row=NO)]
    assert [rule for _, rule, _ in findings(*log)] == ["EVT-080"]


def single(**more: Any) -> Event:
    return started(questions=[{**DEPLOY, "type": "single", "options": OPTIONS, **more}])


@pytest.mark.parametrize(
    ("told", "rule"),
    [
        ({"values": ["yes", "no"]}, "EVT-082"),
        ({"values": ["yes"], "customText": SECRET}, "EVT-083"),
        ({"values": ["yes"], "customText": " "}, ""),
        ({"values": ["yes"], "optionNotes": {SECRET: SECRET}}, "EVT-085"),
        ({"values": ["yes"], "optionNotes": {SECRET: " "}}, ""),
    ],
)
def test_what_a_single_select_question_takes(told: Any, rule: str) -> None:
    sent = answer(deploy=told)
    found, _ = checked(lines(single(), sent, accepted()))
    assert [one.rule for one in found] == ([rule] if rule else []) + ["EVT-050"]
    assert SECRET not in texts(found)
    found, _ = checked(lines(single(), sent, refused()))
    assert [one.rule for one in found] == ([] if rule else ["EVT-094"])
    as_multi = single(type="multi", requestedType="single", presentedType="multi")
    for opened in (started(), as_multi):
        expected = {"EVT-050"} | ({rule} & {"EVT-085"})
        assert {one for _, one, _ in findings(opened, sent, accepted())} == expected


def test_a_question_that_is_presented_as_another_type() -> None:
    as_multi = single(type="multi", requestedType="single", presentedType="multi")
    named = {"type": "single", "presentedType": "multi"}
    assert findings(as_multi, result(completed(), questions=[{**SUMMARIES[0], **named}])) == []
    at = "/data/result/questions/0"
    found = findings(as_multi, completed())
    assert found == [(2, "EVT-047", f"{at}/type"), (2, "EVT-047", f"{at}/presentedType")]


@pytest.mark.parametrize(
    ("questions", "pointer"),
    [
        ([{**SUMMARIES[0], "prompt": SECRET}], "/0/prompt"),
        ([{**SUMMARIES[0], "label": SECRET}], "/0/label"),
        ([{**SUMMARIES[0], "id": SECRET}], ""),
        (SUMMARIES * 2, ""),
    ],
)
def test_a_result_with_other_questions(questions: Any, pointer: str) -> None:
    for end in (completed(), gave_up()):
        found, _ = checked(lines(started(), result(end, questions=questions)))
        at = f"/data/result/questions{pointer}"
        assert [(one.line, one.rule, one.pointer) for one in found] == [(2, "EVT-103", at)]
        assert SECRET not in texts(found)


@pytest.mark.parametrize("error", ["invalid_answer", "invalid_request"])
@pytest.mark.parametrize("response", [{"kind": "cancel"}, {"kind": "answer", "answers": {}}])
def test_a_valid_submit_is_not_refused(response: Any, error: str) -> None:
    sent = submit(**response)
    found = findings(started(), sent, refused(error=error))
    assert found == [(3, "EVT-094", "/data/error")]
    assert findings(started(), sent, refused(error="flow_not_found")) == []
    assert findings(started(title=7), sent, refused(error=error))[1:] == []  # it cannot be told
    when = [(4, "EVT-071", "/data/error")]
    assert findings(started(), completed(), sent, refused(error=error)) == when
    assert findings(started(), sent, completed(), refused(error=error)) == when
    assert findings(sent, refused(error=error)) == [(2, "EVT-071", "/data/error")]


def test_a_late_submit_is_refused_as_late_even_if_it_is_wrong() -> None:
    late = [answer(deploy=None), refused()]
    assert findings(started(), completed(), *late)[1:] == [(4, "EVT-071", "/data/error")]
    late = [{**submit(), "data": {**submit()["data"], "version": 2}}, refused()]
    assert findings(started(), completed(), *late)[1:] == [(4, "EVT-072", "/data/error")]


@pytest.mark.parametrize(
    ("answers", "pointer"),
    [
        ({"deploy": {"values": ["yes", "Yes"]}}, "/response/answers/deploy/values/1"),
        ({"Deploy?": {"values": ["yes"]}}, "/response/answers"),
        ({"Q1": {"values": ["yes"]}}, "/response/answers"),
        ({"deploy": {"values": ["maybe"]}}, ""),
    ],
)
def test_a_bridge_that_submits_labels_is_told_so(answers: Any, pointer: str) -> None:
    found, _ = checked(lines(started(), answer(**answers), refused()))
    blamed = [(one.line, one.rule, one.pointer, one.channel) for one in found]
    expected = [(2, "EVT-200", f"/data{pointer}", f"{SPACE}:submit")]
    assert blamed == (expected if pointer else [])
    assert not {"Yes", "Deploy?", "Q1"} & set(texts(found).split())


def test_a_label_that_is_also_a_value_is_no_label() -> None:
    options = [{"value": "yes", "label": "no"}, {"value": "no", "label": "yes"}]
    crossed = started(questions=[{**DEPLOY, "options": options}])
    assert findings(crossed, answer(deploy={"values": ["no"], "note": 7}), refused())[1:] == []
    sent = answer(deploy={"values": ["no", "maybe"]})
    assert findings(crossed, sent, refused()) == []


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
    right = "invalid_request" if rule == "EVT-072" else "invalid_answer"
    [shape] = findings(started(), wrong, refused(error=right))
    assert shape[:2] == (2, "schema")
    other = "invalid_answer" if rule == "EVT-072" else "invalid_request"
    found = findings(started(), wrong, refused(error=other))[1:]
    assert found == ([] if rule == "EVT-076" else [(3, rule, "/data/error")])


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
    assert findings(started(), answer(nope={}), wrong) == [(3, "EVT-092", pointer)]
    [missing] = changed
    del wrong["data"][missing]
    assert findings(started(), answer(nope={}), wrong) == [(3, "EVT-092", "/data")]


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
    log = [started(title=7), answer(deploy={"values": ["maybe"]}), accepted(), completed()]
    assert findings(*log) == [(1, "schema", "/data/title")]


@pytest.mark.parametrize(
    "time", [0, 1_700_000_000, 10**11 - 1, 10**14, 1.7e12, "now", -1, True, None]
)
def test_times_are_milliseconds(time: Any) -> None:
    log = [started(createdAt=time), completed(completedAt=time)]
    expected = [(1, "EVT-044", "/data/createdAt"), (2, "EVT-044", "/data/completedAt")]
    assert findings(*log) == expected
    good = [started(createdAt=10**11), completed(completedAt=10**14 - 1)]
    assert findings(*good) == []


def test_a_wrong_time_hides_no_other_fault() -> None:
    log = [started(createdAt="now"), answer(deploy={"values": ["maybe"]}), accepted(), completed()]
    assert findings(*log) == [(1, "EVT-044", "/data/createdAt"), (3, "EVT-080", "/data/ok")]


def test_a_flow_does_not_end_before_it_starts() -> None:
    early = completed(completedAt=1_699_999_999_999)
    assert findings(started(), early) == [(2, "EVT-044", "/data/completedAt")]
    assert findings(started(), completed(completedAt=1_700_000_000_000)) == []


def test_a_log_that_is_not_in_order_is_told_once() -> None:
    early = [{**completed(), "time": 1_699_999_999_999}, {**event("x", 1), "time": 1}]
    assert findings(started(), *early) == [(2, "order", "/time")]
    assert findings({**started(), "time": None}, completed()) == [(1, "schema", "/time")]


VALID = [
    (schema, path.stem)
    for schema in ("started", "submit", "submit-result", "completed", "external-ui")
    for path in sorted((EXAMPLES / "events" / schema / "valid").glob("*.json"))
]


def objects(data: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object in a payload that has named members, with its pointer."""
    if isinstance(data, list):
        for position, item in enumerate(data):
            yield from objects(item, f"{at}/{position}")
    elif isinstance(data, dict):
        by_id = at.endswith(("nswers", "optionNotes", "questionStates", "connect"))
        if not by_id:
            yield at, data
        for key, item in data.items():
            yield from objects(item, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")


@pytest.mark.parametrize(("schema", "name"), VALID)
def test_members_that_no_schema_names(schema: str, name: str) -> None:
    rule = "EVT-007" if schema == "submit" else "EVT-005"
    count = len([*objects(load(f"events/{schema}", name))])
    for number in range(count):
        data = load(f"events/{schema}", name)
        pointer, target = [*objects(data)][number]
        target["later\x1b"] = SECRET
        found, _ = checked(lines(event(schema, data)))
        [unnamed] = [one for one in found if one.rule in ("EVT-005", "EVT-007")]
        assert (unnamed.rule, unnamed.pointer) == (rule, f"/data{pointer}"[:200])
        assert "later" in unnamed.message
        assert SECRET not in texts(found)
        assert "schema" not in {one.rule for one in found}


def test_names_of_unknown_members_are_shortened() -> None:
    unknown: Event = {f"x{'y' * 50}{number}": 1 for number in range(50)}
    found, _ = checked(lines(started(**unknown)))
    assert [one.rule for one in found] == ["EVT-005"]
    assert len(found[0].message) < 250


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (started(version=2), "version must be 1"),
        (started(version=SECRET), "version must be 1"),
        (started(source=SECRET), "source must be one of ['tool', 'answer', 'answer:again', "),
        (started(title=[SECRET]), "title must be a string"),
        (started(questions=[]), "questions must not be empty"),
        (started(flowId=""), "flowId must not be empty"),
        (event("started", SECRET), "it must be an object"),
        (started(questions=[{**DEPLOY, "options": [{"value": "", "label": "a"}]}]), "value must "),
        (answer(deploy={"values": [f" {SECRET}"]}), "values must not be blank, or have white "),
        (answer(deploy={"values": [SECRET] * 2}), "values must not have an item twice"),
        (answer(deploy={"optionNotes": {SECRET: 7}}), "optionNotes must be a string"),
        (result(completed(), cancelled=SECRET), "cancelled must be one of [false, true]"),
        ({**accepted(), "data": {**accepted()["data"], "ok": SECRET}}, "ok must be one of [true, "),
        (result(gave_up(), error=SECRET), "error must be an object"),
    ],
)
def test_a_message_says_in_words_what_is_wrong(record: Event, words: str) -> None:
    found, _ = checked(lines(record))
    assert any(one.message.startswith(words) for one in found), [one.message for one in found]
    assert SECRET not in texts(found)


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


@pytest.mark.parametrize("line", [1, 2])
def test_a_byte_order_mark_is_named(line: int) -> None:
    log = lines(started(), completed())
    log[line - 1] = b"\xef\xbb\xbf" + log[line - 1]
    [[found], summary] = checked(log)
    assert (found.line, found.rule) == (line, "syntax")
    assert "(BOM)" in found.message
    assert summary == Summary(2, 0, 0)


@pytest.mark.parametrize("count", [1, 2])
def test_a_document_over_several_lines_is_one_finding(count: int) -> None:
    records = [started(), submit(), accepted(), completed()]
    spread = b"".join(json.dumps(each, indent=2).encode() + b"\n" for each in records[:count])
    found, summary = checked(lines_of(io.BytesIO(spread)))
    assert [(one.line, one.rule) for one in found] == [(1, "syntax")]
    assert "several lines" in found[0].message
    assert "JSON Lines" in found[0].hint
    assert summary == Summary(0, 0, 0)
    for wrong in (
        json.dumps(records, indent=2).encode(),
        b"[\n" + b",\n".join(json.dumps(each).encode() for each in records) + b"\n]\n",
        b"[" + b",\n ".join(json.dumps(each).encode() for each in records) + b"]\n",
    ):
        assert checked(lines_of(io.BytesIO(wrong))) == (found, summary)
    assert checked([spread.splitlines(keepends=True)[0], *lines(*records)])[1] == Summary(4, 0, 0)


def test_a_document_on_one_line_is_one_finding() -> None:
    [[found], _] = checked([json.dumps([started(), completed()]).encode() + b"\n"])
    assert (found.rule, found.pointer) == ("schema", "")
    assert "JSON Lines" in found.hint


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
    monkeypatch.setattr(check_flows, "REMEMBERED", 2)
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
        assert one.rule in {"syntax", "schema", "order"} or one.rule.startswith("EVT-")
        assert all(str(text).isprintable() for text in vars(one).values())


@given(st.lists(st.binary(max_size=20) | st.sampled_from([b"\n", b'{"time":1', b"[]\n"])))
def test_no_bytes_break_the_checker(chunks: list[bytes]) -> None:
    log = list(lines_of(io.BytesIO(b"".join(chunks))))
    assert b"".join(log) == b"".join(chunks)
    assert all(one.rule in {"syntax", "schema"} for one in checked(log)[0])


# The reference, over all cases


def traffic(transcript: Iterable[dict[str, Any]]) -> list[Event]:
    """What was on the bus in a case, in order: by the kit, by its listeners, and by the host."""
    log: list[Event] = []
    submits: dict[str, Any] = {}
    for said in (line.get("message", {}) for line in transcript):
        command = said.get("params", {})
        if "emit" in command:
            log.append({"time": 1, **command["emit"]})
        if "listen" in command and isinstance(command["listen"]["then"], dict):
            listener = command["listen"]
            submits[listener["listener"]] = listener["then"].get("submit")
        for seen in (said.get("result") or {}).get("observations", ()):
            if "emitted" in seen:
                log.append({"time": 1, "channel": seen["emitted"], "data": seen["data"]})
            elif submits.get(seen.get("heard")):
                [*_, heard] = (each for each in log if each["channel"] == seen["channel"])
                data = {"version": 1, "flowId": heard["data"]["flowId"], **submits[seen["heard"]]}
                space = seen["channel"].rpartition(":")[0]
                log.append({"time": 1, "channel": f"{space}:submit", "data": data})
    return log


def blames_the_host(one: Finding) -> bool:
    known = catalogue().get(one.rule)
    return "ask-host" in known.roles if known else not one.channel.endswith(":submit")


def test_the_traffic_of_the_reference_blames_no_host() -> None:
    session = adapters.connect("reference")
    namespace = session.initialize().namespace
    events = 0
    for case_id in cases.case_ids():
        if not case_id.startswith("events/ask-host/"):
            continue
        done = engine.run_case(session, cases.load(case_id))
        log = traffic(done.transcript)
        events += len(log)
        found = check_log(lines(*log), case_id, [namespace])
        broken = any("break" in step["do"] for step in done.case.source["steps"])
        blamed = [one.rule for one in found if blames_the_host(one)]
        assert blamed == ["EVT-094"] * broken, case_id
    assert events > 1000


# The command


def run(folder: Path, *arguments: str, log: list[Event]) -> int:
    file = folder / "bus.jsonl"
    file.write_bytes(b"".join(lines(*log)))
    return main(["check", str(file), *arguments])


def test_one_event_is_one_event(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, log=[started()]) == 0
    assert "no findings in 1 ask event, 1 still open" in capsys.readouterr().out


@pytest.mark.parametrize("prefix", [SPACE, f"{SPACE}:"])
def test_a_namespace_may_end_with_its_colon(prefix: str, tmp_path: Path) -> None:
    assert run(tmp_path, "--namespace", prefix, log=[started(), submit(space="@b")]) == 0


def test_namespaces_that_were_left_out_are_named_if_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = [started(space=f"@{name}\x1b") for name in "aabcdefg"]
    assert run(tmp_path, "--namespace", SPACE, log=[*others, event("x", 1, "@x")]) == 1
    out = capsys.readouterr().out
    named = ", ".join(f"@{name}\\u001b" for name in "abcde")
    assert out.endswith(f"nothing to check: its ask events are of other namespaces: {named}\n")
    assert run(tmp_path, "--namespace", SPACE, log=[*others, started()]) == 0
    assert "other namespaces" not in capsys.readouterr().out


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_malformed_events_of_several_namespaces_are_a_reason_for_a_hint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], as_json: list[str]
) -> None:
    log = [event("started", {}), event("started", {}, "@other")]
    assert run(tmp_path, *as_json, log=log) == 1
    assert "--namespace PREFIX" in capsys.readouterr().out
    assert run(tmp_path, *as_json, log=[log[0], log[0]]) == 1
    assert "--namespace" not in capsys.readouterr().out
