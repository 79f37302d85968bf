/** What both roles share. */
import process from "node:process";
import { setImmediate } from "node:timers/promises";

const QUIET_TURNS = 4;
const AT_WORK = /^(FSReq|FileHandle)/;

/** Waits while files are being read or written, which takes more turns of the event loop than what stays in memory. */
async function idle() {
  for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
    await setImmediate();
    if (process.getActiveResourcesInfo().some((name) => AT_WORK.test(name))) quiet = -1;
  }
}

/** The commands, each of which starts the session if it needs one, and then waits for its files. */
export function settling(commands, session, unstarted = []) {
  const waits = ([name, command]) => [
    name,
    async (args) => {
      if (!unstarted.includes(name)) await session.start();
      await command(args);
      await idle();
    },
  ];
  return Object.fromEntries(Object.entries(commands).map(waits));
}

/** Sets the member at a JSON pointer. */
export function setAt(target, pointer, value) {
  const names = pointer.split("/").slice(1);
  const keys = names.map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = keys.pop();
  keys.reduce((object, key) => object[key], target)[last] = value;
}

/** The commands for every role. */
export function commonCommands({ session, bus, close }) {
  return {
    emit: ({ channel, data }) => bus.emit(channel, data),
    reload: () => session.reload(),
    shutdown: () => session.shutdown(),
    end: close,
  };
}
