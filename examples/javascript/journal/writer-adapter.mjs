/** Drives the writer: its human and its UI are here, and the faults that a disk does not have on demand. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { SessionJournal, StoreJournal } from "./journals.mjs";
import { AskTool } from "./writer.mjs";

const CODES = { full: "ENOSPC", "read-only": "EROFS", denied: "EACCES" };

function begin({ see, clock }) {
  const folder = mkdtempSync(join(tmpdir(), "journal-writer-"));
  const pathOf = (journal) => join(folder, `${journal}.jsonl`);
  const blocks = new Map();
  const prompts = new Map();

  // The header of a host's session file; that it is there is the host's affair.
  const header = { type: "session", id: "s1", timestamp: new Date(clock.now()), cwd: folder };
  writeFileSync(pathOf("session"), `${JSON.stringify(header)}\n`);

  const appendTo = (journal) => (path, bytes) => {
    const code = CODES[blocks.get(journal)];
    const written = code === "ENOSPC" ? bytes.subarray(0, bytes.length / 2) : code ? bytes.subarray(0, 0) : bytes;
    appendFileSync(path, written);
    // A part of a decision is none.
    if (written.length > 0) see(observationOf(journal, written, !code && isDecision(bytes)));
    if (code) throw Object.assign(new Error(code), { code });
  };

  const tool = new AskTool(clock, [
    new SessionJournal(pathOf("session"), clock, appendTo("session")),
    new StoreJournal(pathOf("store"), clock, appendTo("store")),
  ]);

  const acts = {
    stay: () => {},
    answer: (prompt) => prompt.confirm(),
    back: (prompt) => prompt.back(),
    forward: (prompt) => prompt.forward(),
    cancel: (prompt) => prompt.cancel(),
  };

  return {
    ask({ call, input, ui: hasUi = true }) {
      const ui = {
        open: (prompt) => prompts.set(call, prompt),
        show: (question) => see({ shown: call, question }),
      };
      tool.ask(input, hasUi ? ui : undefined).then(
        (ended) => see({ tool: call, ...ended }),
        ({ status = "failed", message }) => see({ tool: call, error: { status, message } }),
      );
    },

    act({ call, then, options, text }) {
      const prompt = prompts.get(call);
      if (!prompt) return;
      if (options) prompt.select(options);
      if (text !== undefined) prompt.type(text);
      acts[then](prompt);
    },

    interrupt({ call, how }) {
      prompts.get(call)?.interrupt(how);
    },

    hold({ base64 }) {
      writeFileSync(pathOf("store"), Buffer.from(base64, "base64"));
    },

    block({ journal, how }) {
      blocks.set(journal, how);
    },

    emit() {
      // The tool does not listen on the bus.
    },

    end() {
      rmSync(folder, { recursive: true });
    },
  };
}

function isDecision(bytes) {
  const { customType, entry } = JSON.parse(bytes.toString());
  return customType === "decision" || entry?.type === "decision";
}

function observationOf(journal, bytes, isOfDecision) {
  const text = bytes.toString();
  if (!isOfDecision) return { said: journal, text };
  const isUtf8 = Buffer.from(text).equals(bytes);
  return { appended: journal, ...(isUtf8 ? { text } : { base64: bytes.toString("base64") }) };
}

export default {
  capabilities: ["interrupt", "session", "store", "fault-injection", "virtual-time"],
  variants: { "rich-timeout": "none" },
  begin,
};
