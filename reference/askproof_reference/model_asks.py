"""Models of what is asked, and of what comes of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from askproof_reference.model_base import (
    No,
    NonBlank,
    Record,
    Trimmed,
    Yes,
    are_different,
)

QuestionType = Literal["single", "multi", "preview"]
Mode = Literal["submit", "elaborate"]


class OptionInput(Record):
    """An option as a caller writes it."""

    value: NonBlank
    label: NonBlank
    description: str | None = None
    preview: str | None = None
    preview_file: str | None = None
    recommended: bool | None = None
    freeform: bool | None = None


class QuestionInput(Record):
    """A question as a caller writes it."""

    id: NonBlank
    label: str | None = None
    prompt: NonBlank
    type: QuestionType | None = None
    required: bool | None = None
    options: Annotated[list[OptionInput], Field(min_length=1)]


class AskInput(Record):
    """The input of an ask."""

    title: str | None = None
    questions: Annotated[list[QuestionInput], Field(min_length=1)]


class Option(Record):
    """An option after normalization."""

    value: Trimmed
    label: Trimmed
    description: NonBlank | None = None
    preview: NonBlank | None = None
    recommended: bool | None = None
    freeform: bool | None = None


Options = Annotated[list[Option], Field(min_length=1)]


class Question(Record):
    """A question after normalization, as it is presented."""

    id: Trimmed
    label: Trimmed
    prompt: Trimmed
    type: QuestionType
    requested_type: QuestionType | None = None
    presented_type: QuestionType | None = None
    required: bool
    options: Options

    @model_validator(mode="after")
    def is_consistent(self) -> Question:
        """The type is the presented one; a preview question has previews."""
        if self.presented_type not in (None, self.type):
            raise ValueError("presentedType must be the type")
        if self.type == "preview" and any(option.preview is None for option in self.options):
            raise ValueError("every option must have a preview")
        return self


Questions = Annotated[list[Question], Field(min_length=1)]


class QuestionSummary(Record):
    """What a result says of a question."""

    id: Trimmed
    label: Trimmed
    prompt: Trimmed
    type: QuestionType
    presented_type: QuestionType | None = None

    @model_validator(mode="after")
    def is_consistent(self) -> QuestionSummary:
        """The presented type is named where it is another."""
        if self.presented_type == self.type:
            raise ValueError("presentedType must differ from the type")
        return self


Summaries = Annotated[list[QuestionSummary], Field(min_length=1)]


class AnswerRow(Record):
    """The answer to one question, as a host computed it."""

    values: list[NonBlank]
    labels: list[NonBlank]
    indices: Annotated[list[Annotated[int, Field(ge=1)]], AfterValidator(are_different)]
    custom_text: NonBlank | None = None
    note: NonBlank | None = None
    option_notes: dict[Trimmed, NonBlank] | None = None


AnswerRows = dict[Trimmed, AnswerRow]


class QuestionState(Record):
    """How a question stands."""

    status: Literal["answered", "needs_clarification", "unanswered"]


class Continuation(Record):
    """Which questions stand, and which to return to."""

    strategy: Literal["refine_only", "resume"]
    affected_question_ids: Annotated[list[Trimmed], AfterValidator(are_different)]
    preserved_answers: AnswerRows
    question_states: Annotated[dict[Trimmed, QuestionState], Field(min_length=1)]


class ElaboratedQuestion(QuestionSummary):
    """A question in an elaboration."""

    options: Options


class QuestionTarget(Record):
    """A remark is on the question."""

    kind: Literal["question"]


class OptionTarget(Record):
    """A remark is on an option."""

    kind: Literal["option"]
    option_value: Trimmed


class QuestionItem(Record):
    """A remark on a question."""

    target: QuestionTarget
    question: ElaboratedQuestion
    answered: bool
    answer: AnswerRow | None = None
    note: NonBlank


class OptionItem(Record):
    """A remark on an option."""

    target: OptionTarget
    question: ElaboratedQuestion
    option: Option
    selected: bool
    answered: bool
    answer: AnswerRow | None = None
    note: NonBlank


class Elaboration(Record):
    """What is to be clarified."""

    instruction: NonBlank
    next_action: Literal["clarify", "clarify_then_reask"]
    items: list[QuestionItem | OptionItem]


class Issue(Record):
    """A fault of an input."""

    path: str
    message: str


class InvalidInput(Record):
    """The faults of an input."""

    kind: Literal["invalid_input"]
    issues: Annotated[list[Issue], Field(min_length=1)]


class SubmittedResult(Record):
    """The human was done."""

    title: str | None = None
    cancelled: No
    mode: Literal["submit"]
    questions: Summaries
    answers: AnswerRows


class ElaboratedResult(Record):
    """The human wants to talk something over."""

    title: str | None = None
    cancelled: No
    mode: Literal["elaborate"]
    questions: Summaries
    answers: AnswerRows
    continuation: Continuation
    elaboration: Elaboration


class CancelledResult(Record):
    """Nobody decided anything."""

    title: str | None = None
    cancelled: Yes
    mode: Mode
    questions: Summaries
    answers: AnswerRows


class InvalidInputResult(Record):
    """Nobody was asked."""

    title: str | None = None
    cancelled: Yes
    mode: Mode
    questions: list[QuestionSummary]
    answers: Annotated[AnswerRows, Field(max_length=0)]
    error: InvalidInput


def result_kind(result: Any) -> str:
    """The tag of a result."""
    if not isinstance(result, dict):
        return str(type(result).__name__)
    if result.get("cancelled") is True:
        return "InvalidInputResult" if "error" in result else "CancelledResult"
    return "ElaboratedResult" if result.get("mode") == "elaborate" else "SubmittedResult"


Result = Annotated[
    Annotated[SubmittedResult, Tag("SubmittedResult")]
    | Annotated[ElaboratedResult, Tag("ElaboratedResult")]
    | Annotated[CancelledResult, Tag("CancelledResult")]
    | Annotated[InvalidInputResult, Tag("InvalidInputResult")],
    Discriminator(result_kind),
]
