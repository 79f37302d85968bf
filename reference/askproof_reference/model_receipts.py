"""Models of receipts, as they are written to logs and reports: evidence of nothing there."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from askproof_reference.model_base import NonBlank, NonEmpty, Record, are_different

Labels = Annotated[list[str], AfterValidator(are_different)]


class OptionAnswer(Record):
    """The human chose one label."""

    kind: Literal["option"]
    text: str
    selected: Annotated[list[str], Field(min_length=1, max_length=1)] | None = None


class CustomAnswer(Record):
    """The human wrote a text."""

    kind: Literal["custom"]
    text: NonBlank
    selected: Labels | None = None


class MultiAnswer(Record):
    """The human chose labels."""

    kind: Literal["multi"]
    selected: Annotated[Labels, Field(min_length=1)]


ReceiptAnswer = Annotated[OptionAnswer | CustomAnswer | MultiAnswer, Field(discriminator="kind")]


class ManagerHandle(Record):
    """Stands for a session manager."""

    handle: NonEmpty


class Receipt(Record):
    """The view of a receipt."""

    may_be_null: ClassVar[frozenset[str]] = frozenset({"branchAnchor"})

    session_manager: ManagerHandle
    session_id: NonEmpty
    cwd: NonEmpty
    branch_anchor: str | None
    tool_name: Literal["ask_user_choice", "ask_user_question"]
    tool_call_id: NonEmpty
    question_index: Annotated[int, Field(ge=0)]
    question: str
    prompt: str
    answer: ReceiptAnswer


class ChoiceOption(Record):
    """An option of a choice."""

    label: str
    description: str | None = None


class ChoicePrompt(Record):
    """What a choice asked."""

    question: str
    options: list[ChoiceOption]
    allow_custom_response: bool


class QuestionnaireOption(Record):
    """An option of a question of a questionnaire."""

    label: str
    description: str | None = None
    preview: str | None = None


class QuestionnairePrompt(Record):
    """What one question of a questionnaire asked."""

    question: str
    header: str
    multi_select: bool
    options: list[QuestionnaireOption]
