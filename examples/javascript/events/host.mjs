/** An ask host: opens questions, takes submits and what providers say, and computes the result. */
import { randomUUID } from "node:crypto";

import { InvalidInput, normalize } from "./questions.mjs";
import { checkEnvelope, readResponse, Refusal } from "./responses.mjs";
import { cancelledResult, invalidInputResult, resultOf } from "./results.mjs";
import { compact, isBlank, isObject, isString } from "./values.mjs";

/** One opened form, from `started` to its end. It ends once. */
class Flow {
  id = randomUUID(); // EVT-048: never used again, not even by the same tool call
  #ended = new AbortController();
  #resolve;
  #reject;

  /** What the tool call gets, and waits for until then (EVT-151). */
  result = new Promise((resolve, reject) => {
    this.#resolve = resolve;
    this.#reject = reject;
  });

  constructor(form, { source, toolCallId }) {
    this.form = form;
    this.source = source;
    this.toolCallId = toolCallId;
  }

  /** Aborts when the flow ends, whatever ended it (EVT-155). */
  get signal() {
    return this.#ended.signal;
  }

  resolve(result) {
    this.#resolve(structuredClone(result));
    this.#ended.abort();
  }

  reject(error) {
    this.#reject(error);
    this.#ended.abort();
  }
}

/** The role ask-host of spec/remote-events.md, with the variant `after-abort: cancelled`. */
export class AskHost {
  #bus;
  #namespace;
  #now;
  #resultOf;
  #flows = new Map();
  #stopListening;

  /**
   * @param {object} options
   * @param {{on: Function, emit: Function}} options.bus
   * @param {string} options.namespace the prefix of its channels (EVT-001)
   * @param {() => number} [options.now] Unix milliseconds
   * @param {typeof resultOf} [options.computeResult]
   */
  constructor({ bus, namespace, now = Date.now, computeResult = resultOf }) {
    this.#bus = bus;
    this.#namespace = namespace;
    this.#now = now;
    this.#resultOf = computeResult;
    this.#stopListening = bus.on(`${namespace}:submit`, (submit) => this.#onSubmit(submit));
  }

  /**
   * Asks, and resolves with the result when the flow has ended; rejects when the external UI fails (EVT-153, EVT-154).
   * @param {unknown} input
   * @param {object} call
   * @param {"tui" | "rpc" | "json" | "print"} call.mode
   * @param {"tool" | "answer" | "answer:again" | "ask:replay" | "ask:resume"} [call.source]
   * @param {string} [call.toolCallId]
   * @param {boolean} [call.interactive] whether there is a person at the terminal
   * @param {boolean} [call.background]
   * @param {AbortSignal} [call.signal] of the operation that asks
   * @param {(form: LocalForm) => void} [call.show] shows the form in the terminal
   * @param {{presentSingleAsMulti?: boolean, cwd?: string}} [call.settings]
   */
  async ask(input, call) {
    const { mode, source = "tool", toolCallId, interactive = true, background = false, signal, show, settings } = call;
    let form;
    try {
      form = normalize(input, settings);
    } catch (error) {
      if (error instanceof InvalidInput) return invalidInputResult(error);
      throw error;
    }
    if (signal?.aborted) return cancelledResult(form);

    const inTerminal = mode === "tui";
    const mayLookAround = !inTerminal && !background && source === "tool" && toolCallId !== undefined;
    const provider = mayLookAround ? this.#findProvider(mode, toolCallId) : undefined;
    if (inTerminal ? !interactive : provider === undefined) return cancelledResult(form); // EVT-147

    const flow = this.#start(form, { source, toolCallId });
    if (this.#isActive(flow)) {
      const onAbort = () => this.#complete(flow, cancelledResult(form)); // EVT-055
      signal?.addEventListener("abort", onAbort, { signal: flow.signal });
      if (provider) this.#open(flow, provider);
      else this.#show(flow, show);
    }
    return flow.result;
  }

  /** Ends the session: nothing is left that waits or listens (EVT-056, EVT-057). */
  dispose() {
    this.#stopListening();
    for (const flow of this.#flows.values()) {
      this.#flows.delete(flow.id);
      flow.resolve(cancelledResult(flow.form));
    }
  }

  #start(form, origin) {
    const flow = new Flow(form, origin);
    this.#flows.set(flow.id, flow); // before `started`: a submit from inside a listener counts (EVT-040)
    this.#emit("started", { ...this.#head(flow), ...form, createdAt: this.#now() });
    return flow;
  }

  #isActive = (flow) => this.#flows.has(flow.id);

  /** Ends an active flow with this result (EVT-050, EVT-051). */
  #complete(flow, result) {
    if (!this.#flows.delete(flow.id)) return;
    this.#emit("completed", { ...this.#head(flow), result, completedAt: this.#now() });
    flow.resolve(result);
  }

  /** Ends an active flow without any result (EVT-053, EVT-054). */
  #fail(flow, error) {
    if (this.#flows.delete(flow.id)) flow.reject(error);
  }

  #take(flow, response) {
    const result = this.#resultOf(flow.form, readResponse(response, flow.form.questions));
    this.#complete(flow, result);
  }

  #onSubmit(submit) {
    const { requestId, flowId } = isObject(submit) ? submit : {};
    const ids = { requestId: isString(requestId) ? requestId : "", flowId: isString(flowId) ? flowId : "" }; // EVT-073
    try {
      checkEnvelope(submit);
      const flow = this.#flows.get(flowId);
      if (!flow) throw new Refusal("flow_not_found", "This form is no longer open.");
      this.#take(flow, submit.response);
    } catch (error) {
      // EVT-091: there is no code for a failure of the host; the message does not repeat what went wrong inside.
      const { code, message } = error instanceof Refusal ? error : new Refusal("invalid_request", "The host failed.");
      this.#emit("submit-result", { ...ids, ok: false, error: code, message });
      return;
    }
    this.#emit("submit-result", { ...ids, ok: true });
  }

  /** Looks for somebody to show the form elsewhere, while the event is being delivered (EVT-140 to EVT-146). */
  #findProvider(mode, toolCallId) {
    let open;
    let looking = true;
    const connect = (provider) => {
      if (!looking || !isProvider(provider)) return false;
      looking = false;
      open = provider.open.bind(provider);
      return true;
    };
    this.#bus.emit(`${this.#namespace}:external-ui`, { version: 1, mode, toolCallId, connect });
    looking = false;
    return open;
  }

  async #open(flow, open) {
    const { id: flowId, toolCallId, form, signal } = flow;
    try {
      const request = { version: 1, flowId, toolCallId, ...structuredClone(form), signal }; // EVT-148, EVT-149
      const response = await open(request);
      if (this.#isActive(flow)) this.#take(flow, response); // EVT-156
    } catch (error) {
      this.#fail(flow, new Error("The external UI failed.", { cause: error }));
    }
  }

  #show(flow, show) {
    try {
      show?.(new LocalForm(flow.form, flow.signal, (response) => this.#take(flow, response)));
    } catch (error) {
      this.#fail(flow, error);
    }
  }

  #head = ({ id, toolCallId, source }) => compact({ flowId: id, toolCallId, source });

  /** Emits a copy, so that a listener changes nothing but its event (EVT-058). */
  #emit(channel, data) {
    this.#bus.emit(`${this.#namespace}:${channel}`, structuredClone({ version: 1, ...data }));
  }
}

/** The form in the terminal. What is filled in stays here until the person finishes. */
export class LocalForm {
  #answers = {};
  #take;

  constructor({ title, questions }, signal, take) {
    this.title = title;
    this.questions = questions;
    this.signal = signal;
    this.#take = take;
  }

  fill(answers) {
    this.#answers = answers;
  }

  /** @param {"submit" | "elaborate"} mode */
  finish(mode) {
    this.#respond({ kind: "answer", mode, answers: this.#answers });
  }

  cancel() {
    this.#respond({ kind: "cancel" });
  }

  #respond(response) {
    if (!this.signal.aborted) this.#take(response);
  }
}

/** EVT-143 */
function isProvider(provider) {
  if (!isObject(provider) || provider.version !== 1) return false;
  return isString(provider.id) && !isBlank(provider.id) && typeof provider.open === "function";
}
