/** Types of the adapter library. What the commands and observations mean is in spec/adapter-protocol.md. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A thing that JSON cannot carry, by its name. */
export interface Handle {
  handle: string;
}

export interface AdapterOptions {
  implementation: { name: string; version: string; language: string };
  /** The prefix of the event channels, without the colon. */
  namespace: string;
  /** The other prefix, for a bridge that serves two hosts. */
  secondNamespace?: string;
  /** True if `begin` cannot make a clean implementation: the kit then starts a process for each case. */
  restart?: boolean;
  roles: {
    "ask-host"?: Role<AskHostCommands, AskHostObservation>;
    "ask-bridge"?: Role<AskBridgeCommands, AskBridgeObservation>;
    "receipt-issuer"?: Role<ReceiptIssuerCommands, ReceiptIssuerObservation>;
    "receipt-consumer"?: Role<ReceiptConsumerCommands, ReceiptConsumerObservation>;
    "journal-writer"?: Role<JournalWriterCommands, JournalWriterObservation>;
    "journal-reader"?: Role<JournalReaderCommands, JournalReaderObservation>;
  };
}

export interface Role<Commands, Observation> {
  /** What the adapter can make its implementation do; nothing more than it really does. */
  capabilities?: Capability[];
  variants?: { "after-abort"?: "none" | "cancelled"; "rich-timeout"?: "30-seconds" | "none" };
  /**
   * Makes a clean implementation for a case, and returns the functions that perform commands on it. A promise that such
   * a function returns is awaited, so do not return one that waits for a further command, such as that of an open ask.
   */
  begin(tools: Tools<Observation>): CommandFunctions<Commands> | Promise<CommandFunctions<Commands>>;
}

export interface Tools<Observation> {
  /** Reports an observation; it is written down at once. Functions and signals in it become handles. */
  see(observation: Observation): void;
  /** Virtual time for a role that declares `virtual-time`, and real time for others. */
  clock: Clock;
  /** Names for objects. A named object is written as its handle wherever it is observed. */
  handles: Handles;
}

export interface Clock {
  now(): number;
  setTimeout<A extends unknown[]>(callback: (...args: A) => void, ms: number, ...args: A): unknown;
  clearTimeout(timer: unknown): void;
}

export interface Handles {
  /** Keeps the object under the name, and returns it. */
  set<T>(name: string, object: T): T;
  get(name: string): any;
  nameOf(object: unknown): string | undefined;
}

/**
 * A function for each command. One that is not there is answered as unknown, except `advance`: it moves the virtual
 * clock, or in real time only collects what happened. `end` is called when the case is over, to clean up.
 */
export type CommandFunctions<Commands> = {
  [Name in keyof Commands]?: (args: Commands[Name]) => unknown;
} & { end?(): unknown };

export interface CommonCommands {
  emit: { channel: string; data: any };
  advance: { ms: number };
  reload: {};
}

type None = Record<string, never>;

export interface AskHostCommands extends CommonCommands {
  shutdown: None;
  ask: {
    call: string;
    mode: Mode;
    input: any;
    toolCallId?: string;
    interactive?: boolean;
    background?: boolean;
    source?: "tool" | "answer" | "answer:again" | "ask:replay" | "ask:resume";
    settings?: { presentSingleAsMulti?: boolean };
    files?: { [path: string]: string };
  };
  listen: {
    listener: string;
    channel: string;
    then:
      | "record"
      | "throw"
      | "reject"
      | { submit: { requestId: string; response: any } }
      | { set: { path: string; value: any } };
  };
  offer: { provider: string; connect: any; when: "during" | "after"; times?: number };
  resolve: { provider: string; value?: any };
  reject: { provider: string; reason: string };
  local: { call: string; act: "fill" | "submit" | "elaborate" | "cancel"; answers?: { [question: string]: any } };
  abort: { call: string };
  tamper: { target: "request"; path: string; value: any };
  break: None;
}

export type AskHostObservation =
  | { emitted: string; data?: unknown }
  | { heard: string; channel: string }
  | { connected: string; returned: unknown }
  | { opened: string; request: unknown }
  | { aborted: string }
  | ToolObservation;

export interface AskBridgeCommands extends CommonCommands {
  shutdown: None;
  act: {
    form: string;
    then: "submit" | "elaborate" | "cancel";
    answers?: (null | { options?: number[]; text?: string; note?: string; optionNotes?: { [at: string]: string } })[];
  };
  press: { form: string; button: string };
  transport: { connected: boolean };
  connect: { connection: string; version: any; mode: string; toolCallId: string; accept: boolean };
  open: { connection: string; request: any };
  abort: { connection: string };
}

export type AskBridgeObservation =
  | { emitted: string; data?: unknown }
  | { shown: string; questions: { prompt: string; options: string[] }[] }
  | { told: string; outcome: "accepted" | "refused" | "late" | "cancelled" }
  | { told: string; outcome: "answered" | "elaborated"; answers: string[][] }
  | { closed: string }
  | { offered: string; provider?: unknown; late?: boolean }
  | { resolved: string; value?: unknown }
  | { rejected: string };

export interface ManagerCommands extends CommonCommands {
  manager: { manager: string; session?: string; cwd?: string; branch?: string[]; like?: string };
  append: { manager: string; entry: string };
  move: { manager: string; entry: string | null };
  hide: { manager: string; leaf: "missing" | "throws" | "undefined" | "shown" };
  enter: { manager: string; session?: string; cwd?: string };
  shutdown: { manager: string };
}

export interface ReceiptIssuerCommands extends ManagerCommands {
  subscribe: {
    subscriber: string;
    manager: string;
    then: "record" | "throw" | "reject" | "hang" | { unsubscribe: string[] } | { set: { path: string; value: any } };
  };
  unsubscribe: { subscriber: string };
  ask: {
    call: string;
    toolCallId: string;
    tool: "ask_user_choice" | "ask_user_question";
    manager: string;
    mode: Mode;
    input: any;
    interactive?: boolean;
    background?: boolean;
  };
  answer: { call: string; rows: (null | { labels?: string[]; text?: string })[] };
  cancel: { call: string };
  abort: { call: string };
  change: { call: string; path: string; value: any };
}

export type ReceiptIssuerObservation =
  | { shown: string }
  | { delivered: string; receipt?: unknown }
  | { changed: string }
  | { emitted: string; data?: unknown }
  | { granted: unknown }
  | { counted: unknown }
  | { message: unknown }
  | ToolObservation;

export interface ReceiptConsumerCommands extends ManagerCommands {
  watch: { manager: string; budget?: number };
  deliver: { receipt: any; via: "subscription" | "file" | "bus" | "tool-result" | "transcript" };
  mode: { mode: string | null };
  agreed: { toolCallId: string; questionIndex: number; text: string };
  evidence: None;
}

export type ReceiptConsumerObservation =
  | { agreed: boolean }
  | { evidence: { toolCallId: string; questionIndex: number; prompt: string; answer: unknown }[] }
  | { unsubscribed: string };

export interface JournalWriterCommands extends CommonCommands {
  shutdown: None;
  ask: { call: string; input: any; ui?: boolean };
  act: {
    call: string;
    then: "stay" | "answer" | "back" | "forward" | "cancel";
    options?: number[];
    text?: string;
  };
  interrupt: { call: string; how: "superseded" | "unavailable" | "failed" };
  hold: { base64: string };
  block: { journal: "session" | "store"; how: "full" | "read-only" | "denied" | "free" };
}

export type JournalWriterObservation =
  | { shown: string; question: number }
  | { appended: "session" | "store"; text: string }
  | { appended: "session" | "store"; base64: string }
  | { tool: string; result: unknown; text?: string; card?: string }
  | { tool: string; error: { status: string; message: string } }
  | { said: string; text: string };

export interface JournalReaderCommands extends CommonCommands {
  shutdown: None;
  read: { form: "session" | "store"; base64: string; strict?: boolean };
}

export type JournalReaderObservation =
  | { record: number; payload: unknown; outcome: string; by: string; human: boolean; consistent: boolean }
  | { diagnostic: number; code: string }
  | { refused: number }
  | { wrote: string };

export type ToolObservation = { tool: string; result?: unknown } | { tool: string; error: string };

export type Mode = "tui" | "rpc" | "json" | "print";

export type Capability =
  | "background"
  | "buttons"
  | "caller-objects"
  | "commands"
  | "external-ui"
  | "fault-injection"
  | "interrupt"
  | "local-ui"
  | "parallel"
  | "preview-files"
  | "provider"
  | "reload"
  | "second-namespace"
  | "session"
  | "shutdown"
  | "single-as-multi"
  | "store"
  | "tamper"
  | "transport"
  | "tui"
  | "virtual-time";

/** Serves an adapter on the standard streams until the standard input ends, then exits the process. */
export function serve(options: AdapterOptions): Promise<never>;
