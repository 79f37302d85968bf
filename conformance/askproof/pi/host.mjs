/** The role ask-host: the tool is called as the model calls it, and everything else happens on the event bus of Pi. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { commonCommands, setAt, settling } from "./common.mjs";

const ALWAYS = ["reload", "shutdown"];

/** The role, as `probe` has found it. */
export function hostRole({ open, namespace, tool, capabilities = [] }, found) {
  return {
    capabilities: [...new Set([...ALWAYS, ...found.capabilities, ...capabilities])],
    variants: found.variants,
    async begin({ see }) {
      const opened = await open((channel, data) => {
        if (channel.startsWith(`${namespace}:`)) see({ emitted: channel, data });
      });
      return commandsOf(opened, { see, namespace, tool });
    },
  };
}

function commandsOf(opened, { see, namespace, tool }) {
  const { session, bus, cwd } = opened;
  const operations = new Map();
  const settlers = new Map();
  let latestRequest;

  const openAs = (provider) => (request) => {
    see({ opened: provider, request });
    latestRequest = request;
    request?.signal?.addEventListener?.("abort", () => see({ aborted: provider }));
    return new Promise((resolve, reject) => settlers.set(provider, { resolve, reject }));
  };

  const commands = {
    ...commonCommands(opened),

    async ask({ call, mode, input, toolCallId, interactive = true, files = {} }) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), text);
      }
      session.setMode(mode, interactive);
      await session.start();
      const operation = new AbortController();
      operations.set(call, operation);
      session.callTool(tool, { toolCallId, input, signal: operation.signal }).then(
        (result) => see({ tool: call, result: resultOf(result) }),
        (error) => see({ tool: call, error: String(error?.message ?? error) }),
      );
    },

    listen({ listener, channel, then }) {
      bus.on(channel, (event) => {
        see({ heard: listener, channel });
        if (then === "throw") throw new Error("thrown on purpose");
        if (then === "reject") return Promise.reject(new Error("rejected on purpose"));
        if (then.set) setAt(event, then.set.path, then.set.value);
        if (then.submit) bus.emit(`${namespace}:submit`, { version: 1, flowId: event.flowId, ...then.submit });
      });
    },

    offer({ provider, connect: description, when, times = 1 }) {
      const offered = description?.open?.handle ? { ...description, open: openAs(provider) } : description;
      bus.on(`${namespace}:external-ui`, ({ connect }) => {
        const connectAll = () => {
          for (let n = 0; n < times; n++) see({ connected: provider, returned: connect(offered) });
        };
        if (when === "during") connectAll();
        else queueMicrotask(connectAll);
      });
    },

    resolve: ({ provider, value }) => settlers.get(provider).resolve(value),
    reject: ({ provider, reason }) => settlers.get(provider).reject(new Error(reason)),
    abort: ({ call }) => operations.get(call).abort(),
    tamper: ({ path, value }) => setAt(latestRequest, path, value),
  };
  // The first ask says in which mode the session starts.
  return settling(commands, session, ["ask", "listen", "offer", "end"]);
}

/** Of a tool's result, that of the ask: `details`, or `details.result`, or what the text for the model says as JSON. */
function resultOf({ details, content = [] }) {
  const candidates = [details, details?.result, ...content.map(({ text }) => parsed(text))];
  return candidates.find((one) => one?.answers && one?.questions) ?? details;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Tries out what the kit has to know before the first case: whether the extension has the tool, asks in the terminal and
 * elsewhere, and says `completed` when it is aborted. Returns undefined for an extension without the tool, if that may be.
 */
export async function probe({ open, namespace, tool }, { needed }) {
  const channels = new Set();
  const trial = async (mode) => {
    const heard = [];
    const observed = [];
    const opened = await open((channel) => {
      channels.add(channel);
      if (channel.startsWith(`${namespace}:`)) heard.push(channel.slice(namespace.length + 1));
    });
    await opened.session.start();
    const definition = opened.session.runner.getToolDefinition(tool);
    const tools = opened.session.runner.getAllRegisteredTools().map((one) => one.definition.name);
    const commands = commandsOf(opened, { see: (one) => observed.push(one), namespace, tool });
    if (definition) {
      await commands.offer({ provider: "probe", connect: { version: 1, id: "probe", open: { handle: "open" } }, when: "during" });
      await commands.ask({ call: "probe", toolCallId: "probe", mode, input: PROBE });
      if (heard.includes("started")) await commands.abort({ call: "probe" });
    }
    await commands.end();
    return { heard, definition, tools };
  };

  const terminal = await trial("tui");
  if (!terminal.definition) {
    if (!needed) return undefined;
    const others = terminal.tools.join(", ") || "none";
    throw new Error(`the extension registers no tool ${tool}, but: ${others}; name the one that asks with --tool`);
  }
  const elsewhere = await trial("rpc");
  const capabilities = [];
  if (terminal.heard.includes("started")) capabilities.push("tui");
  if (elsewhere.heard.includes("external-ui")) capabilities.push("external-ui", "tamper");
  if (JSON.stringify(terminal.definition.parameters).includes('"previewFile"')) capabilities.push("preview-files");
  if (capabilities.length === 0) {
    const others = [...channels].join(", ") || "nothing";
    throw new Error(`when ${tool} was called, nothing was emitted under ${namespace}, but: ${others}; name the prefix with --namespace`);
  }
  const completes = [terminal, elsewhere].some(({ heard }) => heard.includes("completed"));
  return { capabilities, variants: { "after-abort": completes ? "cancelled" : "none" } };
}

const PROBE = {
  questions: [
    { id: "probe", prompt: "Is this a probe?", options: [{ value: "yes", label: "Yes" }, { value: "no", label: "No" }] },
  ],
};
