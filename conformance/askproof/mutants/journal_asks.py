"""Mutants of the reference writer: what it asks, and what it refuses to ask.

What kinds of questions there are stands here too, for all mutants of a writer.
"""

from __future__ import annotations

from typing import Any

from askproof.mutants.tables import before, table
from askproof_reference import asks, decisions
from askproof_reference.writer import Writer

ROLE = "journal-writer"
MINUTE_MS = 60_000


def labels(*chosen: str) -> dict[str, Any]:
    """An answer of these options."""
    return {"selectedOptions": [*chosen]}


def is_single(question: Any) -> bool:
    """Whether it is an option question with a single choice."""
    return question.kind is None and not question.several


def is_several(question: Any) -> bool:
    """Whether it is an option question with several choices."""
    return question.kind is None and question.several


def is_rich(question: Any) -> bool:
    """Whether it is in the rich form."""
    return question.kind is not None


def is_text(question: Any) -> bool:
    """Whether it is a text or editor question."""
    return not question.labels


def is_secret(question: Any) -> bool:
    """Whether its answer is redacted."""
    return bool(question.sensitivity == "secret")


# The input


def reading(**members: Any) -> Any:
    """Some members of the input are read otherwise; each function gets what stands there."""

    def read(given: Any, *_: Any) -> Any:
        if not isinstance(given, dict):
            return given
        changed = {name: change(given[name]) for name, change in members.items() if name in given}
        return given | changed

    return before(read)


def with_missing(**members: Any) -> Any:
    """Members that are absent or empty are made up."""
    return before(
        lambda given, *_: (
            given | {name: given.get(name) or it for name, it in members.items()}
            if isinstance(given, dict)
            else given
        )
    )


def refusing(when: Any) -> Any:
    """What is right is refused where `when` says so, which gets it."""

    def refuse(original: Any, *given: Any) -> Any:
        asks.demand(not when(given[-1]), "refused by a mutant")
        return original(*given)

    return refuse


ASKS: dict[str, Any] = {
    # Accepting
    "JRN-001 batch asks-one-question-only": refusing(lambda it: len(it) > 1),
    "JRN-001 rich_question knows-no-editor": refusing(
        lambda it: it["kind"] == "editor" and "timeoutMs" not in it
    ),
    "JRN-001 rich_question knows-no-reason": refusing(lambda it: "reason" in it),
    "JRN-001 timeout_ms begins-after-the-shortest": refusing(
        lambda it: it.get("timeoutMs") == asks.SHORTEST_MS
    ),
    "JRN-001 timeout_ms ends-before-the-longest": refusing(
        lambda it: it.get("timeoutMs") == asks.LONGEST_MS
    ),
    # Refusing
    "JRN-002 questions makes-up-a-question": before(
        lambda it, *_: {"question": "Go on?", "kind": "text"} if it == {} else it
    ),
    "JRN-002 questions asks-what-is-only-a-text": before(
        lambda it, *_: {"question": it, "kind": "text"} if isinstance(it, str) else it
    ),
    "JRN-002 questions takes-the-batch-of-both-forms": before(
        lambda it, *_: {"questions": it["questions"]} if "questions" in it else it
    ),
    "JRN-002 batch makes-up-a-batch": before(
        lambda it, *_: it or [{"id": "a", "question": "Go on?", "options": [{"label": "OK"}]}]
    ),
    "JRN-002 batch leaves-out-what-is-wrong": before(
        lambda it, *_: [one for one in it if one.get("options")] or it
    ),
    "JRN-002 option_question makes-up-ids": with_missing(id="question"),
    "JRN-002 option_question makes-up-questions": with_missing(question="?"),
    "JRN-002 recommended finds-recommended-labels": lambda original, given, offered: (
        original(given, offered) if type(given.get("recommended", 0)) is int else 0
    ),
    "JRN-002 recommended takes-the-last-for-what-there-is-not": lambda original, given, offered: (
        min(given.get("recommended", 0), offered - 1)
        if type(given.get("recommended", 0)) is int
        else original(given, offered)
    ),
    "JRN-002 batch gives-ids-again": before(
        lambda it, *_: (
            [one | {"id": f"{one.get('id')} {at}"} for at, one in enumerate(it)]
            if len(it) > 1 and it[0].get("id") == it[1].get("id")
            else it
        )
    ),
    "JRN-002 rich_question takes-unknown-kinds-for-texts": reading(
        kind=lambda it: it if it in asks.KINDS else "text"
    ),
    "JRN-002 rich_question makes-up-rich-questions": with_missing(question="?"),
    "JRN-002 rich_question offers-yes-and-no": before(
        lambda it, *_: {"options": [{"label": "Yes"}, {"label": "No"}], **it}
    ),
    "JRN-002 rich_question takes-unknown-sensitivities": reading(
        sensitivity=lambda it: it if it in asks.SENSITIVITIES else "internal"
    ),
    "JRN-002 labels_of leaves-out-what-has-no-label": before(
        lambda it, *_: it | {"options": [one for one in it.get("options", ()) if "label" in one]}
    ),
    # Timeouts
    "JRN-003 timeout_ms takes-short-ones": reading(
        timeoutMs=lambda it: max(1000, it) if type(it) is int and it > 0 else it
    ),
    "JRN-003 timeout_ms takes-zero-for-none": lambda original, it: (
        original(it) if it.get("timeoutMs") != 0 else None
    ),
    "JRN-003 timeout_ms cuts-long-ones": reading(
        timeoutMs=lambda it: min(asks.LONGEST_MS, it) if type(it) is int else it
    ),
    "JRN-003 timeout_ms reads-texts": reading(
        timeoutMs=lambda it: int(it) if isinstance(it, str) else it
    ),
    "JRN-003 timeout_ms cuts-fractions": reading(
        timeoutMs=lambda it: int(it) if isinstance(it, float) else it
    ),
    "JRN-003 timeout_ms takes-null-for-none": lambda original, it: (
        original(it) if it.get("timeoutMs", 0) is not None else None
    ),
    "JRN-003 rich_question lets-a-select-be-short": reading(
        timeoutMs=lambda it: 1000 if it == 999 else it
    ),
    "JRN-004 refuse_dialog_timeout lets-a-text-have-one": lambda original, it: (
        original(it) if it["kind"] == "editor" else None
    ),
    "JRN-004 refuse_dialog_timeout lets-an-editor-have-one": lambda original, it: (
        original(it) if it["kind"] == "text" else None
    ),
    "JRN-004 refuse_dialog_timeout looks-at-its-value-first": lambda original, it: (
        asks.timeout_ms(it),
        original(it),
    ),
}
table(ROLE, asks, "ask", ASKS)

# Time that is not named, and nobody to ask


def named(change: Any) -> Any:
    """The time of a question is another before anything of it is shown; both are given."""
    return lambda original, self, question: change(original(self, question), question)


def waiting(ms: int, when: Any) -> Any:
    """Questions without a timeout get one where `when` says so."""
    return named(
        lambda it, _: it._replace(timeout_ms=ms) if it.timeout_ms is None and when(it) else it
    )


def after_thirty(ms: int | None, *kinds: str) -> Any:
    """Rich questions of some kinds that name no timeout get another one."""
    return named(
        lambda it, given: (
            it._replace(timeout_ms=ms) if given.kind in kinds and given.timeout_ms is None else it
        )
    )


def told_without_an_interface(change: Any) -> Any:
    """Something else happens where there is no user interface; `change` gets how to tell."""

    def ask(original: Any, self: Writer, given: Any, show: Any, tell: Any) -> Any:
        return original(self, given, show, tell) if show else change(original, self, given, tell)

    return ask


def nothing_is_shown(*_: Any) -> None:
    """Show a question to nobody."""


WRITER: dict[str, Any] = {
    "JRN-034 ask lets-time-answer-without-an-interface": told_without_an_interface(
        lambda original, self, given, tell: (
            original(self, given, None, tell),
            original(self, given, nothing_is_shown, tell),
        )
    ),
    "JRN-034 ask records-that-nobody-was-there": told_without_an_interface(
        lambda original, self, given, tell: (
            self.write([decisions.decision(decisions.cancelled(asks.questions(given)[0]))]),
            original(self, given, None, tell),
        )
    ),
    "JRN-035 ask asks-nobody": told_without_an_interface(
        lambda original, self, given, tell: original(self, given, nothing_is_shown, tell)
    ),
    "JRN-008 timed gives-every-question-a-minute": waiting(MINUTE_MS, is_single),
    "JRN-008 timed gives-texts-five-minutes": waiting(
        asks.LONGEST_MS, lambda it: it.kind == "text"
    ),
    "JRN-008 timed gives-editors-five-minutes": waiting(
        asks.LONGEST_MS, lambda it: it.kind == "editor"
    ),
    "JRN-009 timed waits-a-minute": after_thirty(MINUTE_MS, *asks.CHOICES),
    "JRN-009 timed waits-a-second-less": after_thirty(29_000, "select"),
    "JRN-009 timed waits-for-ever-for-many-choices": after_thirty(None, "multi-select"),
}
table(ROLE, Writer, "writer", WRITER)
