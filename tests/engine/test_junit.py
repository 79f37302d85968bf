"""JUnit: what a CI system looks for is where it looks."""

from xml.etree import ElementTree as ET

from askproof.engine import CaseResult
from askproof.junit import document
from askproof.match import Difference
from askproof.session import Handshake
from askproof.specification import catalogue
from tests.engine.helpers import ECHO, make_case

NASTY = "\x00\x1b[31m\ud800\ufffe]]>&<\"'\n"
HANDSHAKE = Handshake(
    {"name": NASTY, "version": "1", "language": "c"}, "@x/y", "@x/z", {}, restart=False
)


SENT = {"emit": {"channel": "@x/y:submit"}}


def suites(*done: CaseResult) -> dict[str, ET.Element]:
    top = ET.fromstring(document(list(done), HANDSHAKE))  # noqa: S314 - the kit wrote it
    return {"": top, **{suite.attrib["name"]: suite for suite in top}}


def test_each_outcome_has_the_element_that_means_it() -> None:
    one = Difference("/data", 1, 2, ("EVT-050",))
    done = [
        CaseResult(make_case(ECHO, name="a"), "passed"),
        CaseResult(make_case(ECHO, name="b"), "failed", ("EVT-050",), 2, "no", (one,), sent=SENT),
        CaseResult(make_case(ECHO, name="c"), "crashed", (), 1, "died"),
        CaseResult(make_case(ECHO, name="d"), "timed-out", ("ADP-004",), 1, "late"),
        CaseResult(make_case(ECHO, name="e"), "protocol-error", ("ADP-001",), None, "wrong"),
        CaseResult(make_case(ECHO, name="f", role="ask-bridge"), "not-applicable", message="no"),
    ]
    found = suites(*done)
    sentence = f"EVT-050: {catalogue()['EVT-050'].plain}"
    counts = {"tests": "6", "failures": "1", "errors": "3", "skipped": "1"}
    assert found[""].attrib == {"name": "askproof", **counts}
    assert found["ask-bridge"].attrib["skipped"] == "1"
    tests = [*found["ask-host"].iter("testcase"), *found["ask-bridge"].iter("testcase")]
    assert [[(child.tag, child.attrib) for child in test] for test in tests] == [
        [],
        [("failure", {"message": f"step 2: {sentence}", "type": "EVT-050"})],
        [("error", {"message": "step 1: died", "type": "crashed"})],
        [("error", {"message": "step 1: late", "type": "timed-out"})],
        [("error", {"message": "wrong", "type": "protocol-error"})],
        [("skipped", {"message": "no"})],
    ]
    assert tests[1].attrib == {"classname": "tests.ask-host", "name": "b"}
    assert (tests[1][0].text or "").split("\n") == [
        "It is a test.",
        sentence,
        'step 2  emit {"channel": "@x/y:submit"}',
        "/data: expected 1, observed 2",
    ]


def test_nothing_breaks_the_xml() -> None:
    one = Difference(f"/{NASTY}", NASTY, {NASTY: NASTY}, ("EVT-050",))
    case = make_case(ECHO, why=f"It is {NASTY}.")
    failed = CaseResult(case, "failed", ("EVT-050",), 1, NASTY, (one,), notes=(NASTY,))
    found = suites(failed, CaseResult(case, "crashed", (), 1, NASTY))
    text = found["ask-host"].findtext("testcase/failure") or ""
    assert "It is \\u0000\\u001b[31m\\ud800\\ufffe]]>&<\"'\\n." in text
    assert text.count("\\u001b") == 6


def test_nothing_run_is_a_document_too() -> None:
    assert suites()[""].attrib["tests"] == "0"
