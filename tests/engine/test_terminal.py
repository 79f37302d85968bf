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
    terminal.start(HANDSHAKE, [one.case for one in done])
    for one in done:
        tally.add(one)
        terminal.case(one, source)
    terminal.end(tally, "should", {one.case.role for one in done})
    return out.getvalue()


def failed(*differences: Difference, case: Case | None = None) -> CaseResult:
    case = case or make_case(ECHO)
    sent = case.steps[0].do
    return CaseResult(case, "failed", ("EVT-050",), 1, "no", differences, sent=sent)


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
    sent = case.steps[0].do
    crash = CaseResult(case, "crashed", (), 1, f"It threw {ESCAPE}", (), (), transcript, sent)
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
        {"type": "stderr", "text": "".join(f"line {number}\n" for number in range(15))},
    )
    ended = CaseResult(make_case(), "crashed", (), 1, "It ended.", transcript=transcript)
    text = report(ended._replace(sent=ECHO["do"]))
    assert "    It ended.\n    it wrote: Welcome!\n" in text
    assert "    its standard error:\n    | line 0\n" in text
    assert "    | line 4\n    | …\n    | line 10\n" in text
    assert "    | line 14\n" in text


def test_the_end_counts_what_was_seen_and_says_the_verdict() -> None:
    skipped = CaseResult(make_case(role="ask-bridge"), "not-applicable", message="no role")
    text = report(skipped, CaseResult(make_case(ECHO), "passed"), skipped)
    assert text.endswith(
        "\n1 passed, 2 not-applicable\n"
        "  not applicable, 2: no role\n"
        "ask-bridge       not applicable\n"
        f"ask-host         MUST    conforms       1 of {bound('must')} requirements verified\n"
        f"ask-host         SHOULD  not verified   0 of {bound('should')} requirements verified\n"
    )


def bound(level: str) -> int:
    return sum(one.level == level and "ask-host" in one.roles for one in catalogue().values())


def test_what_is_broken_is_no_longer_verified() -> None:
    text = report(CaseResult(make_case(ECHO), "passed"), failed())
    assert f"does not conform   0 of {bound('must')} requirements verified\n" in text


def test_the_requirements_that_most_cases_break_come_first() -> None:
    idents = [ident for ident, one in catalogue().items() if "ask-host" in one.roles][:13]
    done = [failed()._replace(blames=tuple(idents[: 1 + number])) for number in range(len(idents))]
    text = report(*done, CaseResult(make_case(ECHO), "passed"))
    level = catalogue()[idents[0]].level.upper()
    assert f"\n13 failed\n  {idents[0]} ({level}) 13 cases\n" in text.replace("1 passed, ", "")
    assert ") 4 cases\n  and 3 more\nask-host " in text
    assert ") 3 cases\n" not in text


def test_the_header_counts_the_cases_of_the_roles_that_are_declared() -> None:
    out = io.StringIO()
    roles: dict[str, Any] = {"ask-host": {"capabilities": []}}
    terminal = Terminal(out, out, "reference")
    terminal.start(
        HANDSHAKE._replace(roles=roles), [make_case(), make_case(role="ask-bridge"), make_case()]
    )
    assert out.getvalue().endswith(", 2 cases\n")


def test_what_was_emitted_beside_the_namespace_is_told() -> None:
    one = Difference("", {"emitted": "started"}, NOT_THERE, ("EVT-050",), NOT_THERE, SEEN)
    note = f"not in the namespace @x/y: @x{ESCAPE}:started"
    text = report(failed(one)._replace(notes=(note,)))
    assert f"\n    not in the namespace @x/y: @x{SHOWN}:started\n" in text


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_report_is_as_wide_as_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    alike = "é\x07" * 300
    seen = {"emitted": "completed", "data": alike}
    pointer = "/data/" + "/".join(["a"] * 100) + "/last"
    one = Difference(pointer, f"{alike}A{alike}", f"{alike}B{alike}", ("EVT-050",), seen, seen)
    step = {"do": {"emit": {"channel": "x", "data": alike}}, "see": []}
    out = Screen() if width != 200 else io.StringIO()
    Terminal(out, io.StringIO(), "reference").case(failed(one, case=make_case(step)))
    text = out.getvalue()
    lines = text.split("\n")
    at = next(at for at, line in enumerate(lines) if line.startswith("  step 1  emit {"))
    assert len(lines[at]) == width
    assert lines[at + 1].startswith(" " * 15)
    assert len(lines[at + 1]) <= width
    row = lines[at + 3]
    assert width - 4 < len(row) <= width
    assert "/last  " in row
    assert "A" in row
    assert "B" in row


def test_what_one_side_does_not_need_is_for_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    out = Screen()
    one = Difference("/data", "x" * 100, NOT_THERE, ("EVT-050",), SEEN, SEEN)
    Terminal(out, io.StringIO(), "reference").case(failed(one))
    row = next(line for line in out.getvalue().split("\n") if line.endswith("  (nothing)"))
    assert len(row) == 80
    assert row.startswith('    emitted completed /data  "xxx')


def test_a_dumb_terminal_gets_no_colours_and_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "dumb")
    out, progress = Screen(), Screen()
    Terminal(out, progress, "reference").case(failed())
    assert progress.getvalue() == ""
    assert "\x1b" not in out.getvalue()


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
    monkeypatch.setenv("TERM", "xterm")
    out, progress = Screen(), Screen()
    terminal = Terminal(out, progress, "reference")
    terminal.start(HANDSHAKE, [make_case()])
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
