"""Mutants of the reference writer: its ids, the text of its records, and its two files."""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import Any
from unicodedata import normalize

from askproof.mutants import breaks
from askproof.mutants.journal_asks import ROLE
from askproof.mutants.tables import after, before, put, table
from askproof_reference import decisions, ids, journals
from askproof_reference.journals import LineFile, SessionJournal, Store

# Ids


def hashed(change: Any) -> Any:
    """Another text is hashed."""
    return before(lambda text, *_: change(text))


def stepping(units: Any) -> Any:
    """A hash goes through other units of a text."""
    return lambda _, text: units(text)


def slugged(change: Any) -> Any:
    """An id is made of another text."""
    return before(lambda text, *_: change(text))


def lower_ascii(text: str) -> str:
    """A text with only the letters of the alphabet in lower case."""
    return "".join(one.lower() if one.isascii() else one for one in text)


def slug_of(text: str, others: str = "") -> str:
    """What the reference makes of a text as it is; `others` are kept too."""
    return trimmed(re.sub(f"[^a-z0-9{others}]+", "-", text))


def trimmed(text: str) -> str:
    """A text without one hyphen at either end."""
    return text.removeprefix("-").removesuffix("-")


IDS: dict[str, Any] = {
    "JRN-053 slug takes-capitals-for-others": lambda _, text: slug_of(text),
    "JRN-053 slug keeps-underscores": lambda _, text: slug_of(text.lower(), "_"),
    "JRN-053 slug keeps-dots": lambda _, text: slug_of(text.lower(), "."),
    "JRN-053 slug keeps-runs": lambda _, text: trimmed(re.sub("[^a-z0-9]", "-", text.lower())),
    "JRN-053 slug keeps-hyphens-at-the-end": lambda _, text: re.sub(
        "[^a-z0-9]+", "-", text.lower()
    ),
    "JRN-053 slug writes-letters-without-accents": slugged(
        lambda text: normalize("NFD", text).encode("ascii", "ignore").decode()
    ),
    "JRN-053 slug lowers-the-alphabet-only": lambda _, text: slug_of(lower_ascii(text)),
    "JRN-053 slug reads-other-digits": slugged(
        lambda it: "".join(str(int(one)) if one.isdecimal() else one for one in it)
    ),
    "JRN-053 slug calls-nothing-decision": after(
        lambda slug, _: "ask-decision" if slug == "ask" else slug
    ),
    "JRN-053 decision_id is-never-cut": lambda _, question: ids.slug(f"ask-{question}"),
    "JRN-053 decision_id takes-hyphens-away-last": after(lambda it, _: it.removesuffix("-")),
    "JRN-053 decision_id is-cut-without-its-prefix": lambda _, question: ids.slug(
        f"ask-{question}"
    )[: ids.LONGEST + len("ask-")],
    "JRN-053 decision_id leaves-hashes-out": before(
        lambda question, *_: "question" if question.startswith("q_") else question
    ),
    "JRN-054 code_units hashes-bytes": stepping(
        lambda text: [*text.encode("utf-8", "surrogatepass")]
    ),
    "JRN-054 code_units hashes-characters": stepping(lambda text: [*map(ord, text)]),
    "JRN-054 JRN-053 question_id lowers-what-it-hashes": hashed(str.lower),
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
    "JRN-052 decision cuts-at-three-thousand": writing(lambda text: text[:3000]),
    "JRN-052 decision cuts-at-65536": writing(lambda text: text[:65_536]),
}
table(ROLE, decisions, "text", DECISIONS)

# One file


def line(change: Any) -> Any:
    """The store has other lines; `change` gets one, and the file."""

    def append(original: Any, self: LineFile, value: Any) -> None:
        if self.name == "store" and value.get("kind") == "entry":
            self.write(change(self.fresh_start() + journals.line_of(value), value))
        else:
            original(self, value)

    return append


def beginning(when: Any, start: bytes = b"\n") -> Any:
    """Where `when` says so of a file that there is already, a line begins so."""

    def fresh_start(original: Any, self: LineFile) -> Any:
        held = self.path.read_bytes() if self.path.exists() else None
        if held is None or self.name != "store":
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
    return b"" if looked and self.name == "store" else original(self)


FILES: dict[str, Any] = {
    "JRN-063 JRN-064 append begins-every-line": line(lambda it, _: b"\n" + it),
    "JRN-063 JRN-064 append ends-no-line": line(lambda it, _: it.rstrip(b"\n")),
    "JRN-063 JRN-064 append indents": line(
        lambda it, value: json.dumps(value, indent=1).encode() + b"\n"
    ),
    "JRN-063 JRN-052 JRN-064 append writes-latin-1": line(
        lambda it, value: json.dumps(value, ensure_ascii=False).encode("latin-1", "replace") + b"\n"
    ),
    "JRN-063 fresh_start does-not-know-windows": beginning(lambda it: it.endswith(b"\r\n")),
    "JRN-063 fresh_start begins-an-empty-store": beginning(lambda it: it == b""),
    "JRN-063 fresh_start ends-a-torn-line-again-and-again": beginning(
        lambda it: not all(map(is_json, it.splitlines())) and it.endswith(b"\n")
    ),
    "JRN-064 fresh_start reads-text": beginning(lambda it: not is_utf8(it), b""),
    "JRN-064 fresh_start looks-at-nothing": beginning(lambda it: it, b""),
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


def entry(change: Any) -> Any:
    """An entry of the store is another one; `change` gets it."""
    return after(lambda it, *_: it | {"entry": change(it["entry"])})


def but(*names: str) -> Any:
    """Without these members."""
    return lambda it: {name: value for name, value in it.items() if name not in names}


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
    "JRN-065 entry writes-local-time": entry(lambda it: it | {"createdAt": it["createdAt"][:-1]}),
    "JRN-065 entry is-of-a-kind-of-its-own": after(lambda it, *_: it | {"kind": "decision"}),
    "JRN-066 highest begins-anew": counting(lambda *_: 0),
    "JRN-066 highest looks-at-the-last-line": counting(
        lambda lines, _: numbers([one for one in lines if one][-1:])[-1]
    ),
    "JRN-066 highest counts-lines": counting(lambda lines, _: len(lines)),
    "JRN-066 highest looks-at-decisions": counting(
        lambda lines, _: max(numbers([one for one in lines if b'"decision"' in one]))
    ),
    "JRN-066 highest looks-at-whole-lines": counting(lambda lines, _: max(numbers(lines[:-1]))),
    "JRN-066 highest stops-at-a-fault": counting(
        lambda lines, _: max(numbers(takewhile(is_json, lines)))
    ),
    "JRN-066 highest stops-at-what-has-no-number": counting(
        lambda lines, _: max(numbers(takewhile(journals.number_of, lines)))
    ),
    "JRN-066 highest reads-texts": counting(
        lambda lines, highest: max(
            highest, *(int(it) for it in map(journals.number_of, lines) if isinstance(it, str)), 0
        )
    ),
}
table(ROLE, Store, "store", STORE)

SESSION: dict[str, Any] = {
    "JRN-067 entry is-an-entry-of-its-own-type": after(lambda it, *_: it | {"type": "decision"}),
    "JRN-067 entry has-the-name-of-the-tool": after(lambda it, *_: it | {"customType": "ask"}),
    "JRN-067 JRN-050 entry has-a-payload": after(
        lambda it, *_: but("data")(it) | {"payload": it["data"]}
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
