"""Journals on disk: what is found and counted, what is never shown, and that no file does harm."""

import io
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askproof import check_journal as journals
from askproof.__main__ import main
from askproof.check_journal import JournalSummary, LineFinding, check_journal
from askproof.check_source import HEAD, Source
from askproof.journal_parts import PART, parts_in_turn
from tests.test_check import Endless

ANSWER = "hunter2 is the answer"
HUMAN = {"source": "ask", "timedOut": False, "answerSource": "human"}


def decision(status: str = "answered", ident: str = "ask-deploy", **more: Any) -> dict[str, Any]:
    """A human answer, unless something else is said."""
    base = {"decisionId": ident, "status": status, "question": "Deploy?"}
    given = {"answer": {"selectedOptions": [ANSWER]}, "metadata": HUMAN, **more}
    return base | {name: value for name, value in given.items() if value is not None}


def session_line(data: Any, **more: Any) -> dict[str, Any]:
    at = {"id": "1", "parentId": None, "timestamp": "2026-05-01T10:00:00Z"}
    return {"type": "custom", "customType": "decision", **at, "data": data, **more}


def store_line(payload: Any, kind: str = "decision") -> dict[str, Any]:
    at = {"id": "1", "sessionId": "s1", "createdAt": "2026-05-01T10:00:00Z", "sequence": 1}
    return {"kind": "entry", "entry": {**at, "type": kind, "payload": payload}}


STATUSES = ("answered", "timed-out", "cancelled", "deferred")
STORE_HEADER = {"kind": "session", "session": {}}
HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-05-01T10:00:00Z"}
MESSAGE = {"type": "message", "id": "2", "parentId": "1", "message": {"role": "user"}}
AUTOMATIC = {"timedOut": True, "answerSource": "automatic"}
NOBODY = {"timedOut": False, "answerSource": "none"}


def journal(*records: Any) -> bytes:
    lines = (one if isinstance(one, bytes) else json.dumps(one).encode() for one in records)
    return b"".join(line + b"\n" for line in lines)


def checked(
    data: Any, form: str = "session", *, strict: bool = False
) -> tuple[list[LineFinding], JournalSummary]:
    stream: Any = io.BytesIO(data) if isinstance(data, bytes) else io.BufferedReader(data)
    run = check_journal(parts_in_turn(stream, form), "j.jsonl", form, strict=strict)
    found = []
    while True:
        try:
            found.append(next(run))
        except StopIteration as end:
            return found, end.value


def rules(found: Iterable[LineFinding]) -> list[tuple[int, str, bool]]:
    return [(one.line, one.rule, one.note) for one in found]


# Files


@pytest.mark.parametrize("older", [{}, {"source": "ask"}, {"timedOut": False, "later": 1}])
def test_older_record_is_consistent_and_not_human(older: dict[str, Any]) -> None:
    found, summary = checked(journal(session_line(decision(metadata=older))))
    assert rules(found) == [(1, "JRN-086", True)]
    assert summary.outcomes == {("answered", "unknown"): 1}
    assert (summary.human, summary.only_look_human, summary.inconsistent) == (0, 1, 0)


MADE = [
    decision(),
    decision(later=[1]),
    decision(metadata={"source": "ask"}),
    decision("timed-out", metadata=AUTOMATIC),
    decision("timed-out", metadata={**AUTOMATIC, "answerSource": "none"}, answer=None),
    decision("cancelled", metadata=NOBODY, answer=None),
    decision("deferred", metadata=None, answer=None),
    decision("timed-out"),
    decision("cancelled", answer="", metadata=NOBODY),
]


@pytest.mark.parametrize(
    ("form", "records"),
    [
        ("session", [HEADER, MESSAGE, *map(session_line, MADE)]),
        ("store", [STORE_HEADER, store_line({}, "message"), *map(store_line, MADE)]),
    ],
)
def test_decisions_are_counted_by_outcome_and_source(form: str, records: list[Any]) -> None:
    found, summary = checked(journal(*records, b"", b" \t\r"), form)
    assert rules(found) == [
        (5, "JRN-086", True),
        (10, "JRN-088", False),
        (11, "JRN-088", False),
    ]
    assert summary == JournalSummary(
        form,
        lines=13,
        blank=2,
        outcomes=summary.outcomes,
        human=2,
        inconsistent=2,
        only_look_human=2,
    )
    assert summary.outcomes == {
        ("answered", "human"): 2,
        ("answered", "unknown"): 1,
        ("timed-out", "automatic"): 1,
        ("timed-out", "none"): 1,
        ("timed-out", "human"): 1,
        ("cancelled", "none"): 2,
        ("deferred", "unknown"): 1,
    }


BAD = [
    (b"\0\0\0", "nul"),
    (b'{"type": "\xff"}', "utf-8"),
    (b'{"type": "a"} {"type": "b"}', "json"),
    (b"[" * 100_000, "depth"),
    (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "depth"),
    (b'{"type": "a", "type": "b"}', "duplicate-key"),
    (b'{"type": 1}', "type"),
    (json.dumps(session_line({"status": "skipped"})).encode(), "shape"),
    (b"x" * 9_000_000, "length"),
    (b"\x0b\r", "json"),
    (b"\r\r", "json"),
    (b"\x0c", "json"),
]


@pytest.mark.parametrize(("line", "code"), BAD)
def test_bad_line_is_a_finding_and_the_rest_is_read(line: bytes, code: str) -> None:
    first = journal(HEADER, session_line(decision()))
    found, summary = checked(first + journal(line, session_line(decision()), line))
    end = len(first) + len(line) + 1
    end += len(journal(session_line(decision())))
    assert [(one.line, one.offset, one.rule) for one in found] == [
        (3, len(first), code),
        (5, end, code),
    ]
    assert (summary.lines, summary.bad, summary.human) == (5, 2, 2)


@pytest.mark.parametrize(("line", "code"), BAD)
def test_strict_check_ends_at_the_first_bad_line(line: bytes, code: str) -> None:
    odd = session_line(decision("cancelled"))
    found, summary = checked(journal(odd, b"", line, odd, line), strict=True)
    assert rules(found) == [(1, "JRN-088", False), (3, code, False)]
    assert summary.refused == 3
    found, summary = checked(journal(odd, b"", odd), strict=True)
    assert rules(found) == [(1, "JRN-088", False), (3, "JRN-088", False)]
    assert summary.refused is None


@pytest.mark.parametrize("text", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r"])
def test_only_a_line_feed_ends_a_line(text: str) -> None:
    line = json.dumps(session_line(decision(answer=f"a{text}b")), ensure_ascii=False)
    found, summary = checked(line.encode() + b"\r\n")
    assert (found, summary.lines, summary.human) == ([], 1, 1)


@pytest.mark.parametrize("kept", range(1, 60))
def test_last_line_without_its_end(kept: int) -> None:
    first, last = journal(HEADER), journal(session_line(decision()))
    found, summary = checked(first + last[:kept])
    assert [(one.line, one.offset, one.rule) for one in found] == [(2, len(first), "json")]
    assert "was it cut off?" in found[0].message
    found, summary = checked(first + last[:-1])
    assert rules(found) == [(2, "JRN-063", True)]
    assert (summary.bad, summary.human) == (0, 1)


def test_empty_file_holds_nothing() -> None:
    assert checked(b"") == ([], JournalSummary("session"))


def test_id_of_different_questions_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def about(question: Any, ident: Any = "ask-a-b") -> dict[str, Any]:
        return session_line(decision(ident=ident, question=question))

    data = journal(*map(about, ["A", "A", "B", "C", "A"]), about("D", "ask-d"), about("E", "ask-d"))
    assert rules(checked(data)[0]) == [(3, "JRN-053", True), (7, "JRN-053", True)]
    assert checked(journal(about(1), about([]), about("A", None), about("B", {})))[0] == []
    monkeypatch.setattr(journals, "MOST_IDS", 1)
    assert rules(checked(data)[0]) == [(3, "JRN-053", True)]


def test_line_of_a_hundred_megabytes_is_never_held() -> None:
    rest = journal(b"", HEADER, session_line(decision()))
    tracemalloc.start()
    found, summary = checked(Endless(100_000_000, rest))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(one.line, one.offset, one.rule) for one in found] == [(1, 0, "length")]
    assert (summary.lines, summary.human) == (3, 1)
    assert peak < 60_000_000


LINE = st.one_of(
    st.binary(max_size=9),
    st.sampled_from([b"{}", b'{"type":"custom","customType":"decision","data":{"status":', b"\r"]),
    st.builds(lambda **data: journal(session_line(data))[:-1], status=st.sampled_from(STATUSES)),
)


@given(st.lists(LINE, max_size=6).map(b"\n".join), st.sampled_from(["session", "store"]))
def test_no_bytes_break_the_checker(data: bytes, form: str) -> None:
    found, summary = checked(data, form)
    lines = data.split(b"\n")
    lines = lines if lines[-1] else lines[:-1]
    assert summary.lines == len(lines)
    for one in found:
        assert one.message.isprintable()
        at = 0 if one.line == 1 else len(b"\n".join(lines[: one.line - 1])) + 1
        assert one.offset == (len(data) if one.rule == "JRN-063" else at)


# The command


def run(folder: Path, data: bytes, *options: str) -> int:
    file = folder / "j.jsonl"
    file.write_bytes(data)
    return main(["check", str(file), *options])


def said(capsys: pytest.CaptureFixture[str], folder: Path) -> list[str]:
    return capsys.readouterr().out.replace(f"{folder}{os.sep}", "").splitlines()


MIXED = journal(
    HEADER,
    b'{"torn',
    session_line(decision()),
    session_line(decision(metadata={})),
    session_line(decision("cancelled", metadata=HUMAN, answer=ANSWER)),
    session_line(decision("timed-out", metadata=AUTOMATIC)),
    b"",
)
TORN = "not JSON: Unterminated string starting at column 2"
GONE = "status answered, timedOut absent, answerSource absent, answer there"
LEGACY = f"it only looks human, without provenance: {GONE}"
HUMAN_CANCELLED = "status cancelled, timedOut false, answerSource human, answer there"
ODD = f"it fits no row of the table of outcomes: {HUMAN_CANCELLED}"
COUNTS = "answered 2 (human 1, unknown 1), timed-out 1 (automatic 1), cancelled 1 (human 1)"


def test_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, MIXED) == 1
    offsets = [sum(map(len, MIXED.splitlines(keepends=True)[:line])) for line in range(6)]
    assert said(capsys, tmp_path) == [
        f"j.jsonl:2: byte {offsets[1]}: json: {TORN}",
        f"j.jsonl:4: byte {offsets[3]}: note: JRN-086: {LEGACY}",
        f"j.jsonl:5: byte {offsets[4]}: JRN-088: {ODD}; it only looks human",
        "j.jsonl: 2 findings in 4 decisions of a session file of 7 lines (1 bad, 1 blank)",
        f"j.jsonl: {COUNTS}",
        "j.jsonl: 1 explicit human answer, 2 more that only look human, 1 inconsistent record",
    ]


def test_what_is_printed_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, MIXED, "--json") == 1
    first, note, last, summary = map(json.loads, said(capsys, tmp_path))
    assert first == {
        "type": "finding",
        "file": "j.jsonl",
        "line": 2,
        "offset": len(journal(HEADER)),
        "rule": "json",
        "message": TORN,
    }
    assert (note["type"], note["line"], note["rule"]) == ("note", 4, "JRN-086")
    assert (last["type"], last["line"], last["rule"]) == ("finding", 5, "JRN-088")
    assert summary == {
        "type": "summary",
        "file": "j.jsonl",
        "form": "session",
        "lines": 7,
        "blank": 1,
        "bad": 1,
        "decisions": 4,
        "outcomes": {
            "answered": {"human": 1, "unknown": 1},
            "timed-out": {"automatic": 1},
            "cancelled": {"human": 1},
            "deferred": {},
        },
        "human": 1,
        "inconsistent": 1,
        "only_look_human": 2,
        "refused": None,
    }


def test_strict_refusal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, MIXED, "--strict") == 1
    out = said(capsys, tmp_path)
    assert [line.partition(":")[2].partition(":")[0] for line in out[:1]] == ["2"]
    assert out[1:] == ["j.jsonl: refused for line 2: strictly, no line may be bad (JRN-095)"]
    assert run(tmp_path, MIXED, "--strict", "--json") == 1
    assert json.loads(said(capsys, tmp_path)[-1]) == {
        "type": "summary",
        "file": "j.jsonl",
        "form": "session",
        "refused": 2,
    }


@pytest.mark.parametrize("options", [[], ["--strict"]])
def test_journals_in_which_nothing_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    older = decision(metadata={})
    data = journal(HEADER, session_line(decision()), b"", session_line(older))
    assert run(tmp_path, data, *options) == 0
    assert run(tmp_path, journal(store_line(decision())), *options) == 0
    assert "no findings in 1 decision of a store of 1 line" in capsys.readouterr().out


def test_nothing_to_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, journal(HEADER, MESSAGE)) == 0
    assert "2 lines (0 bad, 0 blank), which holds no decisions" in capsys.readouterr().out
    assert run(tmp_path, b"") == 1
    assert "no ask events, no receipts and no decisions" in capsys.readouterr().out


def test_nothing_of_an_answer_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = {"answerSource": ANSWER, "timedOut": ANSWER, ANSWER: ANSWER}
    records: list[Any] = [HEADER, *(decision(status, metadata=odd) for status in STATUSES)]
    records += [{"status": ANSWER}, {ANSWER: 1}, ANSWER]
    records = [*map(session_line, records), {"type": ANSWER, "kind": ANSWER}, {"type": [ANSWER]}]
    data = journal(*records, f'{{"{ANSWER}":1,"{ANSWER}":1}}'.encode(), ANSWER.encode())
    for options in ([], ["--json"], ["--strict"]):
        assert run(tmp_path, data, *options) == 1
        told = capsys.readouterr()
        assert "hunter2" not in told.out + told.err


# Recognition

LOG = {"time": 1700000000000, "channel": "@acme/ask:notice", "data": {}}
DAMAGED = [
    b"\0" * 100,
    b"{",
    b'"kind": "entry"}',
    b"",
    b"[" * 100_000,
    b'{"type":"message"}',
    b"\xff",
]


@pytest.mark.parametrize("damaged", [[], DAMAGED, [b"x" * 100] * 5000])
@pytest.mark.parametrize(
    ("line", "form"),
    [
        (HEADER, "session"),
        (MESSAGE, "session"),
        (session_line(decision()), "session"),
        ({"kind": "session", "session": {}}, "store"),
        (store_line(decision()), "store"),
        (LOG, "log"),
    ],
)
def test_form_is_recognized_after_damaged_lines(line: Any, form: str, damaged: list[bytes]) -> None:
    data = journal(*damaged, line, b"rest", HEADER if form == "store" else STORE_HEADER)
    seen: list[bytes] = []
    source = Source(io.BytesIO(data), "j.jsonl", seen.append)
    assert source.form == form
    assert source.buffered().read() == data
    assert b"".join(seen) == data


def test_file_of_no_form_is_checked_as_a_log() -> None:
    stream = io.BytesIO(journal(*DAMAGED, 7))
    assert Source(stream, "j.jsonl", lambda _: None).form == "log"


def test_form_is_looked_for_in_a_bounded_part() -> None:
    stream = io.BytesIO(journal(b"x" * 1000) * (HEAD // 1000) + journal(HEADER))
    assert Source(stream, "j.jsonl", lambda _: None).form == "log"
    assert stream.tell() == HEAD


# Files by name


def test_patterns_and_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("b", "a", "[x]"):
        (tmp_path / f"{name}.jsonl").write_bytes(journal(store_line(decision())))
    (tmp_path / "sub.jsonl").mkdir()
    assert main(["check", str(tmp_path / "*.jsonl"), str(tmp_path / "[x].jsonl")]) == 0
    names = [line.partition(":")[0] for line in said(capsys, tmp_path)[::3]]
    assert names == ["[x].jsonl", "a.jsonl", "b.jsonl", "[x].jsonl"]


@pytest.mark.parametrize("name", ["*.jsonl", "none.jsonl", "."])
def test_name_of_no_file(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{tmp_path}{os.sep}{name}"]) == 3
    assert capsys.readouterr().err.startswith("askproof check: ")


def test_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "j.jsonl"
    file.write_bytes(MIXED[:-1])
    file.chmod(0o400)
    before = file.stat()
    main(["check", str(file), "--secret", ANSWER, "--strict"])
    main(["check", str(file)])
    assert file.read_bytes() == MIXED[:-1]
    assert (file.stat().st_mtime_ns, [*tmp_path.iterdir()]) == (before.st_mtime_ns, [file])


def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MIXED)))
    assert main(["check", "-"]) == 1
    assert "standard input: 2 findings in 4 decisions" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["--help", "run reference --case events/ask-host/submit/*"])
def test_other_commands_do_not_wait_for_the_parser(command: str) -> None:
    code = "import sys; from askproof.__main__ import main; main(sys.argv[1:]); "
    code += "sys.exit('jiter' in sys.modules)"
    subprocess.run([sys.executable, "-c", code, *command.split()], check=True, capture_output=True)


# Secrets


@pytest.mark.parametrize("data", [MIXED, journal(LOG, {**LOG, "data": ANSWER})])
def test_secrets_are_found_by_number_and_never_printed(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "secrets"
    file.write_text("correct horse\nhunter2\n", encoding="utf-8")
    data = data.replace(b"hunter2", b"\\u0068unter2", 1)
    assert run(tmp_path, data, "--secret", "swordfish", "--secret-file", str(file)) == 1
    out = said(capsys, tmp_path)
    [line, *_] = [number for number, each in enumerate(data.split(b"\n"), 1) if b"unter2" in each]
    at = data.index(b"\\u0068unter2")
    assert f"j.jsonl:{line}: byte {at}: secret: secret 3 of those that were searched for" in out
    assert not [each for each in out if "hunter2" in each or "swordfish" in each]
    assert run(tmp_path, data, "--secret", "not-in-it-at-all") == (1 if data[:1] == b"{" else 0)


def test_a_secret_alone_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = journal(HEADER, session_line(decision()))
    assert run(tmp_path, data) == 0
    assert run(tmp_path, data, "--json", "--secret", "hunter2") == 1
    found, summary = map(json.loads, capsys.readouterr().out.splitlines()[-2:])
    assert (found["rule"], found["line"], found["offset"]) == ("secret", 2, data.index(b"hunter2"))
    assert summary["decisions"] == 1


def test_secret_in_an_id_is_hidden(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = journal({**LOG, "channel": "hunter2:completed", "data": {"flowId": "hunter2"}})
    for options in ([], ["--json"]):
        assert run(tmp_path, data, "--secret", "hunter2", *options) == 1
        out = capsys.readouterr().out
        assert "[secret 1]" in out
        assert "hunter2" not in out


@pytest.mark.parametrize("arguments", [["--secret", "abcd"], ["--secret="]])
def test_secret_that_cannot_be_searched_for(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "j.jsonl"
    file.write_bytes(MIXED)
    assert main(["check", str(file), *arguments]) == 2
    assert "abcd" not in capsys.readouterr().err


# Progress


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = journal(HEADER, session_line(decision())) + b" " * PART * 2 + b"\n"
    monkeypatch.setenv("TERM", "xterm")
    for stream in (Screen(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        assert run(tmp_path, data) == 0
        shown = "2/3 parts of " in stream.getvalue()
        assert shown == isinstance(stream, Screen)
        assert not shown or stream.getvalue().endswith("\r\x1b[K")


def test_a_refused_file_is_searched_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = journal(HEADER, b"x", *[MESSAGE] * 4000, b"swordfish")
    assert run(tmp_path, data, "--strict", "--secret", "swordfish") == 1
    assert ":4003: " in capsys.readouterr().out
