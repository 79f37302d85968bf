/** The role ask-bridge: the host's side of it is played here, its human by the hooks of the author. */
import { commonCommands, settling } from "./common.mjs";

const ALWAYS = ["reload", "shutdown"];

/** The role; `hooks` is the module of the author. */
export function bridgeRole({ open, namespace, pi }, hooks) {
  const prefixes = [namespace, hooks.secondNamespace].filter(Boolean).map((prefix) => `${prefix}:`);
  return {
    capabilities: [...new Set([...ALWAYS, ...(hooks.capabilities ?? [])])],
    async begin({ see }) {
      const opened = await open((channel, data) => {
        if (prefixes.some((prefix) => channel.startsWith(prefix))) see({ emitted: channel, data });
      });
      const { session, bus, cwd, close } = opened;
      const own = await hooks.begin({ see, bus, pi, cwd, namespace, runner: () => session.runner });
      const commands = {
        ...commonCommands(opened),
        ...hostCommands({ see, bus, namespace }),
        ...own,
        async end() {
          await own.end?.();
          await close();
        },
      };
      return settling(commands, session, ["end"]);
    },
  };
}

function hostCommands({ see, bus, namespace }) {
  const providers = new Map();
  const operations = new Map();
  return {
    connect({ connection, accept, ...event }) {
      let delivered = false;
      const connect = (provider) => {
        see({ offered: connection, provider, ...(delivered && { late: true }) });
        if (delivered) return false;
        providers.set(connection, provider);
        return accept;
      };
      bus.emit(`${namespace}:external-ui`, { ...event, connect });
      delivered = true;
    },

    open({ connection, request }) {
      const operation = new AbortController();
      operations.set(connection, operation);
      Promise.resolve(providers.get(connection).open({ ...request, signal: operation.signal })).then(
        (value) => see({ resolved: connection, value }),
        () => see({ rejected: connection }),
      );
    },

    abort: ({ connection }) => operations.get(connection).abort(),
  };
}
