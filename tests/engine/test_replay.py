"""Replaying cases and transcripts, those of somebody else included."""

import json
from pathlib import Path
from typing import Any

import pytest

from askproof.__main__ import main
from tests.engine.helpers import ECHO, FAKE, fake_command, make_case

CASE = "events/ask-host/submit/after-completion"
ECHOES = "exec:" + " ".join(fake_command("nothing"))
CRASHES = "exec:" + " ".join(fake_command("throws"))
BROKEN = f"python:{FAKE.with_name('broken.py')}:Adapter"

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def transcript(tmp_path: Path, capsys: Captured) -> Path:
    """The transcript of a case that failed."""
    assert main(["run", BROKEN, "--case", CASE, "--transcripts", str(tmp_path)]) == 1
    assert capsys.readouterr().out.count("FAILED") == 1
    (written,) = tmp_path.iterdir()
    return written


def case_file(folder: Path, *steps: Any, **members: Any) -> str:
    path = folder / "my case.json"
    path.write_text(json.dumps(make_case(*steps, **members).source), encoding="utf-8")
    return str(path)


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


def rewrite(path: Path, *lines: Any) -> str:
    path.write_bytes(
        b"".join(
            (one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in lines
        )
    )
    return str(path)


def test_a_case_passes_by_id_and_by_file(tmp_path: Path, capsys: Captured) -> None:
    assert main(["replay", CASE, "reference"]) == 0
    assert capsys.readouterr().out == f"passes: {CASE}\n"
    assert main(["replay", case_file(tmp_path, ECHO), ECHOES]) == 0
    assert capsys.readouterr().out == "passes: tests/ask-host/sound\n"


def test_a_failure_names_the_file_to_replay(tmp_path: Path, capsys: Captured) -> None:
    file = case_file(tmp_path, {**ECHO, "see": []})
    assert main(["replay", file, ECHOES]) == 1
    out = capsys.readouterr().out
    assert "FAILED  tests/ask-host/sound" in out
    assert out.endswith(f"replay: askproof replay '{file}' '{ECHOES}'\n")


def test_what_does_not_apply_is_not_a_pass(tmp_path: Path, capsys: Captured) -> None:
    assert main(["replay", case_file(tmp_path, ECHO, needs=["tui"]), ECHOES]) == 1
    assert capsys.readouterr().out == "not applicable: capability not declared: tui\n"


def test_a_transcript_shows_the_same_failure(transcript: Path, capsys: Captured) -> None:
    assert main(["replay", str(transcript), BROKEN]) == 1
    assert capsys.readouterr().out.endswith("\nthe same failure\n")


def test_a_transcript_shows_another_failure(transcript: Path, capsys: Captured) -> None:
    first, *said, last = records(transcript)
    file = rewrite(transcript, first, *said, {**last, "blames": ["EVT-001"]})
    assert main(["replay", file, BROKEN]) == 1
    assert capsys.readouterr().out.endswith("\nanother failure; it was: failed EVT-001\n")


def test_a_transcript_whose_case_passes_now_says_so(transcript: Path, capsys: Captured) -> None:
    before = records(transcript)
    case = before[0]["case"]
    assert main(["replay", str(transcript), "reference"]) == 0
    blames = " ".join(before[-1]["blames"])
    assert capsys.readouterr().out == f"passes: {case['case']}; it was: failed {blames}\n"


def test_ids_and_times_that_are_new_are_the_same_failure(
    transcript: Path, capsys: Captured
) -> None:
    first, *said, last = records(transcript)
    for one in last["differences"]:
        one["observed"] = "another id"
    assert main(["replay", rewrite(transcript, first, *said, last), BROKEN]) == 1
    assert capsys.readouterr().out.endswith("\nthe same failure\n")


def test_a_transcript_of_a_later_kit_is_read(transcript: Path, capsys: Captured) -> None:
    first, *said, last = records(transcript)
    later = {**first, "kit": "9.0", "new": 1}
    assert main(["replay", rewrite(transcript, later, *said, {**last, "new": [2]}), BROKEN]) == 1
    assert capsys.readouterr().out.endswith("\nthe same failure\n")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda first, *rest: (first, *rest[:-1]),
            "incomplete: it has no outcome; run the case once",
        ),
        (lambda first, *_: (first,), "incomplete: it has no outcome"),
        (lambda first, *rest: (first, b"{", *rest), "jsonl:2: not JSON: "),
        (
            lambda first, *rest: (first, b"[" * 10_000, *rest),
            "jsonl:2: nested deeper than 72 levels",
        ),
        (lambda first, *rest: (first, b"NaN", *rest), "jsonl:2: NaN is not JSON"),
        (lambda first, *rest: (first, b"\xff", *rest), "jsonl:2: invalid UTF-8 at byte 0"),
        (
            lambda first, *rest: (first, b"7", *rest),
            "jsonl:2: a record of a transcript is an object",
        ),
        (
            lambda first, *rest: (first, b" " * 68_000_000, *rest),
            "jsonl:2: more than 67108864 bytes",
        ),
        (
            lambda first, *rest: ({**first, "case": None}, *rest),
            "jsonl:1: None is not of type 'object' a",
        ),
        (
            lambda first, *rest: ({**first, "kit": 1}, *rest),
            "jsonl:1: 1 is not of type 'string' at /kit",
        ),
    ],
)
def test_a_wrong_transcript_is_one_line_and_status_3(
    transcript: Path, capsys: Captured, change: Any, reason: str
) -> None:
    file = rewrite(transcript, *change(*records(transcript)))
    assert main(["replay", file, BROKEN]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"askproof replay: {file}")
    assert captured.err.count("\n") == 1
    assert reason in captured.err


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"outcome": "shrugged"}, "'shrugged' is not one of"),
        ({"blames": "EVT-001"}, "at /blames"),
        ({"differences": [{"pointer": 1}]}, "at /differences/0"),
    ],
)
def test_a_wrong_outcome_is_refused(
    transcript: Path, capsys: Captured, change: dict[str, Any], reason: str
) -> None:
    *said, last = records(transcript)
    assert main(["replay", rewrite(transcript, *said, {**last, **change}), BROKEN]) == 3
    assert reason in capsys.readouterr().err


def test_results_are_told_from_transcripts(tmp_path: Path, capsys: Captured) -> None:
    file = str(tmp_path / "results.jsonl")
    assert main(["run", "reference", "--case", CASE, "--results", file]) == 0
    capsys.readouterr()
    assert main(["replay", file, "reference"]) == 3
    assert capsys.readouterr().err == (
        f"askproof replay: {file}: these are results, which have no case to run;"
        " replay a case by its id, or a file that run --transcripts has written\n"
    )


def test_a_wrong_case_in_a_transcript_is_refused(transcript: Path, capsys: Captured) -> None:
    first, *said, last = records(transcript)
    first["case"]["steps"][0]["do"] = {"emit": {"channel": "x", "data": {"$repeat": ["x", 10**12]}}}
    assert main(["replay", rewrite(transcript, first, *said, last), BROKEN]) == 3
    assert "$repeat makes more than" in capsys.readouterr().err


def test_escapes_in_a_file_do_not_reach_the_terminal(tmp_path: Path, capsys: Captured) -> None:
    evil = "\x1b[2J\u202e"
    step = {"do": {"emit": {"channel": "completed", "data": {evil: evil}}}, "see": []}
    file = case_file(tmp_path, step, name="faulty", why=f"Evil {evil}.")
    assert main(["replay", file, CRASHES]) == 1
    assert main(["replay", file, ECHOES]) == 1
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    (tmp_path / f"{evil}.json").write_text("{", encoding="utf-8")
    assert main(["replay", str(tmp_path / f"{evil}.json"), ECHOES]) == 3
    assert "\x1b" not in capsys.readouterr().err
