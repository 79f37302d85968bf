/** Reads decision journals, and says what was decided and by whom (spec/journal.md, from "Reading records" on). */
import { readFileSync } from "node:fs";

import { isObject } from "./json.mjs";
import { readLines } from "./lines.mjs";

const STATUSES = new Set(["answered", "timed-out", "cancelled", "deferred"]);
const SOURCES = new Set(["human", "automatic", "none"]);
const ENTRY_TYPES = new Set([
  "session_init",
  "message",
  "custom",
  "custom_message",
  "decision",
  "compact_summary",
  "branch_summary",
  "child_run",
  "artifact",
]);

/** The table of outcomes. */
const OUTCOMES = [
  { status: "answered", timedOut: false, answerSource: "human", hasAnswer: true },
  { status: "timed-out", timedOut: true, answerSource: "automatic", hasAnswer: true },
  { status: "timed-out", timedOut: true, answerSource: "none", hasAnswer: false },
  { status: "cancelled", timedOut: false, answerSource: "none", hasAnswer: false },
  { status: "deferred", timedOut: false, answerSource: "none", hasAnswer: false },
];

/** The strict mode refuses a file for a bad line (JRN-095). */
export class JournalRefused extends Error {
  constructor(line, code) {
    super(`line ${line} is bad: ${code}`);
    this.line = line;
    this.code = code;
  }
}

/**
 * Reads a journal file: its decisions, and a diagnostic for each bad line, in the order of the file (JRN-080, JRN-092).
 * @param {"session" | "store"} form whose journal it is
 */
export function readJournal(path, form, { strict = false } = {}) {
  const decisionOf = form === "store" ? decisionOfStore : decisionOfSession;
  const found = [];
  for (const { number: line, value, code } of readLines(readFileSync(path))) {
    const { decision, code: fault = code } = value ? decisionOf(value) : {};
    if (fault && strict) throw new JournalRefused(line, fault);
    if (fault) found.push({ line, code: fault });
    else if (decision) found.push({ line, decision, ...judge(decision) });
  }
  return found;
}

/** What a decision says of its outcome (JRN-081 to JRN-088). */
export function judge({ status, metadata = {}, answer }) {
  const { timedOut, answerSource } = isObject(metadata) ? metadata : {};
  const fits = (row) =>
    row.status === status &&
    (timedOut === undefined || timedOut === row.timedOut) &&
    (answerSource === undefined || answerSource === row.answerSource) &&
    (row.hasAnswer ? typeof answer === "string" || isObject(answer) : answer === undefined);
  const isConsistent = isObject(metadata) && OUTCOMES.some(fits);
  const by = SOURCES.has(answerSource) ? answerSource : "unknown";
  return { outcome: status, by, isHuman: isConsistent && status === "answered" && by === "human", isConsistent };
}

/** The decision of a line of a store, if it is one, or its fault. */
function decisionOfStore({ kind, session, entry }) {
  if (kind === "session") return isObject(session) ? {} : { code: "shape" };
  if (kind !== "entry") return { code: "type" };
  if (!isObject(entry)) return { code: "shape" };
  if (!ENTRY_TYPES.has(entry.type)) return { code: "type" };
  return entry.type === "decision" ? decisionIn(entry.payload) : {};
}

/** The same of a line of a session file. */
function decisionOfSession({ type, customType, data }) {
  if (typeof type !== "string") return { code: "type" };
  return type === "custom" && customType === "decision" ? decisionIn(data) : {};
}

function decisionIn(payload) {
  return isObject(payload) && STATUSES.has(payload.status) ? { decision: payload } : { code: "shape" };
}
