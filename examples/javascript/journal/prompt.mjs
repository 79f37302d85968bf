/** What the human is shown: the questions of an ask, one at a time, until the ask ends. */
import { AskError } from "./ask.mjs";

/**
 * @typedef {object} Outcome
 * @property {import("./ask.mjs").Question} question
 * @property {"answered" | "timed-out" | "cancelled"} status
 * @property {boolean} timedOut
 * @property {"human" | "automatic" | "none"} answerSource
 * @property {string | { selectedOptions: string[], customInput?: string }} [answer]
 */

const MESSAGES = {
  superseded: "another prompt took the place of this one",
  unavailable: "the user interface is not there any more",
  failed: "the prompt failed",
};

export class Prompt {
  #questions;
  #clock;
  #show;
  #states;
  #at = 0;
  #timer;
  #hasEnded = false;
  #end;

  /**
   * How the ask ended: what is decided, in the order of the questions. Rejected with an AskError if nothing is.
   * @type {Promise<{ outcomes: Outcome[], cancelled: boolean }>}
   */
  ended;

  /** @param {(position: number) => void} show shows a question, each time that it comes up */
  constructor(questions, clock, show) {
    this.#questions = questions;
    this.#clock = clock;
    this.#show = show;
    this.#states = questions.map(initialState);
    this.ended = new Promise((resolve, reject) => {
      this.#end = { resolve, reject };
    });
  }

  start() {
    this.#goTo(0);
  }

  /** Selects these options and no others, by their positions. */
  select(positions) {
    if (this.#hasEnded || !this.#question.labels) return;
    this.#state.selected = this.#question.labels.filter((_, at) => positions.includes(at));
    if (!this.#question.multi) this.#state.typed = undefined;
  }

  /** Types a text; where there are options it is custom input, in place of an option (JRN-006). */
  type(text) {
    if (this.#hasEnded) return;
    if (!this.#question.labels) this.#state.typed = text;
    if (!this.#question.labels || !this.#question.allowsCustom) return;
    this.#state.typed = text.trim() === "" ? undefined : text; // JRN-023
    if (!this.#question.multi) this.#state.selected = [];
  }

  /** Confirms, and goes on. Where one option has to be chosen and none is, there is nothing to confirm. */
  confirm() {
    if (this.#hasEnded) return;
    const answer = answerOf(this.#question, this.#state);
    if (answer === undefined) return;
    this.#decide({ status: "answered", timedOut: false, answerSource: "human", answer });
    this.#goTo(this.#at + 1);
  }

  /** Goes to the next question without confirming; from the last one, ends the batch (JRN-005). */
  forward() {
    if (!this.#hasEnded && !this.#question.kind) this.#goTo(this.#at + 1);
  }

  back() {
    if (!this.#hasEnded && this.#at > 0) this.#goTo(this.#at - 1);
  }

  /** The human cancels: whatever was answered before is not written (JRN-033). */
  cancel() {
    if (this.#hasEnded) return;
    const outcome = { question: this.#question, status: "cancelled", timedOut: false, answerSource: "none" };
    this.#finish([outcome], true);
  }

  /**
   * Ends without the human, and without a decision (JRN-034).
   * @param {"superseded" | "unavailable" | "failed"} status
   */
  interrupt(status) {
    if (this.#hasEnded) return;
    this.#stop();
    this.#end.reject(new AskError(status, MESSAGES[status]));
  }

  get #question() {
    return this.#questions[this.#at];
  }

  get #state() {
    return this.#states[this.#at];
  }

  #goTo(position) {
    this.#clock.clearTimeout(this.#timer);
    if (position === this.#questions.length) return this.#finish(this.#outcomes());
    this.#at = position;
    const { timeoutMs } = this.#question;
    // Time completes what nobody has answered: it does not take back what a human has.
    if (timeoutMs !== undefined && !this.#state.outcome) {
      this.#timer = this.#clock.setTimeout(() => this.#runOut(), timeoutMs);
    }
    this.#show(position);
  }

  #runOut() {
    const { kind, labels, multi, recommended = 0 } = this.#question;
    if (kind) {
      // No answer of a rich question is automatic (JRN-016).
      const outcome = { question: this.#question, status: "timed-out", timedOut: true, answerSource: "none" };
      return this.#finish([outcome], true);
    }
    const selectedOptions = multi ? this.#state.selected : [labels[recommended]]; // JRN-011, JRN-012
    this.#decide({ status: "timed-out", timedOut: true, answerSource: "automatic", answer: { selectedOptions } });
    this.#goTo(this.#at + 1);
  }

  #decide(outcome) {
    this.#state.outcome = { question: this.#question, ...outcome };
  }

  /** Those of the questions that have one: the others were skipped (JRN-032). */
  #outcomes() {
    return this.#states.map(({ outcome }) => outcome).filter(Boolean);
  }

  #finish(outcomes, cancelled = false) {
    this.#stop();
    this.#end.resolve({ outcomes, cancelled });
  }

  #stop() {
    this.#hasEnded = true;
    this.#clock.clearTimeout(this.#timer);
  }
}

function initialState({ labels, default: initial }) {
  if (!labels) return { typed: initial };
  return { selected: labels.filter((label) => initial?.includes(label)) };
}

/** The answer as it stands (spec/journal.md, "Answers"); undefined if nothing was chosen that must be. */
function answerOf({ labels, multi }, { selected, typed }) {
  if (!labels) return typed ?? "";
  if (!multi && selected.length === 0 && typed === undefined) return undefined;
  return typed === undefined ? { selectedOptions: selected } : { selectedOptions: selected, customInput: typed };
}
