"""The promised figures, as ratios measured side by side in this run: `nox -s bench`.

Prints a table and writes `bench.json`. The exit status says whether each bound holds at the median.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from askproof import adapters, engine, wire
from askproof import case as cases
from askproof.mutants import mutants
from askproof.power import KILLED, trials

PYTHON = sys.executable
ASKPROOF = str(Path(sys.executable).with_name("askproof"))
SERVED = f"exec:{ASKPROOF} serve reference"
JOURNAL = str(Path(__file__).with_name("journal.py"))
ONE_CASE = "events/ask-host/submit/after-completion"
EMPTY_TESTS = """\
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_nothing(number):
    pass
"""

BARE_LOOP = """\
import json, sys

with open(sys.argv[1], "rb") as file:
    for line in file:
        try:
            json.loads(line)
        except ValueError:
            pass
"""

Clock = Callable[[], float]


class Figure(NamedTuple):
    """One promise: a ratio (or seconds) that must not be above its bound."""

    name: str
    bound: float
    samples: list[float]
    unit: str = "x"

    @property
    def holds(self) -> bool:
        return statistics.median(self.samples) <= self.bound


def main() -> int:
    """Measure everything, print it, write it."""
    figures = []
    print(f"{'':<52} {'min':>8} {'median':>8} {'max':>8}")
    for figure in measured():
        figures.append(figure)
        low, middle, high = spread(figure.samples)
        verdict = "holds" if figure.holds else "DOES NOT HOLD"
        told = f"{low:8.2f} {middle:8.2f} {high:8.2f} {figure.unit}"
        print(
            f"{figure.name:<52} {told}  bound {figure.bound:g} {figure.unit}  {verdict}", flush=True
        )
    records = [
        {"name": f.name, "bound": f.bound, "unit": f.unit, "samples": f.samples, "holds": f.holds}
        for f in figures
    ]
    Path("bench.json").write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")
    return 0 if all(figure.holds for figure in figures) else 1


def measured() -> Iterator[Figure]:
    """Each figure, in the order of the design."""
    bare = process(PYTHON, "-c", "pass")
    yield side_by_side("askproof --help / python -c pass", 2, process(ASKPROOF, "--help"), bare, 40)
    one = process(ASKPROOF, "run", "reference", "--case", ONE_CASE)
    yield side_by_side("one case, run reference / python -c pass", 5, one, bare, 40)

    chosen = [cases.load(ident) for ident in cases.case_ids()]
    served = engine_time(SERVED, chosen)
    lines = exchanged(chosen)
    yield side_by_side(
        "all cases over a subprocess / bare exchange", 3, served, lambda: bare_exchange(lines)
    )
    in_process = engine_time("reference", chosen)
    yield side_by_side("all cases in process / over a subprocess", 1, in_process, served)
    yield pytest_view(in_process, len(chosen))

    yield Figure(
        f"all {len(mutants())} mutants x their cases", 60, [all_mutants() for _ in "123"], "s"
    )
    yield from large_journal()


def side_by_side(name: str, bound: float, one: Clock, other: Clock, runs: int = 9) -> Figure:
    """The ratio of two times, pair by pair, after a pair that does not count."""
    pairs = [(one(), other()) for _ in range(runs + 1)][1:]
    return Figure(name, bound, [first / second for first, second in pairs])


def process(*command: str, folder: str | None = None) -> Clock:
    """The time of a whole process, which is run in the folder."""

    def clock() -> float:
        start = time.perf_counter()
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - start

    return clock


def engine_time(adapter: str, chosen: list[Any]) -> Clock:
    """The time that the engine takes for the cases, without the start of the adapter."""

    def clock() -> float:
        session = adapters.connect(adapter)
        session.initialize()
        start = time.perf_counter()
        outcomes = {result.outcome for result in engine.run(session, chosen)}
        seconds = time.perf_counter() - start
        session.close()
        assert outcomes <= {"passed", "not-applicable"}, outcomes
        return seconds

    return clock


def exchanged(chosen: list[Any]) -> list[bytes]:
    """Every request line of a run of the cases."""
    session = adapters.connect(SERVED)
    session.initialize()
    sent = [
        wire.encode(one["message"]) + b"\n"
        for result in engine.run(session, chosen)
        for one in result.transcript
        if one["type"] == "sent"
    ]
    session.close()
    return sent


def bare_exchange(lines: list[bytes]) -> float:
    """The time of the same lines with the same process, one by one; no answer is looked at."""
    with subprocess.Popen(
        [ASKPROOF, "serve", "reference"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as adapter:
        assert adapter.stdin
        assert adapter.stdout
        reader = os.fdopen(os.dup(adapter.stdout.fileno()), "rb")
        greeting = {"protocol": 1, "kit": "bench"}
        request = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": greeting}
        adapter.stdin.write(wire.encode(request) + b"\n")
        reader.readline()
        answers = []
        start = time.perf_counter()
        for line in lines:
            adapter.stdin.write(line)
            answers.append(reader.readline())
        seconds = time.perf_counter() - start
        adapter.stdin.close()
        reader.close()
    assert all("result" in json.loads(answer) for answer in answers), "it did not do the same"
    return seconds


def pytest_view(in_process: Clock, count: int, runs: int = 5) -> Figure:
    """The pytest view against as many empty tests plus the time of the engine."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "test_empty.py"
        empty.write_text(EMPTY_TESTS.format(count=count), encoding="utf-8")
        pytest = (PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={folder}")
        suite = ("--pyargs", "askproof.suite", "--askproof", "reference")
        view = process(*pytest, *suite, folder=folder)
        nothing = process(*pytest, str(empty), folder=folder)
        samples = [view() / (nothing() + in_process()) for _ in range(runs + 1)][1:]
    return Figure("the pytest view / empty tests + engine", 1.5, samples)


def all_mutants() -> float:
    """The time that `askproof mutants` takes for its work."""
    start = time.perf_counter()
    outcomes = {trial.outcome for trial in trials(list(mutants()))}
    assert outcomes == {KILLED}, outcomes
    return time.perf_counter() - start


def large_journal(lines: int = 1_000_000, runs: int = 3) -> Iterator[Figure]:
    """A check of a large journal, against the bare loop that parses its lines; and its memory."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "journal.jsonl"
        subprocess.run([PYTHON, JOURNAL, str(file), str(lines)], check=True)
        check, loop = [ASKPROOF, "check", str(file)], [PYTHON, "-c", BARE_LOOP, str(file)]
        pairs = [(used(check, 1), used(loop, 0)) for _ in range(runs + 1)][1:]
    name = f"askproof check of {lines} lines"
    ratios = [checked.seconds / parsed.seconds for checked, parsed in pairs]
    yield Figure(f"{name} / json.loads of each", 1, ratios)
    yield Figure(
        f"{name}, its largest process", 150, [checked.megabytes for checked, _ in pairs], "MB"
    )


class Used(NamedTuple):
    """What a process took."""

    seconds: float
    megabytes: float


def used(command: list[str], status: int) -> Used:
    """Run a process that ends with this status."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
    assert process.returncode == status
    return Used(time.perf_counter() - start, usage.ru_maxrss / 1000)


def spread(samples: list[float]) -> tuple[float, float, float]:
    """Minimum, median and maximum."""
    return min(samples), statistics.median(samples), max(samples)


if __name__ == "__main__":
    sys.exit(main())
