"""What is counted, what the verdicts follow from, and the records of files."""

from typing import Any

import pytest

from askproof import case as cases
from askproof import engine, results, schemas, wire
from askproof.engine import CaseResult
from askproof.match import Difference
from askproof.specification import LEVELS
from tests.engine.helpers import ECHO, fake, make_case

MUST, OTHER_MUST, SHOULD = "EVT-050", "EVT-003", "EVT-054"
WRONG = {**ECHO, "see": [{**ECHO["see"][0], "data": {"n": 2}}]}


def result(outcome: str, *blames: str, shows: tuple[str, ...] = (MUST,), **more: Any) -> CaseResult:
    case = make_case(ECHO)._replace(shows=shows)
    if outcome == "failed":
        more = {"differences": (Difference("", 1, 2, blames),), **more}
    return CaseResult(case, outcome, blames, **more)


def tally(*all_results: CaseResult) -> results.Tally:
    counted = results.Tally()
    for one in all_results:
        counted.add(one)
    return counted


BAD, GOOD, NONE = "does-not-conform", "conforms", "not-verified"
PASSED = result("passed")


@pytest.mark.parametrize(
    ("seen", "must", "should", "statuses"),
    [
        ([PASSED], GOOD, NONE, [0, 0, 0]),
        ([result("passed", shows=(SHOULD,))], NONE, GOOD, [1, 0, 0]),
        ([PASSED, result("passed", shows=(SHOULD,))], GOOD, GOOD, [0, 0, 0]),
        ([PASSED, result("failed", OTHER_MUST)], BAD, BAD, [1, 1, 1]),
        ([PASSED, result("failed", SHOULD)], GOOD, BAD, [0, 1, 1]),
        ([PASSED, result("passed", tolerated=(SHOULD,))], GOOD, BAD, [0, 1, 1]),
        ([PASSED, result("failed")], BAD, BAD, [1, 1, 1]),
        ([PASSED, result("crashed")], BAD, BAD, [1, 1, 1]),
        ([PASSED, result("timed-out", "ADP-004")], BAD, BAD, [1, 1, 1]),
        ([PASSED, result("protocol-error", "ADP-001")], BAD, BAD, [1, 1, 1]),
        ([PASSED, result("not-applicable")], GOOD, NONE, [0, 0, 0]),
    ],
)
def test_a_verdict_follows_from_what_was_seen(
    seen: list[CaseResult], must: str, should: str, statuses: list[int]
) -> None:
    counted = tally(*seen)
    assert counted.roles() == {"ask-host": {"must": must, "should": should}}
    assert [counted.exit_status(level) for level in LEVELS] == statuses


@pytest.mark.parametrize("seen", [[], [result("not-applicable")]])
def test_nothing_verified_is_never_conformance(seen: list[CaseResult]) -> None:
    assert tally(*seen).roles() == {}
    assert [tally(*seen).exit_status(level) for level in LEVELS] == [1, 1, 1]


def test_a_difference_that_nothing_explains_is_not_excused_by_one_that_is() -> None:
    explained = Difference("/a", 1, 2, (SHOULD,), own=True)
    consequence = Difference("/b", 1, 2, (), own=True)
    unexplained = Difference("/c", 1, 2, ())
    fine = tally(PASSED, result("failed", SHOULD, differences=(explained, consequence)))
    assert fine.exit_status("must") == 0
    assert (
        tally(PASSED, result("failed", SHOULD, differences=(unexplained,))).exit_status("must") == 1
    )


@pytest.mark.parametrize(
    ("seen", "outcome"),
    [
        ([], "not-verified"),
        ([PASSED], "passed"),
        ([result("not-applicable")], "not-verified"),
        ([PASSED, result("failed", MUST), PASSED], "failed"),
        ([PASSED, result("passed", tolerated=(MUST,))], "failed"),
        ([result("failed", OTHER_MUST)], "not-verified"),
    ],
)
def test_a_requirement_has_failed_as_soon_as_it_was_blamed(
    seen: list[CaseResult], outcome: str
) -> None:
    assert tally(*seen).requirement(MUST) == outcome


def test_a_fault_of_the_adapter_is_a_failed_requirement_of_the_protocol() -> None:
    assert tally(result("protocol-error", "ADP-001")).requirement("ADP-001") == "failed"


@pytest.mark.parametrize("mode", ["nothing", "throws", "banner", "wrong-shape", "dies"])
def test_every_record_fits_its_schema(mode: str) -> None:
    session = fake(mode)
    handshake = session.initialize()
    chosen = [
        make_case(ECHO),
        make_case(WRONG),
        make_case(ECHO, name="faulty"),
        make_case(needs=["tui"]),
    ]
    done = list(engine.run(session, chosen))
    session.close()
    counted = tally(*done)
    selection = {"roles": [], "level": "should", "cases": ["*"], "requirements": []}
    header = results.header("exec:x", handshake, selection, len(done))
    assert schemas.explain("results/header", header) == []
    for one in done:
        assert schemas.explain("results/case", results.case_line(one)) == []
        first, *said, last = results.transcript(one, "exec:x", handshake)
        assert schemas.explain("transcript/header", first) == []
        assert [
            problem for line in said for problem in schemas.explain("transcript/exchange", line)
        ] == []
        assert schemas.explain("transcript/outcome", last) == []
        assert cases.check(first["case"], "x") == one.case
    footer = results.footer(counted)
    assert schemas.explain("results/footer", footer) == []
    assert sum(footer["outcomes"].values()) == len(done)
    assert footer["outcomes"]["failed"] == 1
    assert footer["outcomes"]["not-applicable"] == 1


def test_a_line_ends_and_is_ascii() -> None:
    line = results.line({"a": "é\ud800\u2028"})
    assert line == '{"a":"\\u00e9\\ud800\\u2028"}\n'
    assert wire.decode(line.encode()) == {"a": "é\ud800\u2028"}


def test_what_is_tolerated_is_told() -> None:
    line = results.case_line(result("passed", tolerated=(SHOULD,)))
    assert (line["outcome"], line["blames"]) == ("passed", [SHOULD])


def test_what_is_verified_is_counted_by_role_and_level() -> None:
    counted = tally(PASSED, result("passed", shows=(OTHER_MUST, SHOULD)), result("failed", MUST))
    verified, bound = counted.verified("ask-host", "must")
    assert (verified, bound > 50) == (1, True)
    assert counted.verified("ask-host", "should")[0] == 1
    assert counted.verified("ask-bridge", "must")[0] == 0
    assert counted.broken == {MUST: 1}
