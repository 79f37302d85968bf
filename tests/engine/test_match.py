"""Patterns, pairing, order and blame (spec/case-format.md)."""

from typing import Any

import pytest

from askproof.errors import InternalError
from askproof.match import (
    KINDS,
    NOT_THERE,
    Matcher,
    differences,
    kind_of,
    resolve,
    same,
    substitute,
)
from askproof.schemas import load
from askproof.specification import ROLES

TABLE: dict[str, Any] = {
    "kinds": {
        "emitted": {"": ["EVT-001"]},
        "emitted:completed": {
            "": ["EVT-050"],
            "/data": ["EVT-005"],
            "/data/answers/*/labels": ["EVT-100"],
        },
        "tool": {"": ["EVT-051"]},
    },
    "unexpected": {"emitted": ["EVT-002"], "emitted:completed": ["EVT-052"]},
}


def emitted(channel: str, data: Any = 0, **meta: Any) -> dict[str, Any]:
    return {"emitted": channel, "data": data, **meta}


def found(see: list[Any], observed: list[Any], shows: tuple[str, ...] = ()) -> list[Any]:
    """The differences of a step: pointer, blamed requirement, and what it is."""
    kinds = []
    for one in Matcher(TABLE).step(see, shows, observed):
        missing, unexpected = one.observation is NOT_THERE, one.expectation is NOT_THERE
        kind = ("early" if one.early else "") or "missing" * missing or "unexpected" * unexpected
        kinds.append((one.pointer, *one.blames, kind or "other"))
    return kinds


# Patterns


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("a", ["a"], ["b", None, NOT_THERE, ["a"]]),
        (1, [1], [True, 1.0, "1", 2]),
        (0, [0], [False, 0.0, None]),
        (True, [True], [1, "true", False]),
        (None, [None], [NOT_THERE, 0, ""]),
        ([1, 2], [[1, 2]], [[2, 1], [1], [1, 2, 3], {"0": 1, "1": 2}, NOT_THERE]),
        ({"a": 1}, [{"a": 1}], [{}, {"a": 1, "b": 2}, {"a": 1.0}, None, [1]]),
        ({}, [{}], [{"a": 1}, [], NOT_THERE]),
        ("$name", [{"bound": [1]}], [{"bound": [1], "more": 0}, "$name", NOT_THERE]),
        ("$nobody", [], ["$nobody", NOT_THERE, None]),
        ({"$any": "string"}, ["", "a"], [1, None, NOT_THERE, ["a"]]),
        ({"$any": "text"}, ["a", "\u0085", "\u200b"], ["", " ", "\ufeff\t", 1, NOT_THERE]),
        ({"$any": "integer"}, [0, -(10**30)], [True, 1.0, "1", NOT_THERE]),
        ({"$any": "milliseconds"}, [10**11, 10**14 - 1], [10**11 - 1, 10**14, 1e12, "1"]),
        ({"$any": "boolean"}, [True, False], [0, "true", None, NOT_THERE]),
        ({"$any": "array"}, [[], [1]], [{}, "", NOT_THERE]),
        ({"$any": "object"}, [{}], [[], None, NOT_THERE]),
        ({"$any": "anything"}, [None, 0, {}], [NOT_THERE]),
        ({"a": {"$optional": 1}}, [{}, {"a": 1}], [{"a": None}, {"b": 1}]),
        ({"$one-of": [1, {"$any": "string"}]}, [1, "a"], [2, True, NOT_THERE]),
        ({"a": {"$one-of": [1, {"$optional": 2}]}}, [{}, {"a": 1}, {"a": 2}], [{"a": 3}]),
        ({"$not": {"$one-of": ["", "$name"]}}, ["a", 1], ["", {"bound": [1]}, NOT_THERE]),
        ({"$open": {"a": 1}}, [{"a": 1}, {"a": 1, "b": 2}], [{"b": 2}, None, NOT_THERE]),
        ({"$open": {"a": {"b": 1}}}, [{"a": {"b": 1}}], [{"a": {"b": 1, "c": 2}}]),
        ({"$literal": {"$any": "@x"}}, [{"$any": "@x"}], ["@x", {}]),
        ({"$literal": "$name"}, ["$name"], [{"bound": [1]}]),
        ({"$repeat": ["ab", 3]}, ["ababab"], ["abab", NOT_THERE]),
        ({"$repeat": ["ab", 0]}, [""], [None]),
        (
            {"$json": {"a": "\ud800"}},
            ['{"a":"\\ud800"}', ' {"a": "\ud800"}\n'],
            ['{"a":"\\ud801"}', '{"a":1,"a":"\\ud800"}', '{"a":', {"a": "\ud800"}, NOT_THERE],
        ),
        (
            {"$lines": ["", {"a": 1}]},
            ['\n{"a":1}\n', '\n {"a": 1}\r\n'],
            ['{"a":1}\n', '\n{"a":1}', '\n{"a":1}\n\n', 'x\n{"a":1}\n', '\n{"a":2}\n', NOT_THERE],
        ),
        ({"$contains": "Auto"}, ["AUTOmatic", "it auto"], ["aut", None, NOT_THERE]),
        (
            {"$any": "rfc3339"},
            ["2026-01-02T03:04:05Z", "2026-01-02t03:04:05.123456+01:00"],
            ["2026-01-02", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05", "x", 1, NOT_THERE],
        ),
        ({"$json": None}, ["null"], ["", None, NOT_THERE]),
        ({"a": {"$optional": {"$json": [1]}}}, [{}, {"a": "[1]"}], [{"a": [1]}, {"a": "[2]"}]),
    ],
)
def test_a_pattern_matches_these_and_not_those(
    pattern: Any, matching: list[Any], others: list[Any]
) -> None:
    bound = {"name": {"bound": [1]}}
    assert [value for value in matching if differences(pattern, value, bound)] == []
    assert [value for value in others if not differences(pattern, value, bound)] == []


def test_a_difference_is_as_small_as_it_can_be() -> None:
    pattern = {"a": [1, {"b/c": 2}], "~": {"$open": {"x": 1}}, "gone": 1, "j": {"$json": [1]}}
    value = {"a": [1, {"b/c": 3}, 4], "~": {"x": 2}, "new": 5, "j": "[2]"}
    assert [
        (one.pointer, one.expected, one.observed) for one in differences(pattern, value, {})
    ] == [
        ("/a/1/b~1c", 2, 3),
        ("/a/2", NOT_THERE, 4),
        ("/~0/x", 1, 2),
        ("/gone", 1, NOT_THERE),
        ("/j/0", 1, 2),
        ("/new", NOT_THERE, 5),
    ]


def test_an_unknown_directive_is_an_error_of_the_kit() -> None:
    with pytest.raises(InternalError, match=r"\$always"):
        differences({"$always": 1}, 1, {})


@pytest.mark.parametrize(
    ("one", "other"), [({"a": [1]}, {"a": [True]}), ([1.0], [1]), ({"a": 1}, {"b": 1}), ([], {})]
)
def test_values_that_only_look_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert same(one, one)


def test_a_command_is_filled_in() -> None:
    command = {"a": ["$x", {"$literal": "$x"}], "b": {"$repeat": ["-", 3]}, "c": None}
    assert substitute(command, {"x": {"y": 1}}) == {"a": [{"y": 1}, "$x"], "b": "---", "c": None}
    with pytest.raises(KeyError):
        substitute(command, {})


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", {"a/b": [{"~": 1}]}),
        ("/a~1b/0/~0", 1),
        ("/a~1b/1", NOT_THERE),
        ("/a~1b/-1", NOT_THERE),
        ("/a~1b/²", NOT_THERE),
        ("/a", NOT_THERE),
    ],
)
def test_a_pointer_leads_to_a_value(pointer: str, value: Any) -> None:
    assert resolve({"a/b": [{"~": 1}]}, pointer) == value


# Steps


@pytest.mark.parametrize(
    ("see", "observed", "differences"),
    [
        ([], [], []),
        ([emitted("completed")], [emitted("completed")], []),
        ([emitted("completed")], [], [("", "EVT-050", "missing")]),
        ([], [emitted("completed")], [("", "EVT-052", "unexpected")]),
        ([], [emitted("started")], [("", "EVT-002", "unexpected")]),
        ([emitted("completed", optional=True)], [], []),
        (
            [emitted("completed", {"a": 1})],
            [emitted("completed", {})],
            [("/data/a", "EVT-005", "other")],
        ),
        (
            [emitted("completed", {"a": 1}, optional=True)],
            [emitted("completed", {})],
            [("/data/a", "EVT-005", "other")],
        ),
        # Each observation is used once.
        (
            [emitted("completed")],
            [emitted("completed"), emitted("completed")],
            [("", "EVT-052", "unexpected")],
        ),
        # What fits is found before what is only of the same kind.
        (
            [{"unordered": [emitted("completed", 1), emitted("completed", 2)]}],
            [emitted("completed", 2), emitted("completed", 3)],
            [("/data", "EVT-005", "other")],
        ),
        # The members of an observation come in any order, and unknown ones are ignored.
        ([emitted("completed")], [{"x": 1, "data": 0, "emitted": "completed"}], []),
        ([{"shows": ["EVT-009"], "tool": "c1"}], [], [("", "EVT-009", "missing")]),
        # What is observed without a name is compared with what was expected of its kind.
        (
            [{"evidence": [{"prompt": "a"}], "shows": {"/evidence/0/prompt": ["EVT-009"]}}],
            [{"evidence": [{"prompt": "b"}]}],
            [("/evidence/0/prompt", "EVT-009", "other")],
        ),
        (
            [{"agreed": True, "shows": ["EVT-009"]}],
            [{"agreed": False}],
            [("/agreed", "EVT-009", "other")],
        ),
        # Order
        (
            [emitted("completed"), {"tool": "c1"}],
            [{"tool": "c1"}, emitted("completed")],
            [("", "EVT-051", "early")],
        ),
        (
            [{"unordered": [emitted("completed"), {"tool": "c1"}]}],
            [{"tool": "c1"}, emitted("completed")],
            [],
        ),
        (
            [{"unordered": [emitted("completed"), {"tool": "c1"}]}, {"closed": "f"}],
            [emitted("completed"), {"closed": "f"}, {"tool": "c1"}],
            [("", "early")],
        ),
        # What keeps its order within a group.
        (
            [{"unordered": [[emitted("completed", 1), emitted("completed", 2)], {"tool": "c1"}]}],
            [emitted("completed", 1), {"tool": "c1"}, emitted("completed", 2)],
            [],
        ),
        (
            [{"unordered": [[emitted("completed", 1), emitted("completed", 2)], {"tool": "c1"}]}],
            [emitted("completed", 2), {"tool": "c1"}, emitted("completed", 1)],
            [("", "EVT-050", "early")],
        ),
        (
            [emitted("completed", optional=True), {"tool": "c1"}],
            [{"tool": "c1"}],
            [],
        ),
    ],
)
def test_a_step_compares_everything_that_was_seen(
    see: list[Any], observed: list[Any], differences: list[Any]
) -> None:
    assert found(see, observed) == differences


def test_a_name_that_is_bound_holds_for_what_follows() -> None:
    matcher = Matcher({})
    flow = emitted("started", {"flow": {"$any": "string"}}, bind={"flow": "/data/flow"})
    assert matcher.step([flow], (), [emitted("started", {"flow": "f1"})]) == []
    assert matcher.step([emitted("completed", "$flow")], (), [emitted("completed", "f1")]) == []
    assert matcher.step([emitted("completed", "$flow")], (), [emitted("completed", "f2")]) != []


def test_a_name_may_be_used_beside_the_expectation_that_binds_it() -> None:
    flow = emitted("started", {"$any": "string"}, bind={"flow": "/data"})
    see = [{"unordered": [emitted("completed", "$flow"), flow]}]
    assert found(see, [emitted("started", "f1"), emitted("completed", "f1")]) == []


def test_a_name_that_is_bound_anew_is_compared_with_what_it_was() -> None:
    matcher = Matcher({})
    fresh = {"$not": "$id"}
    first = emitted("submit", {"$any": "string"}, bind={"id": "/data"})
    matcher.step([first], (), [emitted("submit", "r1")])
    again = emitted("submit", fresh, bind={"id": "/data"})
    assert matcher.step([again], (), [emitted("submit", "r2")]) == []
    assert matcher.step([again], (), [emitted("submit", "r2")]) != []


# Blame


@pytest.mark.parametrize(
    ("shows", "pointer", "blames"),
    [
        (None, "", "EVT-050"),
        (None, "/emitted", "EVT-050"),
        (None, "/data/x", "EVT-005"),
        (None, "/data/answers/a~1b/labels/0", "EVT-100"),
        (None, "/data/answers/a/b/labels", "EVT-005"),
        (["EVT-009"], "", "EVT-009"),
        (["EVT-009"], "/data/x", "EVT-005"),
        ({"/data": ["EVT-009"]}, "/data/x", "EVT-009"),
        ({"/data/x": ["EVT-009"]}, "/data/x/y", "EVT-009"),
        ({"/data/x": ["EVT-009"]}, "/data/xy", "EVT-005"),
        ({"/data/x": ["EVT-009"]}, "", "EVT-050"),
    ],
)
def test_blame_follows_the_longest_pointer_and_the_case_before_the_table(
    shows: Any, pointer: str, blames: str
) -> None:
    expectation = emitted("second:completed", **({"shows": shows} if shows else {}))
    assert Matcher(TABLE).blames(expectation, pointer) == ((blames,), blames == "EVT-009")


def test_the_step_says_what_the_unexpected_breaks() -> None:
    assert found([], [emitted("completed")], ("EVT-009",)) == [("", "EVT-009", "unexpected")]
    assert found([emitted("completed")], [], ("EVT-009",)) == [("", "EVT-050", "missing")]


def test_the_kinds_are_those_of_the_schemas() -> None:
    schemas = [load(f"adapter/{role}-observation") for role in ROLES]
    kinds = [kind["required"][0] for schema in schemas for kind in schema["oneOf"]]
    assert set(KINDS) == set(kinds) - {"said"}  # which is never expected
    assert [kind_of({"x": 1, kind: "a"}) for kind in KINDS] == list(KINDS)
    assert kind_of({}) == ""
