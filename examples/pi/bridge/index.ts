/**
 * An ask bridge for Pi: shows on a phone what a host asks, and brings back what the human there chose. The phone is whoever
 * listens on the channels below; how a message gets there is not the matter of this example.
 *
 * askproof run pi:examples/pi/bridge --hooks examples/pi/bridge/hooks.mjs
 */
import { randomUUID } from "node:crypto";

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

type Option = { value: string; label: string };
type Question = { id: string; prompt: string; options: Option[] };
type Pick = { options?: number[]; text?: string; note?: string; optionNotes?: Record<string, string> };
type Opened = { resolve(response: object): void; reject(error: Error): void; answered: boolean };
type Form = { name: string; namespace: string; flowId: string; questions: Question[]; opened?: Opened };
type Event = Record<string, any>;

const NAMESPACES = ["@example/ask", "@example/second"];
const PHONE = "@example/phone";

/** What a button of the phone stands for. One that is not here says nothing (EVT-206). */
const BUTTONS: Record<string, object> = { "Thumbs up": { kind: "answer", answers: { deploy: { values: ["yes"] } } } };

export default function bridge(pi: ExtensionAPI) {
  const forms = new Map<string, Form>(); // by name
  const pending = new Map<string, Form>(); // by the submit that waits for its result
  const waiting: (() => void)[] = []; // what the phone is told when the line is back
  let connected = true;

  const keyOf = (...parts: string[]) => JSON.stringify(parts);
  const ofFlow = (namespace: string, flowId: string) =>
    [...forms.values()].find((form) => form.namespace === namespace && form.flowId === flowId); // EVT-013

  function phone(what: string, message: object) {
    const send = () => pi.events.emit(`${PHONE}:${what}`, message);
    if (connected) send();
    else waiting.push(send);
  }

  function show(namespace: string, flowId: string, questions: Question[]): Form {
    const present = ofFlow(namespace, flowId);
    if (present) return present; // EVT-218
    const form: Form = { name: randomUUID(), namespace, flowId, questions: structuredClone(questions) };
    forms.set(form.name, form);
    phone("show", { form: form.name, questions: form.questions });
    return form;
  }

  function close(form: Form) {
    if (forms.delete(form.name)) phone("close", { form: form.name });
  }

  function fail(reason: string) {
    for (const form of forms.values()) {
      if (!form.opened) continue;
      form.opened.reject(new Error(reason)); // EVT-246: a lost line is not a cancel
      close(form);
    }
  }

  function send(form: Form, response: object) {
    if (!connected || form.opened?.answered) return;
    if (form.opened) {
      form.opened.answered = true;
      form.opened.resolve(response);
      return;
    }
    const { namespace, flowId } = form;
    const requestId = randomUUID(); // EVT-202
    pending.set(keyOf(namespace, flowId, requestId), form);
    pi.events.emit(`${namespace}:submit`, { version: 1, requestId, flowId, response });
  }

  const onEvent: Record<string, (namespace: string, event: Event) => void> = {
    started: (namespace, { flowId, questions }) => void show(namespace, flowId, questions),

    "submit-result"(namespace, { flowId, requestId, ok, error }) {
      const key = keyOf(namespace, flowId, requestId);
      const form = pending.get(key);
      if (!form) return; // EVT-209
      pending.delete(key);
      const late = error === "flow_not_found";
      phone("tell", { form: form.name, outcome: ok ? "accepted" : late ? "late" : "refused" });
      if (late) close(form);
    },

    completed(namespace, { flowId, result }) {
      const form = ofFlow(namespace, flowId);
      if (!form) return;
      phone("tell", { form: form.name, ...outcomeOf(result, form.questions) });
      close(form);
    },

    "external-ui"(namespace, { connect }) {
      if (!connected) return;
      let accepted: unknown;
      const open = async (request: Event) => {
        if (accepted === false) throw new Error("This provider was turned down.");
        return opened(namespace, request);
      };
      accepted = connect({ version: 1, id: "example-bridge", open });
    },
  };

  function opened(namespace: string, { version, flowId, questions, signal }: Event) {
    if (version !== 1 || !connected) throw new Error("The questions cannot be shown.");
    signal.throwIfAborted();
    const form = show(namespace, flowId, questions);
    if (form.opened) throw new Error("This flow is open already.");
    return new Promise<object>((resolve, reject) => {
      form.opened = { resolve, reject, answered: false };
      signal.addEventListener("abort", () => {
        reject(signal.reason);
        close(form); // EVT-245
      });
    });
  }

  for (const namespace of NAMESPACES) {
    for (const [channel, handle] of Object.entries(onEvent)) {
      pi.events.on(`${namespace}:${channel}`, (event) => {
        const { version } = (event ?? {}) as Event;
        if (version === 1) handle(namespace, event as Event); // EVT-216
      });
    }
  }

  const onPhone: Record<string, (message: any) => void> = {
    answer({ form: name, mode, picks }: { form: string; mode: string; picks?: (Pick | null)[] }) {
      const form = forms.get(name);
      if (!form) return;
      const answers = form.questions
        .map((question, at): [string, object] => [question.id, answerOf(question, picks?.[at] ?? {})])
        .filter(([, answer]) => Object.keys(answer).length > 0); // EVT-208
      send(form, { kind: "answer", mode, answers: Object.fromEntries(answers) });
    },
    cancel({ form: name }: { form: string }) {
      const form = forms.get(name);
      if (form) send(form, { kind: "cancel" });
    },
    press({ form: name, button }: { form: string; button: string }) {
      const form = forms.get(name);
      if (form && Object.hasOwn(BUTTONS, button)) send(form, BUTTONS[button]!);
    },
    line(line: { connected: boolean }) {
      connected = line.connected;
      if (connected) for (const tell of waiting.splice(0)) tell();
      else fail("The line to the phone is lost.");
    },
  };
  for (const [what, handle] of Object.entries(onPhone)) pi.events.on(`${PHONE}:${what}`, handle);

  pi.on("session_shutdown", () => {
    fail("The session has ended.");
    for (const form of forms.values()) close(form); // EVT-220
  });
}

/** What was given, by values and never by labels or positions (EVT-200). */
function answerOf({ options }: Question, { options: chosen = [], text = "", note = "", optionNotes = {} }: Pick): object {
  const values = chosen.map((at) => options[at]!.value);
  const notes = Object.entries(optionNotes).filter(([, remark]) => remark !== "");
  return {
    ...(values.length > 0 && { values }),
    ...(text !== "" && { customText: text }),
    ...(note !== "" && { note }),
    ...(notes.length > 0 && {
      optionNotes: Object.fromEntries(notes.map(([at, remark]) => [options[Number(at)]!.value, remark])),
    }),
  };
}

/** How a flow ended, and what was chosen by question: nothing where there is no row (EVT-213, EVT-214). */
function outcomeOf({ cancelled, mode, answers }: Event, questions: Question[]): object {
  if (cancelled) return { outcome: "cancelled" };
  const labels = questions.map(({ id }) => (Object.hasOwn(answers, id) ? answers[id].labels : []));
  return { outcome: mode === "elaborate" ? "elaborated" : "answered", answers: labels };
}
