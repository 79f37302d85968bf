/** A session of Pi with the extension in it, made of Pi's own parts; without a model, since nothing here asks one. */
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

import { blindTerminal, silentUi } from "./ui.mjs";

/** What is made once in a process: Pi itself, and what of it has no state of a session. */
export async function loadPi(folder) {
  const { exports = {}, main } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entry = pathToFileURL(join(folder, exports["."]?.import ?? main));
  const pi = await import(entry);
  const terminalPackage = dirname(findPackageJSON("@earendil-works/pi-tui", entry));
  const terminals = await import(pathToFileURL(join(terminalPackage, "dist/index.js")));
  pi.initTheme("dark");
  const { theme } = new pi.ExtensionRunner([], pi.createExtensionRuntime(), ".", undefined, undefined).getUIContext();
  const parts = {
    theme,
    makeTui: () => new terminals.TuiMainScreen(blindTerminal()),
    makeKeybindings: () => new terminals.KeybindingsManager(terminals.TUI_KEYBINDINGS),
  };
  const modelRegistry = new pi.ModelRegistry(await pi.ModelRuntime.create());
  return { pi, modelRegistry, uiOf: (mode) => silentUi(mode, parts) };
}

export class PiSession {
  #host;
  #extension;
  #cwd;
  #agentDir;
  #bus;
  #mode = "tui";
  #interactive = true;
  #started = false;
  #over = false;
  #operation;
  runner;

  /**
   * @param {object} options
   * @param {Awaited<ReturnType<typeof loadPi>>} options.host
   * @param {string} options.extension a file or a folder
   * @param {string} options.cwd where it works
   * @param {string} options.agentDir the user's settings of Pi
   * @param {{on: Function, emit: Function}} options.bus what the extension gets as `pi.events`
   */
  constructor({ host, extension, cwd, agentDir, bus }) {
    this.#host = host;
    this.#extension = extension;
    this.#cwd = cwd;
    this.#agentDir = agentDir;
    this.#bus = bus;
    this.sessionManager = host.pi.SessionManager.inMemory(cwd);
  }

  async load() {
    const { discoverAndLoadExtensions, ExtensionRunner } = this.#host.pi;
    const loaded = await discoverAndLoadExtensions([this.#extension], this.#cwd, this.#agentDir, this.#bus);
    if (loaded.errors.length > 0) throw new Error(loaded.errors.map(({ path, error }) => `${path}: ${error}`).join("; "));
    if (loaded.extensions.length === 0) throw new Error(`${this.#extension}: Pi finds no extension there`);
    const { extensions, runtime } = loaded;
    this.runner = new ExtensionRunner(extensions, runtime, this.#cwd, this.sessionManager, this.#host.modelRegistry);
    this.runner.bindCore(this.#actions(), this.#contextActions());
    this.runner.onError(({ event, error, stack }) => console.error(`error in ${event}: ${stack ?? error}`));
    this.#useMode();
  }

  /** The mode is the one of the first call that names one; Pi has it from the start of the session. */
  setMode(mode, interactive) {
    this.#mode = mode;
    this.#interactive = interactive;
    this.#useMode();
  }

  /** Starts the session, once. */
  async start() {
    if (this.#started) return;
    this.#started = true;
    await this.runner.emit({ type: "session_start", reason: "startup" });
  }

  /** As Pi does it: the old life ends, and another begins on the same bus and in the same session. */
  async reload() {
    const flags = this.runner.getFlagValues();
    await this.#end("reload");
    await this.load();
    for (const [name, value] of flags) this.runner.setFlagValue(name, value);
    await this.runner.emit({ type: "session_start", reason: "reload" });
  }

  async shutdown() {
    if (this.#over) return;
    this.#over = true;
    await this.#end("quit");
  }

  /** What a tool call of the model runs; the mode of the case decides what the context says. */
  async callTool(name, { toolCallId, input, signal }) {
    const tool = this.runner.getToolDefinition(name);
    if (!tool) throw new Error(`the extension registers no tool ${name}`);
    this.#operation = signal;
    const parameters = tool.prepareArguments ? tool.prepareArguments(input) : input;
    return tool.execute(toolCallId, parameters, signal, () => {}, this.runner.createToolContext(toolCallId, signal));
  }

  async #end(reason) {
    await this.runner.emit({ type: "session_shutdown", reason });
    this.runner.invalidate();
  }

  #useMode() {
    const hasUi = this.#interactive && (this.#mode === "tui" || this.#mode === "rpc");
    this.runner.setUIContext(hasUi ? this.#host.uiOf(this.#mode) : undefined, this.#mode);
  }

  #actions() {
    const { sessionManager } = this;
    const tools = () => this.runner.getAllRegisteredTools().map(({ definition }) => definition);
    const nothing = () => {};
    return {
      sendMessage: nothing,
      sendUserMessage: nothing,
      appendEntry: (customType, data) => void sessionManager.appendCustomEntry(customType, data),
      setSessionName: nothing,
      getSessionName: () => sessionManager.getSessionName(),
      setLabel: (entry, label) => void sessionManager.appendLabelChange(entry, label),
      getActiveTools: () => tools().map(({ name }) => name),
      getAllTools: tools,
      getSettings: () => ({}),
      setActiveTools: nothing,
      refreshTools: nothing,
      getCommands: () => this.runner.getRegisteredCommands(),
      setModel: async () => false,
      getThinkingLevel: () => "off",
      setThinkingLevel: nothing,
    };
  }

  #contextActions() {
    return {
      getModel: () => undefined,
      getScopedModels: () => [],
      isIdle: () => this.#operation === undefined || this.#operation.aborted,
      isProjectTrusted: () => true,
      getSignal: () => this.#operation,
      abort: () => {},
      hasPendingMessages: () => false,
      shutdown: () => {},
      getContextUsage: () => undefined,
      compact: () => {},
      getSystemPrompt: () => "",
      executeTool: async () => {
        throw new Error("there is no other tool here");
      },
    };
  }
}
