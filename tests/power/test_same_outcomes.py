"""In process, over a subprocess and as tests of pytest, each case has one and the same outcome."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from askproof import adapters, engine
from askproof import case as cases
from askproof.carriers import InProcess
from askproof.session import Session
from tests.engine.helpers import FAKE

FAKES = Path(__file__).parent / "fakes"
CASES = [cases.load(ident) for ident in cases.case_ids()]


class Outcome(NamedTuple):
    """All that a run says of a case, but not how the adapter was reached."""

    outcome: str
    blames: tuple[str, ...]
    step: int | None
    message: str
    differences: tuple[object, ...]


def outcomes(session: Session) -> dict[str, Outcome]:
    try:
        session.initialize()
        done = [*engine.run(session, CASES)]
    finally:
        session.close()
    return {
        one.case.id: Outcome(one.outcome, one.blames, one.step, one.message, one.differences)
        for one in done
    }


def in_this_process(adapter: str) -> Session:
    return Session(InProcess(adapters.in_process(adapter)), checks=False)


def served(adapter: str) -> Session:
    """The same behind the standard streams, where every message is held to its schema."""
    return adapters.connect(f"exec:{sys.executable} -m askproof serve {adapter}")


def seen_by_pytest(adapter: str, folder: Path) -> dict[str, tuple[str, str]]:
    """The outcome of each test, with the text of its failure or skip."""
    report = folder / "junit.xml"
    command = [sys.executable, "-m", "pytest", "-q", "--pyargs", "askproof.suite"]
    options = ["--askproof", adapter, f"--junitxml={report}", f"--rootdir={folder}"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stdout
    seen = {}
    for test in ET.parse(report).iter("testcase"):  # noqa: S314 - pytest wrote it
        text = "".join(child.attrib.get("message", "") + (child.text or "") for child in test)
        name = {"skipped": "not-applicable", "failure": text.partition(" ")[0].lower()}
        seen[test.attrib["name"]] = ([*(name[child.tag] for child in test), "passed"][0], text)
    return seen


@pytest.mark.parametrize(
    ("adapter", "expected"),
    [
        ("reference", {"passed", "not-applicable"}),
        (f"python:{FAKE.with_name('broken.py')}:Adapter", {"passed", "failed", "not-applicable"}),
        (f"python:{FAKES / 'crashing.py'}:Adapter", {"passed", "crashed", "not-applicable"}),
    ],
    ids=["the reference", "a faulty adapter", "an adapter that crashes"],
)
def test_the_outcomes_are_the_same_case_by_case(
    tmp_path: Path, adapter: str, expected: set[str]
) -> None:
    in_process = outcomes(in_this_process(adapter))
    assert in_process.keys() == {*cases.case_ids()}
    counts = Counter(one.outcome for one in in_process.values())
    assert counts.keys() == expected
    assert min(counts.values()) > 1
    assert outcomes(served(adapter)) == in_process
    seen = seen_by_pytest(adapter, tmp_path)
    assert {case: outcome for case, (outcome, _) in seen.items()} == {
        case: one.outcome for case, one in in_process.items()
    }
    for case, (outcome, text) in seen.items():
        assert all(ident in text for ident in in_process[case].blames)
        assert (text == "") == (outcome == "passed")
