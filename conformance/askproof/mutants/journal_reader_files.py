"""Mutants of the reference reader: the lines and entries of a file (JRN-080 to JRN-098)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from askproof.mutants.journal_reader import ROLE
from askproof.mutants.tables import table
from askproof_reference import journal_lines, journal_reader
from askproof_reference.journal_judgement import STATUSES, Decision
from askproof_reference.journal_lines import BadLineError
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
        "JRN-090 split ends-lines-at-u+2029": splits("\u2029".encode()),
        "JRN-090 split ends-lines-at-escapes": splits(rb"(?<!\\)\\n(?=b)"),
        "JRN-090 split ends-lines-as-the-first-does": splits_at_pairs,
        "JRN-080 decode reads-compact-lines-only": lambda original, line: (
            {"kind": "session", "session": {}} if line.startswith(b" ") else original(line)
        ),
    },
)


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


# What a line must have


def refuses(when: Callable[[Record], Any]) -> Any:
    """A decision is a bad line where `when` says so."""

    def refuse(original: Any, payload: Any) -> Record:
        known: Record = original(payload)
        if when(known):
            raise BadLineError("shape")
        return known

    return refuse


def wants_an_id(original: Any, line: Record) -> Any:
    """A decision of a store is a bad line if its entry has no id."""
    payload = original(line)
    if payload is not None and "id" not in line["entry"]:
        raise BadLineError("shape")
    return payload


def statuses(read: Callable[[str], str]) -> Any:
    """A status is one if it is after a change."""

    def known(original: Any, payload: Any) -> Record:
        if isinstance(payload, dict) and isinstance(payload.get("status"), str):
            original({"status": read(payload["status"])})
            return payload
        return original(payload)  # type: ignore[no-any-return]

    return known


table(
    ROLE,
    journal_reader,
    "reader",
    {
        "JRN-081 with_known_status wants-metadata": refuses(lambda it: "metadata" not in it),
        "JRN-081 with_known_status wants-texts-for-ids": refuses(
            lambda it: not isinstance(it.get("decisionId", ""), str)
        ),
        "JRN-081 stored_decision wants-ids-of-entries": wants_an_id,
        "JRN-094 JRN-092 with_known_status reads-statuses-in-any-case": statuses(str.lower),
    },
)


# What is a decision


def also_in(which: Callable[[Record], Any]) -> Any:
    """A decision is found in other entries too; `which` gives what may be one."""

    def find(original: Any, line: Record) -> Any:
        payload = original(line)
        other = which(line) if payload is None else None
        known = isinstance(other, dict) and other.get("status") in STATUSES
        return other if known else payload

    return find


table(
    ROLE,
    journal_reader,
    "reader",
    {
        "JRN-080 stored_decision takes-quotations": also_in(lambda it: entry(it).get("payload")),
        "JRN-080 session_decision takes-custom-entries-of-others": also_in(
            lambda it: it.get("data") if it.get("type") == "custom" else None
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


def once(key: Callable[[Decision, Record], Any]) -> Any:
    """Of decisions with the same key only the first is found; none has the key None."""

    def change(found: Found, there: list[Record]) -> Iterator[Any]:
        seen: list[Any] = []
        for one in found:
            name = key(one, there[one.line - 1]) if isinstance(one, Decision) else None
            if name is None or name not in seen:
                yield one
            seen.append(name)

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
        "JRN-089 read_journal keeps-one-of-equal-lines": once(lambda _, line: line),
        "JRN-089 read_journal forgets-a-session-that-is-opened-again": drops(
            lambda one, there: (
                sessions(there[one.line :]).count("s1") > 0
                and sessions(there[: one.line]).count("s1") > 0
            )
        ),
        # Bad lines
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
        "JRN-091 read_journal gives-up-after-three-bad-lines": finds(
            lambda found, _: found if len(bad_lines(found)) < 4 else whole(found)
        ),
        "JRN-091 read_journal loses-what-follows-two-bad-lines": finds(
            lambda found, _: [
                one
                for one in found
                if isinstance(one, Diagnostic)
                or not {one.line - 1, one.line - 2} <= {*bad_lines(found)}
            ]
        ),
    },
)
