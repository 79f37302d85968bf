"""The report at the terminal."""

import io
from pathlib import Path
from typing import Any

import pytest

from askproof import results
from askproof.case import Case
from askproof.engine import CaseResult
from askproof.match import NOT_THERE, Difference
from askproof.session import Handshake
from askproof.shown import Style, printable, sides, value
from askproof.specification import catalogue
from askproof.terminal import Terminal
from tests.engine.helpers import ECHO, make_case

ESCAPE = "\x1b[2J\u202e\x00\ud800\n"
SHOWN = "\\u001b[2J\\u202e\\u0000\\ud800\\n"
HANDSHAKE = Handshake(
    {"name": f"evil{ESCAPE}", "version": "1", "language": "c"}, "@x/y", "@x/z", {}, restart=False
)
SEEN = {"emitted": "completed", "data": {"n": 1}}


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def report(*done: CaseResult, transcripts: Path | None = None, source: str = "") -> str:
    out, tally = io.StringIO(), results.Tally()
    terminal = Terminal(out, io.StringIO(), "exec:my adapter", transcripts)
    terminal.start(HANDSHAKE, len(done))
    for one in done:
        tally.add(one)
        terminal.case(one, source)
    terminal.end(tally, "should", {one.case.role for one in done})
    return out.getvalue()


def failed(*differences: Difference, case: Case | None = None) -> CaseResult:
    return CaseResult(case or make_case(ECHO), "failed", ("EVT-050",), 1, "no", differences)


def test_a_failure_shows_the_rule_the_case_the_step_and_the_difference() -> None:
    one = Difference("/data/n", 2, 1, ("EVT-050",), SEEN, SEEN)
    assert report(failed(one)).split("\n")[2:9] == [
        "FAILED  tests/ask-host/sound",
        "  It is a test.",
        f"  EVT-050 (MUST): {catalogue()['EVT-050'].plain}",
        '  step 1  emit {"channel": "completed", "data": {"n": 1}}',
        "                               expected  observed",
        "    emitted completed /data/n  2         1",
        "  replay: askproof replay tests/ask-host/sound 'exec:my adapter'",
    ]


@pytest.mark.parametrize(
    ("difference", "row"),
    [
        (
            Difference("", {"tool": "c"}, NOT_THERE, (), NOT_THERE, {"tool": "c"}),
            "tool c  {...}  (nothing)",
        ),
        (Difference("", NOT_THERE, {"tool": "c"}, (), {"tool": "c"}), "tool c  (nothing)  {...}"),
        (
            Difference(
                "", {"tool": "c"}, {"tool": "c"}, (), {"tool": "c"}, {"tool": "c"}, early=True
            ),
            "tool c  in its turn  before its turn",
        ),
    ],
)
def test_a_row_tells_what_is_missing_what_is_too_much_and_what_is_early(
    difference: Difference, row: str
) -> None:
    shown = report(failed(difference)).replace('{"tool": "c"}', "{...}")
    assert " ".join(row.split()) in " ".join(shown.split())


def test_nothing_from_outside_reaches_the_terminal_as_it_is() -> None:
    case = make_case(
        {"do": {"emit": {"channel": "x", "data": ESCAPE}}, "see": []}, why=f"Why {ESCAPE}."
    )
    seen = {"emitted": f"x{ESCAPE}", "data": ESCAPE}
    one = Difference(f"/data/{ESCAPE}", ESCAPE, ESCAPE, ("EVT-050",), seen, seen)
    transcript = ({"type": "received", "raw": ESCAPE}, {"type": "stderr", "text": f"said {ESCAPE}"})
    crash = CaseResult(case, "crashed", (), 1, f"It threw {ESCAPE}", (), (), transcript)
    skipped = CaseResult(case, "not-applicable", message=f"needs {ESCAPE}")
    text = report(failed(one, case=case), crash, skipped)
    assert all(line.isprintable() for line in text.split("\n"))
    assert text.count(SHOWN[:-2]) >= 8


def test_a_flood_is_cut() -> None:
    seen = {"emitted": "x" * 10**6, "data": 0}
    many = [Difference("/d" * 10**5, "y" * 10**6, "z" * 10**6, ("EVT-050",), seen, seen)] * 1000
    text = report(failed(*many))
    assert len(text) < 10_000
    assert "and 992 more differences" in text


def test_a_fault_shows_its_message_what_was_written_and_the_end_of_stderr() -> None:
    transcript = (
        {"type": "received", "raw": "Welcome!"},
        {"type": "stderr", "text": "".join(f"line {number}\n" for number in range(9))},
    )
    text = report(CaseResult(make_case(), "crashed", (), 1, "It ended.", transcript=transcript))
    assert "    It ended.\n    it wrote: Welcome!\n" in text
    assert "    the end of its standard error:\n      line 4\n" in text
    assert "line 8\n" in text
    assert "line 3\n" not in text


def test_the_end_counts_what_was_seen_and_says_the_verdict() -> None:
    skipped = CaseResult(make_case(role="ask-bridge"), "not-applicable", message="no role")
    text = report(skipped, CaseResult(make_case(ECHO), "passed"), skipped)
    assert text.endswith(
        "\n1 passed, 2 not-applicable\n"
        "  not applicable, 2: no role\n"
        "ask-bridge       not applicable\n"
        "ask-host         MUST    conforms\n"
        "ask-host         SHOULD  not verified\n"
    )


def test_nothing_verified_is_said() -> None:
    skipped = CaseResult(make_case(), "not-applicable", message="no role")
    assert report(skipped).endswith("nothing was verified: no case applies to this adapter\n")


def test_many_reasons_are_counted() -> None:
    skipped = [CaseResult(make_case(), "not-applicable", message=f"no {n}") for n in range(10)]
    assert "and 2 more reasons" in report(*skipped)


def test_what_to_replay_is_the_case_its_file_or_its_transcript() -> None:
    one = failed()
    assert "replay tests/ask-host/sound 'exec" in report(one)
    assert "replay 'my case.json' 'exec" in report(one, source="my case.json")
    assert "replay out/tests.ask-host.sound.jsonl 'exec" in report(one, transcripts=Path("out"))


def test_progress_and_colour_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    out, progress = Screen(), Screen()
    terminal = Terminal(out, progress, "reference")
    terminal.start(HANDSHAKE, 1)
    terminal.case(failed())
    assert progress.getvalue() == "\r\x1b[K1/1 tests/ask-host/sound\r\x1b[K"
    assert "\x1b[31mFAILED\x1b[0m" in out.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    assert Style(out).bad("no") == "no"
    assert Style(io.StringIO()).bad("no") == "no"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 🎉", "plain é 漢 🎉"),
        (ESCAPE, SHOWN),
        ("\u200b\u2028\ufeff\U000e0001", "\\u200b\\u2028\\ufeff\\U000e0001"),
        ("\t\r\x7f\x9b\xa0\u3000", "\\t\\r\\u007f\\u009b\\u00a0\\u3000"),
    ],
)
def test_text_is_made_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (NOT_THERE, "(nothing)"),
        (None, "null"),
        (["é\x1b"], '["é\\u001b"]'),
        ("x" * 20, '"xxxxxxxxx…'),
        ("\x7f" * 20, '"\\u007f\\u0…'),
    ],
)
def test_a_value_is_one_short_line(data: Any, shown: str) -> None:
    assert value(data, 11) == shown


def test_what_is_long_is_cut_to_where_it_differs() -> None:
    alike = "x" * 1000
    expected, observed = sides(Difference("", f"{alike}A{alike}", f"{alike}B{alike}"), 30)
    assert expected == f"…{'x' * 10}A{'x' * 17}…"
    assert observed == f"…{'x' * 10}B{'x' * 17}…"
    assert sides(Difference("", alike, "x" * 999), 30)[1].endswith('x"')
