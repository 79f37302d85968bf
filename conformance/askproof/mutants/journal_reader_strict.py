"""Mutants of the reference reader: its strict mode, and what it writes (JRN-095 to JRN-097)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askproof.mutants import families
from askproof.mutants.journal_reader import ROLE
from askproof.mutants.journal_reader_faults import CODES, diagnostics, last_line
from askproof.mutants.tables import table
from askproof_reference import journal_reader, reader_adapter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from askproof_reference.records import Record


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
        # The strict mode
        "JRN-095 read reads-strictly-as-tolerantly": strictly(lambda _, __, tolerant: tolerant),
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
        "JRN-095 read counts-refused-lines-from-zero": strictly(
            lambda told, _, __: [
                {"refused": one["refused"] - 1} if one.get("refused", 0) > 1 else one
                for one in told
            ]
        ),
        "JRN-095 read tolerates-a-torn-tail": strictly(
            lambda told, data, tolerant: (
                tolerant
                if [one["diagnostic"] for one in diagnostics(tolerant)] == [last_line(data)]
                else told
            )
        ),
        "JRN-095 read tolerates-one-bad-line-in-a-hundred": strictly(
            lambda told, _, tolerant: (
                tolerant if len(tolerant) > 100 and len(diagnostics(tolerant)) == 1 else told
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
        "JRN-096 read refuses-blank-lines": refused_for(
            lambda told, data: b"\n\n" in data and told and "record" in told[0]
        ),
        "JRN-096 read refuses-types-of-hosts": refused_for(
            lambda told, data: b"of_next_year" in data
        ),
        "JRN-096 read refuses-unknown-sessions": refused_for(lambda _, data: b'"s9"' in data),
        "JRN-096 read leaves-out-timeouts-strictly": strictly(
            lambda told, _, __: [one for one in told if one.get("outcome") != "timed-out"]
        ),
        "JRN-096 read leaves-out-inconsistent-records-strictly": strictly(
            lambda told, _, __: [one for one in told if one.get("consistent", True)]
        ),
        "JRN-096 read leaves-out-old-records-strictly": strictly(
            lambda told, _, __: [one for one in told if one.get("by") != "unknown"]
        ),
    },
)


@families(
    ROLE,
    journal_reader,
    "refuse_bad_lines",
    JRN_095={code: code for code in CODES},
)
def strictly_allows(original: Any, code: str, found: Any) -> Iterator[Any]:
    """The reader allows {} in strict mode."""
    yield from original(one for one in found if getattr(one, "code", "") != code)


# What is written


def writes(change: Callable[[Path, list[Record], Record], Any]) -> Any:
    """Something is written; `change` gets the file, what was reported, and the arguments."""

    def read(original: Any, self: Any, journal: Path, arguments: Record) -> list[Record]:
        told: list[Record] = original(self, journal, arguments)
        change(journal, told, arguments)
        return told

    return read


def if_torn(change: Callable[[bytes], bytes]) -> Any:
    """The file is changed if no line feed ends it."""

    def write(journal: Path, _: list[Record], __: Record) -> None:
        data = journal.read_bytes()
        if data and not data.endswith(b"\n"):
            journal.write_bytes(change(data))

    return writes(write)


def without_bad_lines(journal: Path, told: list[Record], _: Record) -> None:
    """Write a file anew without its bad lines, if they are several."""
    bad = [one["diagnostic"] for one in diagnostics(told)]
    there = journal.read_bytes().split(b"\n")
    if len(bad) > 1 and len(told) > len(bad) + 1:
        journal.write_bytes(b"\n".join(x for n, x in enumerate(there, 1) if n not in bad))


table(
    ROLE,
    reader_adapter.ReaderAdapter,
    "reader",
    {
        "JRN-097 read ends-a-torn-line": if_torn(lambda data: data + b"\n"),
        "JRN-097 read cuts-off-a-torn-line": if_torn(lambda data: data[: data.rfind(b"\n") + 1]),
        "JRN-097 read removes-bad-lines": writes(without_bad_lines),
        "JRN-097 read marks-a-file-as-read": writes(
            lambda journal, told, _: (
                journal.write_bytes(journal.read_bytes() + b'{"type":"read"}\n')
                if told and told[0].get("record") == 1
                else None
            )
        ),
        "JRN-097 read leaves-a-lock": writes(
            lambda journal, told, arguments: (
                journal.with_suffix(".lock").touch()
                if arguments["strict"] and told and "record" in told[0]
                else None
            )
        ),
        "JRN-097 read leaves-a-report-of-what-it-refuses": writes(
            lambda journal, told, arguments: (
                journal.with_suffix(".bad").write_text(str(told))
                if told and told[0].get("refused", 100) < 100
                else None
            )
        ),
    },
)
