"""Mutants of the reference reader: bad lines, and its strict mode (JRN-092 to JRN-096)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from askproof.mutants import breaks, families
from askproof.mutants.journal_reader import ROLE, diagnostics
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


def renamed(code: str) -> Any:
    """Bad lines with a code get one of the reader's own."""
    return lambda told, _: [
        one | {"code": "error"} if one.get("code") == code else one for one in told
    ]


def one_a_run(told: list[Record], _: bytes) -> list[Record]:
    """Of bad lines beside each other only the first is told."""
    bad = [one["diagnostic"] for one in diagnostics(told)]
    return [one for one in told if one.get("diagnostic", 0) - 1 not in bad or "record" in one]


def last_line(data: bytes) -> int:
    """The number of the last line that no line feed ends; 0 if there is none."""
    return data.count(b"\n") + 1 if data and not data.endswith(b"\n") else 0


def complains_if(when: Callable[[Record], Any]) -> Any:
    """There are diagnostics for the lines of decisions of which `when` says so."""
    return reports(
        lambda told, _: (
            told
            + [
                {"diagnostic": one["record"], "code": "shape"}
                for one in told
                if "record" in one and when(one)
            ]
        )
    )


def complains_of(code: str, when: Callable[[bytes], Any]) -> Any:
    """There are diagnostics for lines of which `when` says so."""
    return reports(
        lambda told, data: (
            told
            + [
                {"diagnostic": number, "code": code}
                for number, line in enumerate(data.split(b"\n"), 1)
                if when(line)
            ]
        )
    )


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
    JRN_093={f"{code}-as-error": renamed(code) for code in ("json", "shape")},
)
def miscalls(original: Any, change: Any, self: Any, journal: Path, arguments: Record) -> Any:
    """The reader reports {}."""
    return reports(change)(original, self, journal, arguments)


table(
    ROLE,
    reader_adapter.ReaderAdapter,
    "reader",
    {
        "JRN-092 read drops-a-last-line-without-a-line-feed": reports(
            lambda told, data: [one for one in told if one.get("record") != last_line(data)]
        ),
        "JRN-092 read complains-of-empty-files": reports(
            lambda told, data: told if data else [{"diagnostic": 1, "code": "json"}]
        ),
        "JRN-092 read complains-of-inconsistent-records": complains_if(
            lambda one: not one["consistent"]
        ),
        "JRN-092 read complains-of-old-records": complains_if(lambda one: one["by"] == "unknown"),
        "JRN-092 read complains-of-unknown-types-of-a-host": reports(
            lambda told, data: of_types(
                told, data, lambda it: it.get("type") in ("of_next_year", "", "label")
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
        "JRN-092 read complains-of-keys-that-only-look-repeated": complains_of(
            "duplicate-key", lambda line: b'"Status"' in line and b'"status "' in line
        ),
        "JRN-092 read counts-brackets-in-texts": complains_of(
            "depth", lambda line: line.count(b"[{") > 64 and b"]" not in line
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
        "JRN-093 decode parses-before-it-counts-levels": lambda original, line: (
            fails("json") if line.count(b"[") > 64 and not parsed(line) else original(line)
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


def repaired(line: bytes) -> Any:
    """What a torn line holds when its brackets are closed."""
    for tail in (b"}", b"}}", b"}}}"):
        if value := parsed(line + tail):
            return value
    return None


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
        "JRN-094 read_line takes-the-first-of-two-records": guesses(
            lambda line: json.loads(line[: line.index(b"}{") + 1]) if b"}{" in line else None
        ),
        "JRN-094 read_line closes-brackets": guesses(repaired),
        "JRN-094 read_line puts-marks-for-bad-bytes": guesses(
            lambda line: json.loads(line.decode("utf-8", "replace")) if not is_utf8(line) else None
        ),
        "JRN-094 read_line leaves-out-nul-bytes": guesses(
            lambda line: json.loads(line.replace(b"\0", b"")) if b"\0" in line else None
        ),
        "JRN-094 read_line knows-no-depth": guesses(
            lambda line: json.loads(line) if b"[" * 20 in line else None
        ),
        "JRN-094 read_line takes-records-out-of-lists": guesses(
            lambda line: json.loads(line)[0] if line.startswith(b"[") else None
        ),
        "JRN-094 read_line forgives-commas-and-comments": guesses(lenient),
    },
)
table(
    ROLE,
    journal_lines,
    "reader",
    {"JRN-094 JRN-092 JRN-093 JRN-095 repeats_a_key knows-no-repeated-keys": lambda *_: False},
)

# The strict mode


def strictly(change: Callable[[list[Record], bytes, Any], list[Record]]) -> Any:
    """The same in strict mode; `change` also gets a way to read the file tolerantly."""

    def read(original: Any, self: Any, journal: Path, arguments: Record) -> list[Record]:
        told: list[Record] = original(self, journal, arguments)
        if not arguments["strict"]:
            return told
        tolerant = original(self, journal, {**arguments, "strict": False})
        return change(told, journal.read_bytes(), tolerant)

    return read


def refused_if(when: Callable[[Record], Any]) -> Any:
    """The strict mode refuses a file for a record of which `when` says so."""
    return strictly(
        lambda told, _, __: next(
            ([{"refused": one["record"]}] for one in told if "record" in one and when(one)), told
        )
    )


def refused_for(when: Callable[[list[Record], bytes], Any]) -> Any:
    """The strict mode refuses a good file of which `when` says so."""
    return strictly(lambda told, data, _: [{"refused": 1}] if when(told, data) else told)


def reads_on(original: Any, self: Any, journal: Path, arguments: Record) -> list[Record]:
    """Read what was added since the last time."""
    told: list[Record] = original(self, journal, arguments)
    data, before = journal.read_bytes(), vars(self).get("before", b"")
    self.before = data
    if before and data != before and data.startswith(before):
        return [one for one in told if one.get("record", 10**9) > before.count(b"\n")]
    return told


table(
    ROLE,
    reader_adapter.ReaderAdapter,
    "reader",
    {
        "JRN-089 read reads-what-is-new": reads_on,
        "JRN-095 read hands-out-what-comes-long-before": strictly(
            lambda told, _, tolerant: (
                [one for one in tolerant if "record" in one] + told if len(tolerant) > 50 else told
            )
        ),
        "JRN-095 read names-the-last-bad-line": strictly(
            lambda told, _, tolerant: (
                [{"refused": diagnostics(tolerant)[-1]["diagnostic"]}]
                if told and "refused" in told[0]
                else told
            )
        ),
        "JRN-095 read tolerates-a-torn-tail": strictly(
            lambda told, data, tolerant: (
                tolerant
                if [one["diagnostic"] for one in diagnostics(tolerant)] == [last_line(data)]
                else told
            )
        ),
        "JRN-095 read tolerates-bad-lines-that-are-no-decisions": strictly(
            lambda told, data, tolerant: (
                tolerant
                if told
                and "refused" in told[0]
                and b"decision" not in data.split(b"\n")[told[0]["refused"] - 1]
                and b"message" in data.split(b"\n")[told[0]["refused"] - 1]
                else told
            )
        ),
        "JRN-096 read refuses-inconsistent-files": refused_if(lambda one: not one["consistent"]),
        "JRN-096 read refuses-old-records": refused_if(lambda one: one["by"] == "unknown"),
        "JRN-096 read refuses-a-missing-line-feed": refused_for(
            lambda told, data: last_line(data) and told and "record" in told[0]
        ),
        "JRN-096 read refuses-unknown-sessions": refused_for(lambda _, data: b'"s9"' in data),
    },
)


@breaks("JRN-095", ROLE, journal_reader, "refuse_bad_lines")
def strictly_allows_duplicate_key(original: Any, found: Any) -> Iterator[Any]:
    """The reader allows repeated keys in strict mode."""
    yield from original(one for one in found if getattr(one, "code", "") != "duplicate-key")
