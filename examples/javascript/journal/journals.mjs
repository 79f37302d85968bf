/** The two journals, each a file of JSON Lines to which decisions are appended. */
import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

import { isObject } from "./json.mjs";
import { readLines } from "./lines.mjs";

const LINE_FEED = 0x0a;

/** A file to which lines are appended, each with one write. */
class LineFile {
  #path;
  #append;

  /** @param {(path: string, bytes: Buffer) => void} append */
  constructor(path, append) {
    this.#path = path;
    this.#append = append;
  }

  /** Begins on a fresh line where a torn one was left (JRN-063, JRN-064). */
  append(record) {
    const line = `${JSON.stringify(record)}\n`;
    this.#append(this.#path, Buffer.from(this.#isTorn() ? `\n${line}` : line));
  }

  /** What is in the file; nothing if there is none yet. */
  read() {
    return ifThere(() => readFileSync(this.#path)) ?? Buffer.alloc(0);
  }

  #isTorn() {
    const file = ifThere(() => openSync(this.#path, "r"));
    if (file === undefined) return false;
    try {
      const { size } = fstatSync(file);
      const last = Buffer.alloc(1);
      return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== LINE_FEED;
    } finally {
      closeSync(file);
    }
  }
}

function ifThere(open) {
  try {
    return open();
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The session file of the host: a decision is a custom entry on its branch (JRN-067). */
export class SessionJournal {
  name = "session";
  #file;
  #clock;
  #leaf = null;

  constructor(path, clock, append = appendFileSync) {
    this.#file = new LineFile(path, append);
    this.#clock = clock;
  }

  append(decision) {
    const id = randomUUID();
    const timestamp = timestampOf(this.#clock);
    this.#file.append({ type: "custom", customType: "decision", data: decision, id, parentId: this.#leaf, timestamp });
    this.#leaf = id;
  }
}

/** The tool's own journal (JRN-065). It is opened when the first decision is written. */
export class StoreJournal {
  name = "store";
  #file;
  #clock;
  #sessionId = randomUUID();
  #hasSession = false;

  constructor(path, clock, append = appendFileSync) {
    this.#file = new LineFile(path, append);
    this.#clock = clock;
  }

  append(decision) {
    const entry = {
      id: randomUUID(),
      sessionId: this.#sessionId,
      type: "decision",
      payload: decision,
      createdAt: timestampOf(this.#clock),
      sequence: this.#highestSequence() + 1,
    };
    this.#file.append({ kind: "entry", entry });
    this.#introduceSession();
  }

  /** After the first entry, which matters more and need not wait for it (JRN-098). */
  #introduceSession() {
    if (this.#hasSession) return;
    this.#file.append({ kind: "session", session: { id: this.#sessionId, createdAt: timestampOf(this.#clock) } });
    this.#hasSession = true;
  }

  /** Looked up each time: other processes append to the file too (JRN-066). */
  #highestSequence() {
    let highest = 0;
    for (const { value } of readLines(this.#file.read())) {
      const sequence = value?.kind === "entry" && isObject(value.entry) ? value.entry.sequence : undefined;
      if (Number.isSafeInteger(sequence)) highest = Math.max(highest, sequence);
    }
    return highest;
  }
}

const timestampOf = (clock) => new Date(clock.now()).toISOString();
