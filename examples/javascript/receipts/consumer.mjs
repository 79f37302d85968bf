/** Keeps receipts as evidence, and says what a human has agreed to (spec/receipts.md, "What a consumer does"). */
export class ReceiptConsumer {
  #subscribe;
  #active;
  #evidence = [];
  #mode;

  /** @param {(manager: object, callback: (receipt: unknown) => void) => () => void} subscribe that of the issuer */
  constructor(subscribe) {
    this.#subscribe = subscribe;
  }

  /** Makes the manager's session the active one, in place of the one before; keeps at most so many bytes. */
  watch(manager, budget) {
    this.#leave();
    const active = { manager, sessionId: manager.getSessionId(), cwd: manager.getCwd(), budget };
    // Whatever comes by another way has no way in (RCP-061), and what comes too late finds another active session.
    active.unsubscribe = this.#subscribe(manager, (receipt) => {
      if (this.#active === active) this.#keep(receipt);
    });
    this.#active = active;
  }

  /** The host calls it when a manager's session or workspace ends or changes (RCP-062, RCP-066, RCP-070). */
  sessionEnds(manager) {
    if (this.#active?.manager === manager) this.#leave();
  }

  /** The permission mode is another; null: it is revoked (RCP-065, RCP-070). */
  setMode(mode) {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#evidence = [];
    if (mode === null) this.#leave();
  }

  /** Whether a human answered that question of that call with exactly this text, on the live branch (RCP-067). */
  hasAgreed({ toolCallId, questionIndex, text }) {
    if (this.#active === undefined) return false;
    const branch = this.#active.manager.getBranch();
    return this.#evidence.some(
      (pair) =>
        pair.toolCallId === toolCallId &&
        pair.questionIndex === questionIndex &&
        (pair.anchor === null || branch.includes(pair.anchor)) && // RCP-063
        agreedTexts(pair.answer).includes(text),
    );
  }

  /** The pairs of prompt and answer, the oldest first. */
  get evidence() {
    return this.#evidence.map(({ toolCallId, questionIndex, prompt, answer }) => ({
      toolCallId,
      questionIndex,
      prompt,
      answer: structuredClone(answer),
    }));
  }

  #leave() {
    this.#active?.unsubscribe();
    this.#active = undefined;
    this.#evidence = [];
  }

  #keep(receipt) {
    const { manager, sessionId, cwd, budget } = this.#active;
    if (receipt?.sessionManager !== manager || receipt.sessionId !== sessionId || receipt.cwd !== cwd) return;
    const pair = pairOf(receipt);
    if (pair === undefined || pair.bytes > budget) return;
    this.#evidence.push(pair);
    // RCP-064: whole pairs go, the oldest first.
    let bytes = this.#evidence.reduce((sum, each) => sum + each.bytes, 0);
    while (bytes > budget) bytes -= this.#evidence.shift().bytes;
  }
}

/** What is kept of a receipt; undefined if it is none. Members that it does not name are left behind (RCP-069). */
function pairOf({ toolCallId, questionIndex, branchAnchor: anchor, prompt, answer: given }) {
  if (typeof toolCallId !== "string" || typeof prompt !== "string") return undefined;
  if (!Number.isInteger(questionIndex) || questionIndex < 0) return undefined;
  if (anchor !== null && typeof anchor !== "string") return undefined;
  const answer = answerOf(given);
  if (answer === undefined) return undefined;
  const bytes = Buffer.byteLength(prompt) + Buffer.byteLength(JSON.stringify(answer));
  return { toolCallId, questionIndex, anchor, prompt, answer, bytes };
}

/** A copy of an answer of one of the three kinds (schema receipts/answer), or undefined. */
function answerOf(answer) {
  const { kind, text, selected } = answer ?? {};
  const hasLabels = Array.isArray(selected) && selected.every((label) => typeof label === "string");
  if (selected !== undefined && !hasLabels) return undefined;
  const labels = selected && { selected: [...selected] };
  if (kind === "multi") return selected?.length > 0 ? { kind, ...labels } : undefined;
  if (typeof text !== "string") return undefined;
  if (kind === "option" && (selected === undefined || (selected.length === 1 && selected[0] === text))) {
    return { kind, text, ...labels };
  }
  return kind === "custom" && text.trim() !== "" ? { kind, text, ...labels } : undefined;
}

/** Labels beside custom text do not count: the text may take them back (RCP-071). */
function agreedTexts({ kind, text, selected }) {
  return kind === "multi" ? selected : [text];
}
