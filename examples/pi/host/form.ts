/** What is asked, what may be answered, and what the result says: the parts of an ask that know nothing of Pi. */

export type Type = "single" | "multi" | "preview";
export type Option = { value: string; label: string; description?: string; preview?: string; recommended?: boolean };
export type Question = { id: string; label: string; prompt: string; type: Type; required: boolean; options: Option[] };
export type Form = { title?: string; questions: Question[] };

export type Row = {
  values: string[];
  labels: string[];
  indices: number[];
  customText?: string;
  note?: string;
  optionNotes?: Record<string, string>;
};
export type Result = {
  title?: string;
  cancelled: boolean;
  mode: "submit" | "elaborate";
  questions: object[];
  answers: Record<string, Row>;
  [more: string]: unknown;
};
/** What was given to a question, checked; what is blank is not there. */
export type Given = { chosen: Option[]; customText?: string; note?: string; optionNotes: Map<Option, string> };
export type Response = { kind: "cancel" } | { kind: "answer"; mode: "submit" | "elaborate"; given: Map<string, Given> };

/** Why a submit is not taken; `code` is the `error` of its result. */
export class Refusal extends Error {
  readonly code: "flow_not_found" | "invalid_request" | "invalid_answer";

  constructor(code: Refusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The input is not one that can be asked: an issue with the path of each fault. */
export class InvalidInput extends Error {
  readonly issues: { path: string; message: string }[];

  constructor(issues: InvalidInput["issues"]) {
    super("The input cannot be asked.");
    this.issues = issues;
  }
}

type Json = Record<string, unknown>;
export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const unlessBlank = (text: unknown) => (typeof text === "string" && text.trim() !== "" ? text : undefined);

/** The object without the members that are undefined. */
export function compact<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** The form that an input asks for (EVT-020 to EVT-029). */
export function formOf(input: unknown): Form {
  const issues: { path: string; message: string }[] = [];
  const fault = (path: string, message: string) => void issues.push({ path, message });

  function text(value: unknown, path: string, taken?: Set<string>) {
    const trimmed = unlessBlank(value)?.trim() ?? "";
    if (trimmed === "") fault(path, "must be a text that is not blank");
    else if (taken?.has(trimmed)) fault(path, "is there before");
    taken?.add(trimmed);
    return trimmed;
  }

  function option(one: unknown, path: string, type: unknown, values: Set<string>): Option {
    const { value, label, description, preview, recommended } = isObject(one) ? one : {};
    if (type === "preview" && unlessBlank(preview) === undefined) fault(`${path}.preview`, "must not be blank");
    return compact({
      value: text(value, `${path}.value`, values),
      label: text(label, `${path}.label`),
      description: unlessBlank(description),
      preview: unlessBlank(preview),
      recommended: typeof recommended === "boolean" ? recommended : undefined,
    });
  }

  function question(one: unknown, at: number): Question {
    const path = `questions[${at}]`;
    const { id, label, prompt, type = "single", required, options } = isObject(one) ? one : {};
    if (!["single", "multi", "preview"].includes(type as string)) fault(`${path}.type`, "is not known");
    const offered = Array.isArray(options) ? options : [];
    if (offered.length === 0) fault(`${path}.options`, "there must be at least one option");
    const values = new Set<string>();
    return {
      id: text(id, `${path}.id`, ids),
      label: unlessBlank(label)?.trim() ?? `Q${at + 1}`,
      prompt: text(prompt, `${path}.prompt`),
      type: type as Type,
      required: required === true,
      options: offered.map((each, n) => option(each, `${path}.options[${n}]`, type, values)),
    };
  }

  const ids = new Set<string>();
  const { title, questions } = isObject(input) ? input : {};
  const asked = Array.isArray(questions) ? questions : [];
  if (asked.length === 0) fault("questions", "there must be at least one question");
  const form = compact({ title: title as string | undefined, questions: asked.map(question) });
  if (issues.length > 0) throw new InvalidInput(issues);
  return form;
}

function demand(holds: boolean, code: Refusal["code"], message: string): asserts holds {
  if (!holds) throw new Refusal(code, message);
}

function must(holds: boolean, message: string): asserts holds {
  demand(holds, "invalid_answer", message);
}

/** The envelope of a submit, checked before its flow is looked for (EVT-072, EVT-074). */
export function checkEnvelope(submit: unknown): asserts submit is { requestId: string; flowId: string; response: Json } {
  const isName = (name: unknown) => typeof name === "string" && name !== "";
  demand(isObject(submit) && submit.version === 1, "invalid_request", "A submit is an object of version 1.");
  demand(isName(submit.requestId) && isName(submit.flowId), "invalid_request", "requestId and flowId must not be empty.");
  const { response } = submit;
  const isKnown = isObject(response) && (response.kind === "answer" || response.kind === "cancel");
  demand(isKnown, "invalid_request", "A response is an answer or a cancel.");
}

/** Reads a response whole, or refuses it whole (EVT-075 to EVT-086). `find` looks up the option that a value names. */
export function responseOf(response: unknown, form: Form, find: (options: Option[], value: string) => Option | undefined): Response {
  function given(answer: unknown, { type, options }: Question): Given {
    must(isObject(answer), "An answer is an object.");
    const { values = [], customText = "", note = "", optionNotes = {} } = answer;
    must(Array.isArray(values) && values.every((value) => typeof value === "string"), "values is a list of texts.");
    must(typeof customText === "string" && typeof note === "string", "customText and note are texts.");
    must(isObject(optionNotes), "optionNotes is an object.");
    const notes = Object.entries(optionNotes);
    must(notes.every(([, remark]) => typeof remark === "string"), "optionNotes holds texts.");
    const own = unlessBlank(customText);
    must(new Set(values).size === values.length, "A value is given once.");
    must(type === "multi" || values.length + (own ? 1 : 0) <= 1, "Only one can be chosen.");

    const offered = (option: Option | undefined) => {
      must(option !== undefined, "Only what was offered can be chosen.");
      return option;
    };
    const chosen = values.map((value) => offered(find(options, value)));
    const remarks = notes.filter(([, remark]) => unlessBlank(remark)) as [string, string][];
    return {
      chosen: options.filter((option) => chosen.includes(option)), // in the declared order (EVT-102)
      customText: own,
      note: unlessBlank(note),
      optionNotes: new Map(remarks.map(([value, remark]) => [offered(options.find((one) => one.value === value)), remark])),
    };
  }

  demand(isObject(response), "invalid_request", "A response is an object.");
  if (response.kind === "cancel") return { kind: "cancel" };
  demand(response.kind === "answer", "invalid_request", "A response is an answer or a cancel.");
  const { answers, mode = "submit" } = response;
  must(isObject(answers), "answers is an object.");
  must(mode === "submit" || mode === "elaborate", "mode is submit or elaborate.");
  const read = Object.entries(answers).map(([id, answer]): [string, Given] => {
    const question = form.questions.find((one) => one.id === id);
    must(question !== undefined, "Only what was asked can be answered.");
    return [id, given(answer, question)];
  });
  return { kind: "answer", mode, given: new Map(read) };
}

const summary = ({ id, label, prompt, type }: Question) => ({ id, label, prompt, type });

/** Nothing of what was filled in is left (EVT-107). */
export const cancelled = ({ title, questions }: Form): Result =>
  compact({ title, cancelled: true, mode: "submit", questions: questions.map(summary), answers: {} });

export const invalid = ({ issues }: InvalidInput): Result => ({
  ...cancelled({ questions: [] }),
  error: { kind: "invalid_input", issues },
});

type State = { question: Question; given: Given; answered: boolean; unclear: boolean; row: Row };

/** The result of an answer, computed from the form (EVT-100 to EVT-128). `record` makes a record of rows. */
export function answered(
  { title, questions }: Form,
  { mode, given }: Response & { kind: "answer" },
  record: (rows: [string, Row][]) => Record<string, Row>,
): Result {
  const states = questions.map((question) => stateOf(question, given.get(question.id)));
  const rows = (of: State[]) => record(of.map(({ question, row }) => [question.id, row]));
  const elaborate = mode === "elaborate";
  return compact({
    title,
    cancelled: false,
    mode,
    questions: questions.map(summary),
    answers: rows(states.filter((state) => state.answered || (state.row.note !== undefined && !elaborate))),
    ...(elaborate && {
      continuation: {
        strategy: states.some(({ unclear }) => unclear) ? "refine_only" : "resume",
        affectedQuestionIds: states.filter(({ unclear }) => unclear).map(({ question }) => question.id),
        preservedAnswers: rows(states.filter((state) => state.answered && !state.unclear)),
        questionStates: Object.fromEntries(states.map((state) => [state.question.id, { status: statusOf(state) }])),
      },
      elaboration: {
        instruction: "Clarify what was remarked on, then ask again.",
        nextAction: "clarify_then_reask",
        items: states.flatMap(itemsOf),
      },
    }),
  });
}

function stateOf(question: Question, given: Given = { chosen: [], optionNotes: new Map() }): State {
  const { chosen, customText, note, optionNotes } = given;
  const own = customText === undefined ? [] : [customText];
  const notes = chosen.filter((option) => optionNotes.has(option)).map((option) => [option.value, optionNotes.get(option)]);
  const row = compact({
    values: [...chosen.map(({ value }) => value), ...own],
    labels: [...chosen.map(({ label }) => label), ...own],
    indices: chosen.map((option) => question.options.indexOf(option) + 1),
    customText,
    note,
    optionNotes: notes.length > 0 ? Object.fromEntries(notes) : undefined,
  });
  return { question, given, answered: row.values.length > 0, unclear: note !== undefined || optionNotes.size > 0, row };
}

function statusOf({ unclear, answered }: State) {
  if (unclear) return "needs_clarification";
  return answered ? "answered" : "unanswered";
}

function itemsOf({ question, given, answered, row }: State) {
  const about = compact({
    question: { ...summary(question), options: question.options },
    answered,
    answer: answered ? row : undefined,
  });
  const remarked = question.options.filter((option) => given.optionNotes.has(option));
  return [
    ...(given.note === undefined ? [] : [{ target: { kind: "question" }, ...about, note: given.note }]),
    ...remarked.map((option) => ({
      target: { kind: "option", optionValue: option.value },
      ...about,
      option,
      selected: given.chosen.includes(option),
      note: given.optionNotes.get(option),
    })),
  ];
}
