"""A session file as a host leaves it behind: long, mostly talk, and not whole.

`journal.py FILE LINES` writes one: lines of 200 to 2,000 bytes, of which a tenth are decisions, one
in 500 is bad, and one in 1,000 is an inconsistent or an older decision.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

DISTINCT = 20_000  # lines, which are repeated until there are enough
SENTENCES = (
    "The rollout waits for the second region before the flag is turned on.",
    'It says "permission denied" although the token was renewed.',
    "    for item in items[1:]:\n        total += item.get('price', 0) * rates[item.region]",
    "src/server/handlers/session.ts:118:    return await store.load(id)",
    "Größe und Reihenfolge sind unverändert.",
    "@@ -12,7 +12,9 @@ def load(path):\n-\treturn json.loads(path)\n+\treturn json.loads(text)",
    "diff --git a/deploy/values.yaml b/deploy/values.yaml",
    "I looked at the failing test, and the reason is the order of the migrations.",
)
OUTCOMES = (
    ("answered", {"source": "ask", "timedOut": False, "answerSource": "human"}, True),
    ("timed-out", {"source": "ask", "timedOut": True, "answerSource": "automatic"}, True),
    ("cancelled", {"source": "ask", "timedOut": False, "answerSource": "none"}, False),
)
ODD_OUTCOMES = (
    ("answered", {"source": "ask"}, True),
    ("cancelled", {"source": "ask", "timedOut": True, "answerSource": "human"}, False),
)
FAULTS: tuple[Callable[[bytes], bytes], ...] = (
    lambda line: line[: len(line) // 2],
    lambda line: line + line,
    lambda line: line.replace(b'"', b'"\xff', 3),
    lambda line: line[:-1] + b',"type":"custom"}',
    lambda line: b"\0" * len(line),
    lambda _: b"",
)


def write_journal(file: Path, lines: int) -> None:
    """Write so many lines, a multiple of `DISTINCT`."""
    chance = random.Random(7)
    some = b"".join(line(chance, number) + b"\n" for number in range(DISTINCT))
    with file.open("wb") as stream:
        for _ in range(lines // DISTINCT):
            stream.write(some)


def line(chance: random.Random, number: int) -> bytes:
    """One line, without its end."""
    data = decision(chance, number) if chance.random() < 0.1 else message(chance, number)
    at = {"id": f"{number:08x}", "parentId": f"{number - 1:08x}"}
    record = {**data, **at, "timestamp": "2026-05-01T10:00:00.000Z"}
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
    return chance.choice(FAULTS)(text) if chance.random() < 0.002 else text


def decision(chance: random.Random, number: int) -> dict[str, Any]:
    """A decision."""
    outcomes = ODD_OUTCOMES if chance.random() < 0.01 else OUTCOMES
    status, metadata, answered = chance.choice(outcomes)
    answer = {"answer": {"selectedOptions": ["Yes"]}} if answered else {}
    asked = {"decisionId": f"ask-{number}", "status": status, "question": "Deploy?"}
    data = {**asked, **answer, "metadata": metadata}
    return {"type": "custom", "customType": "decision", "data": data}


def message(chance: random.Random, number: int) -> dict[str, Any]:
    """What a user, the model or a tool said."""
    content: list[dict[str, Any]] = [{"type": "text", "text": talk(chance)}]
    said: dict[str, Any] = {"role": "user", "content": content, "timestamp": 1_777_000_000_000}
    kind = chance.random()
    if kind < 0.4:
        call = {"id": f"call_{number}", "name": "bash", "arguments": {"command": SENTENCES[6]}}
        content.append({"type": "toolCall", **call})
        said |= {"role": "assistant", "usage": {"input": 5123, "output": 87}, "stopReason": "tool"}
    elif kind < 0.8:
        said |= {"role": "toolResult", "toolCallId": f"call_{number}", "isError": False}
    return {"type": "message", "message": said}


def talk(chance: random.Random) -> str:
    """Some sentences."""
    sentences = chance.choices(SENTENCES, k=40)
    lengths = accumulate(len(sentence) for sentence in sentences)
    most = chance.randint(0, 1600)
    return "\n".join(
        sentence for sentence, length in zip(sentences, lengths, strict=True) if length <= most
    )


if __name__ == "__main__":
    write_journal(Path(sys.argv[1]), int(sys.argv[2]))
