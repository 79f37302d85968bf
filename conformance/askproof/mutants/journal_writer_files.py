"""Mutants of the reference writer: its ids, the text of its records, and its two journals."""

from __future__ import annotations

import errno
import json
import re
from itertools import takewhile
from typing import Any
from unicodedata import normalize

from askproof.mutants import breaks
from askproof.mutants.journal_writer_asks import ROLE
from askproof.mutants.tables import after, before, put, table
from askproof_reference import decisions, ids, journals
from askproof_reference.journals import LineFile, SessionJournal, Store
from askproof_reference.writer import Writer

# Ids


def lower_ascii(text: str) -> str:
    """A text with only the letters of the alphabet in lower case."""
    return "".join(one.lower() if one.isascii() else one for one in text)


def slug_of(text: str) -> str:
    """What the reference makes of a text as it is."""
    return re.sub("[^a-z0-9]+", "-", text).removeprefix("-").removesuffix("-")


IDS: dict[str, Any] = {
    "JRN-053 slug lowers-the-alphabet-only": lambda _, text: slug_of(lower_ascii(text)),
    "JRN-053 slug reads-other-digits": before(
        lambda it, *_: "".join(str(int(one)) if one.isdecimal() else one for one in it)
    ),
    "JRN-053 slug calls-nothing-decision": after(
        lambda slug, _: "ask-decision" if slug == "ask" else slug
    ),
    "JRN-053 decision_id takes-hyphens-away-last": after(lambda it, _: it.removesuffix("-")),
    "JRN-054 question_id fills-with-zeros": after(lambda it, _: f"q_{it[2:]:0>8}"),
    "JRN-054 JRN-053 question_id is-cut": after(lambda it, _: it[:8]),
}
table(ROLE, ids, "id", IDS)

# Text


def writing(change: Any) -> Any:
    """Texts are written otherwise, in every answer and question."""

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            return {name: changed(item) for name, item in value.items()}
        return value

    return after(
        lambda record, _: record | {name: changed(record[name]) for name in TEXTS & record.keys()}
    )


TEXTS = {"question", "answer"}


def without(*characters: str) -> Any:
    """Some characters are left out."""
    return writing(lambda text: text.translate(dict.fromkeys(map(ord, characters))))


def without_inherited_names(answer: Any) -> dict[str, Any]:
    """The answer as a member, without labels that JavaScript gives a meaning."""
    if not isinstance(answer, dict):
        return {}
    kept = [one for one in answer["selectedOptions"] if not one.startswith("__")]
    return {"answer": answer | {"selectedOptions": kept}}


DECISIONS: dict[str, Any] = {
    "JRN-052 decision takes-separators-for-line-feeds": writing(
        lambda text: re.sub("[\u2028\u2029\u0085]", "\n", text)
    ),
    "JRN-052 decision trims": writing(lambda text: text.strip(" \t\u00a0\ufeff")),
    "JRN-052 decision escapes-twice": writing(lambda text: text.replace("\\", "\\\\")),
    "JRN-052 decision leaves-out-inherited-names": after(
        lambda record, outcome: record | without_inherited_names(outcome.answer)
    ),
    "JRN-052 decision writes-line-feeds-only": writing(
        lambda text: text.replace("\r\n", "\n").replace("\r", "\n")
    ),
    "JRN-052 decision normalizes": writing(lambda text: normalize("NFC", text)),
    "JRN-052 decision leaves-out-overrides": without("\u202e", "\u202c", "\u2066", "\u2069"),
    "JRN-052 decision leaves-out-control-characters": without("\0", "\1", "\x1b", "\x7f"),
    "JRN-052 decision knows-no-emoji": writing(
        lambda text: "".join(one if ord(one) < 0x10000 else "\ufffd" for one in text)
    ),
    "JRN-052 decision replaces-lone-surrogates": writing(
        lambda text: text.encode("utf-8", "replace").decode()
    ),
    "JRN-052 decision cuts-at-65536": writing(lambda text: text[:65_536]),
}
table(ROLE, decisions, "text", DECISIONS)

# Both journals


def skipping(journal: str, when: Any) -> Any:
    """One journal is not written where `when` says so of the records."""

    def write(original: Any, self: Writer, records: Any) -> Any:
        every = self.journals
        self.journals = {
            name: one for name, one in every.items() if name != journal or not when(records)
        }
        told = original(self, records)
        self.journals = every
        return told

    return write


def of_one(**members: Any) -> Any:
    """Whether the metadata of any of the records has these members."""
    return lambda records: any(members.items() <= one["metadata"].items() for one in records)


def forgetting(number: int) -> Any:
    """Nothing is said where a journal fails with this error."""
    return after(lambda fault, *_: fault if fault is None or fault.errno != number else None)


def stopping(number: int, *order: str) -> Any:
    """The journals are written in this order, and none after one that fails with this error."""

    def write(_: Any, self: Writer, records: Any) -> list[str]:
        told: dict[str, str] = {}
        for record in records:
            for name in order:
                fault = self.write_to(self.journals[name], record)
                if fault is not None:
                    told[name] = self.diagnostic(name, fault)
                    if fault.errno == number:
                        return [*told.values()]
        return [*told.values()]

    return write


NAMES = ("session", "store")

WRITER: dict[str, Any] = {
    "JRN-060 JRN-031 JRN-061 write keeps-texts-from-the-store": skipping(
        "store", of_one(answerSource="human", kind="text")
    ),
    "JRN-060 JRN-031 JRN-033 write keeps-cancelled-ones-from-the-session": skipping(
        "session", lambda records: any(one["status"] == "cancelled" for one in records)
    ),
    "JRN-061 write stops-when-the-session-is-denied": stopping(errno.EACCES, *NAMES),
    "JRN-061 write stops-when-the-store-is-full": stopping(errno.ENOSPC, *NAMES[::-1]),
    "JRN-061 write stops-when-the-store-is-denied": stopping(errno.EACCES, *NAMES[::-1]),
    "JRN-062 write_to says-nothing-of-a-full-disk": forgetting(errno.ENOSPC),
    "JRN-062 write_to says-nothing-of-a-read-only-disk": forgetting(errno.EROFS),
    "JRN-062 write_to says-nothing-of-permissions": forgetting(errno.EACCES),
}
table(ROLE, Writer, "writer", WRITER)


@breaks("JRN-031", ROLE, Writer, "write", "JRN-064")
def gives_a_journal_up(original: Any, self: Writer, records: Any) -> Any:
    """Never writes again to a journal that has failed once."""
    told = original(self, records)
    failed = {text.split()[1] for text in told}
    put(self, journals={name: one for name, one in self.journals.items() if name not in failed})
    return told


# One file


def line(change: Any) -> Any:
    """The store has other lines; `change` gets one, and the file."""

    def append(original: Any, self: LineFile, value: Any) -> None:
        if self.path.name == "store.jsonl" and value.get("kind") == "entry":
            self.write(change(self.fresh_start() + journals.line_of(value), value))
        else:
            original(self, value)

    return append


def beginning(when: Any, start: bytes = b"\n") -> Any:
    """Where `when` says so of a file that there is already, a line begins so."""

    def fresh_start(original: Any, self: LineFile) -> Any:
        held = self.path.read_bytes() if self.path.exists() else None
        if held is None or self.path.name != "store.jsonl":
            return original(self)
        return start if when(held) else original(self)

    return fresh_start


def is_utf8(data: bytes) -> bool:
    """Whether these bytes are a text."""
    return data.decode(errors="ignore").encode() == data


def is_json(line: bytes) -> bool:
    """Whether a line holds JSON, or nothing."""
    try:
        json.loads(line or b"0")
    except ValueError:
        return False
    return True


def once(original: Any, self: LineFile) -> Any:
    """Look at the end of the file once only."""
    looked = vars(self).get("looked")
    put(self, looked=True)
    return b"" if looked and self.path.name == "store.jsonl" else original(self)


FILES: dict[str, Any] = {
    "JRN-063 JRN-064 append begins-every-line": line(lambda it, _: b"\n" + it),
    "JRN-063 JRN-052 JRN-064 append writes-latin-1": line(
        lambda it, value: json.dumps(value, ensure_ascii=False).encode("latin-1", "replace") + b"\n"
    ),
    "JRN-063 fresh_start ends-a-torn-line-again-and-again": beginning(
        lambda it: not all(map(is_json, it.splitlines())) and it.endswith(b"\n")
    ),
    "JRN-064 fresh_start reads-text": beginning(lambda it: not is_utf8(it), b""),
    "JRN-064 fresh_start takes-a-brace-for-an-end": beginning(lambda it: it.endswith(b"}"), b""),
    "JRN-064 fresh_start takes-a-carriage-return-for-an-end": beginning(
        lambda it: it.endswith(b"\r"), b""
    ),
    "JRN-064 fresh_start takes-a-separator-for-an-end": beginning(
        lambda it: it.endswith("\u2028".encode()), b""
    ),
    "JRN-064 fresh_start looks-once": once,
}
table(ROLE, LineFile, "file", FILES)


def counting(count: Any) -> Any:
    """The highest number is found otherwise; `count` gets the lines of the file."""
    return lambda original, self: count(
        self.file.path.read_bytes().split(b"\n") if self.file.path.exists() else [], original(self)
    )


def numbers(lines: Any) -> list[Any]:
    """The whole numbers on these lines."""
    return [it for it in map(journals.number_of, lines) if type(it) is int] or [0]


STORE: dict[str, Any] = {
    "JRN-065 entry writes-milliseconds": after(
        lambda it, self, *_: it | {"entry": it["entry"] | {"createdAt": self.clock.now}}
    ),
    "JRN-065 entry writes-local-time": after(
        lambda it, *_: it | {"entry": it["entry"] | {"createdAt": it["entry"]["createdAt"][:-1]}}
    ),
    "JRN-066 highest looks-at-whole-lines": counting(lambda lines, _: max(numbers(lines[:-1]))),
    "JRN-066 highest stops-at-a-fault": counting(
        lambda lines, _: max(numbers(takewhile(is_json, lines)))
    ),
    "JRN-066 highest reads-texts": counting(
        lambda lines, highest: max(
            highest, *(int(it) for it in map(journals.number_of, lines) if isinstance(it, str)), 0
        )
    ),
}
table(ROLE, Store, "store", STORE)

SESSION: dict[str, Any] = {
    "JRN-067 JRN-050 entry has-a-payload": after(
        lambda it, *_: {name: it[name] for name in it if name != "data"} | {"payload": it["data"]}
    ),
    "JRN-067 entry writes-milliseconds-to-the-session": after(
        lambda it, self, _: it | {"timestamp": self.clock.now}
    ),
}
table(ROLE, SessionJournal, "session", SESSION)


@breaks("JRN-066", ROLE, Store, "write")
def numbers_a_batch_once(original: Any, self: Store, decision: Any) -> None:
    """Gives every record the same number."""
    original(self, decision)
    self._highest -= 1  # type: ignore[operator]
