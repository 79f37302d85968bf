"""Mutants of the reference reader: what it says of a decision (JRN-083 to JRN-088)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askproof.mutants.tables import after, table
from askproof_reference import reader_adapter
from askproof_reference.journal_judgement import Decision

if TYPE_CHECKING:
    from collections.abc import Callable

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
        "JRN-083 observation_of calls-timeouts-cancelled": outcome("cancelled", has("timed-out")),
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
        "JRN-083 observation_of calls-late-answers-timeouts": outcome(
            "timed-out", lambda it: it["status"] == "answered" and timed_out(it) is True
        ),
        "JRN-083 observation_of calls-automatic-answers-timeouts": outcome(
            "timed-out", has("answered", "automatic")
        ),
        "JRN-083 observation_of calls-cancellations-with-an-answer-answered": outcome(
            "answered", lambda it: it["status"] == "cancelled" and it.get("answer")
        ),
        "JRN-083 observation_of calls-answers-of-nothing-cancelled": outcome(
            "cancelled", lambda it: it["status"] == "answered" and "answer" not in it
        ),
        # By whom
        "JRN-084 observation_of calls-missing-provenance-none": by(
            lambda _: "none", lambda it: source(it) is None
        ),
        "JRN-084 observation_of calls-missing-provenance-human": by(
            lambda _: "human", lambda it: it["status"] == "answered" and source(it) is None
        ),
        "JRN-084 observation_of calls-timeouts-without-provenance-automatic": by(
            lambda _: "automatic", lambda it: timed_out(it) is True and source(it) is None
        ),
        "JRN-084 observation_of passes-on-any-word": by(
            source, lambda it: isinstance(source(it), str)
        ),
        "JRN-084 observation_of reads-sources-in-any-case": by(
            lambda _: "human", lambda it: str(source(it)).lower() == "human"
        ),
        "JRN-084 observation_of reads-sources-trimmed": by(
            lambda _: "human", lambda it: str(source(it)).strip() == "human"
        ),
        "JRN-084 observation_of searches-for-the-word": by(
            lambda _: "human", lambda it: isinstance(source(it), list) and "human" in source(it)
        ),
        "JRN-084 observation_of calls-everybody-else-automatic": by(
            lambda _: "automatic", lambda it: source(it) in ("operator", "user")
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
        # Records that fit no row
        "JRN-088 observation_of calls-everything-consistent": tells(consistent=lambda *_: True),
        "JRN-088 observation_of calls-old-records-inconsistent": tells(
            consistent=lambda told, it: told and source(it) is not None
        ),
        "JRN-088 observation_of calls-deferrals-inconsistent": tells(
            consistent=lambda told, it: told and it["status"] != "deferred"
        ),
        "JRN-088 observation_of repairs-inconsistent-answers": tells(
            human=lambda told, it: told or (has("answered", "human")(it) and "answer" in it)
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


def untimed(payload: Record) -> Record:
    """A payload that says nothing of its time."""
    known = metadata(payload)
    return payload | {"metadata": {name: known[name] for name in known if name != "timedOut"}}


def unsaid(payload: Record) -> Record:
    """A payload that does not say who decided."""
    known = metadata(payload)
    return payload | {"metadata": {name: known[name] for name in known if name != "answerSource"}}


table(
    ROLE,
    Decision,
    "reader",
    {
        # Explicit human answers
        "JRN-085 is_human wants-a-flag-of-no-timeout": unless(lambda it: timed_out(it) is None),
        "JRN-085 is_human wants-a-question": unless(lambda it: "question" not in it),
        "JRN-085 is_human wants-a-decision-id": unless(lambda it: "decisionId" not in it),
        "JRN-085 is_human wants-a-source": unless(lambda it: "source" not in metadata(it)),
        "JRN-085 is_human wants-options": unless(lambda it: isinstance(it["answer"], str)),
        "JRN-085 is_human wants-a-text-that-is-not-blank": unless(lambda it: it["answer"] == ""),
        "JRN-085 is_human wants-an-answer-that-is-not-empty": unless(lambda it: it["answer"] == {}),
        "JRN-085 is_human wants-a-selection": unless(
            lambda it: it["answer"] == {"selectedOptions": []}
        ),
        "JRN-085 is_human forgets-custom-input": unless(lambda it: "customInput" in it["answer"]),
        "JRN-085 is_human forgets-secret-answers": unless(
            lambda it: str(it["answer"]).startswith("[REDACTED")
        ),
        # No provenance
        "JRN-086 is_human believes-what-is-answered": unproven(lambda _: True),
        "JRN-086 is_human believes-what-ended-in-time": unproven(lambda it: timed_out(it) is False),
        "JRN-086 is_human believes-what-ended-late": unproven(lambda it: timed_out(it) is True),
        "JRN-086 is_human believes-the-oldest-writers": unproven(lambda it: "metadata" not in it),
        "JRN-086 is_human believes-the-tool": unproven(
            lambda it: metadata(it) == {"source": "ask"}
        ),
        "JRN-086 is_human believes-a-human-source": unproven(
            lambda it: metadata(it).get("source") == "human"
        ),
        "JRN-086 is_human believes-words-of-the-answer": unproven(
            lambda it: "approved" in str(it.get("answer"))
        ),
        "JRN-086 is_human believes-metadata-of-another-type": unproven(
            lambda it: not isinstance(it.get("metadata", {}), dict)
        ),
        "JRN-086 is_human believes-other-cases": answered_by(lambda it: str(it).lower() == "human"),
        "JRN-086 is_human believes-blanks-around-the-word": answered_by(
            lambda it: str(it).strip() == "human"
        ),
        "JRN-086 is_human believes-parts-of-a-word": answered_by(lambda it: "humans" in str(it)),
        "JRN-086 is_human believes-operators": answered_by(lambda it: it == "operator"),
        "JRN-086 is_human believes-an-empty-word": answered_by(lambda it: it == ""),
        "JRN-086 is_human believes-inherited-words": answered_by(lambda it: it == "constructor"),
        "JRN-086 is_human believes-true": answered_by(lambda it: it is True),
        "JRN-086 is_human believes-a-list": answered_by(lambda it: it == ["human"]),
        # Nobody's answers
        "JRN-087 is_human believes-automatic-answers": also(has("answered", "automatic")),
        "JRN-087 is_human believes-answers-of-nobody": also(has("answered", "none")),
        "JRN-087 is_human believes-automatic-timeouts": also(has("timed-out", "automatic")),
        "JRN-087 is_human believes-timeouts-of-humans": also(has("timed-out", "human")),
        "JRN-087 is_human believes-timeouts-of-unknown-origin": also(
            lambda it: has("timed-out", None)(it) and "answer" in it
        ),
        "JRN-087 is_human believes-cancellations-of-humans": also(has("cancelled", "human")),
        "JRN-087 is_human believes-cancellations-with-an-answer": also(
            lambda it: has("cancelled", None)(it) and "answer" in it
        ),
        "JRN-087 is_human believes-deferrals-of-humans": also(has("deferred", "human")),
        # Records that fit no row
        "JRN-088 is_human believes-inconsistent-records": also(has("answered", "human")),
        "JRN-088 is_human believes-late-answers": also(
            lambda it: has("answered", "human")(it) and timed_out(it) is True
        ),
        "JRN-088 is_human believes-answers-of-nothing": also(
            lambda it: has("answered", "human")(it) and "answer" not in it
        ),
        "JRN-088 fits_answer looks-at-no-answer": lambda *_: True,
        "JRN-088 fits_answer misses-no-answer": lambda original, self, row: (
            original(self, row) or (row.has_answer and "answer" not in self.payload)
        ),
        "JRN-088 fits_answer allows-an-answer-anywhere": lambda original, self, row: (
            original(self, row) or isinstance(self.payload.get("answer"), str)
        ),
        "JRN-088 fits_answer takes-null-for-absent": answer(no_answer, lambda it: it is None),
        "JRN-088 fits_answer takes-false-for-absent": answer(no_answer, lambda it: it is False),
        "JRN-088 fits_answer takes-an-empty-list-for-absent": answer(
            no_answer, lambda it: it == []
        ),
        "JRN-088 fits_answer takes-an-empty-text-of-no-answer-for-absent": fits(
            lambda it: no_answer(it) if it.get("answer") == "" and not has("answered")(it) else it
        ),
        "JRN-088 fits_answer takes-lists-for-answers": answer(
            some_answer, lambda it: isinstance(it, list)
        ),
        "JRN-088 fits_answer takes-numbers-for-answers": answer(
            some_answer, lambda it: type(it) in (int, float)
        ),
        "JRN-088 fits_answer takes-booleans-for-answers": answer(
            some_answer, lambda it: isinstance(it, bool)
        ),
        "JRN-088 fits_answer takes-null-for-an-answer": answer(some_answer, lambda it: it is None),
        "JRN-088 fits_provenance looks-at-no-time": fits(untimed),
        "JRN-088 fits_provenance looks-at-no-source": fits(unsaid),
        "JRN-088 fits_provenance takes-unknown-sources-for-missing": fits(
            lambda it: it if source(it) in ("human", "automatic", "none") else unsaid(it)
        ),
        "JRN-088 fits_provenance takes-null-metadata-for-missing": fits(
            lambda it: it if it.get("metadata", {}) is not None else it | {"metadata": {}}
        ),
        "JRN-088 fits_provenance takes-other-metadata-for-empty": fits(
            lambda it: it if isinstance(it.get("metadata"), dict) else it | {"metadata": {}}
        ),
        "JRN-088 fits_provenance takes-what-is-empty-for-false": time(
            bool, lambda it: it in ("", [], {}) and it is not False
        ),
        "JRN-088 fits_provenance takes-numbers-for-flags": time(bool, lambda it: type(it) is int),
        "JRN-088 fits_provenance takes-texts-for-flags": time(
            lambda it: it == "true", lambda it: it in ("true", "false")
        ),
        "JRN-088 fits_provenance takes-any-text-for-true": time(
            lambda _: True, lambda it: isinstance(it, str) and it
        ),
        "JRN-088 fits_provenance takes-a-null-flag-for-false": time(bool, lambda it: it is None),
    },
)
