"""Mutants of the reference reader: what it says of bad lines (JRN-092 to JRN-094)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from askproof.mutants import families
from askproof.mutants.journal_reader import ROLE
from askproof.mutants.journal_reader_files import entry, parsed
from askproof.mutants.tables import table
from askproof_reference import journal_lines, journal_reader, reader_adapter
from askproof_reference.journal_judgement import STATUSES, Decision
from askproof_reference.journal_lines import BadLineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from askproof_reference.records import Record

CODES = ("json", "utf-8", "nul", "duplicate-key", "depth", "type", "shape")


# What is said of bad lines


def reports(change: Callable[[list[Record], bytes], list[Record]]) -> Any:
    """Something else is reported, unless strictly; `change` gets what was, and the file."""

    def read(original: Any, self: Any, journal: Path, arguments: Record) -> list[Record]:
        told: list[Record] = original(self, journal, arguments)
        return told if arguments["strict"] else change(told, journal.read_bytes())

    return read


def silent(code: str) -> Any:
    """There is no word of bad lines with a code."""
    return lambda told, _: [one for one in told if one.get("code") != code]


def renamed(code: str, other: str) -> Any:
    """Bad lines with a code get another."""
    return lambda told, _: [
        one | {"code": other} if one.get("code") == code else one for one in told
    ]


def diagnostics(told: list[Record]) -> list[Record]:
    """What is said of bad lines."""
    return [one for one in told if "diagnostic" in one]


def shifted(told: list[Record], by: int) -> list[Record]:
    """The same with other numbers of bad lines."""
    return [
        one | {"diagnostic": one["diagnostic"] + by} if one.get("diagnostic", 1) > 1 else one
        for one in told
    ]


def one_a_run(told: list[Record], _: bytes) -> list[Record]:
    """Of bad lines beside each other only the first is told."""
    bad = [one["diagnostic"] for one in diagnostics(told)]
    return [one for one in told if one.get("diagnostic", 0) - 1 not in bad or "record" in one]


def last_line(data: bytes) -> int:
    """The number of the last line that no line feed ends; 0 if there is none."""
    return data.count(b"\n") + 1 if data and not data.endswith(b"\n") else 0


def of_types(told: list[Record], data: bytes, when: Callable[[Record], Any]) -> list[Record]:
    """Diagnostics are added for lines of which `when` says so."""
    there = [parsed(line) for line in data.split(b"\n")]
    known = [one.get("diagnostic") for one in told]
    return told + [
        {"diagnostic": number, "code": "type"}
        for number, line in enumerate(there, 1)
        if line and number not in known and when(line)
    ]


@families(
    ROLE,
    reader_adapter.ReaderAdapter,
    "read",
    JRN_092={f"of-{code}": silent(code) for code in CODES}
    | {
        "of-all-but-the-first": lambda told, _: [
            one for one in told if "record" in one or one in diagnostics(told)[:1]
        ],
        "of-all-but-the-first-of-a-run": one_a_run,
        "of-a-torn-tail": lambda told, data: [
            one for one in told if one.get("diagnostic") != last_line(data)
        ],
    },
)
def is_silent(original: Any, change: Any, self: Any, journal: Path, arguments: Record) -> Any:
    """The reader is silent {}."""
    return reports(change)(original, self, journal, arguments)


@families(
    ROLE,
    reader_adapter.ReaderAdapter,
    "read",
    JRN_093={f"{code}-as-error": renamed(code, "error") for code in CODES}
    | {
        "utf-8-as-json": renamed("utf-8", "json"),
        "nul-as-json": renamed("nul", "json"),
        "depth-as-json": renamed("depth", "json"),
        "type-as-shape": renamed("type", "shape"),
        "shape-as-type": renamed("shape", "type"),
    },
)
def miscalls(original: Any, change: Any, self: Any, journal: Path, arguments: Record) -> Any:
    """The reader reports {}."""
    return reports(change)(original, self, journal, arguments)


table(
    ROLE,
    reader_adapter.ReaderAdapter,
    "reader",
    {
        "JRN-092 JRN-093 read counts-bad-lines-from-zero": reports(
            lambda told, _: shifted(told, -1)
        ),
        "JRN-092 JRN-093 read names-the-line-after": reports(lambda told, _: shifted(told, 1)),
        "JRN-092 read drops-a-last-line-without-a-line-feed": reports(
            lambda told, data: [one for one in told if one.get("record") != last_line(data)]
        ),
        "JRN-092 read complains-of-a-missing-line-feed": reports(
            lambda told, data: (
                told + [{"diagnostic": last_line(data), "code": "json"}] * (last_line(data) > 0)
            )
        ),
        "JRN-092 read complains-of-empty-files": reports(
            lambda told, data: told if data else [{"diagnostic": 1, "code": "json"}]
        ),
        "JRN-092 read complains-of-inconsistent-records": reports(
            lambda told, _: (
                told
                + [
                    {"diagnostic": one["record"], "code": "shape"}
                    for one in told
                    if not one.get("consistent", True)
                ]
            )
        ),
        "JRN-092 read complains-of-old-records": reports(
            lambda told, _: (
                told
                + [
                    {"diagnostic": one["record"], "code": "shape"}
                    for one in told
                    if one.get("by") == "unknown"
                ]
            )
        ),
        "JRN-092 read complains-of-unknown-types-of-a-host": reports(
            lambda told, data: of_types(
                told, data, lambda it: it.get("type") in ("of_next_year", "", "label")
            )
        ),
        "JRN-092 read complains-of-custom-entries-without-a-type": reports(
            lambda told, data: of_types(
                told,
                data,
                lambda it: it.get("type") == "custom" and not isinstance(it.get("customType"), str),
            )
        ),
        "JRN-092 read complains-of-messages-without-a-payload": reports(
            lambda told, data: of_types(
                told,
                data,
                lambda it: (
                    entry(it).get("type") in ("message", "custom")
                    and "kind" in it
                    and not entry(it).get("payload")
                ),
            )
        ),
        "JRN-092 read complains-of-keys-that-only-look-repeated": reports(
            lambda told, data: (
                told
                + [
                    {"diagnostic": number, "code": "duplicate-key"}
                    for number, line in enumerate(data.split(b"\n"), 1)
                    if b'"Status"' in line and b'"status "' in line
                ]
            )
        ),
        "JRN-092 read counts-brackets-in-texts": reports(
            lambda told, data: (
                told
                + [
                    {"diagnostic": number, "code": "depth"}
                    for number, line in enumerate(data.split(b"\n"), 1)
                    if line.count(b"[{") > 64 and b"]" not in line
                ]
            )
        ),
        "JRN-092 read allows-63-levels": reports(
            lambda told, data: (
                told
                + [
                    {"diagnostic": number, "code": "depth"}
                    for number, line in enumerate(data.split(b"\n"), 1)
                    if line.count(b"[" * 62) == 1 and b"[" * 63 not in line
                ]
            )
        ),
    },
)


# Codes


def is_utf8(line: bytes) -> bool:
    """Whether it is text."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def repeats(line: bytes) -> bool:
    """Whether this is a line of the cases which is too deep, and repeats a key."""
    return b'"kind":"entry","x"' in line


def fails(code: str) -> Any:
    """The line is bad."""
    raise BadLineError(code)


table(
    ROLE,
    journal_lines,
    "reader",
    {
        "JRN-093 decode_text looks-at-characters-before-bytes": lambda original, line: original(
            line.replace(b"\0", b"") if not is_utf8(line) else line
        ),
        "JRN-093 decode finds-repeated-keys-before-depth": lambda original, line: (
            original(line) if not repeats(line) else fails("duplicate-key")
        ),
        "JRN-093 decode counts-levels-before-it-parses": lambda original, line: (
            fails("depth") if line.count(b"[") > 5000 else original(line)
        ),
    },
)


# What is guessed


def guesses(line: Callable[[bytes], Any]) -> Any:
    """A decision is taken from a bad line beside its diagnostic, if there is one to be made up."""

    def read(original: Any, number: int, given: bytes, form: str) -> Iterator[Any]:
        found = [*original(number, given, form)]
        yield from found
        if not found or isinstance(found[0], Decision):
            return
        try:
            payload = made_up(line(given))
        except (ValueError, RecursionError, IndexError):
            return
        if payload is not None:
            yield Decision(number, payload)

    return read


def made_up(line: Any) -> Record | None:
    """The payload of what looks like a line with a decision."""
    if not isinstance(line, dict):
        return None
    payload = entry(line).get("payload", line.get("data"))
    if not isinstance(payload, dict) or payload.get("status") not in STATUSES:
        return None
    return payload if entry(line).get("type") in ("decision", "custom") else None


def first_keys(pairs: list[tuple[str, Any]]) -> Record:
    """An object with the first of members of the same name."""
    return dict(reversed(pairs))


def is_strict_json(line: bytes) -> bool:
    """Whether a line is JSON but for repeated keys, depth and what it means."""
    try:
        json.loads(line, parse_constant=lambda _: fails("json"))
    except (ValueError, RecursionError):
        return False
    return True


def repaired(line: bytes) -> Any:
    """What a torn line holds when its brackets are closed."""
    for tail in (b"}", b"}}", b"}}}"):
        if value := parsed(line + tail):
            return value
    return None


def behind_a_torn_one(line: bytes) -> Any:
    """The record that stands behind half a record."""
    start = max(line.rfind(b'{"kind"'), line.rfind(b'{"type"'))
    return parsed(line[start:]) if b"}" not in line[start - 4 : start] else None


def lenient(line: bytes) -> Any:
    """What a line holds without the commas, comments and marks that are too many."""
    text = re.sub(rb"//[^{}\"]*$|\}$", b"", line)
    text = re.sub(rb",(?=\s*\})", b"", line if text == line else text)
    return parsed(text)


table(
    ROLE,
    journal_reader,
    "reader",
    {
        "JRN-094 read_line takes-the-last-of-two-keys": guesses(
            lambda line: json.loads(line) if is_strict_json(line) and b'"x"' not in line else None
        ),
        "JRN-094 read_line takes-the-first-of-two-keys": guesses(
            lambda line: (
                json.loads(line, object_pairs_hook=first_keys) if is_strict_json(line) else None
            )
        ),
        "JRN-094 read_line takes-the-first-of-two-records": guesses(
            lambda line: json.loads(line[: line.index(b"}{") + 1]) if b"}{" in line else None
        ),
        "JRN-094 read_line takes-the-second-of-two-records": guesses(
            lambda line: json.loads(line[line.rindex(b"}{") + 1 :]) if b"}{" in line else None
        ),
        "JRN-094 read_line takes-a-record-behind-a-torn-one": guesses(behind_a_torn_one),
        "JRN-094 read_line closes-brackets": guesses(repaired),
        "JRN-094 read_line puts-marks-for-bad-bytes": guesses(
            lambda line: json.loads(line.decode("utf-8", "replace")) if not is_utf8(line) else None
        ),
        "JRN-094 read_line leaves-out-bad-bytes": guesses(
            lambda line: json.loads(line.decode("utf-8", "ignore")) if not is_utf8(line) else None
        ),
        "JRN-094 read_line leaves-out-nul-bytes": guesses(
            lambda line: json.loads(line.replace(b"\0", b"")) if b"\0" in line else None
        ),
        "JRN-094 read_line knows-no-depth": guesses(
            lambda line: json.loads(line) if b"[" * 20 in line else None
        ),
        "JRN-094 read_line takes-decisions-of-any-type": guesses(
            lambda line: (
                {**entry(parsed(line)), "type": "decision"} if is_strict_json(line) else None
            )
        ),
        "JRN-094 read_line takes-records-out-of-lists": guesses(
            lambda line: json.loads(line)[0] if line.startswith(b"[") else None
        ),
        "JRN-094 read_line forgives-commas-and-comments": guesses(lenient),
        "JRN-094 read_line allows-nan": guesses(
            lambda line: json.loads(line) if not is_strict_json(line) else None
        ),
        "JRN-094 read_line allows-raw-control-characters": guesses(
            lambda line: json.loads(line, strict=False) if not is_strict_json(line) else None
        ),
    },
)
table(
    ROLE,
    journal_lines,
    "reader",
    {"JRN-094 JRN-092 JRN-093 JRN-095 repeats_a_key knows-no-repeated-keys": lambda *_: False},
)
