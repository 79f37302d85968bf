"""What the tests of the engine share: cases made in a line, and a fake adapter with one fault."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from askproof import case as cases
from askproof.carriers import Subprocess
from askproof.case import Case
from askproof.session import Session

FAKE = Path(__file__).parent / "fakes" / "adapter.py"
# The fake adapter echoes what is emitted.
ECHO: dict[str, Any] = {
    "do": {"emit": {"channel": "completed", "data": {"n": 1}}},
    "see": [{"emitted": "completed", "data": {"n": 1}, "shows": ["EVT-050"]}],
}


def make_case(*steps: dict[str, Any], name: str = "sound", **members: Any) -> Case:
    """A case for hosts; its contract has no fixtures and no blame table."""
    data = {"case": f"tests/ask-host/{name}", "role": "ask-host", "why": "It is a test."}
    return cases.parse({**data, "steps": list(steps or [ECHO]), **members}, name)


def fake_command(mode: str) -> list[str]:
    return [sys.executable, "-I", "-S", str(FAKE), mode]


def fake(mode: str, seconds: float = 10) -> Session:
    return Session(Subprocess(fake_command(mode)), seconds)


def is_gone(pid: int) -> bool:
    """Whether a process ends within a second; a dead one that nobody waits for counts as gone."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split(") ")[1][0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False
