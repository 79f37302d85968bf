/** Drives the issuer: its UI is here, and its subscribers, which do what a case has them do. */
import { ReceiptIssuer } from "./issuer.mjs";
import { managerCommands } from "./session-manager.mjs";
import { askUser } from "./tool.mjs";

function begin({ see, handles }) {
  const issuer = new ReceiptIssuer();
  const endings = new Map(); // of subscribers
  const inputs = new Map(); // of calls, like the two below
  const operations = new Map();
  const forms = new Map();

  const operationOf = (call) => {
    if (!operations.has(call)) operations.set(call, new AbortController());
    return operations.get(call);
  };

  const reactions = {
    record: () => undefined,
    throw: () => {
      throw new Error("the subscriber throws");
    },
    reject: () => Promise.reject(new Error("the subscriber rejects")),
    hang: () => new Promise(() => {}),
  };

  const react = (subscriber, then, receipt) => {
    if (typeof then === "string") return reactions[then]();
    for (const name of then.unsubscribe ?? []) endings.get(name)?.();
    if (then.set && setAt(receipt, then.set.path, then.set.value)) see({ changed: subscriber });
    return undefined;
  };

  return {
    ...managerCommands(handles, (manager, changed) => {
      if (changed.session) issuer.endSession(manager);
    }),

    shutdown({ manager }) {
      issuer.endSession(handles.get(manager));
    },

    subscribe({ subscriber, manager, then }) {
      const callback = (receipt) => {
        const handle = handles.nameOf(receipt?.sessionManager) ?? "unknown";
        see({ delivered: subscriber, receipt: receipt && { ...receipt, sessionManager: { handle } } });
        return react(subscriber, then, receipt);
      };
      endings.set(subscriber, issuer.subscribe(handles.get(manager), callback));
    },

    unsubscribe({ subscriber }) {
      endings.get(subscriber)();
    },

    ask({ call, tool: toolName, manager: name, interactive = true, background = false, ...rest }) {
      const manager = handles.get(name);
      const { signal } = operationOf(call);
      inputs.set(call, rest.input);
      const showForm = () =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          forms.set(call, resolve);
          see({ shown: call });
        });
      askUser(issuer, { ...rest, manager, toolName, interactive, background, signal }, showForm).then(
        (result) => see({ tool: call, result }),
        (error) => see({ tool: call, error: error.message }),
      );
    },

    answer({ call, rows }) {
      forms.get(call)?.(rows);
    },

    cancel({ call }) {
      forms.get(call)?.();
    },

    abort({ call }) {
      operationOf(call).abort();
    },

    change({ call, path, value }) {
      setAt(inputs.get(call), path, value);
    },

    emit() {
      // The issuer is not on the bus: it neither hears nor says anything there (RCP-041).
    },
  };
}

/** Sets the member at a JSON pointer, and says whether that had an effect. */
function setAt(root, pointer, value) {
  const keys = pointer.split("/").slice(1);
  const [last, ...path] = keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")).reverse();
  const parent = path.reduceRight((at, key) => at?.[key], root);
  if (typeof parent !== "object" || parent === null) return false;
  const key = Array.isArray(parent) && last === "-" ? parent.length : last;
  return Reflect.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}

export default { capabilities: ["background", "caller-objects", "virtual-time"], begin };
