/** The input of an ask, checked and normalized (EVT-020 to EVT-030). */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { compact, isBlank, isObject, isString, unlessBlank } from "./values.mjs";

const TYPES = ["single", "multi", "preview"];

/** The input is not one that can be asked. `issues` names every fault by its path (EVT-030). */
export class InvalidInput extends Error {
  constructor(issues) {
    super(issues.map(({ path, message }) => `${path}: ${message}`).join("; "));
    this.issues = issues;
  }
}

/**
 * @typedef {{value: string, label: string, description?: string, preview?: string, recommended?: boolean,
 *            freeform?: boolean}} Option
 * @typedef {{id: string, label: string, prompt: string, type: "single" | "multi" | "preview", required: boolean,
 *            options: Option[], requestedType?: string, presentedType?: string}} Question
 */

/**
 * Returns the form as it is shown.
 * @param {unknown} input
 * @param {{presentSingleAsMulti?: boolean, cwd?: string}} [settings] `cwd` is where files of previews are looked up
 * @returns {{title?: string, questions: Question[]}}
 * @throws {InvalidInput}
 */
export function normalize(input, { presentSingleAsMulti = false, cwd = "." } = {}) {
  const reader = new InputReader(cwd);
  const form = reader.form(input);
  if (reader.issues.length > 0) throw new InvalidInput(reader.issues);
  if (presentSingleAsMulti) form.questions = form.questions.map(asMulti);
  return form;
}

/** EVT-046: what is presented, beside what was asked for. */
function asMulti(question) {
  if (question.type !== "single") return question;
  return { ...question, type: "multi", requestedType: "single", presentedType: "multi" };
}

class InputReader {
  issues = [];
  #cwd;

  constructor(cwd) {
    this.#cwd = cwd;
  }

  form(input) {
    const { title, questions } = isObject(input) ? input : {};
    this.#optional(title, "string", "title");
    if (!Array.isArray(questions) || questions.length === 0) {
      this.#issue("questions", "there must be at least one question");
      return undefined;
    }
    const ids = new Set();
    return compact({ title, questions: questions.map((one, at) => this.#question(one, `questions[${at}]`, at, ids)) });
  }

  #question(input, path, at, ids) {
    if (!isObject(input)) return this.#issue(path, "must be an object");
    const { type = "single", required = false } = input;
    if (!TYPES.includes(type)) this.#issue(`${path}.type`, `must be one of ${TYPES.join(", ")}`);
    this.#optional(input.label, "string", `${path}.label`);
    this.#optional(required, "boolean", `${path}.required`);
    return {
      id: this.#unique(this.#text(input.id, `${path}.id`), ids, `${path}.id`),
      label: isString(input.label) && !isBlank(input.label) ? input.label.trim() : `Q${at + 1}`,
      prompt: this.#text(input.prompt, `${path}.prompt`),
      type,
      required,
      options: this.#options(input.options, `${path}.options`, type),
    };
  }

  #options(input, path, type) {
    if (!Array.isArray(input) || input.length === 0) return this.#issue(path, "there must be at least one option");
    const values = new Set();
    return input.map((one, at) => this.#option(one, `${path}[${at}]`, type, values));
  }

  #option(input, path, type, values) {
    if (!isObject(input)) return this.#issue(path, "must be an object");
    for (const name of ["description", "preview", "previewFile"]) {
      this.#optional(input[name], "string", `${path}.${name}`);
    }
    for (const name of ["recommended", "freeform"]) this.#optional(input[name], "boolean", `${path}.${name}`);
    const preview = this.#preview(input, path);
    if (type === "preview" && preview === undefined) this.#issue(`${path}.preview`, "must not be blank");
    return compact({
      value: this.#unique(this.#text(input.value, `${path}.value`), values, `${path}.value`),
      label: this.#text(input.label, `${path}.label`),
      description: isString(input.description) ? unlessBlank(input.description) : undefined,
      preview,
      recommended: input.recommended,
      freeform: input.freeform,
    });
  }

  /** EVT-150: the text of a file, never its path. A preview that is written out goes before one in a file. */
  #preview({ preview, previewFile }, path) {
    if (isString(preview) && !isBlank(preview)) return preview;
    if (!isString(previewFile) || isBlank(previewFile)) return undefined;
    try {
      return unlessBlank(readFileSync(resolve(this.#cwd, previewFile), "utf8"));
    } catch {
      return this.#issue(`${path}.previewFile`, "cannot be read");
    }
  }

  /** EVT-021, EVT-022 */
  #text(value, path) {
    if (!isString(value) || isBlank(value)) return this.#issue(path, "must be a text that is not blank");
    return value.trim();
  }

  /** EVT-023, EVT-024 */
  #unique(text, seen, path) {
    if (text === undefined) return undefined;
    if (seen.has(text)) this.#issue(path, "is there before");
    seen.add(text);
    return text;
  }

  #optional(value, type, path) {
    if (value !== undefined && typeof value !== type) this.#issue(path, `must be a ${type}`);
  }

  #issue(path, message) {
    this.issues.push({ path, message });
    return undefined;
  }
}
