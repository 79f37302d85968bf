/** The host's part that captures what is asked, and tells its subscribers what a human answered (spec/receipts.md). */
import { captureQuestions } from "./questions.mjs";

export class ReceiptIssuer {
  #subscriptions = new Set();

  /**
   * Subscribes in the manager's present session and workspace (RCP-002).
   * @returns {() => void} ends the subscription; calling it again does nothing (RCP-003)
   */
  subscribe(manager, callback) {
    const subscription = { manager, place: placeOf(manager), callback };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  /** The host calls it when the manager's session is shut down, or another takes its place (RCP-006). */
  endSession(manager) {
    for (const subscription of this.#subscriptions) {
      if (subscription.manager === manager) this.#subscriptions.delete(subscription);
    }
  }

  /**
   * Captures a call, before its UI opens (RCP-010 to RCP-019).
   * @returns {(rows: unknown[]) => void} delivers the answers, once, to those who had subscribed by now
   */
  capture({ manager, toolName, toolCallId, mode, interactive, background, input, signal }) {
    const questions = captureQuestions(toolName, input, mode);
    const place = placeOf(manager);
    const leaf = leafOf(manager);
    const addressees = [...this.#subscriptions].filter((it) => it.manager === manager && isSame(it.place, place));
    let isOpen = isAttended(mode, interactive, background) && leaf !== undefined;

    return (rows) => {
      const mayDeliver = isOpen && !signal?.aborted; // RCP-033
      isOpen = false; // RCP-031
      if (!mayDeliver || !isSame(placeOf(manager), place) || leafOf(manager) !== leaf) return;
      if (rows.length !== questions.length) return;
      const answers = questions.map(({ answerOf }, at) => answerOf(rows[at]));
      if (answers.includes(undefined)) return; // RCP-038: all or nothing

      const receipts = questions.map(({ question, prompt }, questionIndex) =>
        freeze({
          sessionManager: manager,
          sessionId: place.sessionId,
          cwd: place.cwd,
          branchAnchor: leaf,
          toolName,
          toolCallId,
          questionIndex,
          question,
          prompt,
          answer: answers[questionIndex],
        }),
      );
      for (const receipt of receipts) {
        for (const subscription of addressees) {
          // Asked anew each time: the subscriber before may have ended this one (RCP-005).
          if (this.#subscriptions.has(subscription)) handOver(receipt, subscription.callback);
        }
      }
    };
  }
}

/** Whether a human is there: at the terminal, or declared to be at the dialogs of rpc (RCP-039, RCP-040). */
function isAttended(mode, interactive, background) {
  return !background && (mode === "tui" || (mode === "rpc" && interactive));
}

function placeOf(manager) {
  return { sessionId: manager.getSessionId(), cwd: manager.getCwd() };
}

function isSame(one, other) {
  return one.sessionId === other.sessionId && one.cwd === other.cwd;
}

/** The leaf id, null on an empty branch; undefined where it cannot be told (RCP-036). */
function leafOf(manager) {
  try {
    const leaf = manager.getLeafId();
    return leaf === null || typeof leaf === "string" ? leaf : undefined;
  } catch {
    return undefined;
  }
}

/** RCP-025: all of it but the manager. */
function freeze(receipt) {
  Object.freeze(receipt.answer.selected);
  Object.freeze(receipt.answer);
  return Object.freeze(receipt);
}

/** RCP-005: neither waits for the subscriber nor minds how it fails. */
function handOver(receipt, callback) {
  try {
    Promise.resolve(callback(receipt)).catch(() => {});
  } catch {
    // its own affair
  }
}
