/** What comes back for a form, from a submit, from a provider or from the local form, checked whole (EVT-070 to EVT-094). */
import { isBlank, isObject, isString, unlessBlank } from "./values.mjs";

/** The response cannot be taken. `code` is the `error` of a submit-result. */
export class Refusal extends Error {
  /** @param {"flow_not_found" | "invalid_request" | "invalid_answer"} code */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/**
 * Checks all of a submit but what depends on its flow, in the order of the specification (EVT-072, EVT-074).
 * @throws {Refusal} invalid_request
 */
export function checkEnvelope(submit) {
  const demand = (holds, message) => {
    if (!holds) throw new Refusal("invalid_request", message);
  };
  demand(isObject(submit), "A submit must be an object.");
  demand(submit.version === 1, "version must be 1.");
  demand(isString(submit.requestId) && submit.requestId !== "", "requestId must be a text that is not empty.");
  demand(isString(submit.flowId) && submit.flowId !== "", "flowId must be a text that is not empty.");
  demand(isObject(submit.response), "response must be an object.");
  demand(["answer", "cancel"].includes(submit.response.kind), "The kind of a response must be answer or cancel.");
}

/**
 * Reads a response to these questions: everything that was given and nothing that was not, in a copy.
 * @typedef {{values: Set<string>, customText?: string, note?: string, optionNotes: Map<string, string>}} Given
 * @param {import("./questions.mjs").Question[]} questions
 * @returns {{kind: "cancel"} | {kind: "answer", mode: "submit" | "elaborate", given: Map<string, Given>}}
 * @throws {Refusal} invalid_request or invalid_answer
 */
export function readResponse(response, questions) {
  if (response?.kind === "cancel") return { kind: "cancel" };
  if (response?.kind !== "answer") throw new Refusal("invalid_request", "This is neither an answer nor a cancel.");
  const { answers, mode = "submit" } = response;
  demand(isObject(answers), "answers must be an object.");
  demand(mode === "submit" || mode === "elaborate", "mode must be submit or elaborate.");
  const byId = new Map(questions.map((question) => [question.id, question]));
  const given = new Map();
  for (const [id, answer] of Object.entries(answers)) {
    demand(byId.has(id), `There is no question ${JSON.stringify(id)}.`);
    given.set(id, readAnswer(answer, byId.get(id)));
  }
  return { kind: "answer", mode, given };
}

function readAnswer(answer, { type, options }) {
  demand(isObject(answer), "An answer must be an object.");
  const { values = [], customText, note, optionNotes = {} } = answer;
  demand(Array.isArray(values) && values.every(isString), "values must be a list of texts.");
  demand(customText === undefined || isString(customText), "customText must be a text.");
  demand(note === undefined || isString(note), "note must be a text.");
  demand(isObject(optionNotes), "optionNotes must be an object.");
  const notes = Object.entries(optionNotes);
  demand(
    notes.every(([, text]) => isString(text)),
    "optionNotes must hold texts.",
  );

  const ownText = unlessBlank(customText);
  const chosen = new Set(values);
  demand(chosen.size === values.length, "A value must not be given twice.");
  if (type !== "multi") {
    demand(values.length <= 1, "Only one value may be chosen.");
    demand(values.length === 0 || ownText === undefined, "A value and an own text exclude each other.");
  }

  const remarks = new Map(notes.filter(([, text]) => !isBlank(text)));
  const offered = new Set(options.map(({ value }) => value));
  for (const value of [...values, ...remarks.keys()]) {
    demand(offered.has(value), `${JSON.stringify(value)} was not offered.`);
  }
  return { values: chosen, customText: ownText, note: unlessBlank(note), optionNotes: remarks };
}

function demand(holds, message) {
  if (!holds) throw new Refusal("invalid_answer", message);
}
