"""Mutants: what is no kill is never counted as one, and the reference is what it was afterwards."""

import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askproof import case as cases
from askproof import power
from askproof.__main__ import main
from askproof.errors import InternalError
from askproof.mutants import Mutant, _registered, breaks, mutants
from askproof.progress import Progress
from askproof.specification import ROLES, catalogue
from askproof_reference.host import AskHost
from askproof_reference.host_adapter import HostAdapter, QuietHostAdapter
from askproof_reference.questions import InputReader
from tests.power.helpers import everything

Captured = pytest.CaptureFixture[str]
# Breaks EVT-020, and EVT-031 as well.
REAL = "asks-nothing"
KILLERS = {"events/ask-host/input/without-questions", "events/ask-host/input/questions-left-out"}


def as_it_is(original: Any, *given: Any) -> Any:
    return original(*given)


def throws(*_: Any) -> Any:
    raise ZeroDivisionError("on purpose")


class Unused:
    """Nothing of the reference."""

    def method(self) -> None:
        raise AssertionError


def made_up(owner: Any, attribute: str, replacement: Any) -> Mutant:
    about = ("made-up", "EVT-020", "ask-host", "Is made up.")
    return Mutant(*about, owner, attribute, replacement, frozenset())


def changed(**members: Any) -> Mutant:
    return replace(mutants()[REAL], name="made-up", **members)


@pytest.fixture(autouse=True)
def _few_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases about inputs are enough, and take little time."""
    few = tuple(case for case in power.cases_of("ask-host") if "/input/" in case.id)
    monkeypatch.setattr(power, "cases_of", lambda _: few)


OUTCOMES = [
    pytest.param(
        made_up(InputReader, "questions", as_it_is),
        ("survived", "no case blames EVT-020"),
        id="one that does what the original does",
    ),
    pytest.param(
        changed(requirement="EVT-090", consequences=frozenset({"EVT-020", "EVT-031"})),
        ("survived", "no case blames EVT-090"),
        id="one that breaks another rule than it says",
    ),
    pytest.param(
        made_up(Unused, "method", throws),
        ("error", "it changes nothing: no case reaches what it replaces"),
        id="one that is never reached",
    ),
    pytest.param(
        made_up(AskHost, "no_such", as_it_is),
        ("error", "AskHost has no no_such of its own"),
        id="one that replaces what there is not",
    ),
    pytest.param(
        made_up(QuietHostAdapter, "perform", as_it_is),
        ("error", "QuietHostAdapter has no perform of its own"),
        id="one that replaces what is only inherited",
    ),
    pytest.param(
        made_up(HostAdapter, "perform", throws),
        ("error", "it crashes, which is no kill: events/ask-host/input/"),
        id="one that crashes",
    ),
    pytest.param(
        changed(consequences=frozenset()),
        ("error", "unlisted consequences: EVT-031"),
        id="one with a consequence that it does not list",
    ),
    pytest.param(
        changed(consequences=frozenset({"EVT-031", "EVT-090"})),
        ("error", "listed, but not seen: EVT-090"),
        id="one without a consequence that it lists",
    ),
    pytest.param(
        changed(consequences=frozenset({"EVT-090"})),
        ("error", "unlisted consequences: EVT-031; listed, but not seen: EVT-090"),
        id="one with other consequences than it lists",
    ),
]


@pytest.mark.parametrize(("mutant", "expected"), OUTCOMES)
def test_what_is_no_clean_kill_is_told_and_is_status_1(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch, mutant: Mutant, expected: tuple[str, str]
) -> None:
    outcome, message = expected
    monkeypatch.setitem(mutants(), "made-up", mutant)
    before = everything()
    trial = power.attempt("made-up")
    assert everything() == before
    assert trial.outcome == outcome
    assert trial.message.startswith(message)
    monkeypatch.setattr(power, "trials", lambda chosen: map(power.attempt, chosen))
    assert main(["mutants", "made-up"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"{outcome.upper():<9} made-up ({mutant.requirement}): {mutant.why}\n")
    assert f"\n          {message}" in out
    assert out.endswith("\n0 of 1 mutants killed, for 1 requirements\n")


def test_a_mutant_is_killed_by_the_cases_that_blame_its_rule() -> None:
    trial = power.attempt(REAL)
    assert (trial.outcome, trial.message) == ("killed", "")
    assert set(trial.by) == KILLERS
    assert trial.consequences == ("EVT-031",)


def test_a_mutant_is_in_place_for_every_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    every = map(cases.load, cases.case_ids())
    chosen = [case for case in every if "after-abort" in case.variants]
    monkeypatch.setattr(power, "cases_of", lambda _: chosen)
    talks = made_up(QuietHostAdapter, "_new_host", lambda _, self: HostAdapter._new_host(self))
    monkeypatch.setitem(mutants(), "made-up", replace(talks, requirement="EVT-055"))
    trial = power.attempt("made-up")
    assert (trial.outcome, trial.message) == ("killed", "")
    assert set(trial.by) == {one.id for one in chosen if one.variants["after-abort"] == "none"}


# The command, with processes of its own


def test_the_command_prints_what_became_of_each_as_json(capsys: Captured) -> None:
    assert main(["mutants", "--json", "asks-*", "EVT-026"]) == 0
    captured = capsys.readouterr()
    printed = json.loads(captured.out)
    assert captured.err == ""
    assert printed.keys() == {"mutants", "requirements", "killed"}
    broken = {entry["requirement"] for entry in printed["mutants"].values()}
    assert (printed["requirements"], printed["killed"]) == (len(broken), len(printed["mutants"]))
    for name, entry in printed["mutants"].items():
        members = ["requirement", "roles", "outcome", "by", "consequences", "message"]
        assert [*entry] == members
        assert entry["requirement"] == mutants()[name].requirement
    assert printed["mutants"][REAL]["roles"] == ["ask-host"]
    assert printed["mutants"][REAL]["outcome"] == "killed"
    assert {*printed["mutants"][REAL]["by"]} >= KILLERS
    assert printed["mutants"][REAL]["consequences"] == ["EVT-031"]


@pytest.mark.parametrize("names", [["no-such"], ["EVT-999"], [REAL, "no-such"]])
def test_a_name_that_there_is_not_is_wrong_usage(capsys: Captured, names: list[str]) -> None:
    assert main(["mutants", *names]) == 2
    message = f"askproof mutants: no mutant has the name or requirement '{names[-1]}'\n"
    assert capsys.readouterr() == ("", message)


def test_a_mutant_that_never_ends_is_an_error_of_the_kit(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(power, "_PATIENCE", 0.001)
    assert main(["mutants", REAL]) == 4
    message = f"askproof mutants: no word of the mutant {REAL} in 0.001 s\n"
    assert capsys.readouterr() == ("", message)


def test_progress_is_one_line_on_a_terminal_and_nothing_where_it_is_piped() -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen, pipe = Screen(), io.StringIO()
    for stream in (screen, pipe):
        with Progress(stream, 2) as progress:
            assert progress.step(1, "a") == 1
            progress.step(2, "b")
    assert screen.getvalue() == "\r\x1b[K1/2 a\r\x1b[K2/2 b\r\x1b[K"
    assert pipe.getvalue() == ""


# The mutants, and what they leave behind


@pytest.mark.parametrize("name", [REAL, *list(mutants())[::40]])
def test_the_original_is_back_after_an_error(name: str) -> None:
    before = everything()

    def fail() -> None:
        with mutants()[name].applied():
            assert everything() != before
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert everything() == before


def test_each_mutant_replaces_one_thing_and_only_meanwhile() -> None:
    before = everything()
    for mutant in mutants().values():
        original = vars(mutant.owner)[mutant.attribute]
        with mutant.applied() as reached:
            assert vars(mutant.owner)[mutant.attribute] is not original
        assert vars(mutant.owner)[mutant.attribute] is original
        assert reached == []
    assert everything() == before


def test_the_modules_of_the_mutants_change_nothing_when_they_are_imported() -> None:
    code = (
        "from tests.power.helpers import everything\n"
        "import sys; before = everything(); assert 'askproof.mutants' not in sys.modules\n"
        "from askproof.mutants import mutants; assert mutants()\n"
        "assert everything() == before\n"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


def test_a_name_is_given_once_and_a_mutant_says_what_it_does() -> None:
    known = dict(_registered)

    def asks_nothing(original: Any) -> None:
        """Is called as another."""

    def has_no_docstring(original: Any) -> None:
        pass

    register = breaks("EVT-020", "ask-host", AskHost, "ask")
    with pytest.raises(InternalError, match="two mutants are called asks-nothing"):
        register(asks_nothing)
    with pytest.raises(InternalError, match="has-no-docstring does not say what it does"):
        register(has_no_docstring)
    assert known == _registered


@pytest.mark.parametrize("role", ROLES)
def test_each_must_of_a_role_has_a_mutant_of_that_role(role: str) -> None:
    demands = {one.id for one in catalogue().values() if role in one.roles and one.level == "must"}
    broken = {one.requirement for one in mutants().values() if one.role == role}
    assert sorted(demands - broken) == []


def test_a_mutant_names_rules_that_there_are_for_its_role() -> None:
    for mutant in mutants().values():
        assert mutant.role in catalogue()[mutant.requirement].roles, mutant.name
        assert mutant.consequences <= catalogue().keys(), mutant.name
        assert mutant.requirement not in mutant.consequences, mutant.name
        assert mutant.why.endswith("."), mutant.name
