"""Null adapters play by the protocol, and pass next to nothing; what they pass is counted."""

import json
from typing import Any

import pytest

from askproof import case as cases
from askproof import engine, nulls, schemas
from askproof.__main__ import main
from askproof.carriers import InProcess
from askproof.case import Case
from askproof.match import kind_of
from askproof.nulls import ADAPTERS, LIMIT, Silent, WhateverTheSchemaAllows, passes
from askproof.session import Session
from askproof.specification import ROLES
from tests.engine.helpers import make_case

Captured = pytest.CaptureFixture[str]
every_adapter = pytest.mark.parametrize("name", ADAPTERS)

EMIT = {"emit": {"channel": "submit", "data": 1}}
WEAK: dict[str, Any] = {"do": EMIT, "see": []}
STRONG: dict[str, Any] = {"do": EMIT, "see": [{"emitted": "completed", "shows": ["EVT-050"]}]}


def observed(name: str) -> list[Any]:
    """All that a null adapter reports in all the cases of one variant."""
    session = Session(InProcess(lambda: ADAPTERS[name]({"after-abort": "none"})))
    session.initialize()
    answers = [
        record["message"]["result"]["observations"]
        for result in engine.run(session, map(cases.load, cases.case_ids()))
        for record in result.transcript
        if record["type"] == "received" and "observations" in record["message"]["result"]
    ]
    session.close()
    return [one for observations in answers for one in observations]


@every_adapter
def test_a_null_adapter_ends_every_case_by_the_rules_and_passes_next_to_none(name: str) -> None:
    # What is neither passed nor failed would be an error here.
    done = list(passes(name))
    assert sorted(case for _, case, _ in done) == list(cases.case_ids())
    assert {role for role, _, _ in done} == set(ROLES)
    for role in ROLES:
        passed = [ok for who, _, ok in done if who == role]
        assert sum(passed) <= LIMIT * len(passed)


def test_each_null_adapter_is_another_nothing() -> None:
    """A case ends where it fails: what a null adapter would have said after that is not seen."""
    judges = {"agreed", "evidence"}
    accepts = {
        *("emitted", "shown", "closed", "offered", "tool", "connected", "delivered"),
        *("appended", "record"),
        *judges,
    }
    assert {name: {*map(kind_of, observed(name))} for name in ADAPTERS} == {
        "accept-everything": accepts,
        "answer-key": accepts,
        "refuse-everything": {"tool", "connected", "diagnostic", "refused", *judges},
        "open-and-refuse": {"emitted", "connected", "shown", "tool", "record", *judges},
        "echo": {
            *("emitted", "offered", "tool", "connected", "heard"),
            *("delivered", "unsubscribed", "record"),
        },
        "silent": set(),
        "whatever-the-schema-allows": {
            kind_of({kind["required"][0]: None})
            for role in ROLES
            for kind in schemas.load(f"adapter/{role}-observation")["oneOf"]
        },
    }


def test_what_is_random_is_the_same_at_every_run_and_depends_on_the_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    once = observed("whatever-the-schema-allows")
    assert observed("whatever-the-schema-allows") == once
    monkeypatch.setattr(WhateverTheSchemaAllows, "seed", WhateverTheSchemaAllows.seed + 1)
    assert observed("whatever-the-schema-allows") != once


# The command


def test_the_command_prints_the_scores_as_json(capsys: Captured) -> None:
    assert main(["null-score", "--json"]) == 0
    captured = capsys.readouterr()
    printed = json.loads(captured.out)
    assert captured.err == ""
    assert printed["adapters"].keys() == ADAPTERS.keys()
    for scores in printed["adapters"].values():
        assert scores.keys() == set(ROLES)
        assert all(0 <= score <= LIMIT for score in scores.values())
    assert {*printed["passed"]} <= ADAPTERS.keys()


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make these the cases of the kit, and leave only the silent adapter."""

    def use(*chosen: Case) -> None:
        known = {case.id: case for case in chosen}
        monkeypatch.setattr(cases, "case_ids", lambda: tuple(known))
        monkeypatch.setattr(cases, "load", known.__getitem__)
        monkeypatch.setattr(nulls, "ADAPTERS", {"silent": Silent})

    return use


@pytest.mark.parametrize(("weak", "status"), [(0, 0), (1, 0), (2, 1), (20, 1)])
def test_more_than_one_weak_case_in_twenty_is_status_1(
    suite: Any, capsys: Captured, weak: int, status: int
) -> None:
    names = [f"case-{number}" for number in range(20)]
    suite(*(make_case(WEAK if at < weak else STRONG, name=name) for at, name in enumerate(names)))
    assert main(["null-score", "--json"]) == status
    printed = json.loads(capsys.readouterr().out)
    assert printed["adapters"] == {"silent": {"ask-host": weak / 20}}
    assert printed["passed"].get("silent", []) == [f"tests/ask-host/{n}" for n in names[:weak]]


def test_a_weak_case_is_named(suite: Any, capsys: Captured) -> None:
    suite(make_case(WEAK, name="weak"), make_case(STRONG, name="strong"))
    assert main(["null-score"]) == 1
    first, second, _ = capsys.readouterr().out.splitlines()
    assert first.split() == ["silent", "ask-host", "50.0%"]
    assert second == "    passes tests/ask-host/weak"


class Throws(Silent):
    def on_any(self, name: str, arguments: dict[str, Any]) -> Any:
        raise ZeroDivisionError


class Babbles(Silent):
    def on_any(self, name: str, arguments: dict[str, Any]) -> Any:
        return [{"nothing": "known"}]


@pytest.mark.parametrize(
    ("broken", "outcome"), [(Throws, "crashed"), (Babbles, "protocol-error")], ids=["throws", "bab"]
)
def test_a_null_adapter_that_breaks_the_protocol_shows_nothing(
    suite: Any,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
    broken: type[Silent],
    outcome: str,
) -> None:
    suite(make_case(STRONG))
    monkeypatch.setattr(nulls, "ADAPTERS", {"broken": broken})
    assert main(["null-score"]) == 4
    message = f"the null adapter broken is wrong: tests/ask-host/sound {outcome}: "
    assert capsys.readouterr().err.startswith(f"askproof null-score: {message}")
