"""From cases to outcomes."""

from typing import Any

import pytest

from askproof import case as cases
from askproof import engine
from askproof.case import Case
from askproof.engine import CaseResult
from askproof.errors import AdapterError, InputError, InternalError
from askproof.faults import Fault, crashed
from askproof.match import Difference
from askproof.session import Handshake
from tests.engine.helpers import make_case

EMIT: dict[str, Any] = {"emit": {"channel": "submit", "data": 1}}
DONE = {"emitted": "completed", "data": 1}


class Host:
    """A session whose adapter answers each command with the next observations of a list."""

    def __init__(self, *script: Any, capabilities: tuple[str, ...] = ("virtual-time",)) -> None:
        role = {"capabilities": list(capabilities), "variants": {"v": "x"}}
        roles = dict.fromkeys(("ask-host", "receipt-issuer"), role)
        self.handshake = Handshake({}, "@me/ask", "@me/other", roles, restart=False)
        self.script = list(script)
        self.sent: list[dict[str, Any]] = []
        self.closed: list[bool] = []
        self.transcript: list[dict[str, Any]] = [{"type": "sent"}]

    def begin(self, role: str, case: str) -> None:
        pass

    def perform(self, role: str, command: dict[str, Any]) -> list[dict[str, Any]]:
        self.sent.append(command)
        answer = self.script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, list)
        return answer

    def stderr(self) -> str:
        return "said"

    def close(self, *, patient: bool = True) -> bool:
        self.closed.append(patient)
        return True


def run(host: Any, case: Case, level: str = "should") -> CaseResult:
    return engine.run_case(host, case, level)


def expecting(*see: Any, **more: Any) -> Case:
    return make_case({"do": EMIT, "see": list(see), **more})


def shown(ident: str, **pattern: Any) -> dict[str, Any]:
    return {"emitted": "completed", "shows": [ident], **pattern}


@pytest.fixture(autouse=True)
def _blame(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"ask-host": {"kinds": {"emitted": {"": ["EVT-050"], "/data/m": ["EVT-003"]}}}}
    monkeypatch.setattr(cases, "blame_table", lambda _: table)


def test_a_case_passes_when_all_is_as_expected() -> None:
    host = Host([{"emitted": "@me/ask:completed", "data": 1}])
    result = run(host, expecting(DONE))
    assert (result.outcome, result.blames, result.step, result.message) == ("passed", (), None, "")
    assert result.transcript == ({"type": "sent"}, {"type": "stderr", "text": "said"})
    assert host.closed == []


def test_a_case_ends_at_the_first_step_that_is_not_as_expected() -> None:
    host = Host([], [{"emitted": "@me/ask:completed", "data": 2}], [])
    step = {"do": EMIT, "see": [DONE]}
    result = run(host, make_case({"do": EMIT, "see": []}, step, step))
    assert (result.outcome, result.step, result.blames) == ("failed", 2, ("EVT-050",))
    assert [one.pointer for one in result.differences] == ["/data"]
    assert len(host.sent) == 2
    assert host.closed == []


def test_a_fault_ends_the_case_and_the_adapter() -> None:
    host = Host([], crashed("died"))
    result = run(host, make_case(*[{"do": EMIT, "see": []}] * 3))
    assert (result.outcome, result.step, result.message) == ("crashed", 2, "died")
    assert host.closed == [False]


def test_an_adapter_that_cannot_be_started_anew_has_crashed() -> None:
    host = Host(AdapterError("gone"))
    result = run(host, expecting())
    assert (result.outcome, result.step) == ("crashed", None)
    assert result.message == "it could not be started anew: gone"
    assert host.closed == [False]


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"role": "ask-bridge"}, "the role ask-bridge is not declared"),
        ({"needs": ["tui", "reload"]}, "capability not declared: reload, tui"),
        ({"variants": {"v": "y"}}, "variant v is not declared as y"),
        ({"variants": {"w": "x"}}, "variant w is not declared as x"),
    ],
)
def test_a_case_that_cannot_be_run_is_not_applicable(members: dict[str, Any], reason: str) -> None:
    host = Host()
    result = run(host, make_case(**members))
    assert (result.outcome, result.message, host.sent) == ("not-applicable", reason, [])


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("submit", "@me/ask:submit"),
        ("second:submit", "@me/other:submit"),
        ({"$literal": "@you/ask:submit"}, "@you/ask:submit"),
        ("a:second:submit", "a:second:submit"),
    ],
)
def test_a_channel_is_written_out(written: Any, sent: str) -> None:
    host = Host([], [])
    emit = {"emit": {"channel": written, "data": {"channel": "submit"}}}
    listen = {"listen": {"listener": "l", "channel": written, "then": "record"}}
    run(host, make_case({"do": emit, "see": []}, {"do": listen, "see": []}))
    assert [
        one[name]["channel"] for one, name in zip(host.sent, ("emit", "listen"), strict=True)
    ] == [
        sent,
        sent,
    ]
    assert host.sent[0]["emit"]["data"] == {"channel": "submit"}
    assert emit["emit"]["channel"] == written


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        ({"emitted": "@me/ask:completed"}, {"emitted": "completed"}),
        ({"emitted": "@me/other:completed"}, {"emitted": "second:completed"}),
        ({"emitted": "@you/ask:completed"}, None),
        ({"emitted": "@me/ask:notice"}, None),
        ({"emitted": "completed"}, None),
        ({"heard": "l", "channel": "@me/ask:started"}, {"heard": "l", "channel": "started"}),
        (
            {"heard": "l", "channel": "@me/ask:notice"},
            {"heard": "l", "channel": {"$not": "notice"}},
        ),
        ({"tool": "c1", "result": {"emitted": "x"}}, {"tool": "c1", "result": {"emitted": "x"}}),
    ],
)
def test_what_is_not_of_the_contract_is_not_seen(observed: Any, expected: Any) -> None:
    assert run(Host([observed]), expecting(*[expected] * bool(expected))).outcome == "passed"


@pytest.mark.parametrize(
    ("channel", "seen"),
    [
        ("@me/ask:receipt", "receipt"),
        ("@me/other:receipt", "second:receipt"),
        ("@you/ask:receipt", "@you/ask:receipt"),
        ("plain", "plain"),
    ],
)
def test_everything_that_an_issuer_emits_is_seen(channel: str, seen: str) -> None:
    for see, outcome in ([{"emitted": {"$literal": seen}}], "passed"), ([], "failed"):
        case = make_case({"do": EMIT, "see": see}, role="receipt-issuer")
        assert run(Host([{"emitted": channel}]), case).outcome == outcome


def test_time_passes_for_real_where_it_is_not_virtual(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    advance = make_case({"do": {"advance": {"ms": 250}}, "see": []})
    assert run(Host([], capabilities=()), advance).outcome == "passed"
    assert run(Host([]), advance).outcome == "passed"
    assert slept == [0.25]


@pytest.mark.parametrize("channel", ["x", ""])
def test_a_wrong_case_is_an_error_of_its_author(channel: str) -> None:
    do = {"emit": {"channel": channel, "data": "$flow" if channel else 1}}
    problem = r"step 1 uses \$flow, which nothing before it binds" if channel else "non-empty"
    script: Any = [] if channel else InternalError("a wrong perform")
    with pytest.raises(InputError, match=problem):
        run(Host(script), make_case({"do": do, "see": []}))


def test_what_is_wrong_in_the_kit_is_an_error_of_the_kit() -> None:
    with pytest.raises(InternalError, match="a wrong perform"):
        run(Host(InternalError("a wrong perform")), expecting())


def test_what_was_sent_is_kept_as_it_was_sent() -> None:
    see = {"emitted": "completed", "data": {"$any": "string"}, "bind": {"flow": "/data"}}
    back = {"emit": {"channel": "submit", "data": "$flow"}}
    case = make_case({"do": EMIT, "see": [see]}, {"do": back, "see": [DONE]})
    seen = {"emitted": "@me/ask:completed", "data": "f-1"}
    sent = {"emit": {"channel": "@me/ask:submit", "data": "f-1"}}
    assert run(Host([seen], []), case).sent == sent
    assert run(Host([seen], crashed("died")), case).sent == sent
    assert run(Host([seen], InternalError("long")), case).sent == sent


def test_what_was_expected_tells_what_a_name_stands_for() -> None:
    see = {"emitted": "completed", "data": {"$any": "string"}, "bind": {"flow": "/data"}}
    other = {"data": ["$flow", "$new", {"$not": "$flow"}, {"$literal": "$flow"}]}
    case = make_case({"do": EMIT, "see": [see, {"emitted": "submit", **other}]})
    (one,) = run(Host([{"emitted": "@me/ask:completed", "data": "f-1"}]), case).differences
    assert one.expected["data"] == ["f-1", "$new", {"$not": "f-1"}, {"$literal": "$flow"}]


@pytest.mark.parametrize(
    ("missed", "notes"),
    [
        ("completed", ("not in the namespace @me/ask: @you/ask:completed",)),
        ("second:completed", ("not in the namespace @me/ask: @you/ask:completed",)),
        ("started", ()),
        ({"$not": "completed"}, ()),
    ],
)
def test_what_was_missed_and_emitted_beside_the_namespace_is_told(
    missed: Any, notes: tuple[str, ...]
) -> None:
    stranger = {"emitted": "@you/ask:completed"}
    other = {"emitted": "@you/ask:submit"}
    host = Host([stranger, other, stranger])
    assert run(host, expecting({"emitted": missed})).notes == notes


# Levels: EVT-050 and EVT-003 are MUST, EVT-054 and EVT-058 are SHOULD NOT.


@pytest.mark.parametrize(
    ("see", "level", "outcome", "blames", "tolerated"),
    [
        ([shown("EVT-054")], "should", "failed", ["EVT-054"], []),
        ([shown("EVT-054")], "must", "passed", [], ["EVT-054"]),
        ([shown("EVT-050")], "must", "failed", ["EVT-050"], []),
        ([shown("EVT-054"), shown("EVT-050")], "must", "failed", ["EVT-050", "EVT-054"], []),
        (
            [shown("EVT-054", shows=["EVT-054", "EVT-050"])],
            "must",
            "failed",
            ["EVT-050", "EVT-054"],
            [],
        ),
        ([{"closed": "f"}], "must", "failed", [], []),
    ],
)
def test_what_breaks_less_than_the_level_is_no_failure(
    see: list[Any], level: str, outcome: str, blames: list[str], tolerated: list[str]
) -> None:
    result = run(Host([]), expecting(*see), level)
    assert (result.outcome, list(result.blames)) == (outcome, blames)
    assert list(result.tolerated) == tolerated


def difference(data: dict[str, Any], shows: dict[str, list[str]]) -> tuple[Difference, ...]:
    """The differences of a step that expected `{"ok": 1, "m": 1}` and shows these."""
    expectation = {"emitted": "completed", "data": {"ok": 1, "m": 1}, "shows": shows}
    host = Host([{"emitted": "@me/ask:completed", "data": data}])
    return run(host, expecting(expectation)).differences


def test_what_the_case_itself_blames_explains_the_rest() -> None:
    (ok, m) = difference({"ok": 2}, {"/data/ok": ["EVT-009"]})
    assert (ok.blames, m.blames) == (("EVT-009",), ())


def test_what_breaks_a_stronger_requirement_is_blamed_beside_it() -> None:
    (ok, m) = difference({"ok": 2}, {"/data/ok": ["EVT-054"]})
    assert (ok.blames, m.blames) == (("EVT-054",), ("EVT-003",))


def test_what_only_the_table_blames_is_blamed() -> None:
    (m,) = difference({"ok": 1, "m": 2}, {"/data/ok": ["EVT-009"]})
    assert m.blames == ("EVT-003",)


def test_a_consequence_of_what_is_tolerated_is_tolerated() -> None:
    expectation = {"emitted": "completed", "data": {"a": 1}, "shows": {"/data/a": ["EVT-054"]}}
    other = {"emitted": "started", "shows": {"": ["EVT-058"]}}
    host = Host([{"emitted": "@me/ask:completed", "data": {"a": 2}}])
    result = run(host, expecting(expectation, other), "must")
    assert (result.outcome, result.tolerated) == ("passed", ("EVT-054", "EVT-058"))


def test_a_fault_of_the_protocol_blames_it() -> None:
    fault = Fault("protocol-error", "wrong", ("ADP-005",))
    assert run(Host(fault), expecting()).blames == ("ADP-005",)


def test_what_only_some_can_do_is_expected_of_them_only() -> None:
    there = {**DONE, "where": "reload"}
    case = expecting({"unordered": [[there, DONE], there]})
    assert run(Host([{"emitted": "@me/ask:completed", "data": 1}]), case).outcome == "passed"
    able = Host([{"emitted": "@me/ask:completed", "data": 1}], capabilities=("reload",))
    assert run(able, case).outcome == "failed"


def test_what_is_said_beside_is_searched_for_secrets_alone() -> None:
    said = {"said": "log", "text": "it is k7QzR2vM"}
    kept = make_case({"do": EMIT, "see": []}, secrets={"k7QzR2vM": ["EVT-071"]})
    assert run(Host([said]), expecting()).outcome == "passed"
    result = run(Host([said]), kept)
    assert (result.outcome, result.blames, kept.shows) == ("failed", ("EVT-071",), ("EVT-071",))
