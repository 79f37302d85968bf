"""Mutants of the reference reader: the decisions that it finds (JRN-080 to JRN-082)."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from askproof.mutants.journal_reader import ROLE, by, has, metadata, tells
from askproof.mutants.journal_reader_files import entry
from askproof.mutants.tables import table
from askproof_reference import journal_reader, reader_adapter
from askproof_reference.journal_judgement import STATUSES, Decision
from askproof_reference.journal_lines import BadLineError

if TYPE_CHECKING:
    from collections.abc import Callable

    from askproof_reference.records import Record

DECISION_MEMBERS = ("decisionId", "status", "question", "answer", "metadata")
METADATA_MEMBERS = ("source", "timedOut", "answerSource", "multi", "kind", "sensitivity")


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
        # The payload
        "JRN-080 observation_of trims-texts": texts(str.strip),
        "JRN-080 observation_of composes-texts": texts(lambda text: normalize("NFC", text)),
        "JRN-080 observation_of unifies-texts": texts(lambda text: normalize("NFKC", text)),
        "JRN-080 observation_of cuts-long-texts": texts(lambda text: text[:65_536]),
        "JRN-080 observation_of replaces-half-characters": texts(
            lambda text: text.encode("utf-8", "replace").decode()
        ),
        "JRN-080 observation_of takes-out-marks-of-direction": texts(
            lambda text: text.translate(dict.fromkeys([*range(0x202A, 0x202F), 0x2066, 0x2069]))
        ),
        "JRN-080 observation_of takes-out-what-is-invisible": texts(
            lambda text: text.translate(dict.fromkeys([0x200B, 0x200D, 0xAD]))
        ),
        "JRN-080 observation_of takes-out-control-characters": texts(
            lambda text: text.translate(dict.fromkeys([0, 7, 8, 12, 27, 127]))
        ),
        "JRN-080 observation_of reads-markup": texts(html.unescape),
        "JRN-080 observation_of reads-escapes-twice": texts(lambda it: it.replace(r"\n", "\n")),
        "JRN-080 observation_of reads-texts-that-hold-json": texts(
            lambda text: json.loads(text) if text.startswith("{") and text.endswith("}") else text
        ),
        "JRN-080 observation_of ends-at-a-null": texts(lambda text: text.partition("\0")[0]),
        "JRN-080 observation_of makes-texts-of-numbers": numbers(str),
        "JRN-080 observation_of cuts-numbers": numbers(int),
        "JRN-080 observation_of reads-numbers-as-doubles": numbers(
            lambda number: int(float(number)) if type(number) is int else number
        ),
        "JRN-080 observation_of leaves-out-null": without("", lambda _, value: value is None),
        "JRN-080 observation_of leaves-out-what-is-empty": without(
            "metadata", lambda _, value: value in ("", {})
        ),
        # Unknown members
        "JRN-082 observation_of forgets-members": without(
            "", lambda name, _: name not in (*DECISION_MEMBERS, "__proto__")
        ),
        "JRN-082 observation_of forgets-members-of-metadata": without(
            "metadata",
            lambda name, _: name not in (*METADATA_MEMBERS, "__proto__", "constructor"),
        ),
        "JRN-082 observation_of forgets-members-of-answers": without(
            "answer", lambda name, _: name == "optionNotes"
        ),
        "JRN-082 observation_of forgets-inherited-names": without(
            "", lambda name, _: name == "__proto__"
        ),
        "JRN-082 observation_of forgets-inherited-names-of-answers": without(
            "answer", lambda name, _: name in ("constructor", "toString", "hasOwnProperty")
        ),
        "JRN-084 observation_of believes-an-answer-source-elsewhere": by(
            lambda it: it["answerSource"], lambda it: "answerSource" in it
        ),
        "JRN-084 observation_of believes-a-member-called-by": by(
            lambda it: it["by"], lambda it: "by" in it
        ),
        "JRN-084 observation_of believes-other-spellings": by(
            lambda _: "human", lambda it: "answer_source" in metadata(it)
        ),
        "JRN-084 observation_of believes-the-answer": by(
            lambda it: it["answer"]["answerSource"],
            lambda it: isinstance(it.get("answer"), dict) and "answerSource" in it["answer"],
        ),
        "JRN-084 observation_of inherits-provenance": by(
            lambda it: metadata(it)["__proto__"]["answerSource"],
            lambda it: "__proto__" in metadata(it),
        ),
        "JRN-082 observation_of believes-what-says-that-it-is-human": tells(
            human=lambda told, it: told or it.get("human") is True
        ),
        "JRN-082 observation_of believes-what-says-that-it-is-approved": tells(
            human=lambda told, it: told or it.get("approved") is True
        ),
        "JRN-082 observation_of believes-metadata-that-say-so": tells(
            human=lambda told, it: told or metadata(it).get("human") is True
        ),
        "JRN-082 observation_of believes-what-says-that-it-is-not": tells(
            human=lambda told, it: told and it.get("human") is not False
        ),
        "JRN-082 observation_of believes-a-flag-of-cancellation": tells(
            human=lambda told, it: told and it.get("cancelled") is not True
        ),
        "JRN-082 observation_of believes-a-member-called-outcome": tells(
            outcome=lambda told, it: it.get("outcome", told)
        ),
        "JRN-082 observation_of believes-a-status-of-metadata": tells(
            outcome=lambda told, it: metadata(it).get("status", told)
        ),
    },
)


# What a line must have


def demands(what: str, of: Callable[[Record], Any] = bool) -> Any:
    """A decision without a member is a bad line; `of` says where to look for it."""

    def demand(original: Any, payload: Any) -> Record:
        known: Record = original(payload)
        if of(known) and what not in known:
            raise BadLineError("shape")
        return known

    return demand


def of_entry(form: str, what: str) -> Any:
    """The same for a member of the line."""

    def demand(original: Any, line: Record) -> Record | None:
        payload: Record | None = original(line)
        held = line["entry"] if form == "store" and "entry" in line else line
        if payload is not None and what not in held:
            raise BadLineError("shape")
        return payload

    return demand


def refuses(when: Callable[[Record], Any]) -> Any:
    """A decision is a bad line where `when` says so."""

    def refuse(original: Any, payload: Any) -> Record:
        known: Record = original(payload)
        if when(known):
            raise BadLineError("shape")
        return known

    return refuse


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
        "JRN-081 with_known_status knows-no-deferral": refuses(has("deferred")),
        "JRN-081 with_known_status wants-metadata": demands("metadata"),
        "JRN-081 with_known_status wants-a-decision-id-to-read": demands("decisionId"),
        "JRN-081 with_known_status wants-a-question-to-read": demands("question"),
        "JRN-081 with_known_status wants-an-answer-to-read": demands(
            "answer", lambda it: it["status"] == "cancelled" and "decisionId" not in it
        ),
        "JRN-081 with_known_status wants-texts-for-ids": refuses(
            lambda it: not isinstance(it.get("decisionId", ""), str)
        ),
        "JRN-081 stored_decision wants-ids-of-entries": of_entry("store", "id"),
        "JRN-081 stored_decision wants-times-of-entries": of_entry("store", "createdAt"),
        "JRN-081 session_decision wants-ids-of-custom-entries": of_entry("session", "id"),
        "JRN-082 with_known_status refuses-unknown-members": refuses(
            lambda it: not it.keys() <= {*DECISION_MEMBERS}
        ),
        "JRN-082 with_known_status refuses-unknown-metadata": refuses(
            lambda it: "retention" in metadata(it)
        ),
        "JRN-094 JRN-092 with_known_status reads-statuses-in-any-case": statuses(str.lower),
        "JRN-094 JRN-092 with_known_status reads-statuses-trimmed": statuses(str.strip),
        "JRN-094 JRN-092 with_known_status reads-other-spellings-of-a-status": statuses(
            lambda status: status.replace("_", "-").replace("timeout", "timed-out")
        ),
        "JRN-094 JRN-092 JRN-095 with_known_status takes-any-status": statuses(
            lambda status: status and "answered"
        ),
        "JRN-088 JRN-096 with_known_status refuses-inconsistent-records": refuses(
            lambda it: it["status"] != "deferred" and not Decision(1, it).is_consistent()
        ),
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
        "JRN-080 stored_decision takes-custom-entries": also_in(
            lambda it: entry(it).get("payload") if entry(it).get("type") == "custom" else None
        ),
        "JRN-080 stored_decision takes-what-a-session-holds": also_in(
            lambda it: it["session"].get("payload") if it["kind"] == "session" else None
        ),
        "JRN-080 session_decision takes-custom-entries-of-others": also_in(
            lambda it: it.get("data") if it.get("type") == "custom" else None
        ),
        "JRN-080 session_decision takes-custom-messages": also_in(
            lambda it: it.get("data") if it.get("type") == "custom_message" else None
        ),
        "JRN-080 session_decision takes-entries-of-the-other-form": also_in(
            lambda it: it.get("payload") if it.get("type") == "decision" else None
        ),
        "JRN-080 session_decision takes-other-spellings": also_in(
            lambda it: it.get("data") if str(it.get("customType")).lower() == "decision" else None
        ),
        "JRN-080 session_decision takes-details-of-messages": also_in(
            lambda it: it["message"].get("details") if isinstance(it.get("message"), dict) else None
        ),
    },
)
