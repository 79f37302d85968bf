/** What lets the kit drive the host: commands in, observations out. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { EventBus } from "./bus.mjs";
import { AskHost } from "./host.mjs";
import { setAt } from "./pointer.mjs";
import { resultOf } from "./results.mjs";

const NAMESPACE = "@example/ask";

/** @type {import("../askproof-adapter.d.mts").AdapterOptions["roles"]["ask-host"]} */
export default {
  capabilities: [
    "background",
    "commands",
    "external-ui",
    "fault-injection",
    "local-ui",
    "parallel",
    "preview-files",
    "reload",
    "shutdown",
    "single-as-multi",
    "tamper",
    "tui",
    "virtual-time",
  ],
  variants: { "after-abort": "cancelled" },

  begin({ see, clock }) {
    const bus = new EventBus();
    const operations = new Map();
    const forms = new Map();
    const opened = new Map();
    const folders = [];
    let latestRequest;
    let broken = false;

    const startHost = () =>
      new AskHost({
        bus: {
          on: (...args) => bus.on(...args),
          emit(channel, data) {
            see({ emitted: channel, data });
            bus.emit(channel, data);
          },
        },
        namespace: NAMESPACE,
        now: clock.now,
        computeResult(...args) {
          if (!broken) return resultOf(...args);
          broken = false;
          throw new Error("broken on purpose");
        },
      });
    let host = startHost();

    function folderWith(files) {
      const folder = mkdtempSync(join(tmpdir(), "askproof-"));
      folders.push(folder);
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      return folder;
    }

    const openAs = (provider) => (request) => {
      see({ opened: provider, request });
      latestRequest = request;
      request.signal.addEventListener("abort", () => see({ aborted: provider }));
      return new Promise((resolve, reject) => opened.set(provider, { resolve, reject }));
    };

    return {
      emit({ channel, data }) {
        bus.emit(channel, data);
      },

      ask({ call, input, settings, files, ...rest }) {
        const operation = new AbortController();
        operations.set(call, operation);
        host
          .ask(input, {
            ...rest,
            signal: operation.signal,
            show: (form) => forms.set(call, form),
            settings: { ...settings, cwd: files && folderWith(files) },
          })
          .then(
            (result) => see({ tool: call, result }),
            (error) => see({ tool: call, error: error.message }),
          );
      },

      listen({ listener, channel, then }) {
        bus.on(channel, (event) => {
          see({ heard: listener, channel });
          if (then === "throw") throw new Error("thrown on purpose");
          if (then === "reject") return Promise.reject(new Error("rejected on purpose"));
          if (then.set) setAt(event, then.set.path, then.set.value);
          if (then.submit) bus.emit(`${NAMESPACE}:submit`, { version: 1, flowId: event.flowId, ...then.submit });
        });
      },

      offer({ provider, connect: description, when, times = 1 }) {
        const offered = description?.open?.handle ? { ...description, open: openAs(provider) } : description;
        bus.on(`${NAMESPACE}:external-ui`, ({ connect }) => {
          const connectAll = () => {
            for (let n = 0; n < times; n++) see({ connected: provider, returned: connect(offered) });
          };
          if (when === "during") connectAll();
          else queueMicrotask(connectAll);
        });
      },

      resolve({ provider, value }) {
        opened.get(provider).resolve(value);
      },

      reject({ provider, reason }) {
        opened.get(provider).reject(new Error(reason));
      },

      local({ call, act, answers }) {
        const form = forms.get(call);
        if (answers) form.fill(answers);
        if (act === "cancel") form.cancel();
        else if (act !== "fill") form.finish(act);
      },

      abort({ call }) {
        operations.get(call).abort();
      },

      tamper({ path, value }) {
        setAt(latestRequest, path, value);
      },

      break() {
        broken = true;
      },

      reload() {
        host.dispose();
        host = startHost();
      },

      shutdown() {
        host.dispose();
      },

      end() {
        for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};
