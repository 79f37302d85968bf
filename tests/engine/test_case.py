"""Cases: their fixtures, what they need, and what comes from a file of the user's."""

import json
from pathlib import Path
from typing import Any

import pytest

from askproof import case as cases
from askproof import lint
from askproof.errors import InputError
from tests.engine.helpers import ECHO, make_case

KNOWN: dict[str, Any] = {
    "word": "yes",
    "list": ["@word"],
    "row": {"a": 1, "b": {"c": "@word"}},
    "longer": {"...": "@row", "d": "@list"},
}


@pytest.mark.parametrize(
    ("value", "expanded"),
    [
        ("@word", "yes"),
        (["@list", "x@word"], [["yes"], "x@word"]),
        ({"...": "@row", "a": 2}, {"a": 2, "b": {"c": "yes"}}),
        ({"...": "@row", "b": {"$absent": True}}, {"a": 1}),
        ({"...": "@longer", "b": "@word"}, {"a": 1, "b": "yes", "d": ["yes"]}),
        ({"x": {"$literal": "@word"}}, {"x": {"$literal": "@word"}}),
        ({"x": "$name", "y": None}, {"x": "$name", "y": None}),
    ],
)
def test_fixtures_are_put_in_their_place(value: Any, expanded: Any) -> None:
    assert cases.expand(value, KNOWN) == expanded
    assert cases.expand(expanded, {}) == expanded


def test_what_is_expanded_leaves_the_fixtures_alone() -> None:
    before = json.dumps(KNOWN)
    cases.expand({"...": "@row", "b": {"$absent": True}}, KNOWN)["new"] = 1
    assert json.dumps(KNOWN) == before


def test_a_fixture_without_members_cannot_be_extended() -> None:
    with pytest.raises(TypeError, match="the fixture @list has no members"):
        cases.expand({"...": "@list"}, KNOWN)


@pytest.mark.parametrize(
    ("command", "needs"),
    [
        ({"ask": {"mode": "tui"}}, {"tui"}),
        ({"ask": {"mode": "rpc", "source": "tool", "interactive": False}}, set()),
        (
            {"ask": {"mode": "rpc", "background": True, "files": {}}},
            {"background", "preview-files"},
        ),
        ({"ask": {"mode": "rpc", "source": "answer"}}, {"commands"}),
        ({"ask": {"mode": "rpc", "settings": {"presentSingleAsMulti": True}}}, {"single-as-multi"}),
        ({"ask": {"mode": "rpc", "settings": {"presentSingleAsMulti": False}}}, set()),
        ({"ask": {"mode": {"$literal": "tui"}}}, set()),
        ({"emit": {"channel": "second:started", "data": 1}}, {"second-namespace"}),
        ({"emit": {"channel": "second:submit", "data": 1}}, set()),
        ({"emit": {"channel": {"$literal": "@x/y"}, "data": 1}}, set()),
        ({"break": {}}, {"fault-injection"}),
        ({"press": {"form": "f", "button": "b"}}, {"buttons"}),
        ({"abort": {"call": "c1"}}, set()),
        ({"ask": {"mode": "tui", "tool": "ask_user_choice"}}, set()),
        ({"ask": {"mode": "tui", "tool": "ask_user_choice", "background": True}}, {"background"}),
        ({"change": {"call": "c1", "path": "", "value": 1}}, {"caller-objects"}),
        ({"shutdown": {}}, {"shutdown"}),
        ({"shutdown": {"manager": "m1"}}, set()),
    ],
)
def test_a_case_needs_what_its_commands_need(command: dict[str, Any], needs: set[str]) -> None:
    assert make_case({"do": command, "see": []}).needs == needs


def test_a_case_says_what_it_shows_once_and_in_order() -> None:
    own = {"emitted": "started", "shows": {"/data/b": ["EVT-003"], "": ["EVT-001"]}}
    case = make_case(
        {"do": {"reload": {}}, "see": [{"unordered": [own, own]}], "shows": ["EVT-002"]}
    )
    assert case.shows == ("EVT-002", "EVT-003", "EVT-001")
    assert case.contract == "tests"


def test_the_fixed_cases_are_found_and_read() -> None:
    ids = cases.case_ids()
    assert list(ids) == sorted(set(ids))
    assert not any("fixtures" in one or "blame" in one for one in ids)
    assert {cases.load(one).id for one in ids} == set(ids)
    with pytest.raises(InputError, match="No such file"):
        cases.load("events/ask-host/nowhere")


# From outside


def written(folder: Path, data: Any) -> Path:
    file = folder / "mine.json"
    file.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return file


GOOD: dict[str, Any] = {
    "case": "mine/ask-host/x",
    "role": "ask-host",
    "why": "It is a test.",
    "steps": [ECHO],
}


def with_step(do: Any, *see: Any, **more: Any) -> dict[str, Any]:
    return {**GOOD, "steps": [{"do": do, "see": list(see), **more}]}


def test_a_good_case_of_somebody_else_is_read(tmp_path: Path) -> None:
    case = cases.load_file(written(tmp_path, GOOD))
    assert (case.id, case.role, case.shows) == ("mine/ask-host/x", "ask-host", ("EVT-050",))
    assert case.source == GOOD


EMIT = {"emit": {"channel": "submit", "data": 1}}
STARTED = {"emitted": "started", "data": {"$any": "text"}, "bind": {"flow": "/data"}}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not JSON: Expecting value at column 1"),
        (b"\xff", "invalid UTF-8 at byte 0"),
        (b"[" * 100_000, "nested deeper than 64 levels"),
        (b'{"case": NaN}', "NaN is not JSON"),
        (b'{"case": 1, "case": 2}', 'the key "case" is repeated'),
        (b" " * 9_000_000, "more than 8388608 bytes in a line"),
        ({**GOOD, "why": "x" * 300_000}, "more than 262144 bytes are too many for a case"),
        (None, "None is not of type 'object' at the top"),
        ([], "is not of type 'object' at the top"),
        ({**GOOD, "case": "../../etc/passwd"}, "is not case id at /case"),
        ({**GOOD, "steps": []}, "at /steps"),
        ({**GOOD, "role": "oracle"}, "'oracle' is not one of"),
        ({**GOOD, "extra\x1b[2J": 1}, "at the top"),
        (with_step({"dance": {}}), "at /steps/0/do"),
        (
            with_step({"emit": {"channel": "submit"}}),
            "step 1 sends a wrong command: 'data' is a req",
        ),
        (
            with_step({"emit": {"channel": 1, "data": 1}}),
            "step 1 sends a wrong command: 1 is not of",
        ),
        (with_step({"emit": "@nothing"}), "there is no fixture 'nothing'"),
        (with_step(EMIT, {"...": "@nothing"}), "there is no fixture 'nothing'"),
        (with_step(EMIT, {"emitted": "started", "data": {"$always": 1}}), "at /steps/0/see/0"),
        (with_step(EMIT, {"emitted": "x", "data": {"$any": "x", "y": 1}}), "at /steps/0/see/0"),
        (with_step(EMIT, {"emitted": "x", "data": {"$any": "number"}}), "at /steps/0/see/0"),
        (with_step(EMIT, {"heard": "l1"}), "step 1 expects 'heard', which cannot be observed like"),
        (
            with_step(EMIT, {"closed": "f"}),
            "step 1 expects 'closed', which cannot be observed like",
        ),
        (with_step({"act": {"form": "f", "then": "submit"}}), "step 1 sends a wrong command"),
        (
            with_step({"emit": {"channel": "x", "data": "$flow"}}),
            "step 1 uses $flow, which nothing",
        ),
        (with_step(EMIT, {"emitted": "x", "data": "$flow"}), "step 1 uses $flow, which nothing"),
        (with_step(EMIT, shows=["EVT-999"]), "there is no requirement EVT-999"),
        (with_step(EMIT, shows=["EVT-200"]), "EVT-200 does not bind ask-host"),
        (
            with_step({"emit": {"channel": "x", "data": {"$repeat": ["x", 10**12]}}}),
            "$repeat makes more than 4194304 characters",
        ),
        (
            with_step(EMIT, *[{"emitted": "x", "data": {"$repeat": ["xy", 600_000]}}] * 4),
            "$repeat makes more than 4194304 characters",
        ),
        (
            {
                **GOOD,
                "steps": [
                    {"do": EMIT, "see": [{**STARTED, "optional": True}]},
                    {"do": {"emit": {"channel": "submit", "data": "$flow"}}, "see": []},
                ],
            },
            "step 2 uses $flow in a command, and that need not have been seen",
        ),
    ],
)
def test_a_wrong_case_of_somebody_else_is_refused_for_its_reason(
    tmp_path: Path, data: Any, reason: str
) -> None:
    file = written(tmp_path, data)
    with pytest.raises(InputError) as refused:
        cases.load_file(file)
    assert str(refused.value).startswith(f"{file}: ")
    assert reason in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(InputError, match=reason):
            cases.load_file(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless file")
def test_a_file_without_an_end_is_refused() -> None:
    with pytest.raises(InputError, match="more than 8388608 bytes"):
        cases.load_file(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"why": ...}, "'why' is a required property"),
        ({"steps": [{}]}, "'do' is a required property at /steps/0"),
        ({"steps": [{**ECHO, "do": {}}]}, "at /steps/0/do"),
        ({"steps": [{**ECHO, "shows": ["EVT-999"]}]}, "there is no requirement EVT-999"),
        (
            {"steps": [{**ECHO, "see": [1]}]},
            "1 is not of type 'object', 'string' at /steps/0/see/0",
        ),
        ({"steps": [{**ECHO, "do": {"emit": "@nothing"}}]}, "there is no fixture 'nothing'"),
        (None, "not JSON"),
    ],
)
def test_a_wrong_case_in_the_folder_of_the_kit_is_one_line_for_its_author(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any] | None, problem: str
) -> None:
    monkeypatch.setattr(cases, "CASES", tmp_path)
    file = tmp_path / "tests" / "ask-host" / "sound.json"
    file.parent.mkdir(parents=True)
    members = {**make_case(ECHO).source, **(change or {})}
    members = {key: value for key, value in members.items() if value is not ...}
    file.write_text(json.dumps(members) if change else "{", encoding="utf-8")
    with pytest.raises(InputError) as refused:
        cases.load("tests/ask-host/sound")
    assert problem in str(refused.value)
    assert str(refused.value).startswith(f"{file}: ")


@pytest.mark.parametrize(
    ("waits", "needs"), [([10_000], set()), ([4_000, 6_001], {"virtual-time"})]
)
def test_long_waits_together_need_virtual_time(waits: list[int], needs: set[str]) -> None:
    steps = [{"do": {"advance": {"ms": ms}}, "see": []} for ms in waits]
    assert make_case(*steps).needs == needs


@pytest.mark.parametrize("name", ["$json", "$bytes"])
def test_patterns_that_would_double_a_text_at_every_level_are_refused(name: str) -> None:
    value: Any = "x"
    for _ in range(30):
        value = {name: [value] if name == "$bytes" else value}
    assert any("within one another" in one for one in lint.values([{"do": {}, "see": value}]))
