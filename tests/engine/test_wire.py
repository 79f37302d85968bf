"""Strict JSON: what is refused, why, and that nothing is lost."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askproof import wire

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None, exclude_categories=())),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def nested(levels: int, opening: str = "[", closing: str = "]") -> bytes:
    return (opening * levels + closing * levels).encode()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "not JSON: Expecting value at column 1"),
        (b"Welcome!", "not JSON: Expecting value at column 1"),
        (b'{"a": 1} {}', "not JSON: Extra data at column 10"),
        (b"{'a': 1}", "not JSON: Expecting property name enclosed in double quotes at column 2"),
        (b'"\n"', "not JSON: Invalid control character at at column 2"),
        (b"\xef\xbb\xbf1", "not JSON: Expecting value at column 1"),
        (b'"\xff"', "invalid UTF-8 at byte 1"),
        (b'"\xed\xa0\x80"', "invalid UTF-8 at byte 1"),
        (b"[NaN]", "NaN is not JSON"),
        (b"-Infinity", "-Infinity is not JSON"),
        (b"1e999", "a number that is too large"),
        (b"9" * 5000, "a number that is too long"),
        (b'{"a": 1, "b": {"c": 1, "\\u0063": 2}}', 'the key "c" is repeated'),
        (nested(65), "nested deeper than 64 levels"),
        (nested(100_000), "nested deeper than 64 levels"),
        (b'{"a":' * 65 + b"1" + b"}" * 65, "nested deeper than 64 levels"),
        (b"[" * 100_000, "nested deeper than 64 levels"),
        (b'"' + b"x" * wire.MAX_BYTES + b'"', f"more than {wire.MAX_BYTES} bytes in a line"),
    ],
)
def test_a_line_is_refused_for_its_reason(line: bytes, reason: str) -> None:
    with pytest.raises(wire.WireError) as refused:
        wire.decode(line)
    assert str(refused.value) == reason


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (nested(64), None),
        (b'"' + b"[" * 100 + b'"', "[" * 100),
        (b'["' + b'\\"[' * 100 + b'"]', ['"[' * 100]),
        (b'{"__proto__": {"a": 1}, "": 2}', {"__proto__": {"a": 1}, "": 2}),
        (b'"\\ud800"', "\ud800"),
        (b" 1 \r", 1),
        (b"1.0", 1.0),
    ],
)
def test_a_line_is_accepted(line: bytes, value: Any) -> None:
    decoded = wire.decode(line)
    if value is not None:
        assert decoded == value
        assert type(decoded) is type(value)


def test_a_wrapped_message_may_be_longer_and_deeper() -> None:
    assert wire.decode(nested(72), wrapped=True)
    assert len(wire.decode(b'"' + b"x" * wire.MAX_BYTES + b'"', wrapped=True)) == wire.MAX_BYTES
    with pytest.raises(wire.WireError, match="nested deeper than 72 levels"):
        wire.decode(nested(73), wrapped=True)


@pytest.mark.parametrize("text", ['"' + '\\"' * 2_000_000, "[" * 65 + '"\\' * 2_000_000, "[]" * 33])
def test_no_text_is_slow_to_refuse(text: str) -> None:
    with pytest.raises(wire.WireError):
        wire.decode(text.encode() + b"[" * 65)


@given(JSON_VALUES)
def test_what_is_encoded_is_one_line_that_decodes_to_the_same(value: Any) -> None:
    line = wire.encode(value)
    assert line.isascii()
    assert b"\n" not in line
    assert json.dumps(wire.decode(line)) == json.dumps(value)


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"x", object()])
def test_what_is_no_json_is_not_encoded(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        wire.encode(value)


def test_a_repeated_key_among_very_many_is_found_at_once() -> None:
    members = ",".join(f'"{number}":0' for number in range(300_000))
    with pytest.raises(wire.WireError, match=r"the key .7. is repeated"):
        wire.decode(f'{{{members},"7":0}}'.encode())
