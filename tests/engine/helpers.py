"""What the tests of the engine share: cases made in a line, and a fake adapter with one fault."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from askproof import case as cases
from askproof import wire
from askproof.carriers import Carrier, Subprocess
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


def fake(mode: str, seconds: float = 60) -> Session:
    return Session(Subprocess(fake_command(mode)), seconds)


def hasty(mode: str, seconds: float) -> Session:
    """A fake that must be fast in the faulty case alone, however busy the machine is."""
    return Session(Hasty(Subprocess(fake_command(mode)), seconds))


class Hasty(Carrier):
    """Waits long for everything but the commands of the faulty case: those that are to time out."""

    def __init__(self, carrier: Carrier, seconds: float) -> None:
        self.carrier = carrier
        self.seconds = seconds
        self.faulty = False

    def start(self) -> None:
        self.carrier.start()

    def exchange(self, line: bytes, seconds: float) -> bytes:
        request = wire.decode(line)
        if request["method"] == "begin":
            self.faulty = request["params"]["case"].endswith("/faulty")
        hasty = self.faulty and request["method"] == "perform"
        return self.carrier.exchange(line, self.seconds if hasty else 60)

    def stderr(self) -> str:
        return self.carrier.stderr()

    def close(self, seconds: float = 0) -> bool:
        return self.carrier.close(seconds)


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
