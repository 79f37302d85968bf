/**
 * The adapter of `askproof run pi:EXTENSION`: drives an extension through the Pi that is installed. Roles:
 *
 * - ask-host, if it registers the tool: the tool is called as the model would call it;
 * - ask-bridge, if there is a module of hooks, since only its author knows how its human answers.
 *
 * The argument is JSON: `library`, `pi` and `extension`, which are paths, `namespace`, `tool`, and perhaps `hooks`, a path, and
 * `capabilities`, a list.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

import { bridgeRole } from "./bridge.mjs";
import { freshModules } from "./fresh.mjs";
import { hostRole, probe } from "./host.mjs";
import { loadPi, PiSession } from "./session.mjs";

const options = JSON.parse(process.argv[2]);

// Nothing of the user's is read or written: Pi and the extension have a home of their own.
const scratch = mkdtempSync(join(tmpdir(), "askproof-pi-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const agentDir = join(scratch, "agent");
const home = join(scratch, "home");
for (const folder of [agentDir, home]) mkdirSync(folder);
for (const name of Object.keys(process.env)) {
  if (/^(PI|XDG)_/.test(name)) delete process.env[name];
}
Object.assign(process.env, { HOME: home, USERPROFILE: home, PI_CODING_AGENT_DIR: agentDir, PI_OFFLINE: "1" });
process.chdir(home);

// ADP-002: until the library serves, what is printed goes to the standard error too.
const write = process.stdout.write;
process.stdout.write = process.stderr.write.bind(process.stderr);

let cases = 0;

/** A new session with a new extension. `watch` sees what this emits; listeners of the kit are on the bus itself. */
async function open(watch) {
  const cwd = join(scratch, `case-${++cases}`);
  mkdirSync(cwd);
  const bus = host.pi.createEventBus();
  const tapped = {
    on: bus.on,
    emit(channel, data) {
      watch(channel, data);
      bus.emit(channel, data);
    },
  };
  freshModules();
  const session = new PiSession({ host, extension: options.extension, cwd, agentDir, bus: tapped });
  await session.load();
  const close = async () => {
    await session.shutdown();
    bus.clear();
    rmSync(cwd, { recursive: true, force: true });
  };
  return { session, bus, cwd, close };
}

function fail(error) {
  console.error(`pi: ${error?.message ?? error}`);
  process.exit(3);
}

const { serve } = await import(pathToFileURL(options.library));
const hooks = options.hooks && (await import(pathToFileURL(options.hooks)).catch(fail));
const host = await loadPi(options.pi).catch((error) => fail(new Error(`${options.pi}: ${error.stack}`)));
try {
  const namespace = options.namespace ?? hooks?.namespace ?? options.defaultNamespace;
  const drive = { ...options, namespace, open, pi: host.pi };
  const found = await probe(drive, { needed: hooks === undefined });
  process.stdout.write = write;
  await serve({
    implementation: { name: options.name, version: options.version, language: "typescript" },
    namespace,
    secondNamespace: hooks?.secondNamespace,
    roles: {
      ...(found && { "ask-host": hostRole(drive, found) }),
      ...(hooks && { "ask-bridge": bridgeRole(drive, hooks) }),
    },
  });
} catch (error) {
  fail(error);
}
