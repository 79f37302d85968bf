/**
 * A small bridge and its adapter, to copy from. It does what a bridge must, and not yet all that it should:
 *
 * askproof run 'exec:node examples/javascript/my-bridge.mjs' --level must
 */
import { randomUUID } from "node:crypto";

import { serve } from "./askproof-adapter.mjs";

/** The product. It knows nothing of the kit: `emit` submits, `screen` is what its human sees. */
class MyBridge {
  #forms = new Map();

  constructor(emit, screen) {
    this.emit = emit;
    this.screen = screen;
  }

  started({ flowId, questions }) {
    this.#forms.set(flowId, questions);
    this.screen.show(flowId, questions);
  }

  completed({ flowId }) {
    if (this.#forms.delete(flowId)) this.screen.close(flowId);
  }

  questions(flowId) {
    return this.#forms.get(flowId) ?? [];
  }

  send(flowId, response) {
    if (this.#forms.has(flowId)) this.emit({ version: 1, requestId: randomUUID(), flowId, response });
  }
}

/** What a human gave by position, by value; what was not given is left out. */
function entryOf({ options }, { options: chosen = [], text, note, optionNotes }) {
  const remarks = Object.entries(optionNotes ?? {}).filter(([, remark]) => remark !== "");
  const notes = remarks.map(([at, remark]) => [options[at].value, remark]);
  const values = chosen.map((at) => options[at].value);
  const entry = { values, customText: text, note, optionNotes: Object.fromEntries(notes) };
  return Object.fromEntries(Object.entries(entry).filter(([, given]) => given && Object.keys(given).length > 0));
}

serve({
  implementation: { name: "my-bridge", version: "0.1", language: "javascript" },
  namespace: "@acme/ask",
  roles: {
    "ask-bridge": {
      capabilities: ["virtual-time"], // honest only because this bridge has no clock

      begin({ see }) {
        const shown = ({ prompt, options }) => ({ prompt, options: options.map(({ label }) => label) });
        const bridge = new MyBridge((data) => see({ emitted: "@acme/ask:submit", data }), {
          show: (flow, questions) => see({ shown: flow, questions: questions.map(shown) }),
          close: (flow) => see({ closed: flow }),
        });
        return {
          emit({ channel, data }) {
            if (data.version !== 1) return;
            if (channel === "@acme/ask:started") bridge.started(data);
            if (channel === "@acme/ask:completed") bridge.completed(data);
          },
          act({ form, then, answers = [] }) {
            if (then === "cancel") return bridge.send(form, { kind: "cancel" });
            const given = bridge
              .questions(form)
              .map((question, at) => [question.id, entryOf(question, answers[at] ?? {})])
              .filter(([, entry]) => Object.keys(entry).length > 0);
            bridge.send(form, { kind: "answer", mode: then, answers: Object.fromEntries(given) });
          },
        };
      },
    },
  },
});
