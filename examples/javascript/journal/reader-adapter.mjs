/** Drives the reader on real files, and looks whether it leaves them alone (JRN-097). */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { JournalRefused, readJournal } from "./reader.mjs";

const NAME = "journal.jsonl";

function begin({ see }) {
  const folder = mkdtempSync(join(tmpdir(), "journal-reader-"));
  const path = join(folder, NAME);

  const report = (form, strict) => {
    try {
      for (const { line, code, decision, outcome, by, isHuman, isConsistent } of readJournal(path, form, { strict })) {
        if (code) see({ diagnostic: line, code });
        else see({ record: line, payload: decision, outcome, by, human: isHuman, consistent: isConsistent });
      }
    } catch (error) {
      if (!(error instanceof JournalRefused)) throw error;
      see({ refused: error.line });
    }
  };

  return {
    read({ form, base64, strict }) {
      const bytes = Buffer.from(base64, "base64");
      writeFileSync(path, bytes);
      report(form, strict);
      for (const name of readdirSync(folder)) {
        if (name !== NAME || !readFileSync(path).equals(bytes)) see({ wrote: name });
      }
    },

    emit() {
      // The reader does not listen on the bus.
    },

    end() {
      rmSync(folder, { recursive: true });
    },
  };
}

export default { capabilities: ["session", "store", "virtual-time"], begin };
