"""Whatever is missing between clauses, requirements, cases and mutants is named, one by one."""

import json
from typing import Any

import pytest

from askproof import case as cases
from askproof import power
from askproof.__main__ import main
from askproof.case import Case
from askproof.coverage import coverage, problems
from askproof.mutants import Mutant, mutants
from askproof.power import ERROR, KILLED, SURVIVED, Trial
from askproof.specification import Clause, Requirement, catalogue, clauses
from tests.engine.helpers import make_case

Captured = pytest.CaptureFixture[str]
PARTS = ("clauses", "requirements", "cases", "mutants", "trials")


def clause(ident: str, excluded: str = "") -> dict[str, Clause]:
    return {ident: Clause(ident, "What the source says.", excluded)}


def requirement(
    ident: str, level: str = "must", clauses: tuple[str, ...] = (), role: str = "ask-host"
) -> dict[str, Requirement]:
    made = Requirement(ident, level, (role,), clauses, True, "", "", "chapter", 1)  # noqa: FBT003
    return {ident: made}


def case(name: str, *shows: str) -> dict[str, Case]:
    see = {"emitted": "completed", "shows": list(shows)}
    made = make_case({"do": {"emit": {"channel": "submit", "data": 1}}, "see": [see]}, name=name)
    return {made.id: made}


def mutant(name: str, breaks: str) -> dict[str, Mutant]:
    return {name: Mutant(name, breaks, "ask-host", "", None, "", print, frozenset())}


def trial(name: str, *by: str, outcome: str = KILLED) -> dict[str, Trial]:
    return {name: Trial(name, outcome, tuple(f"tests/ask-host/{one}" for one in by), ())}


CLEAN: dict[str, dict[str, Any]] = {
    "clauses": clause("s-1") | clause("s-2", "No black-box test could see it."),
    "requirements": requirement("EVT-901", clauses=("s-1",))
    | requirement("EVT-902", "should")
    | requirement("EVT-903", "may")
    | requirement("ADP-901", role="adapter"),
    "cases": case("a", "EVT-901") | case("b", "EVT-901", "EVT-902"),
    "mutants": mutant("m", "EVT-901"),
    "trials": trial("m", "a", "b"),
}


def found(**more: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The clean tables, with more in them, joined."""
    return coverage(*((CLEAN[part] | more.get(part, {})).values() for part in PARTS))


def test_clean_tables_have_no_problems() -> None:
    assert problems(found()) == []


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        pytest.param(
            {"clauses": clause("s-3")},
            "the clause s-3 is neither covered nor excluded with a reason",
            id="a clause that is not accounted for",
        ),
        pytest.param(
            {"clauses": clause("s-3", " ")},
            "the clause s-3 is neither covered nor excluded with a reason",
            id="a clause that is excluded without a reason",
        ),
        pytest.param(
            {"requirements": requirement("EVT-903", "may", ("s-2",))},
            "EVT-903 cites the clause s-2, which is excluded or unknown",
            id="a requirement that cites an excluded clause",
        ),
        pytest.param(
            {"requirements": requirement("ADP-901", "must", ("s-9",), "adapter")},
            "ADP-901 cites the clause s-9, which is excluded or unknown",
            id="a requirement that cites an unknown clause",
        ),
        pytest.param(
            {"requirements": requirement("EVT-904"), "mutants": mutant("n", "EVT-904")},
            "EVT-904 (MUST) is shown by no case",
            id="a MUST without a case",
        ),
        pytest.param(
            {"requirements": requirement("EVT-904", "should")},
            "EVT-904 (SHOULD) is shown by no case",
            id="a SHOULD without a case",
        ),
        pytest.param(
            {
                "requirements": requirement("EVT-904"),
                "cases": case("b", "EVT-902", "EVT-904"),
            },
            "EVT-904 (MUST) has no mutant",
            id="a MUST without a mutant",
        ),
        pytest.param(
            {"cases": case("b", "EVT-902", "EVT-999")},
            "tests/ask-host/b cites EVT-999, which there is not",
            id="a case that cites an unknown requirement",
        ),
        pytest.param(
            {"cases": case("c", "EVT-901")},
            "tests/ask-host/c kills no mutant",
            id="a case that no mutant fails",
        ),
        pytest.param(
            {"cases": case("c", "EVT-901"), "trials": trial("n", "c", outcome=ERROR)},
            "tests/ask-host/c kills no mutant",
            id="a case that fails a mutant which is an error",
        ),
        pytest.param(
            {"cases": case("c", "EVT-901"), "trials": trial("n", "c", outcome=SURVIVED)},
            "tests/ask-host/c kills no mutant",
            id="a case that fails a mutant which survives",
        ),
    ],
)
def test_what_is_missing_is_the_one_problem(more: dict[str, Any], problem: str) -> None:
    assert problems(found(**more)) == [problem]


# The command


def trials_without(missed: str) -> Any:
    """Trials in which every mutant is killed, by every case but one."""
    by = tuple(ident for ident in cases.case_ids() if ident != missed)
    return lambda chosen: (Trial(name, KILLED, by, ()) for name in chosen)


def test_the_command_prints_what_it_has_joined_as_json(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(power, "trials", trials_without(""))
    assert main(["coverage", "--json"]) == 0
    captured = capsys.readouterr()
    printed = json.loads(captured.out)
    assert captured.err == ""
    assert printed.keys() == {"clauses", "requirements", "cases", "problems"}
    assert printed["problems"] == []
    assert printed["clauses"].keys() == clauses().keys()
    for entry in printed["clauses"].values():
        assert [*entry] in (["requirements"], ["excluded"])
        assert all(entry.values())
    assert printed["requirements"].keys() == catalogue().keys()
    for ident, entry in printed["requirements"].items():
        assert [*entry] == ["level", "roles", "clauses", "cases", "mutants"]
        assert entry["level"] == catalogue()[ident].level
        assert {*entry["clauses"]} <= printed["clauses"].keys()
        assert {*entry["cases"]} <= {*cases.case_ids()}
        assert {*entry["mutants"]} <= mutants().keys()


def test_the_command_tells_what_is_missing_with_status_1(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = cases.case_ids()[7]
    monkeypatch.setattr(power, "trials", trials_without(missed))
    assert main(["coverage", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["problems"] == [f"{missed} kills no mutant"]
    assert main(["coverage"]) == 1
    out = capsys.readouterr().out
    assert out.endswith(f" excluded; 1 problem\n  {missed} kills no mutant\n")


def test_the_command_lists_every_requirement_and_counts(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(power, "trials", trials_without(""))
    assert main(["coverage"]) == 0
    *lines, _, last = capsys.readouterr().out.splitlines()
    excluded = sum(bool(one.excluded) for one in clauses().values())
    covered = len(clauses()) - excluded
    assert last == f"{covered} clauses covered, {excluded} excluded; 0 problems"
    assert [line.split()[0] for line in lines[:-excluded]] == [*catalogue()]
