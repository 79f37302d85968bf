"""Mutants of the reference writer: what it tells of what was decided, and to which journal."""

from __future__ import annotations

import errno
from base64 import b64encode
from functools import partial
from typing import Any

from askproof.mutants import breaks
from askproof.mutants.journal_asks import ROLE
from askproof.mutants.tables import after, before, put, table
from askproof_reference import decisions
from askproof_reference.asks import AskError
from askproof_reference.collector import Collector
from askproof_reference.writer import ToolResult, Writer

FLAGS = ("status", "timedOut", "answerSource")


def is_cancelled(outcome: Any) -> bool:
    """Whether a human has cancelled."""
    return bool(outcome.status == "cancelled")


def is_expired(outcome: Any) -> bool:
    """Whether the time of a rich question ran out."""
    return bool(outcome.timed_out and outcome.source == "none")


def flags_of_the_first(result: Any, *_: Any) -> Any:
    """The provenance of the first question of a batch is that of all."""
    first = result["outcomes"][:1]
    flags = {name: one[name] for one in first for name in FLAGS}
    return result | {"outcomes": [one | flags for one in result["outcomes"]]}


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
    # The result
    "JRN-014 text_of tells-the-model-nothing": after(
        lambda text, _, __: text.replace("automatic, since the", "the")
    ),
    "JRN-014 card_of tells-the-human-nothing": after(
        lambda card, _, __: card.replace("automatic", "done")
    ),
    "JRN-014 text speaks-for-the-first-question": lambda _, self, outcomes: (
        self.text_of(outcomes[0]) if outcomes else ""
    ),
    "JRN-016 is_cancelled takes-a-timeout-for-an-answer": after(
        lambda it, _, outcomes: it and not any(map(is_expired, outcomes))
    ),
    "JRN-018 is_cancelled calls-nothing-cancelled": after(
        lambda it, _, outcomes: it and not any(map(is_cancelled, outcomes))
    ),
    "JRN-019 result has-the-flags-of-the-first": after(flags_of_the_first),
    # The journals
    "JRN-031 JRN-011 JRN-060 JRN-061 write writes-the-last-only": before(
        lambda records, *_: records[-1:]
    ),
    "JRN-060 JRN-031 JRN-061 write keeps-texts-from-the-store": skipping(
        "store", of_one(answerSource="human", kind="text")
    ),
    "JRN-060 JRN-011 JRN-012 JRN-031 write keeps-automatic-answers-from-the-session": skipping(
        "session", of_one(answerSource="automatic")
    ),
    "JRN-060 JRN-009 JRN-015 JRN-016 JRN-031 write keeps-timeouts-from-the-store": skipping(
        "store", of_one(kind="select", timedOut=True)
    ),
    "JRN-060 JRN-031 JRN-033 write keeps-cancelled-ones-from-the-session": skipping(
        "session", lambda records: any(one["status"] == "cancelled" for one in records)
    ),
    "JRN-060 JRN-011 JRN-031 JRN-061 JRN-062 write keeps-batches-from-the-store": skipping(
        "store", lambda it: len(it) > 1
    ),
    "JRN-061 write stops-when-the-session-is-full": stopping(errno.ENOSPC, *NAMES),
    "JRN-061 write stops-when-the-session-is-read-only": stopping(errno.EROFS, *NAMES),
    "JRN-061 write stops-when-the-session-is-denied": stopping(errno.EACCES, *NAMES),
    "JRN-061 write stops-when-the-store-is-full": stopping(errno.ENOSPC, *NAMES[::-1]),
    "JRN-061 write stops-when-the-store-is-read-only": stopping(errno.EROFS, *NAMES[::-1]),
    "JRN-061 write stops-when-the-store-is-denied": stopping(errno.EACCES, *NAMES[::-1]),
    "JRN-062 write_to says-nothing-of-a-full-disk": forgetting(errno.ENOSPC),
    "JRN-062 write_to says-nothing-of-a-read-only-disk": forgetting(errno.EROFS),
    "JRN-062 write_to says-nothing-of-permissions": forgetting(errno.EACCES),
}
table(ROLE, Writer, "writer", WRITER)


@breaks("JRN-031", ROLE, Writer, "write", "JRN-064")
def writes_an_id_once(original: Any, self: Writer, records: Any) -> Any:
    """Takes the id of a decision for a key, and drops a second one."""
    seen = self.__dict__.setdefault("seen", set())
    new = [one for one in records if not (one["decisionId"] in seen or seen.add(one["decisionId"]))]
    return original(self, new)


@breaks("JRN-031", ROLE, Writer, "write", "JRN-064")
def gives_a_journal_up(original: Any, self: Writer, records: Any) -> Any:
    """Never writes again to a journal that has failed once."""
    told = original(self, records)
    failed = {text.split()[1] for text in told}
    put(self, journals={name: one for name, one in self.journals.items() if name not in failed})
    return told


# Secrets, and what else is told


def telling(change: Any, when: Any = lambda _: True) -> Any:
    """What an ask ends with is told otherwise; `change` gets that, and the collector."""

    def end(original: Any, self: Collector, outcomes: Any) -> None:
        finish, tell = self._end.func, self._end.args[0]  # type: ignore[attr-defined]
        if not self._ended and when(outcomes):
            self._end = partial(finish, lambda ended: tell(change(ended, self)))
        original(self, outcomes)

    return end


def quoting(quote: Any) -> Any:
    """The text for the model, or the message of the error, quotes what is typed or selected."""

    def change(ended: Any, self: Collector) -> Any:
        draft = self._drafts[self.position]
        said = quote(draft.typed or " ".join(draft.labels()))
        if isinstance(ended, AskError):
            return AskError(ended.status, f"{ended.message} {said}")
        return ended._replace(text=f"{ended.text} {said}")

    return telling(change)


@breaks("JRN-036", ROLE, Collector, "end")
def returns_what_was_answered_before(original: Any, self: Collector, outcomes: Any) -> None:
    """Names in the result of a cancelled batch what was answered before."""

    def change(ended: ToolResult, _: Any) -> ToolResult:
        ended.result["outcomes"][:0] = map(decisions.result, self.completed())
        return ended

    telling(change, lambda it: isinstance(it, list) and any(map(is_cancelled, it)))(
        original, self, outcomes
    )


QUOTES = {
    "as-it-is": str,
    "its-beginning": lambda it: it[:6],
    "as-hex": lambda it: it.encode("utf-8", "surrogatepass").hex(),
    "as-base64": lambda it: b64encode(it.encode("utf-8", "surrogatepass")).decode(),
    "with-escapes": lambda it: "".join(f"\\u{ord(one):04x}" for one in it),
}


@breaks("JRN-043", ROLE, Collector, "end", each=QUOTES)
def quotes_a_secret(original: Any, quote: Any, self: Collector, outcomes: Any) -> None:
    """Quotes what was typed or selected in what it tells, {}."""
    quoting(quote)(original, self, outcomes)


@breaks("JRN-043", ROLE, Collector, "end")
def writes_a_secret_beside_the_decision(original: Any, self: Collector, outcomes: Any) -> None:
    """Tells the store, in the line of the session, what was typed or selected."""
    store = self._end.func.__self__.journals["store"]  # type: ignore[attr-defined]
    draft = self._drafts[self.position]
    original(self, outcomes)
    if draft.question.sensitivity == "secret" and store.file.fault is None:
        typed = draft.typed or " ".join(draft.labels())
        store.file.append({"kind": "session", "session": {"id": "s1", "metadata": typed}})


@breaks("JRN-043", ROLE, Collector, "end")
def quotes_a_secret_in_diagnostics(original: Any, self: Collector, outcomes: Any) -> None:
    """Quotes the answer in the diagnostics where a journal could not be written."""
    writer = self._end.func.__self__  # type: ignore[attr-defined]
    typed = self._drafts[self.position].typed
    put(writer, diagnostic=lambda name, fault: f"{name}: {fault}: {typed}")
    original(self, outcomes)
