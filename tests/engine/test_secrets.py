"""Parts of secrets are found in whatever is observed, whatever they are dressed as."""

import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askproof.secrets import PART, holds, leaks

SECRET = "k7QzR2vM"


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        "k7QzR",
        "(zr2VM)",
        json.dumps({"a": SECRET}),
        "\\u006b\\u0037QzR2vM",
        SECRET.encode().hex().upper(),
    ],
)
def test_a_part_of_a_secret_is_found(text: str) -> None:
    assert holds(text, SECRET)


@pytest.mark.parametrize("text", ["", "k7Qz", "k7QzR"[::-1], "*" * len(SECRET)])
def test_what_is_no_part_is_not_found(text: str) -> None:
    assert not holds(text, SECRET)


@given(st.text("abcdefgh", max_size=9), st.text(max_size=20))
def test_a_secret_is_found_in_base64_wherever_it_begins(before: str, after: str) -> None:
    secret = "Zm9-long-enough"
    assert holds(b64encode(f"{before}{secret}{after}".encode()).decode(), secret)


PLAIN = st.characters(exclude_categories=["Cc", "Cs"], exclude_characters='"\\')


@given(st.text(PLAIN, min_size=PART, max_size=40), st.text(), st.text())
def test_a_secret_is_found_in_json(secret: str, before: str, after: str) -> None:
    assert holds(json.dumps(before + secret + after, ensure_ascii=False), secret)
    if max(secret) <= "\uffff":
        assert holds(json.dumps(before + secret + after), secret)


def test_a_leak_says_where_it_is_and_what_it_breaks() -> None:
    observed: list[dict[str, Any]] = [
        {"shown": SECRET},
        {"said": "log", "text": f"got {SECRET}"},
        {"tool": "c1", "result": {"a": ["x", {f"{SECRET}": 1}]}},
    ]
    found = leaks({SECRET: ["JRN-043"], "nothing-here": ["JRN-040"]}, observed, [])
    assert [(one.pointer, one.blames, one.own) for one in found] == [
        ("/text", ("JRN-043",), True),
        (f"/result/a/1/{SECRET}", ("JRN-043",), True),
    ]
    assert leaks({SECRET: ["JRN-043"]}, observed[2:], [found[1]]) == []
