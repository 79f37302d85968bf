"""What an ask returns: rows computed from the declared options, and what is to be clarified."""

from __future__ import annotations

from typing import Any, NamedTuple

from askproof_reference.questions import Form
from askproof_reference.records import Record, record
from askproof_reference.text import is_blank

INSTRUCTION = "Respond to every note, then ask the affected questions again."


class Answer(NamedTuple):
    """What was given to one question, by its checked entry; what is blank is absent (EVT-084).

    Attributes:
        chosen: the zero-based positions of the chosen options, in the declared order (EVT-102).
        custom_text: unchanged (EVT-008), as are the notes.
        note: on the question.
        option_notes: by option value, in the declared order.
    """

    chosen: list[int]
    custom_text: str | None
    note: str | None
    option_notes: dict[str, str]

    @property
    def is_given(self) -> bool:
        """Whether it answers its question."""
        return bool(self.chosen) or self.custom_text is not None

    @property
    def is_doubted(self) -> bool:
        """Whether its question needs clarification, when the human asks for that."""
        return self.note is not None or bool(self.option_notes)


Answers = dict[str, Answer]


def read_answers(entries: Record, questions: list[Record]) -> Answers:
    """The answers by question id, of checked entries."""
    return {
        question["id"]: read_answer(question, entries[question["id"]])
        for question in questions
        if question["id"] in entries
    }


def read_answer(question: Record, entry: Record) -> Answer:
    """The answer of one entry."""
    notes = entry.get("optionNotes", {})
    return Answer(
        chosen=chosen_positions(question, entry.get("values", [])),
        custom_text=text_or_none(entry.get("customText", "")),
        note=text_or_none(entry.get("note", "")),
        option_notes={
            option["value"]: notes[option["value"]]
            for option in question["options"]
            if not is_blank(notes.get(option["value"], ""))
        },
    )


def chosen_positions(question: Record, values: list[str]) -> list[int]:
    """Where the chosen values are declared."""
    return [at for at, option in enumerate(question["options"]) if option["value"] in values]


def text_or_none(text: str) -> str | None:
    """The text as it is, or None for one that is blank (EVT-084)."""
    return None if is_blank(text) else text


def answered(form: Form, answers: Answers, mode: str) -> Record:
    """The result of a flow that was answered (EVT-108, EVT-109)."""
    result = base(form, cancelled=False, mode=mode)
    result["answers"] = rows(form, answers, mode)
    if mode == "elaborate":
        result["continuation"] = continuation(form, answers, result["answers"])
        result["elaboration"] = elaboration(form, answers, result["answers"])
    return result


def cancelled(form: Form) -> Record:
    """The result of a flow that nobody answered (EVT-107, EVT-108)."""
    return base(form, cancelled=True, mode="submit")


def invalid(faults: dict[str, str]) -> Record:
    """The result of an invalid input (EVT-030)."""
    issues = [{"path": path, "message": message} for path, message in faults.items()]
    error = {"kind": "invalid_input", "issues": issues}
    return {**base(Form(None, []), cancelled=True, mode="submit"), "error": error}


def base(form: Form, *, cancelled: bool, mode: str) -> Record:
    """What every result has; its answers are empty (EVT-103)."""
    return record(
        title=form.title,
        cancelled=cancelled,
        mode=mode,
        questions=[summary(question) for question in form.questions],
        answers={},
    )


def summary(question: Record) -> Record:
    """What a result says of a question (EVT-047, EVT-103)."""
    return record(
        id=question["id"],
        label=question["label"],
        prompt=question["prompt"],
        type=question.get("requestedType", question["type"]),
        presentedType=question.get("presentedType"),
    )


def rows(form: Form, answers: Answers, mode: str) -> Record:
    """The rows by question id, in the order of the questions."""
    return {
        question["id"]: row(question, answers[question["id"]])
        for question in form.questions
        if question["id"] in answers and has_row(answers[question["id"]], mode)
    }


def has_row(answer: Answer, mode: str) -> bool:
    """Whether a question is in the result (EVT-104, EVT-105, EVT-124, EVT-127)."""
    return answer.is_given or (mode == "submit" and answer.note is not None)


def row(question: Record, answer: Answer) -> Record:
    """The row of one question (EVT-100, EVT-101, EVT-110)."""
    chosen = [question["options"][at] for at in answer.chosen]
    own = [] if answer.custom_text is None else [answer.custom_text]
    return record(
        values=[option["value"] for option in chosen] + own,
        labels=[option["label"] for option in chosen] + own,
        indices=[at + 1 for at in answer.chosen],
        customText=answer.custom_text,
        note=answer.note,
        optionNotes=kept_option_notes(question, answer) or None,
    )


def kept_option_notes(question: Record, answer: Answer) -> dict[str, str]:
    """The notes of options that a row has (EVT-106)."""
    chosen = {question["options"][at]["value"] for at in answer.chosen}
    return {value: note for value, note in answer.option_notes.items() if value in chosen}


def continuation(form: Form, answers: Answers, rows: Record) -> Record:
    """Which questions stand and which do not (EVT-120)."""
    states = {question["id"]: status(answers.get(question["id"])) for question in form.questions}
    return {
        "strategy": "refine_only",
        "affectedQuestionIds": affected(states),
        "preservedAnswers": preserved(states, rows),
        "questionStates": {name: {"status": state} for name, state in states.items()},
    }


def status(answer: Answer | None) -> str:
    """How a question stands (EVT-121)."""
    if answer is not None and answer.is_doubted:
        return "needs_clarification"
    return "answered" if answer is not None and answer.is_given else "unanswered"


def affected(states: dict[str, str]) -> list[str]:
    """The questions to return to (EVT-122)."""
    return [name for name, state in states.items() if state == "needs_clarification"]


def preserved(states: dict[str, str], rows: Record) -> Record:
    """The rows that stand (EVT-123)."""
    return {name: row for name, row in rows.items() if states[name] == "answered"}


def elaboration(form: Form, answers: Answers, rows: Record) -> Record:
    """What is to be clarified (EVT-120, EVT-128)."""
    items: list[Record] = []
    for question in form.questions:
        answer = answers.get(question["id"])
        if answer is not None:
            items += question_items(question, answer, rows.get(question["id"]))
            items += option_items(question, answer, rows.get(question["id"]))
    return {"instruction": INSTRUCTION, "nextAction": "clarify_then_reask", "items": items}


def question_items(question: Record, answer: Answer, row: Record | None) -> list[Record]:
    """The item of a question's note, where there is one (EVT-125)."""
    if answer.note is None:
        return []
    target = {"kind": "question"}
    return [record(target=target, **context(question, answer, row), note=answer.note)]


def option_items(question: Record, answer: Answer, row: Record | None) -> list[Record]:
    """The items of the notes of a question's options, in the declared order (EVT-126)."""
    return [
        record(
            target={"kind": "option", "optionValue": option["value"]},
            **context(question, answer, row),
            option=option,
            selected=position in answer.chosen,
            note=answer.option_notes[option["value"]],
        )
        for position, option in enumerate(question["options"])
        if option["value"] in answer.option_notes
    ]


def context(question: Record, answer: Answer, row: Record | None) -> dict[str, Any]:
    """What every item says of its question."""
    described = {**summary(question), "options": question["options"]}
    return {"question": described, "answered": answer.is_given, "answer": row}
