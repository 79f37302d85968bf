/**
 * What an askproof adapter in JavaScript needs: `serve` speaks the adapter protocol (spec/adapter-protocol.md) on the
 * standard streams and drives an implementation through functions, one for each command. Node.js 20 or newer, no
 * dependencies; copy this file and its types into your project.
 */
import { Console } from "node:console";
import { randomUUID } from "node:crypto";
import process from "node:process";
import { setImmediate } from "node:timers/promises";

const PROTOCOL = 1;
const UNKNOWN_COMMAND = -32601;
const IMPLEMENTATION_THREW = -32000;

/** So many turns of the event loop without an observation count as settled: work may hop from one to the next. */
const QUIET_TURNS = 4;

/** The longest time that Node's own setTimeout takes; what is longer, it takes as 1. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** Marks an integer that JSON.stringify does not take, on its way through it: in JSON it is a number like any other. */
const BIGINT = `${randomUUID()}:`;
const QUOTED_BIGINT = new RegExp(`"${BIGINT}(-?\\d+)"`, "g");

class RequestError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Names for what JSON cannot carry, or what has an identity that matters. */
class Handles {
  #objects = new Map();
  #names = new Map();

  /** Keeps `object` under `name`, and returns it: from now on it is written as `{"handle": name}`. */
  set(name, object) {
    this.#names.delete(this.#objects.get(name));
    this.#objects.set(name, object);
    this.#names.set(object, name);
    return object;
  }

  get(name) {
    return this.#objects.get(name);
  }

  nameOf(object) {
    return this.#names.get(object);
  }
}

/** Time that passes only by `advance`. It takes delays as Node does, so that an implementation meets the same clamping. */
class VirtualClock {
  #now = Date.UTC(2025, 0, 1);
  #timers = new Map();
  #lastId = 0;

  now = () => this.#now;

  setTimeout = (callback, delay, ...args) => {
    const id = ++this.#lastId;
    const wait = delay >= 1 && delay <= LONGEST_TIMEOUT ? Math.trunc(delay) : 1;
    this.#timers.set(id, { due: this.#now + wait, run: () => callback(...args) });
    return id;
  };

  clearTimeout = (id) => {
    this.#timers.delete(id);
  };

  async advance(ms, run) {
    const end = this.#now + ms;
    for (let next = this.#next(end); next; next = this.#next(end)) {
      const [id, timer] = next;
      this.#timers.delete(id);
      this.#now = timer.due;
      await run(timer.run);
    }
    this.#now = end;
  }

  /** The timer that is due first until then; of equals the one that was set first, since a Map keeps that order. */
  #next(end) {
    let first;
    for (const entry of this.#timers) {
      if (entry[1].due <= end && !(first?.[1].due <= entry[1].due)) first = entry;
    }
    return first;
  }
}

const realClock = { now: Date.now, setTimeout, clearTimeout };

/** One case: a clean implementation, and what was observed of it since the answer before. */
class Case {
  #handles = new Handles();
  #observed = [];
  #faults = [];
  #clock;
  #commands;

  async begin(role) {
    const virtual = role.capabilities?.includes("virtual-time") ?? false;
    this.#clock = virtual ? new VirtualClock() : realClock;
    this.#commands = await role.begin({ see: this.#see, clock: this.#clock, handles: this.#handles });
  }

  async end() {
    await this.#commands?.end?.();
  }

  /** Performs a command and returns, as JSON, what was observed when everything that follows from it has settled. */
  async perform(name, args) {
    const command = this.#find(name);
    await this.#run(() => command.call(this.#commands, args));
    const [fault] = this.#faults.splice(0);
    const observations = this.#observed.splice(0);
    if (fault !== undefined) throw fault;
    return `{"observations":[${observations.join(",")}]}`;
  }

  /** Takes an error that nobody caught: it is of the command during which it was thrown. */
  fault(error) {
    this.#faults.push(error ?? new Error(`thrown: ${error}`));
  }

  #find(name) {
    if (!(name in Object.prototype) && typeof this.#commands[name] === "function") return this.#commands[name];
    if (name !== "advance") throw new RequestError(UNKNOWN_COMMAND, `unknown command: ${name}`);
    // In real time the kit has waited before it asks, and there is nothing to do but to collect.
    if (this.#clock === realClock) return () => {};
    return ({ ms }) => this.#clock.advance(ms, (timer) => this.#run(timer));
  }

  async #run(work) {
    try {
      await work();
    } catch (error) {
      this.fault(error);
    }
    await this.#settle();
  }

  async #settle() {
    let seen = this.#observed.length;
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      await setImmediate();
      if (this.#observed.length !== seen) quiet = -1;
      seen = this.#observed.length;
    }
  }

  /** Writes the observation down at once: what becomes of the objects in it later must not change it. */
  #see = (observation) => {
    const handles = this.#handles;
    try {
      const json = JSON.stringify(observation, function replace(key, value) {
        const original = this[key]; // before any toJSON
        if (typeof original === "bigint") return BIGINT + original;
        const name = handles.nameOf(original) ?? (isOpaque(original) ? key : undefined);
        return name === undefined ? value : { handle: name };
      });
      this.#observed.push(json.replaceAll(QUOTED_BIGINT, "$1"));
    } catch (error) {
      this.fault(error); // thrown, it would end in whatever calls the adapter back
    }
  };
}

/** Whether JSON cannot carry it; it is then called by the name of the member in which it is. */
function isOpaque(value) {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "function" || typeof value === "symbol" || value instanceof AbortSignal;
}

/** Lines end with a line feed and nothing else: `readline` would also break them at U+2028, which JSON has in strings. */
async function* linesOf(stream) {
  let rest = "";
  stream.setEncoding("utf8");
  for await (const chunk of stream) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/**
 * Serves an adapter on the standard streams until the standard input ends, then exits (ADP-001 to ADP-006).
 * @param {import("./askproof-adapter.d.mts").AdapterOptions} options
 */
export async function serve({ implementation, namespace, secondNamespace, restart, roles }) {
  // ADP-002: whatever is printed goes to the standard error, from console.log or written directly.
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  globalThis.console = new Console(process.stderr, process.stderr);

  let current = new Case();
  const onFault = (error) => current.fault(error);
  process.on("uncaughtException", onFault).on("unhandledRejection", onFault);

  /** The result of a request, as JSON. */
  async function handle(method, params) {
    if (method === "initialize") {
      const declared = ({ capabilities = [], variants }) => ({ capabilities, variants });
      const declarations = Object.entries(roles).map(([name, role]) => [name, declared(role)]);
      const introduction = { protocol: PROTOCOL, implementation, namespace, secondNamespace, restart };
      return JSON.stringify({ ...introduction, roles: Object.fromEntries(declarations) });
    }
    if (method === "begin") {
      await current.end();
      current = new Case();
      await current.begin(roles[params.role]);
      return "{}";
    }
    if (method === "perform") return current.perform(...Object.entries(params)[0]);
    throw new RequestError(UNKNOWN_COMMAND, `unknown method: ${method}`);
  }

  async function respond(line) {
    let id = null;
    try {
      const request = JSON.parse(line);
      id = request.id;
      return `{"jsonrpc":"2.0","id":${id},"result":${await handle(request.method, request.params)}}\n`;
    } catch (error) {
      const code = error instanceof RequestError ? error.code : IMPLEMENTATION_THREW;
      if (code === IMPLEMENTATION_THREW) console.error(error);
      return `${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: messageOf(error) } })}\n`;
    }
  }

  for await (const line of linesOf(process.stdin)) {
    const response = await respond(line);
    await new Promise((written) => write(response, written));
  }
  await current.end();
  process.exit(0);
}

/** What was thrown, which may be anything. */
function messageOf(error) {
  try {
    return String(error?.message ?? error);
  } catch {
    return "what was thrown cannot be told in words";
  }
}
