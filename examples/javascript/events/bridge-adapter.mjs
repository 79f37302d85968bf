/** What lets the kit drive the bridge: commands in, observations out. */
import { AskBridge } from "./bridge.mjs";
import { EventBus } from "./bus.mjs";

const NAMESPACE = "@example/ask";
const SECOND_NAMESPACE = "@example/second";

/** @type {import("../askproof-adapter.d.mts").AdapterOptions["roles"]["ask-bridge"]} */
export default {
  capabilities: ["buttons", "provider", "reload", "second-namespace", "shutdown", "transport", "virtual-time"],

  begin({ see }) {
    const bus = new EventBus();
    const providers = new Map();
    const signals = new Map();

    const startBridge = () =>
      new AskBridge({
        bus: {
          on: (...args) => bus.on(...args),
          emit(channel, data) {
            see({ emitted: channel, data });
            bus.emit(channel, data);
          },
        },
        namespaces: [NAMESPACE, SECOND_NAMESPACE],
        buttons: new Map([["Thumbs up", { kind: "answer", answers: { deploy: { values: ["yes"] } } }]]),
        screen: {
          show(form, questions) {
            const shown = ({ prompt, options }) => ({ prompt, options: options.map(({ label }) => label) });
            see({ shown: form, questions: questions.map(shown) });
          },
          tell: (form, outcome, answers) => see({ told: form, outcome, answers }),
          close: (form) => see({ closed: form }),
        },
      });
    let bridge = startBridge();

    return {
      emit({ channel, data }) {
        bus.emit(channel, data);
      },

      act({ form, then, answers }) {
        if (then === "cancel") bridge.cancel(form);
        else bridge.answer(form, then, answers);
      },

      press({ form, button }) {
        bridge.press(form, button);
      },

      transport({ connected }) {
        bridge.connected = connected;
      },

      connect({ connection, accept, ...event }) {
        let delivered = false;
        const connect = (provider) => {
          see({ offered: connection, provider, ...(delivered && { late: true }) });
          if (delivered) return false;
          providers.set(connection, provider);
          return accept;
        };
        bus.emit(`${NAMESPACE}:external-ui`, { ...event, connect });
        delivered = true;
      },

      open({ connection, request }) {
        const operation = new AbortController();
        signals.set(connection, operation);
        providers
          .get(connection)
          .open({ ...request, signal: operation.signal })
          .then(
            (value) => see({ resolved: connection, value }),
            () => see({ rejected: connection }),
          );
      },

      abort({ connection }) {
        signals.get(connection).abort();
      },

      reload() {
        bridge.dispose();
        bridge = startBridge();
      },

      shutdown() {
        bridge.dispose();
      },
    };
  },
};
