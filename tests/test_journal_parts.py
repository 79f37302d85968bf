"""Journals in parts: wherever one is divided, and by however many processes, the same is found."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askproof import journal_parts
from askproof.__main__ import main
from askproof.check_journal import JournalSummary, LineFinding, check_journal
from askproof.commands import check
from askproof.journal_parts import PART, Part, parts_at_once, parts_in_turn, read_range

HUMAN = {"status": "answered", "answer": "yes", "metadata": {"answerSource": "human"}}
DECISION = json.dumps({"type": "custom", "customType": "decision", "data": HUMAN}).encode()
OLDER = DECISION.replace(b'"human"', b'"robot"')
MESSAGE = b'{"type": "message", "id": "1", "text": "%s"}'


def checked(parts: Any) -> tuple[list[LineFinding], JournalSummary]:
    run = check_journal(parts, "j.jsonl", "session")
    found = []
    while True:
        try:
            found.append(next(run))
        except StopIteration as end:
            return found, end.value


LINES = st.sampled_from([DECISION, OLDER, MESSAGE, b"", b" ", b"\r", b"{", b"\0", b"x" * 100])


@given(
    st.lists(LINES, max_size=20).map(b"\n".join),
    st.sampled_from([b"", b"\n", b"\n\n"]),
    st.integers(1, 400),
)
def test_ranges_of_any_size_hold_what_the_whole_holds(data: bytes, end: bytes, size: int) -> None:
    data += end
    whole = checked(parts_in_turn(io.BytesIO(data), "session"))
    parts: list[Part] = [
        read_range(io.BytesIO(data), "session", start, start + size)
        for start in range(0, len(data), size)
    ]
    assert checked(parts) == whole
    assert whole[1].lines == data.count(b"\n") + (data[-1:] not in (b"", b"\n"))


def large() -> bytes:
    """More than twenty parts, with a line that is longer than a line may be, and a torn end."""
    block = b"".join(MESSAGE % (b"x" * size) + b"\n" + DECISION + b"\n" for size in range(1200))
    return b"".join([block, b"{\n", b"y" * 9_000_000, b"\n", block, OLDER, b"\n\n", block[:-1]])


def test_processes_find_what_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "j.jsonl"
    file.write_bytes(large())
    whole = checked(parts_in_turn(io.BytesIO(large()), "session"))
    assert [(one.rule, one.line) for one in whole[0]] == [
        ("json", 2401),
        ("length", 2402),
        ("JRN-088", 4803),
        ("JRN-063", 7204),
    ]
    steps: list[int] = []
    for count in (1, 3):
        monkeypatch.setattr(journal_parts, "processors", lambda count=count: count)
        assert checked(parts_at_once(str(file), "session", lambda: steps.append(1))) == whole
    assert len(steps) == 2 * -(-len(large()) // PART)


def test_processes_end_with_the_check(tmp_path: Path) -> None:
    file = tmp_path / "j.jsonl"
    file.write_bytes(b"{         \n" * PART)
    parts = parts_at_once(str(file), "session", lambda: None)
    assert next(parts).lines == -(-PART // 11)
    parts.close()
    assert list(parts) == []


@pytest.mark.parametrize(
    ("large_size", "count", "options", "at_once"),
    [
        (1000, 2, [], True),
        (1000, 2, ["--strict"], True),
        (1000, 1, [], False),
        (100_000_000, 2, [], False),
        (1000, 2, ["--secret", "swordfish"], False),
    ],
)
def test_the_command_uses_processes_for_large_files(  # noqa: PLR0913 - of pytest
    large_size: int,
    count: int,
    options: list[str],
    *,
    at_once: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "j.jsonl"
    file.write_bytes(large())
    status = main(["check", str(file), *options])
    told = capsys.readouterr().out
    used = []

    def seen(*arguments: Any) -> Any:
        used.append(arguments)
        return parts_at_once(*arguments)

    monkeypatch.setattr(check, "LARGE", large_size)
    monkeypatch.setattr(check, "processors", lambda: count)
    monkeypatch.setattr(check, "parts_at_once", seen)
    assert (main(["check", str(file), *options]), capsys.readouterr().out) == (status, told)
    assert bool(used) == at_once
