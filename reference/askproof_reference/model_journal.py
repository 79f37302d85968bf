"""Models of the decision journal: what is asked, what is recorded, and the lines that hold it."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from askproof_reference.model_base import (
    No,
    NonBlank,
    NonEmpty,
    Record,
    Yes,
    are_different,
)

RFC3339 = re.compile(
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?"
    r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
)
DECISION_ID = re.compile(r"(?=.{3,80}\Z)ask(-[a-z0-9]+)*-?")


def is_timestamp(text: str) -> str:
    """Refuse what is no point in time as RFC 3339 writes it."""
    if not RFC3339.fullmatch(text):
        raise ValueError("must be a point in time")
    return text


def is_decision_id(text: str) -> str:
    """Refuse what cannot have been made of an id (JRN-053)."""
    if not DECISION_ID.fullmatch(text):
        raise ValueError("must be a decision id")
    return text


def is_of_one_form(value: Any) -> Any:
    """Refuse an ask that is of both forms at once."""
    if isinstance(value, dict) and "questions" in value and {"question", "kind"} & value.keys():
        raise ValueError("must be of one form")
    return value


Timestamp = Annotated[str, AfterValidator(is_timestamp)]
DecisionId = Annotated[str, AfterValidator(is_decision_id)]
Timeout = Annotated[int, Field(ge=1000, le=300_000)]
Sensitivity = Literal["public", "internal", "secret"]


# What is asked


class OfferedOption(Record):
    """An option of a question."""

    label: NonBlank


OfferedOptions = Annotated[list[OfferedOption], Field(min_length=1)]


class OptionQuestion(Record):
    """A question of a batch."""

    id: NonBlank
    question: NonBlank
    options: OfferedOptions
    multi: bool | None = None
    recommended: Annotated[int, Field(ge=0)] | None = None
    timeout_ms: Timeout | None = None


class AnyRichQuestion(Record):
    """What all rich questions have."""

    question: NonBlank
    allow_custom: bool | None = None
    sensitivity: Sensitivity | None = None
    reason: str | None = None


class SelectQuestion(AnyRichQuestion):
    """The human chooses one option."""

    kind: Literal["select"]
    options: OfferedOptions
    default: str | None = None
    timeout_ms: Timeout | None = None


class MultiSelectQuestion(AnyRichQuestion):
    """The human chooses several options."""

    kind: Literal["multi-select"]
    options: OfferedOptions
    default: Annotated[list[str], AfterValidator(are_different)] | None = None
    timeout_ms: Timeout | None = None


class TextQuestion(AnyRichQuestion):
    """The human types a text."""

    kind: Literal["text", "editor"]
    options: OfferedOptions | None = None
    default: str | None = None
    timeout_ms: None = None  # known, so that a reader refuses it too


RichQuestion = Annotated[
    SelectQuestion | MultiSelectQuestion | TextQuestion, Field(discriminator="kind")
]


class Batch(Record):
    """The option form of an ask."""

    questions: Annotated[list[OptionQuestion], Field(min_length=1)]


JournalInput = Annotated[Batch | RichQuestion, BeforeValidator(is_of_one_form)]


# What is recorded


class ChosenAnswer(Record):
    """What was chosen of a question with options."""

    selected_options: list[str]
    custom_input: str | None = None


JournalAnswer = str | ChosenAnswer


class Metadata(Record):
    """Of the tool, and of the question."""

    source: Literal["ask"]


class OptionMetadata(Metadata):
    """That of an option question."""

    multi: bool | None = None


class EitherMetadata(OptionMetadata):
    """That of an option question or of a rich one."""

    kind: Literal["select", "multi-select", "text", "editor"] | None = None
    sensitivity: Sensitivity | None = None

    @model_validator(mode="after")
    def is_of_one_form(self) -> EitherMetadata:
        """A kind has a sensitivity, and no `multi`."""
        if (self.kind is None) != (self.sensitivity is None):
            raise ValueError("kind and sensitivity belong together")
        if self.kind is not None and self.multi is not None:
            raise ValueError("multi belongs to an option question")
        return self


class AnsweredMetadata(EitherMetadata):
    """A human answered."""

    timed_out: No
    answer_source: Literal["human"]


class AutomaticMetadata(OptionMetadata):
    """Time answered."""

    timed_out: Yes
    answer_source: Literal["automatic"]


class ExpiredMetadata(Metadata):
    """Time ran out, and nothing answered."""

    timed_out: Yes
    answer_source: Literal["none"]
    kind: Literal["select", "multi-select"]
    sensitivity: Sensitivity


class CancelledMetadata(EitherMetadata):
    """A human cancelled."""

    timed_out: No
    answer_source: Literal["none"]


class AnyDecision(Record):
    """What all decisions have."""

    decision_id: DecisionId
    question: str


class AnsweredDecision(AnyDecision):
    """A human chose, or typed."""

    status: Literal["answered"]
    metadata: AnsweredMetadata
    answer: JournalAnswer

    @model_validator(mode="after")
    def is_consistent(self) -> AnsweredDecision:
        """The answer of a text question is a text, and that of a secret one the marker."""
        typed = self.metadata.kind in ("text", "editor")
        secret = self.metadata.sensitivity == "secret"
        if isinstance(self.answer, str) != (typed or secret):
            raise ValueError("the answer must be of the kind of its question")
        return self


class AutomaticDecision(AnyDecision):
    """The time of an option question ran out."""

    status: Literal["timed-out"]
    metadata: AutomaticMetadata
    answer: ChosenAnswer


class ExpiredDecision(AnyDecision):
    """The time of a rich select or multi-select ran out."""

    status: Literal["timed-out"]
    metadata: ExpiredMetadata


class CancelledDecision(AnyDecision):
    """A human cancelled."""

    status: Literal["cancelled"]
    metadata: CancelledMetadata


Decision = AnsweredDecision | AutomaticDecision | ExpiredDecision | CancelledDecision


class OldDecision(Record):
    """What a reader takes for a decision, whoever wrote it."""

    may_be_null: ClassVar[frozenset[str]] = frozenset(
        {"decisionId", "metadata", "question", "answer"}
    )

    status: Literal["answered", "timed-out", "cancelled", "deferred"]
    decision_id: Any = None
    metadata: Any = None
    question: Any = None
    answer: Any = None


# What the tool returns


class AnyOutcome(Record):
    """What all outcomes have."""

    question_id: NonBlank


class AnsweredOutcome(AnyOutcome):
    """A human chose, or typed."""

    status: Literal["answered"]
    timed_out: No
    answer_source: Literal["human"]
    value: list[str] | JournalAnswer


class AutomaticOutcome(AnyOutcome):
    """The time of an option question ran out."""

    status: Literal["timed-out"]
    timed_out: Yes
    answer_source: Literal["automatic"]
    value: list[str] | JournalAnswer


class ExpiredOutcome(AnyOutcome):
    """The time of a rich select or multi-select ran out."""

    status: Literal["timed-out"]
    timed_out: Yes
    answer_source: Literal["none"]


class CancelledOutcome(AnyOutcome):
    """A human cancelled."""

    status: Literal["cancelled"]
    timed_out: No
    answer_source: Literal["none"]


JournalOutcome = AnsweredOutcome | AutomaticOutcome | ExpiredOutcome | CancelledOutcome


class JournalResult(Record):
    """What the tool returns."""

    outcomes: list[JournalOutcome]
    cancelled: bool
    diagnostics: list[str]


class JournalError(Record):
    """Why an ask has no outcome."""

    status: Literal["invalid", "unsupported", "superseded", "unavailable", "failed"]
    message: str


# The lines of the two journals


class SessionHeader(Record):
    """The first line of a session file."""

    type: Literal["session"]
    version: Annotated[int, Field(ge=1)]
    id: NonEmpty
    timestamp: Timestamp
    cwd: str
    parent_session: str | None = None


class SessionEntry(Record):
    """A line of a session file that holds a decision."""

    may_be_null: ClassVar[frozenset[str]] = frozenset({"parentId"})

    type: Literal["custom"]
    custom_type: Literal["decision"]
    data: Decision
    id: NonEmpty
    parent_id: NonEmpty | None
    timestamp: Timestamp


class StoredSession(Record):
    """A session, as a store tells of it."""

    id: NonEmpty
    created_at: Timestamp
    project_root: str | None = None
    working_directory: str | None = None
    parent_session_id: NonEmpty | None = None
    metadata: dict[str, Any] | None = None


class StoreSession(Record):
    """A line of a store that tells of a session."""

    kind: Literal["session"]
    session: StoredSession


class StoredDecision(Record):
    """A decision, as a store holds it."""

    id: NonEmpty
    session_id: NonEmpty
    type: Literal["decision"]
    payload: Decision
    created_at: Timestamp
    sequence: Annotated[int, Field(ge=0)] | None = None


class StoreEntry(Record):
    """A line of a store that holds a decision."""

    kind: Literal["entry"]
    entry: StoredDecision
