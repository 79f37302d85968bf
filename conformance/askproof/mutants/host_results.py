"""Mutants of the host that make another result of the answers (EVT-100 to EVT-128)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from askproof.mutants import breaks, families
from askproof_reference import results
from askproof_reference.host import AskHost

if TYPE_CHECKING:
    from askproof_reference.flows import Flow
    from askproof_reference.questions import Form
    from askproof_reference.records import Record
    from askproof_reference.results import Answer, Answers

ROLE = "ask-host"


def without(name: str) -> Any:
    """A record without this member."""
    return lambda record: {key: record[key] for key in record if key != name}


def both(change: Any) -> Any:
    """A row with its values and labels changed alike."""
    return lambda row: row | {key: change(row[key]) for key in ("values", "labels")}


@families(
    ROLE,
    results,
    "row",
    EVT_100_010_045_051_101_102_152={
        "indices-from-zero": lambda row: row | {"indices": [one - 1 for one in row["indices"]]}
    },
    EVT_101_010_051_100_102={
        "labels-in-another-order": lambda row: row | {"labels": row["labels"][::-1]}
    },
    EVT_101_102={
        "indices-sorted-as-text": lambda row: row | {"indices": sorted(row["indices"], key=str)}
    },
    EVT_110_008_051_152={"no-note": lambda row: without("note" if row["values"] else "")(row)},
    EVT_110_008_010_051={"no-option-notes": without("optionNotes")},
)
def gives(original: Any, change: Any, question: Record, answer: Answer) -> Any:
    """Gives {}."""
    return change(original(question, answer))


@families(
    ROLE,
    results,
    "row",
    EVT_101_051_083={"before-the-values": both(lambda given: given[-1:] + given[:-1])},
    EVT_101_051_100={"with-an-index": lambda row: row | {"indices": [*row["indices"], 0]}},
    EVT_101={"once-if-it-is-a-value-too": both(lambda given: list(dict.fromkeys(given)))},
)
def puts_own_text(original: Any, change: Any, question: Record, answer: Answer) -> Any:
    """Puts own text {}."""
    row = original(question, answer)
    return row if answer.custom_text is None else change(row)


@breaks("EVT-100", ROLE, results, "row")
def finds_the_index_by_the_label(original: Any, question: Record, answer: Answer) -> Any:
    """Gives the index of the first option with the same label."""
    labels = [option["label"] for option in question["options"]]
    found = [labels.index(labels[at]) + 1 for at in answer.chosen]
    return original(question, answer) | {"indices": found}


@breaks("EVT-100", ROLE, AskHost, "apply", "EVT-152")
def takes_labels_as_given(original: Any, self: AskHost, flow: Flow, response: Any) -> Any:
    """Takes labels and indices from a response that has some."""
    if "labels" not in str(response):
        return original(self, flow, response)
    result = results.answered(flow.form, self.new_answers(flow, response), "submit")
    for key, row in result["answers"].items():
        row |= {name: response["answers"][key][name] for name in ("labels", "indices")}
    return self.complete(flow, result)


@families(ROLE, results, "chosen_positions", EVT_101_010_051_082_088_100_102={"one-value": 1})
def keeps(original: Any, number: int, question: Record, values: list[str]) -> Any:
    """Keeps {} of several."""
    return original(question, values)[:number]


@breaks("EVT-102", ROLE, results, "chosen_positions")
def keeps_the_order_of_the_response(original: Any, question: Record, values: list[str]) -> Any:
    """Lists values in the order in which they were submitted."""
    declared = [option["value"] for option in question["options"]]
    return [declared.index(value) for value in values if value in declared]


@breaks("EVT-102", ROLE, results, "chosen_positions")
def sorts_positions_as_text(original: Any, question: Record, values: list[str]) -> Any:
    """Lists values in the order of their positions as text."""
    return sorted(original(question, values), key=lambda at: str(at + 1))


@breaks("EVT-103", ROLE, results, "summary")
def leaves_the_prompt_out(original: Any, question: Record) -> Any:
    """Leaves the prompt of a question out."""
    return without("prompt")(original(question))


def settled(said: Record) -> Record:
    """A result without the answers that need clarification."""
    doubted = said.get("continuation", {}).get("affectedQuestionIds", [])
    return said | {"answers": {k: row for k, row in said["answers"].items() if k not in doubted}}


def listed(change: Any) -> Any:
    """A result with another list of questions."""
    return lambda said: said | {"questions": change(said["questions"], said["answers"])}


@families(
    ROLE,
    results,
    "answered",
    EVT_103_047={
        "what-was-answered": listed(lambda asked, given: [q for q in asked if q["id"] in given]),
        "questions-in-another-order": listed(lambda asked, _: asked[::-1]),
    },
    EVT_108_152={"that-a-no-cancels": lambda said: said | {"cancelled": "'no'" in str(said)}},
    EVT_109_152={"that-all-is-submitted": lambda said: said | {"mode": "submit"}},
    EVT_120={"no-elaboration": without("elaboration"), "no-continuation": without("continuation")},
    EVT_124_152={"no-answers-in-doubt": settled},
)
def says(original: Any, change: Any, form: Form, answers: Answers, mode: str) -> Any:
    """Says {} in a result."""
    return change(original(form, answers, mode))


@families(ROLE, results, "rows", EVT_104_010_084_086_088_091_101_105={"untouched": None})
def adds_rows(original: Any, _: None, form: Form, answers: Answers, mode: str) -> Any:
    """Adds an empty row for every {} question."""
    rows = original(form, answers, mode)
    asked = [question["id"] for question in form.questions] if mode == "submit" and rows else []
    return {key: {"values": [], "labels": [], "indices": []} for key in asked} | rows


@families(
    ROLE,
    results,
    "has_row",
    EVT_104_084={"an-entry-of-nothing": lambda answer, _: not answer.is_doubted},
    EVT_106={"the-note-of-an-option": lambda answer, _: answer.option_notes},
    EVT_127_125={"a-note-in-any-mode": lambda answer, _: answer.note is not None},
)
def gives_a_row_to(original: Any, also: Any, answer: Answer, mode: str) -> Any:
    """Gives a row to {}."""
    return original(answer, mode) or also(answer, mode)


@breaks("EVT-105", ROLE, results, "has_row")
def drops_notes_alone(original: Any, answer: Answer, mode: str) -> Any:
    """Drops the note of a question that was not answered."""
    return answer.is_given


@breaks("EVT-106", ROLE, results, "kept_option_notes")
def keeps_all_option_notes(original: Any, question: Record, answer: Answer) -> Any:
    """Keeps the notes of options that were not selected."""
    return answer.option_notes


@breaks("EVT-107", ROLE, AskHost, "cancel")
def keeps_what_was_filled_in(original: Any, self: AskHost, flow: Flow) -> None:
    """Gives a cancelled result the answers that the form had."""
    answered = results.answered(flow.form, flow.answers, "submit")
    self.complete(flow, answered | {"cancelled": True})


@breaks("EVT-108", ROLE, AskHost, "cancel", "EVT-089", "EVT-152")
def cancels_nothing(original: Any, self: AskHost, flow: Flow) -> None:
    """Says that a cancelled flow was not cancelled."""
    self.complete(flow, results.cancelled(flow.form) | {"cancelled": False})


@breaks("EVT-120", ROLE, results, "answered")
def elaborates_every_note(original: Any, form: Form, answers: Answers, mode: str) -> Any:
    """Asks to clarify whatever has a note, in mode submit too."""
    noted = any(answer.note and answer.chosen for answer in answers.values())
    return original(form, answers, "elaborate" if noted else mode) | {"mode": mode}


@families(
    ROLE,
    results,
    "continuation",
    EVT_121={
        "noted-answers-answered": lambda answer: answer and answer.is_given and "answered",
        "bare-notes-unanswered": lambda answer: answer and not answer.is_given and "unanswered",
        "noted-options-answered": lambda answer: answer and not answer.note and "answered",
        "untouched-questions-answered": lambda answer: not answer and "answered",
        "own-text-unanswered": lambda answer: answer and not answer.chosen and "unanswered",
    },
)
def calls(original: Any, status: Any, form: Form, answers: Answers, rows: Record) -> Any:
    """Calls {}."""
    said = original(form, answers, rows)
    for name, state in said["questionStates"].items():
        state["status"] = status(answers.get(name)) or state["status"]
    return said


@families(
    ROLE,
    results,
    "affected",
    EVT_122_084={"every-question": list},
    EVT_122={
        "what-needs-it-backwards": lambda states: [k for k in states if "need" in states[k]][::-1]
    },
)
def returns_to(original: Any, affected: Any, states: dict[str, str]) -> Any:
    """Returns to {}."""
    return affected(states)


@families(
    ROLE,
    results,
    "preserved",
    EVT_123={"every-answer": lambda rows: rows},
    EVT_123_010={"nothing": lambda _: {}},
)
def preserves(original: Any, preserved: Any, states: dict[str, str], rows: Record) -> Any:
    """Preserves {}."""
    return preserved(rows)


@families(
    ROLE,
    results,
    "elaboration",
    EVT_125={"answers": lambda items: [i for i in items if i["answered"] or "option" in i]},
    EVT_125_126={"notes-alone": lambda items: [without("answer")(i) for i in items]},
    EVT_126={
        "selected-options": lambda items: [i for i in items if i.get("selected", True)],
        "options-selected-or-not": lambda items: [without("selected")(i) for i in items],
        "options-by-their-value": lambda items: [without("option")(i) for i in items],
    },
    EVT_128={"the-last-note-first": lambda items: items[::-1]},
)
def tells_of(original: Any, change: Any, form: Form, answers: Answers, rows: Record) -> Any:
    """Lists {} as what is to be clarified."""
    said = original(form, answers, rows)
    return said | {"items": change(said["items"])}
