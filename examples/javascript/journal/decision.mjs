/** What is written and told of an outcome: the decision in the journals, the outcome in the result, and the text. */

/** In place of a secret answer: the same for each, so that it does not even tell how long it was (JRN-040). */
const REDACTED = "[REDACTED:secret-answer]";

const MAX_ID = 80;

/** @typedef {import("./prompt.mjs").Outcome} Outcome */

/**
 * The record of both journals (JRN-050, JRN-051, JRN-055).
 * @param {Outcome} outcome
 */
export function decisionOf({ question, status, timedOut, answerSource, answer }) {
  const { id, text, kind, sensitivity, multi } = question;
  const form = kind ? { kind, sensitivity } : multi ? { multi } : {};
  return {
    decisionId: decisionIdOf(id),
    status,
    question: text,
    answer: answer === undefined ? undefined : isSecret(question) ? REDACTED : answer,
    metadata: { source: "ask", timedOut, answerSource, ...form },
  };
}

/**
 * What the result says of the question (JRN-019, JRN-020).
 * @param {Outcome} outcome
 */
export function resultOf(outcome) {
  const { question, status, timedOut, answerSource } = outcome;
  return { questionId: question.id, status, timedOut, answerSource, value: valueOf(outcome) };
}

/**
 * A line of the text for the model, and of the card.
 * @param {Outcome} outcome
 */
export function lineOf(outcome) {
  return `${outcome.question.text} ${sayingOf(outcome)}`;
}

function sayingOf({ question, status, answerSource, answer }) {
  if (status === "cancelled") return "cancelled by the human";
  if (answer === undefined) return "the time ran out, and nobody answered";
  // JRN-014: an automatic answer is nobody's approval, and must not read as one.
  return `${shownAnswer(question, answer)}${answerSource === "automatic" ? " (automatic: the time ran out)" : ""}`;
}

function shownAnswer(question, answer) {
  if (isSecret(question)) return REDACTED;
  if (typeof answer === "string") return answer;
  const { selectedOptions, customInput } = answer;
  return [...selectedOptions, ...(customInput === undefined ? [] : [customInput])].join(", ") || "(nothing)";
}

function valueOf({ question, answer }) {
  if (answer === undefined) return undefined;
  if (isSecret(question)) return REDACTED; // JRN-041
  if (!question.kind || typeof answer === "string") return answer;
  const { selectedOptions, customInput } = answer;
  const values = customInput === undefined ? selectedOptions : [...selectedOptions, customInput]; // JRN-021
  return question.multi ? values : values[0];
}

const isSecret = ({ sensitivity }) => sensitivity === "secret";

/** JRN-053; the id is taken together with the hyphen before it, so that an id of nothing but others leaves none. */
function decisionIdOf(id) {
  const plain = `ask-${id}`.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return plain.replace(/^-|-$/g, "").slice(0, MAX_ID);
}
