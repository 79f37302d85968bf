/** The input of an ask, checked before anything is shown, in the form in which it is asked. */
import { isObject } from "./json.mjs";

const SENSITIVITIES = ["public", "internal", "secret"];
const CHOICES = ["select", "multi-select"];
const TEXTS = ["text", "editor"];

/** An ask that ends without an outcome: nothing was decided, and nothing is written (JRN-034). */
export class AskError extends Error {
  /** @param {"invalid" | "unsupported" | "superseded" | "unavailable" | "failed"} status */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * @typedef {object} Question
 * @property {string} id
 * @property {string} text
 * @property {string[]} [labels] of what is offered; undefined: it is answered with a text
 * @property {boolean} multi whether several labels may be chosen
 * @property {boolean} allowsCustom
 * @property {number} [recommended] the position of an option
 * @property {number} [timeoutMs]
 * @property {string[] | string} [default] what is selected or typed when it is shown
 * @property {string} [kind] that of a rich question, like the next
 * @property {string} [sensitivity]
 */

/**
 * The questions of an ask in either form (JRN-001 to JRN-004).
 * @returns {Question[]}
 */
export function readAsk(input) {
  demand(isObject(input), "the input is no object");
  const isBatch = input.questions !== undefined;
  demand(isBatch !== (input.question !== undefined), "one of questions and question is asked for");
  if (!isBatch) return [readRichQuestion(input)];
  demand(Array.isArray(input.questions) && input.questions.length > 0, "questions is no list of questions");
  const questions = input.questions.map(readOptionQuestion);
  demand(new Set(questions.map(({ id }) => id)).size === questions.length, "two questions have one id");
  return questions;
}

function readOptionQuestion(asked) {
  demand(isObject(asked), "a question is no object");
  const { id, question, options, multi = false, recommended, timeoutMs } = asked;
  demand(isText(id), "a question has no id");
  demand(isText(question), "a question has no text");
  const labels = readLabels(options);
  demand(typeof multi === "boolean", "multi is no boolean");
  demand(recommended === undefined || isPosition(recommended, labels), "recommended is no position of an option");
  demandTimeout(timeoutMs);
  return { id, text: question, labels, multi, allowsCustom: true, recommended, timeoutMs };
}

function readRichQuestion({ question, kind, sensitivity = "internal", allowCustom = false, reason, ...rest }) {
  demand(isText(question), "the question has no text");
  demand(CHOICES.includes(kind) || TEXTS.includes(kind), "the kind of the question is unknown");
  // The dialogs of a host for texts can be neither timed nor cancelled (JRN-004).
  if (TEXTS.includes(kind) && rest.timeoutMs !== undefined) throw new AskError("unsupported", "a text cannot be timed");
  demand(SENSITIVITIES.includes(sensitivity), "the sensitivity is unknown");
  demand(typeof allowCustom === "boolean", "allowCustom is no boolean");
  demand(reason === undefined || typeof reason === "string", "the reason is no text");
  const form = CHOICES.includes(kind) ? readChoice(kind, rest) : readText(rest);
  return { id: questionIdOf(question), text: question, kind, sensitivity, allowsCustom: allowCustom, ...form };
}

function readChoice(kind, { options, default: initial, timeoutMs }) {
  const labels = readLabels(options);
  demandTimeout(timeoutMs);
  const multi = kind === "multi-select";
  const isValid = multi ? isTexts(initial) : typeof initial === "string";
  demand(initial === undefined || isValid, "the default is of another kind");
  return { labels, multi, timeoutMs, default: multi || initial === undefined ? initial : [initial] };
}

function readText({ options, default: initial }) {
  if (options !== undefined) readLabels(options); // there may be some, and nobody chooses among them
  demand(initial === undefined || typeof initial === "string", "the default is no text");
  return { multi: false, default: initial };
}

function readLabels(options) {
  demand(Array.isArray(options) && options.length > 0, "a question has no options");
  demand(options.every((option) => isObject(option) && isText(option.label)), "an option has no label");
  return options.map(({ label }) => label);
}

function demandTimeout(timeoutMs) {
  if (timeoutMs === undefined) return;
  const isValid = Number.isInteger(timeoutMs) && timeoutMs >= 1000 && timeoutMs <= 300_000;
  demand(isValid, "timeoutMs is no integer from 1000 to 300000");
}

/** The message names what is wrong, and quotes nothing: it might be a secret (JRN-043). */
function demand(condition, message) {
  if (!condition) throw new AskError("invalid", message);
}

const isText = (value) => typeof value === "string" && value.trim() !== "";
const isTexts = (value) => Array.isArray(value) && value.every((each) => typeof each === "string");
const isPosition = (value, list) => Number.isInteger(value) && value >= 0 && value < list.length;

/** The FNV-1a hash of the UTF-16 code units (JRN-054). */
function questionIdOf(text) {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  return `q_${(hash >>> 0).toString(16)}`;
}
