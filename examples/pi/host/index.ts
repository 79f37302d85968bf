/**
 * An ask host for Pi: the tool `ask_user` opens a question, and whoever listens on the event bus can answer it.
 *
 * askproof run pi:examples/pi/host
 */
import { randomUUID } from "node:crypto";

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { matchesKey, truncateToWidth } from "@earendil-works/pi-tui";
import { Type } from "typebox";

import * as forms from "./form.ts";
import type { Form, Option, Result, Row } from "./form.ts";

export const NAMESPACE = "@example/ask";

/** An opened form, from `started` to its end. */
type Flow = { id: string; toolCallId: string; form: Form; ended: AbortController; resolve(result: Result): void; reject(error: Error): void };
type Call = { toolCallId: string; mode: string; signal?: AbortSignal; show?: (flow: Flow) => Promise<void> };
type Provider = { version: 1; id: string; open(request: unknown): unknown };

/** The role ask-host of spec/remote-events.md. */
export class AskHost {
  #events: ExtensionAPI["events"];
  #flows = new Map<string, Flow>();
  #stopListening: () => void;

  constructor(events: ExtensionAPI["events"]) {
    this.#events = events;
    this.#stopListening = events.on(`${NAMESPACE}:submit`, (submit) => this.#onSubmit(submit));
  }

  /** Asks, and waits until the flow has ended. */
  async ask(input: unknown, { toolCallId, mode, signal, show }: Call): Promise<Result> {
    let form: Form;
    try {
      form = forms.formOf(input);
    } catch (error) {
      if (error instanceof forms.InvalidInput) return forms.invalid(error);
      throw error;
    }
    if (signal?.aborted) return forms.cancelled(form);
    const provider = mode === "tui" || !toolCallId ? undefined : this.#findProvider(mode, toolCallId); // EVT-141
    if (!provider && !show) return forms.cancelled(form); // EVT-147

    return new Promise((resolve, reject) => {
      const flow: Flow = { id: randomUUID(), toolCallId, form, ended: new AbortController(), resolve, reject };
      this.#flows.set(flow.id, flow); // before `started`: a submit from inside a listener counts (EVT-040)
      this.#emit("started", { ...this.#head(flow), ...form, createdAt: Date.now() });
      if (!this.#flows.has(flow.id)) return;
      const onAbort = () => this.#complete(flow, forms.cancelled(form)); // EVT-055
      signal?.addEventListener("abort", onAbort, { signal: flow.ended.signal });
      if (provider) void this.#open(flow, provider);
      else show?.(flow).catch((error) => this.#fail(flow, error));
    });
  }

  /** The person at the terminal, or a bridge, gives the flow up. */
  cancel(flow: Flow) {
    if (this.#flows.has(flow.id)) this.#complete(flow, forms.cancelled(flow.form));
  }

  /** Ends the session: nothing is left that waits or listens (EVT-056). */
  dispose() {
    this.#stopListening();
    for (const flow of this.#flows.values()) this.#end(flow).resolve(forms.cancelled(flow.form));
  }

  /** Which option a value names (EVT-080). */
  protected find(options: Option[], value: string): Option | undefined {
    return options.find((option) => option.value === value);
  }

  /** The rows of a result by the ids of their questions, of which any is an ordinary key (EVT-010). */
  protected record(rows: [string, Row][]): Record<string, Row> {
    return Object.fromEntries(rows);
  }

  /** What the listeners of an event get: a copy, which is theirs to change (EVT-058). */
  protected payload(data: object): object {
    return structuredClone(data);
  }

  #end(flow: Flow): Flow {
    this.#flows.delete(flow.id);
    flow.ended.abort(); // EVT-155
    return flow;
  }

  #complete(flow: Flow, result: Result) {
    this.#flows.delete(flow.id);
    this.#emit("completed", { ...this.#head(flow), result, completedAt: Date.now() });
    this.#end(flow).resolve(result);
  }

  #fail(flow: Flow, cause: unknown) {
    if (this.#flows.has(flow.id)) this.#end(flow).reject(new Error("The form could not be shown.", { cause }));
  }

  #take(flow: Flow, given: unknown) {
    const response = forms.responseOf(given, flow.form, (options, value) => this.find(options, value));
    if (response.kind === "cancel") this.#complete(flow, forms.cancelled(flow.form));
    else this.#complete(flow, forms.answered(flow.form, response, (rows) => this.record(rows)));
  }

  #onSubmit(submit: unknown) {
    const { requestId, flowId } = forms.isObject(submit) ? submit : {};
    const text = (id: unknown) => (typeof id === "string" ? id : "");
    const ids = { requestId: text(requestId), flowId: text(flowId) }; // EVT-073
    try {
      forms.checkEnvelope(submit);
      const flow = this.#flows.get(submit.flowId);
      if (!flow) throw new forms.Refusal("flow_not_found", "This form is no longer open.");
      this.#take(flow, submit.response);
    } catch (error) {
      const { code, message } =
        error instanceof forms.Refusal ? error : new forms.Refusal("invalid_request", "The host failed."); // EVT-091
      this.#emit("submit-result", { ...ids, ok: false, error: code, message });
      return;
    }
    this.#emit("submit-result", { ...ids, ok: true });
  }

  /** Looks for somebody to show the form elsewhere, while the event is being delivered (EVT-140 to EVT-146). */
  #findProvider(mode: string, toolCallId: string): Provider | undefined {
    let found: Provider | undefined;
    let looking = true;
    const connect = (offered: unknown) => {
      if (!looking || found || !isProvider(offered)) return false;
      found = offered;
      return true;
    };
    this.#events.emit(`${NAMESPACE}:external-ui`, { version: 1, mode, toolCallId, connect });
    looking = false;
    return found;
  }

  async #open(flow: Flow, provider: Provider) {
    const { id: flowId, toolCallId, form } = flow;
    try {
      const request = { version: 1, flowId, toolCallId, ...structuredClone(form), signal: flow.ended.signal };
      const response = await provider.open(request);
      if (this.#flows.has(flowId)) this.#take(flow, response); // EVT-156
    } catch (error) {
      this.#fail(flow, error);
    }
  }

  #head = ({ id, toolCallId }: Flow) => ({ flowId: id, toolCallId, source: "tool" });

  #emit(channel: string, data: object) {
    this.#events.emit(`${NAMESPACE}:${channel}`, this.payload({ version: 1, ...data }));
  }
}

function isProvider(offered: unknown): offered is Provider {
  if (!forms.isObject(offered) || offered.version !== 1 || typeof offered.open !== "function") return false;
  return typeof offered.id === "string" && offered.id.trim() !== "";
}

/** In the terminal the questions are only shown: they are answered elsewhere, and Escape gives them up. */
function showIn(ctx: ExtensionContext, host: AskHost) {
  return (flow: Flow) =>
    ctx.ui.custom<void>((_tui, _theme, _keybindings, done) => {
      flow.ended.signal.addEventListener("abort", () => done());
      const lines = flow.form.questions.map(({ label, prompt }) => `${label}: ${prompt}`);
      return {
        render: (width) => [...lines, "Answer elsewhere, or press Escape to cancel."].map((line) => truncateToWidth(line, width)),
        handleInput: (key) => matchesKey(key, "escape") && host.cancel(flow),
        invalidate() {},
      };
    });
}

const option = Type.Object({
  value: Type.String(),
  label: Type.String(),
  description: Type.Optional(Type.String()),
  preview: Type.Optional(Type.String()),
  recommended: Type.Optional(Type.Boolean()),
});
const question = Type.Object({
  id: Type.String(),
  label: Type.Optional(Type.String()),
  prompt: Type.String(),
  type: Type.Optional(Type.String({ description: "single (default), multi, or preview" })),
  required: Type.Optional(Type.Boolean()),
  options: Type.Array(option),
});

/** Registers the tool, with a host for each session. */
export function install(pi: ExtensionAPI, Host: new (events: ExtensionAPI["events"]) => AskHost) {
  const host = new Host(pi.events);
  pi.on("session_shutdown", () => host.dispose());
  pi.registerTool({
    name: "ask_user",
    label: "Ask",
    description: "Asks the human, and waits for the answer.",
    parameters: Type.Object({ title: Type.Optional(Type.String()), questions: Type.Array(question) }),
    async execute(toolCallId, input, signal, _onUpdate, ctx) {
      const show = ctx.mode === "tui" && ctx.hasUI ? showIn(ctx, host) : undefined;
      const result = await host.ask(input, { toolCallId, mode: ctx.mode, signal, show });
      return { content: [{ type: "text", text: JSON.stringify(result) }], details: result };
    },
  });
}

export default (pi: ExtensionAPI) => install(pi, AskHost);
