"""The records of the contracts as pydantic models, which mean what the schemas mean.

For those who want typed records; nothing else in the reference imports this.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, TypeAdapter

from askproof_reference.model_asks import (
    AnswerRow,
    AnswerRows,
    AskInput,
    Continuation,
    Elaboration,
    Mode,
    Option,
    OptionInput,
    Question,
    QuestionInput,
    Questions,
    QuestionSummary,
    Result,
)
from askproof_reference.model_base import (
    READER,
    Milliseconds,
    No,
    NonBlank,
    NonEmpty,
    Record,
    Trimmed,
    Version,
    Yes,
    are_different,
)
from askproof_reference.model_journal import (
    Decision,
    JournalAnswer,
    JournalError,
    JournalInput,
    JournalOutcome,
    JournalResult,
    OldDecision,
    OptionQuestion,
    RichQuestion,
    SessionEntry,
    SessionHeader,
    StoreEntry,
    StoreSession,
)
from askproof_reference.model_receipts import (
    ChoicePrompt,
    QuestionnairePrompt,
    Receipt,
    ReceiptAnswer,
)

__all__ = [
    "MODELS",
    "Answer",
    "AnswerRow",
    "AnswerRows",
    "AskInput",
    "ChoicePrompt",
    "Completed",
    "Continuation",
    "Decision",
    "Elaboration",
    "ExternalRequest",
    "ExternalUi",
    "JournalAnswer",
    "JournalError",
    "JournalInput",
    "JournalOutcome",
    "JournalResult",
    "OldDecision",
    "Option",
    "OptionInput",
    "OptionQuestion",
    "Provider",
    "Question",
    "QuestionInput",
    "QuestionSummary",
    "QuestionnairePrompt",
    "Receipt",
    "ReceiptAnswer",
    "Response",
    "Result",
    "RichQuestion",
    "SessionEntry",
    "SessionHeader",
    "Started",
    "StoreEntry",
    "StoreSession",
    "Submit",
    "SubmitResult",
    "validate",
]

Source = Literal["tool", "answer", "answer:again", "ask:replay", "ask:resume"]


class Answer(Record):
    """The answer to one question, as a bridge submits it."""

    values: Annotated[list[Trimmed], AfterValidator(are_different)] | None = None
    custom_text: str | None = None
    note: str | None = None
    option_notes: dict[str, str] | None = None


class AnswerResponse(Record):
    """A response that answers."""

    kind: Literal["answer"]
    mode: Mode | None = None
    answers: dict[Trimmed, Answer]


class CancelResponse(Record):
    """A response that cancels."""

    kind: Literal["cancel"]


Response = Annotated[AnswerResponse | CancelResponse, Field(discriminator="kind")]


class Started(Record):
    """A form has opened."""

    version: Version
    flow_id: NonEmpty
    tool_call_id: str | None = None
    source: Source
    title: str | None = None
    questions: Questions
    created_at: Milliseconds


class Submit(Record):
    """An answer or a cancel for a flow."""

    version: Version
    request_id: NonEmpty
    flow_id: NonEmpty
    response: Response


class AcceptedSubmit(Record):
    """A submit was taken."""

    version: Version
    request_id: NonEmpty
    flow_id: NonEmpty
    ok: Yes


class RefusedSubmit(Record):
    """A submit was not taken."""

    version: Version
    request_id: str
    flow_id: str
    ok: No
    error: Literal["flow_not_found", "invalid_request", "invalid_answer"]
    message: str


SubmitResult = AcceptedSubmit | RefusedSubmit


class Completed(Record):
    """A flow has ended."""

    version: Version
    flow_id: NonEmpty
    tool_call_id: str | None = None
    source: Source
    result: Result
    completed_at: Milliseconds


class ConnectHandle(Record):
    """Stands for the function of a connection."""

    handle: Literal["connect"]


class OpenHandle(Record):
    """Stands for the function of a provider."""

    handle: Literal["open"]


class SignalHandle(Record):
    """Stands for the signal of a request."""

    handle: Literal["signal"]


class ExternalUi(Record):
    """A call looks for somebody to show its form."""

    version: Version
    mode: Literal["tui", "rpc", "json", "print"]
    tool_call_id: str
    connect: ConnectHandle


class Provider(Record):
    """What can show a form."""

    version: Version
    id: NonBlank
    open: OpenHandle


class ExternalRequest(Record):
    """What a provider is to show."""

    version: Version
    flow_id: NonEmpty
    tool_call_id: str
    title: str | None = None
    questions: Questions
    signal: SignalHandle


MODELS: dict[str, TypeAdapter[Any]] = {
    "answer": TypeAdapter(Answer),
    "answer-row": TypeAdapter(AnswerRow),
    "answer-rows": TypeAdapter(AnswerRows),
    "ask-input": TypeAdapter(AskInput),
    "completed": TypeAdapter(Completed),
    "continuation": TypeAdapter(Continuation),
    "elaboration": TypeAdapter(Elaboration),
    "external-request": TypeAdapter(ExternalRequest),
    "external-ui": TypeAdapter(ExternalUi),
    "option": TypeAdapter(Option),
    "option-input": TypeAdapter(OptionInput),
    "provider": TypeAdapter(Provider),
    "question": TypeAdapter(Question),
    "question-input": TypeAdapter(QuestionInput),
    "question-summary": TypeAdapter(QuestionSummary),
    "response": TypeAdapter(Response),
    "result": TypeAdapter(Result),
    "started": TypeAdapter(Started),
    "submit": TypeAdapter(Submit),
    "submit-result": TypeAdapter(SubmitResult),
    "journal/answer": TypeAdapter(JournalAnswer),
    "journal/ask-input": TypeAdapter(JournalInput),
    "journal/decision": TypeAdapter(Decision),
    "journal/error": TypeAdapter(JournalError),
    "journal/old-decision": TypeAdapter(OldDecision),
    "journal/option-question": TypeAdapter(OptionQuestion),
    "journal/outcome": TypeAdapter(JournalOutcome),
    "journal/result": TypeAdapter(JournalResult),
    "journal/rich-question": TypeAdapter(RichQuestion),
    "journal/session-entry": TypeAdapter(SessionEntry),
    "journal/session-header": TypeAdapter(SessionHeader),
    "journal/store-entry": TypeAdapter(StoreEntry),
    "journal/store-session": TypeAdapter(StoreSession),
    "receipts/answer": TypeAdapter(ReceiptAnswer),
    "receipts/choice-prompt": TypeAdapter(ChoicePrompt),
    "receipts/questionnaire-prompt": TypeAdapter(QuestionnairePrompt),
    "receipts/receipt": TypeAdapter(Receipt),
}


def validate(name: str, value: Any, reading: Literal["writer", "reader"] = "writer") -> Any:
    """The typed record of a plain one. Raises pydantic.ValidationError."""
    return MODELS[name].validate_python(value, context=READER if reading == "reader" else None)
