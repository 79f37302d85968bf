/** What an ask returns, computed from the form and from what was given (EVT-100 to EVT-128). */
import { compact } from "./values.mjs";

/** @param {InvalidInput} error of `normalize` (EVT-030) */
export function invalidInputResult({ issues }) {
  return { cancelled: true, mode: "submit", questions: [], answers: {}, error: { kind: "invalid_input", issues } };
}

/** EVT-107: whatever was filled in is gone. */
export function cancelledResult({ title, questions }) {
  return compact({ title, cancelled: true, mode: "submit", questions: questions.map(summaryOf), answers: {} });
}

/**
 * The result of a response that `readResponse` has read.
 * @param {{title?: string, questions: import("./questions.mjs").Question[]}} form
 */
export function resultOf(form, response) {
  if (response.kind === "cancel") return cancelledResult(form);
  const { title, questions } = form;
  const { mode, given } = response;
  const elaborate = mode === "elaborate";
  const states = questions.map((question) => stateOf(question, given.get(question.id)));
  const rows = states.filter(({ answered, note }) => answered || (note !== undefined && !elaborate));
  return compact({
    title,
    cancelled: false,
    mode,
    questions: questions.map(summaryOf),
    answers: rowsOf(rows),
    ...(elaborate && { continuation: continuationOf(states), elaboration: elaborationOf(states) }),
  });
}

/** EVT-047, EVT-103: `type` is the one that was asked for. */
function summaryOf({ id, label, prompt, type, requestedType, presentedType }) {
  return compact({ id, label, prompt, type: requestedType ?? type, presentedType });
}

/** Where a question stands: its row, and what was remarked on it. */
function stateOf(question, given = { values: new Set(), optionNotes: new Map() }) {
  const { values, customText, note, optionNotes } = given;
  const selected = question.options
    .map((option, at) => ({ ...option, index: at + 1 }))
    .filter(({ value }) => values.has(value));
  const ownText = customText === undefined ? [] : [customText];
  const notesOfSelected = selected.map(({ value }) => [value, optionNotes.get(value)]).filter(([, text]) => text);
  return {
    question,
    values,
    note,
    optionNotes,
    answered: selected.length > 0 || ownText.length > 0,
    unclear: note !== undefined || optionNotes.size > 0,
    row: compact({
      values: [...selected.map(({ value }) => value), ...ownText],
      labels: [...selected.map(({ label }) => label), ...ownText],
      indices: selected.map(({ index }) => index),
      customText,
      note,
      optionNotes: notesOfSelected.length > 0 ? Object.fromEntries(notesOfSelected) : undefined,
    }),
  };
}

const rowsOf = (states) => Object.fromEntries(states.map(({ question, row }) => [question.id, row]));

function statusOf({ unclear, answered }) {
  if (unclear) return "needs_clarification";
  return answered ? "answered" : "unanswered";
}

/** EVT-121 to EVT-123 */
function continuationOf(states) {
  const affected = states.filter(({ unclear }) => unclear);
  return {
    strategy: affected.length > 0 ? "refine_only" : "resume",
    affectedQuestionIds: affected.map(({ question }) => question.id),
    preservedAnswers: rowsOf(states.filter(({ answered, unclear }) => answered && !unclear)),
    questionStates: Object.fromEntries(states.map((state) => [state.question.id, { status: statusOf(state) }])),
  };
}

/** EVT-125, EVT-126, EVT-128 */
function elaborationOf(states) {
  const items = states.flatMap(({ question, values, note, optionNotes, answered, row }) => {
    const about = compact({
      question: { ...summaryOf(question), options: question.options },
      answered,
      answer: answered ? row : undefined,
    });
    const remarked = question.options.filter(({ value }) => optionNotes.has(value));
    return [
      ...(note === undefined ? [] : [{ target: { kind: "question" }, ...about, note }]),
      ...remarked.map((option) => ({
        target: { kind: "option", optionValue: option.value },
        ...about,
        option,
        selected: values.has(option.value),
        note: optionNotes.get(option.value),
      })),
    ];
  });
  return {
    instruction: "Clarify what the human remarked on, then ask the affected questions again.",
    nextAction: "clarify_then_reask",
    items,
  };
}
