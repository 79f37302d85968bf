/** An ask bridge: shows on another screen what a host asks, and brings back what the human there chose. */
import { randomUUID } from "node:crypto";

import { isObject, own } from "./values.mjs";

/** One flow as the human sees it. A user interface knows it by its `name`. */
class Form {
  name = randomUUID();

  constructor(namespace, flowId, questions) {
    this.namespace = namespace;
    this.flowId = flowId;
    this.questions = questions;
  }

  /** What settles the `open` of a provider; nothing for a form that only started. */
  opened;
  /** Whether `open` has been resolved: there is nothing more to send then. */
  answered = false;
}

/**
 * The role ask-bridge of spec/remote-events.md.
 *
 * The screen is told `show(name, questions)`, `tell(name, outcome, answers)` and `close(name)`; what its human does comes
 * back as `answer`, `cancel` and `press`. Nothing is ever sent for any other reason (EVT-204, EVT-206): there is no timer here.
 */
export class AskBridge {
  #bus;
  #screen;
  #buttons;
  #connected = true;
  #waiting = []; // what the screen is told as soon as the line is back
  #forms = new Map(); // by name
  #flows = new Map(); // the form of a flow, by namespace and flow id (EVT-013)
  #pending = new Map(); // the form of a submit without a result, which may come after the form has closed (EVT-210)
  #stopListening;

  /**
   * @param {object} options
   * @param {{on: Function, emit: Function}} options.bus
   * @param {string[]} options.namespaces the hosts that it serves
   * @param {{show: Function, tell: Function, close: Function}} options.screen
   * @param {Map<string, object>} [options.buttons] the response that a button stands for, by its name
   */
  constructor({ bus, namespaces, screen, buttons = new Map() }) {
    this.#bus = bus;
    this.#screen = screen;
    this.#buttons = buttons;
    const handlers = {
      started: this.#onStarted,
      "submit-result": this.#onSubmitResult,
      completed: this.#onCompleted,
      "external-ui": this.#onExternalUi,
    };
    this.#stopListening = namespaces.flatMap((namespace) =>
      Object.entries(handlers).map(([channel, handle]) =>
        bus.on(`${namespace}:${channel}`, (event) => {
          if (isObject(event) && event.version === 1) handle(namespace, event); // EVT-216, EVT-242
        }),
      ),
    );
  }

  /**
   * The human finishes a form.
   * @param {string} name
   * @param {"submit" | "elaborate"} mode
   * @param {(null | {options?: number[], text?: string, note?: string, optionNotes?: Record<string, string>})[]} [picks]
   *   what was given to each question, by position; null for one that was not touched
   */
  answer(name, mode, picks = []) {
    const form = this.#forms.get(name);
    if (!form) return;
    const answers = form.questions
      .map((question, at) => [question.id, answerOf(question, picks[at] ?? {})])
      .filter(([, answer]) => Object.keys(answer).length > 0);
    this.#send(form, { kind: "answer", mode, answers: Object.fromEntries(answers) });
  }

  /** The human cancels a form (EVT-205). */
  cancel(name) {
    const form = this.#forms.get(name);
    if (form) this.#send(form, { kind: "cancel" });
  }

  /** The human presses a button of the screen: only one that was mapped says anything (EVT-206). */
  press(name, button) {
    const form = this.#forms.get(name);
    const response = this.#buttons.get(button);
    if (form && response) this.#send(form, response);
  }

  /** The line to the human is lost or regained. What was opened through it fails, and is no cancel (EVT-246). */
  set connected(connected) {
    this.#connected = connected;
    if (connected) for (const tell of this.#waiting.splice(0)) tell();
    else this.#failOpened(new Error("The line to the human is lost."));
  }

  /** Ends the session: no form is left, nothing listens, and no `open` hangs (EVT-219, EVT-220, EVT-248). */
  dispose() {
    for (const stop of this.#stopListening) stop();
    this.#failOpened(new Error("The session has ended."));
    for (const form of this.#forms.values()) this.#close(form);
  }

  #onStarted = (namespace, { flowId, questions }) => {
    this.#formOf(namespace, flowId, questions);
  };

  #onSubmitResult = (namespace, { flowId, requestId, ok, error }) => {
    const key = keyOf(namespace, flowId, requestId);
    const form = this.#pending.get(key);
    if (!this.#pending.delete(key)) return; // EVT-209
    const late = error === "flow_not_found";
    if (ok) return this.#tell(form, "accepted");
    this.#tell(form, late ? "late" : "refused"); // EVT-212
    if (late) this.#close(form);
  };

  #onCompleted = (namespace, { flowId, result }) => {
    const form = this.#flows.get(keyOf(namespace, flowId));
    if (!form) return;
    this.#tell(form, ...outcomeOf(result, form.questions)); // EVT-221
    this.#close(form);
  };

  /** EVT-240 to EVT-243 */
  #onExternalUi = (namespace, { connect }) => {
    if (!this.#connected) return;
    let accepted;
    const open = async (request) => {
      if (accepted === false) throw new Error("This provider was turned down."); // EVT-247
      return this.#open(namespace, request);
    };
    accepted = connect({ version: 1, id: "example-bridge", open });
  };

  #open(namespace, { version, flowId, questions, signal }) {
    if (version !== 1) throw new Error(`Unknown version of a request: ${version}`);
    if (!this.#connected) throw new Error("There is no line to the human.");
    signal.throwIfAborted();
    const form = this.#formOf(namespace, flowId, questions);
    if (form.opened) throw new Error("This flow is open already.");
    return new Promise((resolve, reject) => {
      form.opened = { resolve, reject };
      signal.addEventListener("abort", () => {
        reject(signal.reason);
        this.#close(form); // EVT-245
      });
    });
  }

  /** EVT-218: the form of a flow, which is shown only when there is none yet. */
  #formOf(namespace, flowId, questions) {
    const key = keyOf(namespace, flowId);
    const present = this.#flows.get(key);
    if (present) return present;
    const form = new Form(namespace, flowId, structuredClone(questions));
    this.#flows.set(key, form);
    this.#forms.set(form.name, form);
    this.#reach(() => this.#screen.show(form.name, form.questions));
    return form;
  }

  #send(form, response) {
    if (!this.#connected || form.answered) return;
    if (form.opened) {
      form.answered = true;
      form.opened.resolve(response); // EVT-244
      return;
    }
    const { namespace, flowId } = form;
    const requestId = randomUUID(); // EVT-202
    this.#pending.set(keyOf(namespace, flowId, requestId), form);
    this.#bus.emit(`${namespace}:submit`, { version: 1, requestId, flowId, response });
  }

  #failOpened(error) {
    for (const form of this.#forms.values()) {
      if (!form.opened) continue;
      form.opened.reject(error);
      this.#close(form);
    }
  }

  #tell(form, outcome, answers) {
    this.#reach(() => this.#screen.tell(form.name, outcome, answers));
  }

  #close(form) {
    if (!this.#forms.delete(form.name)) return;
    this.#flows.delete(keyOf(form.namespace, form.flowId));
    this.#reach(() => this.#screen.close(form.name));
  }

  #reach(tell) {
    if (this.#connected) tell();
    else this.#waiting.push(tell);
  }
}

/** A key that no other list of texts has. */
const keyOf = (...parts) => JSON.stringify(parts);

/** What was given, by values (EVT-200); what was not is absent (EVT-208). */
function answerOf({ options }, { options: positions = [], text = "", note = "", optionNotes = {} }) {
  const values = positions.map((at) => options[at].value);
  const notes = Object.entries(optionNotes)
    .filter(([, remark]) => remark !== "")
    .map(([at, remark]) => [options[at].value, remark]);
  return {
    ...(values.length > 0 && { values }),
    ...(text !== "" && { customText: text }),
    ...(note !== "" && { note }),
    ...(notes.length > 0 && { optionNotes: Object.fromEntries(notes) }),
  };
}

/** How a flow ended, and what was chosen: nothing where there is no row, or nothing in it (EVT-213, EVT-214). */
function outcomeOf({ cancelled, mode, answers }, questions) {
  if (cancelled) return ["cancelled"];
  const labels = questions.map(({ id }) => own(answers, id)?.labels ?? []);
  return [mode === "elaborate" ? "elaborated" : "answered", labels];
}
