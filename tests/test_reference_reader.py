"""The reference reader: what each record says, what each bad line is, and what damage can do."""

import json
import tracemalloc
from base64 import b64encode
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from askproof import wire
from askproof_reference import journal_lines, journal_reader
from askproof_reference.journal_judgement import Decision
from askproof_reference.journal_reader import Diagnostic, Form, RefusedError, read_journal
from askproof_reference.reader_adapter import ReaderAdapter

Record = dict[str, Any]
Found = list[Decision | Diagnostic]

FORMS: tuple[Form, ...] = ("store", "session")
YES = {"status": "answered", "answer": "yes", "metadata": {"answerSource": "human"}}


def read(data: bytes, form: Form = "store", *, strict: bool = False) -> Found:
    with TemporaryDirectory() as folder:
        journal = Path(folder) / "journal.jsonl"
        journal.write_bytes(data)
        return list(read_journal(journal, form, strict=strict))


def written(value: Any) -> bytes:
    """A value as one line without its end."""
    return json.dumps(value, separators=(",", ":")).encode()


def entry(payload: Any, form: Form = "store", **more: Any) -> Record:
    """What is on a line that holds a decision."""
    if form == "store":
        return {"kind": "entry", "entry": {"type": "decision", "payload": payload, **more}}
    return {"type": "custom", "customType": "decision", "data": payload, **more}


def codes(found: Found) -> list[tuple[int, str]]:
    return [(one.line, one.code) for one in found if isinstance(one, Diagnostic)]


def payloads(found: Found) -> list[tuple[int, bytes]]:
    """The lines of the decisions, and their payloads to the letter: True is not 1, nor 1.0."""
    return [(one.line, written(one.payload)) for one in found if isinstance(one, Decision)]


# The table of outcomes, spelled out: status, timedOut, answerSource, answer; `-` where it is absent

HUMAN = {"answered F human +", "answered - human +"}
CONSISTENT = HUMAN | {
    *("answered F - +", "answered - - +"),
    *("timed-out T automatic +", "timed-out - automatic +", "timed-out T - +", "timed-out - - +"),
    *("timed-out T none -", "timed-out - none -", "timed-out T - -", "timed-out - - -"),
    *("cancelled F none -", "cancelled - none -", "cancelled F - -", "cancelled - - -"),
    *("deferred F none -", "deferred - none -", "deferred F - -", "deferred - - -"),
}
STATUSES = ("answered", "timed-out", "cancelled", "deferred")
ABSENT = object()
NOT_BOOLEAN: tuple[Any, ...] = (None, 0, 1, "false", "true", "", [], {})
NO_SOURCE: tuple[Any, ...] = (None, "", "Human", "human ", "robot", True, ["human"], {})
TIMED_OUT = [("-", ABSENT), ("T", True), ("F", False), *(("?", it) for it in NOT_BOOLEAN)]
NAMED = ("human", "automatic", "none")
SOURCES = [("-", ABSENT), *((it, it) for it in NAMED), *(("?", it) for it in NO_SOURCE)]
ANSWERS: list[tuple[str, Any]] = [("-", ABSENT), ("+", ""), ("+", "no"), ("+", {})]
ANSWERS += [("+", {"selectedOptions": [], "customInput": "no"})]
ANSWERS += [("?", wrong) for wrong in (None, 0, 1.5, False, True, [], ["no"])]


def present(**members: Any) -> Record:
    return {name: value for name, value in members.items() if value is not ABSENT}


Judged = tuple[str, str, bool, bool]  # outcome, by, human, consistent


def judged(records: list[Record]) -> list[Judged]:
    found = read(b"\n".join(written(entry(payload)) for payload in records))
    return [
        (one.outcome(), one.by(), one.is_human(), one.is_consistent())
        for one in found
        if isinstance(one, Decision)
    ]


@pytest.mark.parametrize("status", STATUSES)
def test_the_table_decides_what_is_consistent_and_what_is_human(status: str) -> None:
    records, extended, expected = [], [], []
    for timed_out, source, answer in product(TIMED_OUT, SOURCES, ANSWERS):
        row = f"{status} {timed_out[0]} {source[0]} {answer[0]}"
        metadata = present(timedOut=timed_out[1], answerSource=source[1])
        records.append(present(status=status, answer=answer[1], metadata=metadata))
        # What nobody knows changes nothing, wherever it stands.
        around = {"human": True, "timedOut": False, "answerSource": "human", "__proto__": {}}
        within = {"status": "answered", "answer": "yes", "approved": True}
        extended.append(around | records[-1] | {"metadata": within | metadata})
        by = source[0] if source[0] not in "-?" else "unknown"
        expected.append((status, by, row in HUMAN, row in CONSISTENT))
    for these in (records, extended):
        told = zip(these, judged(these), expected, strict=True)
        assert [it for it in told if it[1] != it[2]][:3] == []


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("metadata", [None, "human", True, 0, [], [{"answerSource": "human"}]])
def test_metadata_that_are_no_object_fit_nowhere(status: str, metadata: Any) -> None:
    records = [present(status=status, answer=it, metadata=metadata) for _, it in ANSWERS]
    assert judged(records) == [(status, "unknown", False, False)] * len(records)


CHOSEN = {"selectedOptions": ["No"]}
ASK = {"source": "ask"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"status": "answered"}, ("answered", "unknown", False, False)),
        ({"status": "answered", "answer": "yes"}, ("answered", "unknown", False, True)),
        ({"status": "deferred"}, ("deferred", "unknown", False, True)),
        ({"status": "deferred", "metadata": ASK}, ("deferred", "unknown", False, True)),
        ({"status": "cancelled"}, ("cancelled", "unknown", False, True)),
        # A text question that was cancelled.
        (
            {"decisionId": "ask-a", "status": "cancelled", "answer": "", "metadata": ASK},
            ("cancelled", "unknown", False, False),
        ),
        # An option question whose time ran out, which nothing tells from one that was answered.
        (
            {"decisionId": "ask-a", "status": "answered", "answer": CHOSEN, "metadata": ASK},
            ("answered", "unknown", False, True),
        ),
        (
            {"status": "answered", "answer": CHOSEN, "metadata": {**ASK, "timedOut": True}},
            ("answered", "unknown", False, False),
        ),
        # A secret select, which went through the option flow.
        (
            {"status": "answered", "answer": CHOSEN, "metadata": {"sensitivity": "secret"}},
            ("answered", "unknown", False, True),
        ),
    ],
)
def test_records_of_older_writers_are_read_and_never_human(
    payload: Record, expected: Judged, form: Form
) -> None:
    assert payloads(read(written(entry(payload, form)), form)) == [(1, written(payload))]
    assert judged([payload]) == [expected]


# Bad lines

GOOD = written(entry(YES))
BEGUN = b'{"kind":"entry","entry":{"type":"message"'


def nested(levels: int, inner: bytes = b"") -> bytes:
    """A message, of so many levels in all."""
    inside = levels - 2
    return BEGUN + b',"x":' + b"[" * inside + inner + b"]" * inside + b"}}"


def with_value(value: bytes) -> bytes:
    return BEGUN + b',"x":' + value + b"}}"


UNKNOWN: tuple[Any, ...] = (None, {}, ["decision"], ["answered"], "Decision", "Answered", "")
BAD = {
    "json": [
        *(GOOD[:-1], GOOD + b"}", GOOD + GOOD, GOOD + b"\r" + GOOD, b"\xef\xbb\xbf" + GOOD),
        *(
            b"[]",
            b"1",
            b'"x"',
            b"null",
            b"nonsense",
            b"\x0c",
            b"\x0b",
            b"\r\r",
            b"\xc2\xa0",
            b"{,}",
        ),
        *map(with_value, (b"NaN", b"Infinity", b"-Infinity", b"1e400", b"9" * 5000, b"01", b"+1")),
        with_value(b'"\t"'),
        *(nested(64)[:-1], nested(64, b"NaN"), b"]" * 100_000, b"}[{"),
    ],
    "utf-8": [
        b"\xff",
        GOOD + b"\xc3",
        GOOD[:-9] + b"\x80" + GOOD[-9:],
        with_value(b'"\xed\xa0\x80"'),
    ],
    "nul": [b"\0", GOOD + b"\0", b"\0" + GOOD, with_value(b'"\0"'), b"\0" * 512],
    "duplicate-key": [
        *(BEGUN + b',"type":"message"}}', BEGUN + b',"\\u0074ype":"message"}}'),
        *(GOOD[:-1] + b',"kind":"entry"}', with_value(b'[{"a":{"":1,"b":2,"":1}}]')),
    ],
    "depth": [
        *(nested(65), nested(66, b"{}"), nested(128), nested(129), nested(100_000, b"1,2")),
        # As far as the brackets tell, whatever else is wrong.
        *(nested(65)[:-1], nested(65, b"NaN"), b"[" * 65 + b"]" * 65, b'{"a":' * 100_000),
    ],
    "type": [
        *map(written, ({}, {"kind": None}, {"kind": ["entry"]}, {"kind": "Entry"}, {"entry": {}})),
        *map(written, ({"kind": "entry", "entry": {"type": kind}} for kind in UNKNOWN)),
        *map(written, ({"kind": "entry", "entry": {}}, entry(YES, "session"))),
    ],
    "shape": [
        *map(written, ({"kind": "session"}, {"kind": "session", "session": []}, {"kind": "entry"})),
        *map(written, ({"kind": "entry", "entry": "decision"}, entry(None), entry([]), entry({}))),
        *map(written, (entry({"status": status}) for status in UNKNOWN)),
        written({"kind": "entry", "entry": {"type": "decision"}}),
    ],
}
BAD_IN_SESSIONS: dict[str, list[Record]] = {
    "type": [{}, {"type": None}, {"type": ["custom"]}, {"customType": "decision"}, entry(YES)],
    "shape": [entry(None, "session"), entry({"status": "x"}, "session"), entry("", "session")],
}


@pytest.mark.parametrize("code", BAD)
def test_every_bad_line_costs_itself_and_has_its_code(code: str) -> None:
    for line in BAD[code]:
        found = read(b"\n".join([GOOD, line, GOOD]))
        assert codes(found) == [(2, code)], line[:200]
        assert payloads(found) == [(1, written(YES)), (3, written(YES))]


@pytest.mark.parametrize("code", BAD_IN_SESSIONS)
def test_bad_lines_of_session_files(code: str) -> None:
    for line in BAD_IN_SESSIONS[code]:
        assert codes(read(written(line), "session")) == [(1, code)], line


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"\xff\0", "nul"),
        (b"{\xff", "utf-8"),
        (nested(65, b'{"a":1,"a":2}')[:-1], "depth"),
        (nested(65, b'{"a":1,"a":2}'), "depth"),
        (b'{"kind":1,"kind":' + b"[" * 64 + b"]" * 64 + b"}", "depth"),
        (b'{"a":1,"a":2', "json"),
        (b'{"a":1,"a":2,"b":NaN}', "json"),
        (b'{"kind":"x","kind":"y"}', "duplicate-key"),
        (b'{"kind":"entry","entry":{"type":"todo","payload":null}}', "type"),
    ],
)
def test_the_first_code_that_applies_is_the_line_s(line: bytes, code: str) -> None:
    assert codes(read(line)) == [(1, code)]


def test_what_is_no_bad_line() -> None:
    store = (
        entry({"status": "deferred"}, id=None, sessionId="nobody's", sequence=-1),
        {"kind": "session", "session": {}},
        *({"kind": "entry", "entry": {"type": kind}} for kind in ("session_init", "artifact")),
    )
    session: tuple[Record, ...] = (
        *({"type": kind} for kind in ("session", "decision", "x", "custom", "")),
        {"type": "custom", "customType": ["decision"], "data": None},
        {"type": "message", "customType": "decision", "data": YES},
    )
    assert payloads(read(b"\n".join(map(written, store)))) == [(1, b'{"status":"deferred"}')]
    assert codes(read(b"\n".join(map(written, store)))) == []
    assert read(b"\n".join(map(written, session)), "session") == []
    # Many brackets are not deep, and those of a string are none.
    wide = with_value(b"[" + b"[]," * 99 + b'"' + b"[{" * 99 + b'\\"[", {}]')
    shallow = (nested(64), nested(63, b"[],[]"), wide, with_value(b"9" * 4000))
    assert read(b"\n".join(shallow)) == []


# Lines


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [b"", b"\n", b"\r", b"\r\n", b"\n\n \t\r\n"])
def test_lines_end_with_line_feeds_only(end: bytes, last: bytes) -> None:
    text = "a\u2028b\u2029c\u0085d\x7f\u202e\ufeff e\u001c"
    payload = {"status": "answered", "answer": text, "\u2028": "\f\v\x1c\x1d\x1e"}
    raw = json.dumps(entry(payload), ensure_ascii=False).encode()
    assert b"\xe2\x80\xa8" in raw
    assert b"\xc2\x85" in raw
    found = read(end.join([raw, b"", b" \t", b"x", raw]) + last)
    assert payloads(found) == [(1, written(payload)), (5, written(payload))]
    assert codes(found) == [(4, "json")]


def test_a_carriage_return_alone_ends_no_line() -> None:
    assert codes(read(GOOD + b"\r" + GOOD + b"\n\r\n\r")) == [(1, "json")]


def test_records_that_look_alike_are_all_reported() -> None:
    lines = [written(entry(YES, id="e1", sessionId="s1"))] * 3
    assert payloads(read(b"\n".join(lines))) == [(line, written(YES)) for line in (1, 2, 3)]


def test_a_long_line_is_a_bad_one_which_is_never_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert journal_lines.MAX_BYTES == 16 * 2**20
    limit = len(GOOD) + 100
    monkeypatch.setattr(journal_lines, "MAX_BYTES", limit)
    just, over = GOOD.ljust(limit), GOOD.ljust(limit + 1)
    long = [over, over + b"\r", just + b"\r ", b" " * (limit + 1), just + b"\r{"]
    found = read(b"\n".join([just, just + b"\r", *long]))
    assert codes(found) == [(line, "length") for line in range(3, 8)]
    assert [line for line, _ in payloads(found)] == [1, 2]
    journal = tmp_path / "journal"
    with journal.open("wb") as stream:
        stream.seek(10**7)
        stream.write(b"\n" + GOOD)
    tracemalloc.start()
    found = list(read_journal(journal, "store"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (codes(found), payloads(found)) == ([(1, "length")], [(2, written(YES))])
    assert peak < 10**6


@pytest.mark.parametrize("strict", [False, True])
def test_a_large_file_takes_no_memory(tmp_path: Path, *, strict: bool) -> None:
    journal = tmp_path / "journal"
    journal.write_bytes((GOOD + b"\n") * 5_000)
    tracemalloc.start()
    count = sum(1 for _ in read_journal(journal, "store", strict=strict))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 5_000
    assert peak < journal.stat().st_size / 4


# Strictly


@pytest.mark.parametrize("code", BAD)
def test_strictly_a_file_with_a_bad_line_is_refused_before_anything_else(code: str) -> None:
    for line in BAD[code]:
        with pytest.raises(RefusedError) as refused:
            read(b"\n".join([GOOD, b"", line, GOOD, line]), strict=True)
        assert refused.value.line == 3


def test_strictly_nothing_is_handed_out_of_a_bad_file(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.write_bytes((GOOD + b"\n") * 100 + b"{")
    found = read_journal(journal, "store", strict=True)
    with pytest.raises(RefusedError):
        next(found)


def test_strictly_a_file_that_becomes_bad_is_refused_when_it_is_seen(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    journal.write_bytes((GOOD + b"\n") * 2)
    found = read_journal(journal, "store", strict=True)
    next(found)
    with journal.open("ab") as stream:
        stream.write(b"{")
    with pytest.raises(RefusedError) as refused:
        list(found)
    assert refused.value.line == 3


def test_strictly_inconsistent_records_and_blank_lines_are_read() -> None:
    data = b"\r\n".join([GOOD, b"", written(entry({"status": "answered"})), b" "])
    assert read(data, strict=True) == read(data)
    assert len(read(data)) == 2


# The adapter


def performed(data: bytes, *, form: str = "store", strict: bool = False) -> list[Record]:
    adapter = ReaderAdapter()
    assert adapter.begin({"role": "journal-reader", "case": "x"}) == {}
    arguments = {"form": form, "base64": b64encode(data).decode(), "strict": strict}
    observations: list[Record] = adapter.perform({"read": arguments})["observations"]
    assert adapter.perform({"advance": {"ms": 1}}) == {"observations": []}
    return observations


def test_the_adapter_reports_records_and_bad_lines_in_the_order_of_the_file() -> None:
    payload = {"status": "answered", "answer": "\ud800x\udfff", "n": 1.0, "__proto__": {"a": 1}}
    seen = performed(b"\n".join([b"{", written(entry(payload)), b"\0"]))
    judged = {"outcome": "answered", "by": "unknown", "human": False, "consistent": True}
    assert seen == [
        {"diagnostic": 1, "code": "json"},
        {"record": 2, "payload": payload, **judged},
        {"diagnostic": 3, "code": "nul"},
    ]
    assert b'"\\ud800x\\udfff","n":1.0,"__proto__":{"a":1' in wire.encode(seen)
    assert performed(GOOD + b"\n{\n{", strict=True) == [{"refused": 2}]
    with pytest.raises(NotImplementedError):
        ReaderAdapter().perform({"ask": {}})


@pytest.mark.parametrize(
    ("does", "seen"),
    [
        (lambda path: path.write_bytes(b""), "journal.jsonl"),
        (lambda path: path.unlink(), "journal.jsonl"),
        (lambda path: path.with_suffix(".lock").touch(), "journal.lock"),
        (lambda path: path.with_name("cache").mkdir(), "cache"),
    ],
)
def test_the_adapter_sees_a_reader_that_writes(
    does: Callable[[Path], object], seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def writing(path: Path, *rest: Any, **named: Any) -> Iterator[Decision | Diagnostic]:
        yield from read_journal(path, *rest, **named)
        does(path)

    assert [one for one in performed(GOOD) if "wrote" in one] == []
    monkeypatch.setattr(journal_reader, "read_journal", writing)
    assert [one for one in performed(GOOD) if "wrote" in one] == [{"wrote": seen}]
