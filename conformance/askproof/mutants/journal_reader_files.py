"""Mutants of the reference reader: its lines, and what it finds in a file (JRN-089 to JRN-098)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from askproof.mutants.journal_reader import ROLE
from askproof.mutants.tables import table
from askproof_reference import journal_lines, journal_reader
from askproof_reference.journal_judgement import Decision
from askproof_reference.journal_reader import Diagnostic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from askproof_reference.records import Record

Found = list[Decision | Diagnostic]


# Lines


def splits(at: bytes) -> Any:
    """Lines end at what matches too."""
    return lambda _, stream: (
        line.removesuffix(b"\r") for line in re.split(at + rb"|\n", stream.read())
    )


def splits_at_pairs(original: Any, stream: Any) -> Iterator[bytes]:
    """The lines of a file with a carriage return before a line feed end there only."""
    data = stream.read()
    stream.seek(0)
    yield from data.split(b"\r\n") if b"\r\n" in data else original(stream)


table(
    ROLE,
    journal_lines,
    "reader",
    {
        "JRN-090 split ends-lines-at-carriage-returns": splits(rb"\r\n?"),
        "JRN-090 split ends-lines-at-form-feeds": splits(rb"\f"),
        "JRN-090 split ends-lines-at-vertical-tabs": splits(rb"\v"),
        "JRN-090 split ends-lines-at-file-separators": splits(rb"\x1c"),
        "JRN-090 split ends-lines-at-group-separators": splits(rb"\x1d"),
        "JRN-090 split ends-lines-at-record-separators": splits(rb"\x1e"),
        "JRN-090 split ends-lines-at-u+2028": splits("\u2028".encode()),
        "JRN-090 split ends-lines-at-u+2029": splits("\u2029".encode()),
        "JRN-090 split ends-lines-at-u+0085": splits("\u0085".encode()),
        "JRN-090 split ends-lines-at-escapes": splits(rb"(?<!\\)\\n(?=b)"),
        "JRN-090 split ends-lines-as-the-first-does": splits_at_pairs,
        "JRN-092 JRN-096 is_blank complains-of-blank-lines": lambda *_: False,
        "JRN-092 JRN-096 is_blank complains-of-lines-of-blanks": lambda _, line: (
            line
            in (
                b"",
                b"\r",
            )
        ),
        "JRN-080 decode reads-compact-lines-only": lambda original, line: (
            {"kind": "session", "session": {}} if line.startswith(b" ") else original(line)
        ),
    },
)


# What is found in a file


def finds(change: Callable[[Found, list[Record]], Iterator[Any] | Found]) -> Any:
    """Something else is found, unless strictly; `change` gets what was, and the lines as JSON."""

    def read(original: Any, path: Path, form: str, *, strict: bool = False) -> Iterator[Any]:
        found = [*original(path, form, strict=strict)]
        yield from found if strict else change(found, lines(path))

    return read


def lines(path: Path) -> list[Record]:
    """The lines of a file; what is no object is an empty one."""
    return [parsed(line) for line in path.read_bytes().split(b"\n")]


def parsed(line: bytes) -> Record:
    """The object of a line, or an empty one."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def entry(line: Record) -> Record:
    """What a line of either form says of its entry."""
    held = line.get("entry", line)
    return held if isinstance(held, dict) else {}


def once(key: Callable[[Decision, Record], Any], *, last: bool = False) -> Any:
    """Of decisions with the same key only one is found; none has the key None."""

    def change(found: Found, there: list[Record]) -> Iterator[Any]:
        seen: list[Any] = []
        kept: Found = []
        for one in reversed(found) if last else found:
            name = key(one, there[one.line - 1]) if isinstance(one, Decision) else None
            if name is None or name not in seen:
                kept.append(one)
            seen.append(name)
        yield from reversed(kept) if last else kept

    return finds(change)


def drops(when: Callable[[Decision, list[Record]], Any]) -> Any:
    """Decisions are not found where `when` says so."""
    return finds(
        lambda found, there: [
            one for one in found if not (isinstance(one, Decision) and when(one, there))
        ]
    )


def complains(when: Callable[[Decision, list[Record]], Any]) -> Any:
    """The same decisions are found with a diagnostic."""

    def change(found: Found, there: list[Record]) -> Iterator[Any]:
        for one in found:
            yield one
            if isinstance(one, Decision) and when(one, there):
                yield Diagnostic(one.line, "shape")

    return finds(change)


def sessions(there: list[Record]) -> list[Any]:
    """The sessions that have a line, by id, in order."""
    return [
        line["session"]["id"]
        for line in there
        if isinstance(line.get("session"), dict) and "id" in line["session"]
    ]


def is_early(one: Decision, there: list[Record]) -> bool:
    """Whether the line of a decision's session comes after it."""
    name = entry(there[one.line - 1]).get("sessionId")
    return name not in sessions(there[: one.line]) and name in sessions(there)


def is_homeless(one: Decision, there: list[Record]) -> bool:
    """Whether the session of a decision in a store has no line."""
    line = there[one.line - 1]
    return "kind" in line and entry(line).get("sessionId", "s1") not in sessions(there)


def is_of_another(one: Decision, there: list[Record]) -> bool:
    """Whether a decision is of another session than the first that has a line."""
    name, known = entry(there[one.line - 1]).get("sessionId"), sessions(there)
    return name in known[1:] and name != known[0]


def repeats_an_id(one: Decision, there: list[Record]) -> bool:
    """Whether an entry before has the same id."""
    name = entry(there[one.line - 1]).get("id")
    return name is not None and name in [entry(line).get("id") for line in there[: one.line - 1]]


def when(one: Decision | Diagnostic, there: list[Record]) -> str:
    """The time of an entry, as it is written."""
    said = entry(there[one.line - 1])
    return str(said.get("createdAt", said.get("timestamp", "")))


def whole(found: Found) -> Found:
    """Nothing, if there is a bad line; else what was found."""
    return [one for one in found if isinstance(one, Diagnostic)] or found


def bad_lines(found: Found) -> list[int]:
    """The numbers of the bad lines."""
    return [one.line for one in found if isinstance(one, Diagnostic)]


def up_to(found: Found, stops: Callable[[Diagnostic], bool]) -> Iterator[Any]:
    """What was found, up to a bad line."""
    for one in found:
        yield one
        if isinstance(one, Diagnostic) and stops(one):
            return


def beside(shift: int) -> Any:
    """What stands beside a bad line is lost with it, if it is a decision."""
    return finds(
        lambda found, _: [
            one
            for one in found
            if isinstance(one, Diagnostic) or one.line - shift not in bad_lines(found)
        ]
    )


def blank_lines_uncounted(found: Found, there: list[Record], path: Path) -> Iterator[Any]:
    """What was found, with numbers that leave out blank lines."""
    blank = [not line.strip() for line in path.read_bytes().split(b"\n")]
    for one in found:
        number = one.line - sum(blank[: one.line])
        yield (
            Decision(number, one.payload)
            if isinstance(one, Decision)
            else Diagnostic(number, one.code)
        )


def read_uncounted(original: Any, path: Path, form: str, *, strict: bool = False) -> Iterator[Any]:
    """The same as a way to read."""
    found = [*original(path, form, strict=strict)]
    yield from found if strict else blank_lines_uncounted(found, lines(path), path)


table(
    ROLE,
    journal_reader,
    "reader",
    {
        # Order and sessions
        "JRN-080 read_journal sorts-by-time": finds(
            lambda found, there: (
                found if bad_lines(found) else sorted(found, key=lambda one: when(one, there))
            )
        ),
        "JRN-080 read_journal reads-the-first-session-only": drops(is_of_another),
        "JRN-098 read_journal drops-what-comes-before-its-session": drops(is_early),
        "JRN-098 read_journal drops-what-has-no-session": drops(is_homeless),
        "JRN-098 read_journal drops-what-names-no-session": drops(
            lambda one, there: (
                "kind" in there[one.line - 1]
                and "createdAt" in entry(there[one.line - 1])
                and "sessionId" not in entry(there[one.line - 1])
            )
        ),
        "JRN-098 read_journal wants-a-header": drops(
            lambda one, there: (
                "timestamp" in entry(there[one.line - 1])
                and "session" not in [line.get("type") for line in there]
                and there[0].get("parentId", 0) is None
                and len(there) > 2
            )
        ),
        "JRN-098 JRN-089 read_journal keeps-one-entry-an-id": drops(repeats_an_id),
        "JRN-092 read_journal complains-of-repeated-ids": complains(repeats_an_id),
        "JRN-092 read_journal complains-of-unknown-sessions": complains(is_homeless),
        # Decisions that have something in common
        "JRN-089 read_journal keeps-the-first-of-a-decision-id": once(
            lambda one, _: one.payload.get("decisionId")
        ),
        "JRN-089 read_journal keeps-the-last-of-a-decision-id": once(
            lambda one, _: one.payload.get("decisionId"), last=True
        ),
        "JRN-089 read_journal keeps-one-of-equal-records": once(lambda one, _: one.payload),
        "JRN-089 read_journal keeps-one-of-equal-lines": once(lambda _, line: line),
        "JRN-089 read_journal keeps-one-of-an-id-and-a-status": once(
            lambda one, _: (one.payload.get("decisionId"), one.payload["status"])
        ),
        "JRN-089 read_journal forgets-a-session-that-is-opened-again": drops(
            lambda one, there: (
                sessions(there[one.line :]).count("s1") > 0
                and sessions(there[: one.line]).count("s1") > 0
            )
        ),
        # Bad lines
        "JRN-091 read_journal stops-at-a-bad-line": finds(
            lambda found, _: up_to(found, lambda _: True)
        ),
        "JRN-091 read_journal stops-at-a-nul": finds(
            lambda found, _: up_to(found, lambda one: one.code == "nul")
        ),
        "JRN-091 read_journal stops-at-bytes-that-are-no-text": finds(
            lambda found, _: up_to(found, lambda one: one.code == "utf-8")
        ),
        "JRN-091 read_journal stops-where-it-is-too-deep": finds(
            lambda found, _: up_to(found, lambda one: one.code == "depth")
        ),
        "JRN-091 read_journal wants-a-good-first-line": finds(
            lambda found, _: found if 1 not in bad_lines(found) else whole(found)
        ),
        "JRN-091 read_journal wants-a-good-last-line": finds(
            lambda found, there: (
                found if not {len(there), len(there) - 1} & {*bad_lines(found)} else whole(found)
            )
        ),
        "JRN-091 read_journal forgets-a-file-with-bad-lines": finds(lambda found, _: whole(found)),
        "JRN-091 read_journal gives-up-after-three-bad-lines": finds(
            lambda found, _: found if len(bad_lines(found)) < 4 else whole(found)
        ),
        "JRN-091 read_journal loses-what-follows-a-bad-line": beside(1),
        "JRN-091 read_journal loses-what-precedes-a-bad-line": beside(-1),
        "JRN-091 read_journal loses-what-follows-two-bad-lines": finds(
            lambda found, _: [
                one
                for one in found
                if isinstance(one, Diagnostic)
                or not {one.line - 1, one.line - 2} <= {*bad_lines(found)}
            ]
        ),
        "JRN-090 JRN-092 read_journal counts-no-blank-lines": read_uncounted,
    },
)
