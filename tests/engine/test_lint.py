"""The linter of cases refuses what it must, and says why; `tests/test_cases.py` applies it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from askproof import case as cases
from askproof import lint
from tests.engine.helpers import ECHO

EMIT = {"emit": {"channel": "submit", "data": 1}}
GOOD: dict[str, Any] = {
    "case": "tests/ask-host/good",
    "role": "ask-host",
    "why": "It is a test.",
    "steps": [{"do": EMIT, "see": [], "shows": ["EVT-070"]}, ECHO],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(cases, "CASES", tmp_path)
    (tmp_path / "tests" / "ask-host").mkdir(parents=True)
    cases.fixtures.cache_clear()
    yield tmp_path
    cases.fixtures.cache_clear()


def problems(folder: Path, data: Any, name: str = "good") -> list[str]:
    file = folder / "tests" / "ask-host" / f"{name}.json"
    file.write_text(
        data if isinstance(data, str) else f"{lint.formatted(data)}\n", encoding="utf-8"
    )
    return lint.problems(file)


def test_a_good_case_has_no_problems(folder: Path) -> None:
    assert problems(folder, GOOD) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            {"case": "tests/ask-host/other"},
            "its id is 'tests/ask-host/other', its path says 'tests/as",
        ),
        ({"role": "ask-bridge", "steps": []}, "at /steps"),
        ({"why": "no sentence"}, "`why` is not one printable sentence of at most 200 characters"),
        ({"why": "Two\nlines."}, "`why` is not one printable sentence"),
        ({"why": f"{'x' * 200}."}, "`why` is not one printable sentence"),
        (
            {"steps": [{"do": EMIT, "see": []}, ECHO]},
            "step 1 expects nothing, and has no `shows` to say",
        ),
        (
            {"steps": [{"do": EMIT, "see": [{"emitted": "completed", "data": 1}]}, ECHO]},
            "step 1 expects emitted, and no rule asks for it",
        ),
        (
            {"steps": [GOOD["steps"][0]]},
            "it expects nothing: an implementation that does nothing would",
        ),
        (
            {"steps": [{"do": {"break": {}}, "see": [{"emitted": "completed"}]}]},
            "no expectation says what it shows",
        ),
        (
            {"steps": [{"do": EMIT, "see": [], "shows": ["EVT-200"]}, ECHO]},
            "EVT-200 does not bind ask-",
        ),
    ],
)
def test_a_case_of_the_kit_is_held_to_its_rules(
    folder: Path, change: dict[str, Any], found: str
) -> None:
    assert any(found in problem for problem in problems(folder, GOOD | change))


def test_a_command_that_prepares_may_expect_nothing(folder: Path) -> None:
    fill: dict[str, Any] = {"local": {"call": "c1", "act": "fill", "answers": {}}}
    prepare: list[dict[str, Any]] = [{"break": {}}, {"reload": {}}, fill]
    steps = [{"do": do, "see": []} for do in prepare]
    assert problems(folder, GOOD | {"steps": [*steps, ECHO]}) == []


def test_a_case_lies_in_the_folder_of_its_role(folder: Path) -> None:
    (folder / "tests" / "ask-bridge").mkdir()
    file = folder / "tests" / "ask-bridge" / "good.json"
    file.write_text(json.dumps(GOOD), encoding="utf-8")
    assert "it lies in the folder of another role than ask-host" in lint.problems(file)


@pytest.mark.parametrize(
    "text", [json.dumps(GOOD), lint.formatted(GOOD), json.dumps(GOOD, indent=2)]
)
def test_another_format_is_told(folder: Path, text: str) -> None:
    assert problems(folder, text) == ["it is not formatted; run: python -m askproof.lint --write"]


@pytest.mark.parametrize("text", ["", "{", '{"a": 1, "a": 2}', "[NaN]"])
def test_what_is_no_json_is_told(folder: Path, text: str) -> None:
    assert len(problems(folder, text)) == 1


BINDS: dict[str, Any] = {"emitted": "x", "data": 1, "bind": {"a": "/data"}, "shows": ["EVT-050"]}
UNSURE = "step 2 uses $a in a command, and that need not have been seen"


@pytest.mark.parametrize(
    ("see", "used", "problem"),
    [
        ([BINDS], "$a", ""),
        ([{**BINDS, "data": {"$any": "text"}}], "$a", ""),
        ([{**BINDS, "data": {"k": "v"}, "bind": {"a": "/data/k"}}], "$a", ""),
        ([BINDS], {"$literal": "$b"}, ""),
        ([BINDS], ["$b"], "step 2 uses $b, which nothing before it binds"),
        ([{**BINDS, "data": {"k": {"$optional": 1}}, "bind": {"a": "/data/k"}}], "$a", UNSURE),
        ([{**BINDS, "data": {"$open": {}}, "bind": {"a": "/data/k"}}], "$a", UNSURE),
        ([{**BINDS, "optional": True}], "$a", UNSURE),
        ([{**BINDS, "optional": True}, BINDS], "$a", ""),
        ([{**BINDS, "data": "$a"}], "$a", "step 1 uses $a, which nothing before it binds"),
    ],
)
def test_a_name_is_bound_before_it_is_used(
    folder: Path, see: list[Any], used: Any, problem: str
) -> None:
    use = {"do": {"emit": {"channel": "submit", "data": used}}, "see": [], "shows": ["EVT-070"]}
    steps = [{"do": EMIT, "see": see}, use]
    assert problems(folder, GOOD | {"steps": steps}) == [problem] * bool(problem)


NOT_LIKE_THAT = "which cannot be observed like that"


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ({"tool": "c1", "result": {"$any": "object"}}, ""),
        ({"tool": "c1", "error": {"$any": "string"}}, ""),
        ({"tool": "c1", "error": {"$one-of": ["a", {"$not": "b"}]}}, ""),
        ({"tool": "c1", "error": {"$any": "integer"}}, NOT_LIKE_THAT),
        ({"tool": "c1", "error": 1}, NOT_LIKE_THAT),
        ({"tool": "c1", "result": 1, "error": "x"}, NOT_LIKE_THAT),
        ({"heard": "l1"}, NOT_LIKE_THAT),
        ({"told": "f", "outcome": {"$any": "text"}}, NOT_LIKE_THAT),
    ],
)
def test_an_expectation_can_be_observed(
    folder: Path, pattern: dict[str, Any], problem: str
) -> None:
    step = {"do": EMIT, "see": [{**pattern, "shows": ["EVT-050"]}]}
    found = problems(folder, GOOD | {"steps": [step]})
    assert len(found) == bool(problem)
    assert problem in "".join(found)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"...": "@any", "x": 1}, "with its fixtures put in: "),
        ({"...": "@number"}, "the fixture @number has no members"),
        ("@nothing", "there is no fixture 'nothing'"),
        ({"...": "@good", "y": {"$always": 1}}, "at /steps/0/see/0"),
    ],
)
def test_a_fixture_fits_where_it_is_put(folder: Path, data: Any, problem: str) -> None:
    (folder / "tests" / "fixtures").mkdir()
    fixtures = '{"any": {"$any": "object"}, "number": 1, "good": {"x": 1}}'
    (folder / "tests" / "fixtures" / "all.json").write_text(fixtures, encoding="utf-8")
    step = {"do": EMIT, "see": [{"emitted": "completed", "data": data, "shows": ["EVT-050"]}]}
    (found,) = problems(folder, GOOD | {"steps": [step]})
    assert problem in found


def test_a_fixture_that_nothing_mentions_is_told(folder: Path) -> None:
    (folder / "tests" / "fixtures").mkdir()
    fixtures = folder / "tests" / "fixtures" / "all.json"
    fixtures.write_text(
        '{"used": 1, "inner": 2, "outer": ["@inner"], "lonely": 3}', encoding="utf-8"
    )
    step = {"do": {"emit": {"channel": "x", "data": "@used"}}, "see": [], "shows": ["EVT-070"]}
    assert problems(folder, GOOD | {"steps": [step, ECHO]}) == []
    assert lint.unused("tests") == ["outer", "lonely"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({}, "{}"),
        ([], "[]"),
        ({"a": [1, {"b": None}]}, '{\n  "a": [1, {"b": null}]\n}'),
        ({"é": "\u202e"}, '{\n  "\\u00e9": "\\u202e"\n}'),
        ({"k": "x" * 110}, '{\n  "k": "' + "x" * 110 + '"\n}'),
        ({"k": ["x" * 108]}, '{\n  "k": ["' + "x" * 108 + '"]\n}'),
        ({"k": ["x" * 109]}, '{\n  "k": [\n    "' + "x" * 109 + '"\n  ]\n}'),
    ],
)
def test_what_fits_on_a_line_is_on_one(value: Any, text: str) -> None:
    assert lint.formatted(value) == text
    assert json.loads(text) == value
    assert max(map(len, text.split("\n"))) <= 120


def test_the_command_formats_and_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "tests" / "ask-host" / "good.json"
    file.write_text(json.dumps(GOOD), encoding="utf-8")
    assert lint.main([]) == 1
    assert capsys.readouterr().out.startswith("tests/ask-host/good.json: it is not formatted")
    assert lint.main(["--write"]) == 0
    assert capsys.readouterr().out == "nothing wrong with 1 files\n"
    assert file.read_text(encoding="utf-8") == f"{lint.formatted(GOOD)}\n"
