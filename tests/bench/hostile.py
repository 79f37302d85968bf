"""Every fault that an adapter can have, in a run of its own: `python tests/bench/hostile.py`.

Each runs five cases with `askproof run 'exec:...'`; the adapter is the reference, but for its one
fault, mostly in the third case. Prints a table of what became of the cases, of the time that it
took, of the peak memory of the kit, and of the processes that were left behind. The exit status
says whether all of it is as it must be.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from askproof_reference.adapter import Adapter

HERE = Path(__file__)
CASES = [
    f"events/ask-host/{name}"
    for name in (
        "input/equal-labels",
        "input/ids-and-texts-are-trimmed",
        "submit/after-cancel",
        "submit/after-completion",
        "submit/cancel",
    )
]
FAULTY = CASES[2]
MARK = "ASKPROOF_HOSTILE_RUN"
# As `askproof`, and then its peak memory in KiB, on the standard error.
KIT = """\
import resource, sys
from askproof.__main__ import main
status = main()
sys.stdout.flush()
print(f"\\npeak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}", file=sys.stderr)
sys.exit(status)
"""
LONGEST_SECONDS = 15  # one request may take 10
MOST_MORE_MIB = 32  # a line may have 8

# The fault, the mode of the fake adapter, the outcome of the faulty case, the exit status.
FAULTS = [
    ("none", "nothing", "passed", 0),
    ("dies at once", "start-dies", "", 3),
    ("dies in the middle of a case", "dies", "crashed", 1),
    ("hangs", "hangs", "timed-out", 1),
    ("answers twice", "answers-twice", "protocol-error", 1),
    ("out of order", "out-of-order", "protocol-error", 1),
    ("the wrong id", "wrong-id", "protocol-error", 1),
    ("half a line, then nothing", "half-a-line", "timed-out", 1),
    ("a banner on stdout", "banner", "protocol-error", 1),
    ("invalid UTF-8", "invalid-utf-8", "protocol-error", 1),
    ("a line of 100 MB", "long-line", "protocol-error", 1),
    ("JSON 10,000 levels deep", "deep", "protocol-error", 1),
    ("NaN", "nan", "protocol-error", 1),
    ("duplicate keys", "repeated-key", "protocol-error", 1),
    ("floods stderr with 100 MB", "floods-stderr", "passed", 0),
    ("ignores the end", "ignores-the-end", "passed", 0),
    ("a child keeps the pipe open", "leaves-a-child", "crashed", 1),
    ("closes its input", "closes-input", "protocol-error", 1),
]


class Row(NamedTuple):
    """What became of one run."""

    outcomes: list[str]
    message: str
    status: int
    seconds: float
    peak_mib: float
    left: int


def main() -> int:
    """Run them all, print the table."""
    wrong = []
    least = None
    print(f"{'fault':<28} {'cases':<34} {'status':>6} {'s':>6} {'MiB':>5} {'left':>4}  message")
    for fault, mode, outcome, status in FAULTS:
        row = run(mode)
        least = least or row.peak_mib
        told = ", ".join(f"{row.outcomes.count(one)} {one}" for one in dict.fromkeys(row.outcomes))
        figures = f"{row.status:>6} {row.seconds:>6.2f} {row.peak_mib:>5.0f} {row.left:>4}"
        print(f"{fault:<28} {told or 'none':<34} {figures}  {row.message[:110]}", flush=True)
        expected = ["passed", "passed", outcome, "passed", "passed"] if outcome else []
        if (
            (row.outcomes, row.status, row.left) != (expected, status, 0)
            or row.seconds > LONGEST_SECONDS
            or row.peak_mib > least + MOST_MORE_MIB
        ):
            wrong.append(fault)
    print(f"\nnot as it must be: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


def run(mode: str) -> Row:
    """One run of the kit against the adapter with one fault."""
    mark = uuid4().hex
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.jsonl"
        command = [sys.executable, "-c", KIT, "run", f"exec:{sys.executable} {HERE} {mode}"]
        options = ["--results", str(results), *(part for one in CASES for part in ("--case", one))]
        start = time.perf_counter()
        done = subprocess.run(
            [*command, *options],
            env={**os.environ, MARK: mark},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - start
        lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    ran = [line for line in lines if line["type"] == "case"]
    told = [line["message"] for line in ran if "message" in line]
    told += re.findall(r"^(?:note|askproof run): (.*)", done.stdout + done.stderr, re.MULTILINE)
    (peak,) = re.findall(r"^peak (\d+)$", done.stderr, re.MULTILINE)
    outcomes = [line["outcome"] for line in ran]
    message = told[0] if told else ""
    return Row(outcomes, message, done.returncode, seconds, int(peak) / 1024, left(mark))


def left(mark: str) -> int:
    """How many processes that the run has started are still there, told by their environment."""
    time.sleep(0.1)  # what was killed may take a moment to go
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            count += f"{MARK}={mark}".encode() in (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
    return count


def adapter(mode: str) -> None:
    """The reference on the standard streams, with one fault of the fake adapter."""
    sys.path.insert(0, str(HERE.resolve().parents[2]))
    from tests.engine.fakes import adapter as fake

    reference = Adapter()
    faulty = False
    for line in sys.stdin.buffer:
        request: dict[str, Any] = json.loads(line)
        number, method, params = request["id"], request["method"], request["params"]
        result = getattr(reference, method)(params)
        if method == "initialize":
            fake.start(mode, number, result)
        elif method == "begin":
            faulty = params["case"] == FAULTY
            fake.write(fake.response(number, result=result))
        else:
            fake.perform(mode if faulty else "", number, result)
            faulty = faulty and mode == "closes-input"
    if mode == "ignores-the-end":
        time.sleep(fake.FOR_EVER)


if __name__ == "__main__":
    if sys.argv[1:]:
        adapter(sys.argv[1])
    else:
        sys.exit(main())
