"""Mutants of the reference reader: what it says of a decision, and what it writes.

They break JRN-080 to JRN-088, and JRN-097.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from askproof.mutants.tables import after, table
from askproof_reference import reader_adapter
from askproof_reference.journal_judgement import Decision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from askproof_reference.records import Record

ROLE = "journal-reader"
NOTHING: Record = {}


def metadata(payload: Record) -> Record:
    """The metadata of a decision, if they are an object."""
    found = payload.get("metadata")
    return found if isinstance(found, dict) else NOTHING


def source(payload: Record) -> Any:
    """What a decision says of who made it."""
    return metadata(payload).get("answerSource")


def timed_out(payload: Record) -> Any:
    """What a decision says of its time."""
    return metadata(payload).get("timedOut")


# What is told of a decision


def tells(**change: Any) -> Any:
    """A member of what is told is another; each function gets what it was, and the payload."""

    def tell(seen: Record, found: Any) -> Record:
        if "record" not in seen:
            return seen
        return seen | {name: change[name](seen[name], found.payload) for name in change}

    return after(tell)


def outcome(other: str, when: Callable[[Record], Any]) -> Any:
    """Another outcome where `when` says so of the payload."""
    return tells(outcome=lambda told, payload: other if when(payload) else told)


def by(other: Any, when: Callable[[Record], Any] = bool) -> Any:
    """Somebody else made the decision; `other` gets the payload."""
    return tells(by=lambda told, payload: str(other(payload)) if when(payload) else told)


def has(status: str, *sources: Any) -> Callable[[Record], Any]:
    """Whether a payload has this status, and one of these sources, or any."""
    return lambda it: it["status"] == status and (not sources or source(it) in sources)


table(
    ROLE,
    reader_adapter,
    "reader",
    {
        # The outcome
        "JRN-083 observation_of calls-timeouts-without-an-answer-cancelled": outcome(
            "cancelled", has("timed-out", "none")
        ),
        "JRN-083 observation_of calls-automatic-timeouts-answered": outcome(
            "answered", has("timed-out", "automatic")
        ),
        "JRN-083 observation_of calls-deferrals-cancelled": outcome("cancelled", has("deferred")),
        "JRN-083 observation_of calls-late-cancellations-timeouts": outcome(
            "timed-out", lambda it: it["status"] == "cancelled" and timed_out(it) is True
        ),
        "JRN-083 observation_of calls-automatic-answers-timeouts": outcome(
            "timed-out", has("answered", "automatic")
        ),
        # By whom
        "JRN-084 observation_of calls-timeouts-without-provenance-automatic": by(
            lambda _: "automatic", lambda it: timed_out(it) is True and source(it) is None
        ),
        "JRN-084 observation_of passes-on-any-word": by(
            source, lambda it: isinstance(source(it), str)
        ),
        "JRN-084 observation_of searches-for-the-word": by(
            lambda _: "human", lambda it: isinstance(source(it), list) and "human" in source(it)
        ),
        "JRN-084 observation_of corrects-the-source-of-a-timeout": by(
            lambda it: "automatic" if "answer" in it else "none", has("timed-out")
        ),
        "JRN-084 observation_of corrects-the-source-of-a-cancellation": by(
            lambda _: "none", has("cancelled")
        ),
        "JRN-084 observation_of knows-nothing-of-inconsistent-records": tells(
            by=lambda told, it: "unknown" if not Decision(1, it).is_consistent() else told
        ),
    },
)


# The payload


def texts(change: Callable[[str], Any]) -> Any:
    """Each text of a payload is another."""

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, list):
            return [changed(item) for item in value]
        if isinstance(value, dict):
            return {name: changed(member) for name, member in value.items()}
        return value

    return tells(payload=lambda told, _: changed(told))


def numbers(change: Callable[[Any], Any]) -> Any:
    """Each number that was chosen is another."""

    def changed(told: Record, _: Record) -> Record:
        answer = told.get("answer")
        if not isinstance(answer, dict) or "selectedOptions" not in answer:
            return told
        chosen = [
            change(it) if type(it) in (int, float) else it for it in answer["selectedOptions"]
        ]
        return told | {"answer": answer | {"selectedOptions": chosen}}

    return tells(payload=changed)


def without(name: str, which: Callable[[str, Any], bool]) -> Any:
    """A payload loses members; `which` gets the name and the value of each of those of `name`."""

    def cut(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: value[key] for key in value if not which(key, value[key])}

    def changed(told: Record, _: Record) -> Any:
        if not name:
            return cut(told)
        return told | {name: cut(told[name])} if name in told else told

    return tells(payload=changed)


table(
    ROLE,
    reader_adapter,
    "reader",
    {
        "JRN-080 observation_of trims-texts": texts(str.strip),
        "JRN-080 observation_of composes-texts": texts(lambda text: normalize("NFC", text)),
        "JRN-080 observation_of cuts-long-texts": texts(lambda text: text[:65_536]),
        "JRN-080 observation_of replaces-half-characters": texts(
            lambda text: text.encode("utf-8", "replace").decode()
        ),
        "JRN-080 observation_of takes-out-marks-of-direction": texts(
            lambda text: text.translate(dict.fromkeys([*range(0x202A, 0x202F), 0x2066, 0x2069]))
        ),
        "JRN-080 observation_of reads-markup": texts(html.unescape),
        "JRN-080 observation_of ends-at-a-null": texts(lambda text: text.partition("\0")[0]),
        "JRN-080 observation_of cuts-numbers": numbers(int),
        "JRN-080 observation_of reads-numbers-as-doubles": numbers(
            lambda number: int(float(number)) if type(number) is int else number
        ),
        "JRN-080 observation_of leaves-out-what-is-empty": without(
            "metadata", lambda _, value: value in ("", {})
        ),
        # Unknown members
        "JRN-082 observation_of forgets-members-of-answers": without(
            "answer", lambda name, _: name == "optionNotes"
        ),
        "JRN-082 observation_of forgets-inherited-names": without(
            "", lambda name, _: name == "__proto__"
        ),
        "JRN-084 observation_of believes-other-spellings": by(
            lambda _: "human", lambda it: "answer_source" in metadata(it)
        ),
        "JRN-084 observation_of inherits-provenance": by(
            lambda it: metadata(it)["__proto__"]["answerSource"],
            lambda it: "__proto__" in metadata(it),
        ),
        "JRN-082 observation_of believes-what-says-that-it-is-human": tells(
            human=lambda told, it: told or it.get("human") is True
        ),
        "JRN-082 observation_of believes-what-says-that-it-is-not": tells(
            human=lambda told, it: told and it.get("human") is not False
        ),
    },
)


# What is believed


def unless(when: Callable[[Record], Any]) -> Any:
    """What is an explicit human answer is none where `when` says so of the payload."""
    return after(lambda human, self: human and not when(self.payload))


def also(when: Callable[[Record], Any]) -> Any:
    """What is no explicit human answer is one where `when` says so of the payload."""
    return after(lambda human, self: human or bool(when(self.payload)))


def unproven(when: Callable[[Record], Any]) -> Any:
    """The same for records that say `answered` and do not say who did."""
    return also(lambda it: it["status"] == "answered" and source(it) is None and when(it))


def answered_by(word: Callable[[Any], Any]) -> Any:
    """The same for records that say `answered` and have a source which is another word."""
    return also(
        lambda it: it["status"] == "answered" and source(it) != "human" and word(source(it))
    )


def fits(as_if: Callable[[Record], Record]) -> Any:
    """A record fits a row as another does."""
    return lambda original, self, row: original(Decision(self.line, as_if(self.payload)), row)


def answer(change: Callable[[Record], Record], when: Callable[[Any], Any]) -> Any:
    """The same where `when` says so of an answer that is there."""
    return fits(lambda it: change(it) if "answer" in it and when(it["answer"]) else it)


def time(change: Callable[[Any], Any], when: Callable[[Any], Any]) -> Any:
    """The same with another `timedOut` where `when` says so of the one that is there."""

    def changed(payload: Record) -> Record:
        known = metadata(payload)
        if "timedOut" not in known or not when(known["timedOut"]):
            return payload
        return payload | {"metadata": known | {"timedOut": change(known["timedOut"])}}

    return fits(changed)


def no_answer(payload: Record) -> Record:
    """A payload without its answer."""
    return {name: payload[name] for name in payload if name != "answer"}


def some_answer(payload: Record) -> Record:
    """A payload with an answer."""
    return payload | {"answer": "Yes"}


table(
    ROLE,
    Decision,
    "reader",
    {
        # Explicit human answers
        "JRN-085 is_human wants-a-question": unless(lambda it: "question" not in it),
        "JRN-085 is_human wants-a-text-that-is-not-blank": unless(lambda it: it["answer"] == ""),
        "JRN-085 is_human forgets-secret-answers": unless(
            lambda it: str(it["answer"]).startswith("[REDACTED")
        ),
        # No provenance
        "JRN-086 is_human believes-what-ended-late": unproven(lambda it: timed_out(it) is True),
        "JRN-086 is_human believes-the-oldest-writers": unproven(lambda it: "metadata" not in it),
        "JRN-086 is_human believes-a-human-source": unproven(
            lambda it: metadata(it).get("source") == "human"
        ),
        "JRN-086 is_human believes-metadata-of-another-type": unproven(
            lambda it: not isinstance(it.get("metadata", {}), dict)
        ),
        "JRN-086 is_human believes-other-cases": answered_by(lambda it: str(it).lower() == "human"),
        "JRN-086 is_human believes-true": answered_by(lambda it: it is True),
        # Nobody's answers
        "JRN-087 is_human believes-automatic-answers": also(has("answered", "automatic")),
        "JRN-087 is_human believes-timeouts-of-humans": also(has("timed-out", "human")),
        "JRN-087 is_human believes-cancellations-of-humans": also(has("cancelled", "human")),
        "JRN-087 is_human believes-deferrals-of-humans": also(has("deferred", "human")),
        # Records that fit no row
        "JRN-088 is_human believes-answers-of-nothing": also(
            lambda it: has("answered", "human")(it) and "answer" not in it
        ),
        "JRN-088 fits_answer takes-null-for-absent": answer(no_answer, lambda it: it is None),
        "JRN-088 fits_answer takes-an-empty-text-of-no-answer-for-absent": fits(
            lambda it: no_answer(it) if it.get("answer") == "" and not has("answered")(it) else it
        ),
        "JRN-088 fits_answer takes-null-for-an-answer": answer(some_answer, lambda it: it is None),
        "JRN-088 fits_provenance takes-null-metadata-for-missing": fits(
            lambda it: it if it.get("metadata", {}) is not None else it | {"metadata": {}}
        ),
        "JRN-088 fits_provenance takes-any-text-for-true": time(
            lambda _: True, lambda it: isinstance(it, str) and it
        ),
        "JRN-088 fits_provenance takes-a-null-flag-for-false": time(bool, lambda it: it is None),
    },
)


# What is written


def diagnostics(told: list[Record]) -> list[Record]:
    """What is said of bad lines."""
    return [one for one in told if "diagnostic" in one]


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
