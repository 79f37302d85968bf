"""Lines of journals: each code has its lines, and the fast way decides as the exact one does."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askproof import journal_lines
from askproof.journal_lines import BadLine, form_of, record_of, session_decision, store_decision

DECISION = {"status": "answered", "answer": "yes"}


def code_of(line: bytes) -> str | None:
    try:
        record_of(line)
    except BadLine as bad:
        return bad.code
    return None


def nested(levels: int) -> bytes:
    """An object so many levels deep, lists among them."""
    return b'{"a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"a": "\0"}', "nul"),
        (b'\0\xff{"a":1,"a":2', "nul"),
        (b'{"a": "\xff"}', "utf-8"),
        (b'{"a": "\xed\xa0\x80"}', "utf-8"),
        (b'{"a":1,"a":2,"b":"\xe2\x82', "utf-8"),
        (b'{"a":1,"a":2', "json"),
        (b'{"a":1}{"a":2}', "json"),
        (b'{"a":1},', "json"),
        (b'{"a":NaN}', "json"),
        (b'{"a":-Infinity}', "json"),
        (b'{"a":"\t"}', "json"),
        (b'{"a":01}', "json"),
        (b"\xef\xbb\xbf{}", "json"),
        (b"[{}]", "json"),
        (b'"a"', "json"),
        (b"null", "json"),
        (nested(65)[:-1], "depth"),
        (nested(65), "depth"),
        (nested(65).replace(b"{", b'{"a":1,'), "depth"),
        (nested(201), "depth"),
        (b'{"a":1,"a":2}', "duplicate-key"),
        (b'{"a":1,"\\u0061":2}', "duplicate-key"),
        (b'{"a":[{"b":1,"b":1}]}', "duplicate-key"),
        (b'{"a":"\\ud800","b":1,"b":1}', "duplicate-key"),
    ],
    ids=lambda value: repr(value[:40]) if isinstance(value, bytes) else value,
)
def test_bad_line_has_the_first_code_that_applies(line: bytes, code: str) -> None:
    assert [code_of(line + end) for end in (b"", b"\n", b" \r\n")] == [code] * 3


@pytest.mark.parametrize(
    "line",
    [
        b"{}",
        b' {"a" : 1 }\r\n',
        nested(64),
        b'{"a":"' + b"[{" * 1000 + b'"}',
        b'{"a":' + b"9" * 10_000 + b"}",
        b'{"a":-1e999,"b":1e-999,"c":-0}',
        b'{"a":"\\ud800","\\udfff":1}',
        b'{"a":{"b":1},"b":{"b":1}}',
        '{"é":1,"e\u0301":2,"a\u2028\u0085\x7f":"\\u0000"}'.encode(),
    ],
    ids=lambda line: repr(line[:40]),
)
def test_line_that_is_not_bad(line: bytes) -> None:
    assert code_of(line) is None


@pytest.mark.parametrize("levels", [1_000, 100_000])
@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ((b'{"a":', b"[", b"]", b"}"), "depth"),
        ((b'{"a":', b'{"b":', b",", b""), "depth"),
        ((b'{"a":', b"[", b"]", b""), "depth"),
        ((b'{"a":', b"[", b"]", b"]}"), "depth"),
        ((b'{"a":', b'[1,{"[":', b"1}]", b"}"), "depth"),
        ((b'{"a":0,"b":', b'[1,{"]":[', b"]},{}]", b"}"), "depth"),
        ((b"[", b"[", b"]", b"]"), "depth"),
        ((b'"', b"[", b"]", b'"'), "json"),
    ],
)
def test_very_deep_line(levels: int, parts: tuple[bytes, bytes, bytes, bytes], code: str) -> None:
    start, opens, closes, end = parts
    assert code_of(start + opens * levels + closes * levels + end) == code


def test_long_line_is_not_parsed() -> None:
    assert code_of(b"{" + b" " * 8 * 1024 * 1024 + b"}") == "length"
    assert code_of(b"{" + b" " * (8 * 1024 * 1024 - 2) + b"}") is None


# The fast way and the exact one

LETTERS = st.sampled_from(
    ["a", "b", "é", "\u0301", "😀", "\\", '\\"', "\\u0061", "\\ud83d", "\\ude00"]
)
RAW = st.sampled_from(["\\", '"', "\x00", "\x1f", "\x7f", "\u2028", "\\x", "\\u00", "\ufeff"])
STRING = st.lists(LETTERS | RAW, max_size=4).map(lambda parts: f'"{"".join(parts)}"')
NUMBER = st.sampled_from(["0", "-0", "1.5", "1e999", "-1E400", "1e-999", "9" * 30, "9" * 5000])
NO_NUMBER = st.sampled_from(["01", "1.", ".5", "+1", "-", "1e", "0x1", "NaN", "Infinity", "1_0"])
ATOM = STRING | NUMBER | NO_NUMBER | st.sampled_from(["true", "false", "null", "nul", "", "True"])
SPACE = st.sampled_from(["", "", "", " ", "\t", "\r", "\v", "\xa0"])


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    keys = draw(st.lists(STRING | st.sampled_from(['"a"', '"\\u0061"', '"b"', "a"]), max_size=3))
    comma, colon = f"{draw(SPACE)},", f":{draw(SPACE)}"
    return "{" + comma.join(f"{key}{colon}{draw(inner)}" for key in keys) + "}"


def lists(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(inner, max_size=3).map(lambda items: "[" + ",".join(items) + "]")


def deep(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    levels = st.sampled_from([30, 62, 63, 64, 65, 198, 199, 200])
    return st.tuples(levels, inner).map(lambda both: "[" * both[0] + both[1] + "]" * both[0])


TEXT = st.recursive(ATOM, lambda inner: objects(inner) | lists(inner) | deep(inner), max_leaves=6)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A line that is JSON, or nearly, with a byte or two of damage."""
    line = bytearray(draw(objects(TEXT)).encode())
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(line)))
        line[place : place + draw(st.integers(0, 1))] = draw(st.binary(max_size=2))
    return bytes(line)


def as_floats(value: Any) -> Any:
    """The exact way reads every number as a float."""
    if isinstance(value, dict):
        return {key: as_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_floats(item) for item in value]
    return float(str(value)) if type(value) is int else value


def reading(read: Callable[[bytes], Any], line: bytes) -> Any:
    """What a line is read as, or the code of the refusal."""
    try:
        return as_floats(read(line))
    except BadLine as bad:
        return bad.code


@given(damaged())
@example(b'{"a":' + b"9" * 4000 + b"}")
@example(b'{"a":"\\ud83d\\ude00"}')
def test_the_fast_way_decides_as_the_exact_one(line: bytes) -> None:
    assert reading(record_of, line) == reading(journal_lines._read_exactly, line)


@given(damaged())
def test_what_is_read_is_what_the_standard_library_reads(line: bytes) -> None:
    if code_of(line) is None:
        expected = json.loads(line, parse_int=float)
        assert as_floats(record_of(line)) == expected


# Records


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({}, "type"),
        ({"type": None}, "type"),
        ({"kind": "entry", "entry": {"type": "decision", "payload": DECISION}}, "type"),
        ({"type": "custom", "customType": "decision"}, "shape"),
        ({"type": "custom", "customType": "decision", "data": []}, "shape"),
        ({"type": "custom", "customType": "decision", "data": {}}, "shape"),
        ({"type": "custom", "customType": "decision", "data": {"status": "skipped"}}, "shape"),
        ({"type": "custom", "customType": "decision", "data": {"status": ["answered"]}}, "shape"),
    ],
)
def test_bad_line_of_a_session_file(record: dict[str, Any], code: str) -> None:
    with pytest.raises(BadLine) as bad:
        session_decision(record)
    assert bad.value.code == code


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({}, "type"),
        ({"kind": ["entry"]}, "type"),
        ({"kind": "header", "header": {}}, "type"),
        ({"type": "custom", "customType": "decision", "data": DECISION}, "type"),
        ({"kind": "session"}, "shape"),
        ({"kind": "session", "session": []}, "shape"),
        ({"kind": "entry", "session": {}}, "shape"),
        ({"kind": "entry", "entry": {}}, "type"),
        ({"kind": "entry", "entry": {"type": "todo_write"}}, "type"),
        ({"kind": "entry", "entry": {"type": {}}}, "type"),
        ({"kind": "entry", "entry": {"type": "decision"}}, "shape"),
        ({"kind": "entry", "entry": {"type": "decision", "payload": {"status": 1}}}, "shape"),
    ],
)
def test_bad_line_of_a_store(record: dict[str, Any], code: str) -> None:
    with pytest.raises(BadLine) as bad:
        store_decision(record)
    assert bad.value.code == code


def test_decisions_and_other_records() -> None:
    for status in ("answered", "timed-out", "cancelled", "deferred"):
        decision = {"status": status}
        entry = {"type": "decision", "payload": decision}
        assert store_decision({"kind": "entry", "entry": entry}) is decision
        record = {"type": "custom", "customType": "decision", "data": decision}
        assert session_decision(record) is decision
    for kind in ("session_init", "message", "custom", "custom_message", "compact_summary"):
        assert store_decision({"kind": "entry", "entry": {"type": kind}}) is None
    for kind in ("branch_summary", "child_run", "artifact"):
        assert store_decision({"kind": "entry", "entry": {"type": kind}}) is None
    assert store_decision({"kind": "session", "session": {}}) is None
    for other in ({"type": "anything"}, {"type": "custom"}, {"type": "decision", "data": {}}):
        assert session_decision(other) is None


@pytest.mark.parametrize(
    ("record", "form"),
    [
        ({"kind": "session", "session": {}}, "store"),
        ({"kind": "entry"}, "store"),
        ({"type": "session"}, "session"),
        ({"type": "message", "id": "1"}, "session"),
        ({"type": "message", "parentId": None}, "session"),
        ({"type": "message", "timestamp": "now"}, "session"),
        ({"type": "custom", "customType": "decision"}, "session"),
        ({"channel": "@acme/ask:started", "type": "session"}, "log"),
        ({"sessionManager": "m", "type": "session"}, "log"),
        ({}, None),
        ({"kind": "message"}, None),
        ({"type": "message"}, None),
        ({"type": 7, "id": "1"}, None),
    ],
)
def test_form_that_a_record_tells(record: dict[str, Any], form: str | None) -> None:
    assert form_of(record) == form
