/**
 * Modules that are made anew for each case (ADP-020). Pi transforms TypeScript anew at each load; what it leaves to Node itself,
 * plain ES modules and CommonJS, Node would keep for the life of the process, with whatever they hold.
 */
import { createRequire, registerHooks } from "node:module";

const FILE = "file:";
const TAG = "askproof-case";
const KIT = new URL(".", import.meta.url).href;
const JITI = "/node_modules/jiti/"; // Pi loads extensions through it

const { cache } = createRequire(import.meta.url);

let generation = 0;
const shared = new Set(); // what was loaded before the extension, and what that loads later: Pi and its packages
let sharedRequires;
let sharedGlobals;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!found.url.startsWith(FILE)) return found;
    if (generation === 0 || shared.has(found.url) || !isOfExtension(found.url, context.parentURL ?? "")) {
      shared.add(found.url);
      return found;
    }
    const separator = found.url.includes("?") ? "&" : "?";
    return { ...found, url: `${found.url}${separator}${TAG}=${generation}` };
  },
});

/** Whether an extension asks for it: itself, a module of it that Pi has transformed, or the loader on its behalf. */
function isOfExtension(url, parent) {
  if (parent.startsWith(KIT)) return false;
  return parent.includes(JITI) ? !url.includes(JITI) : !shared.has(parent);
}

/** From now on, what is loaded is loaded anew, and nothing is left in the global object of what was loaded before. */
export function freshModules() {
  if (generation === 0) {
    sharedRequires = new Set(Object.keys(cache));
    sharedGlobals = new Set(Reflect.ownKeys(globalThis));
  }
  generation++;
  for (const path of Object.keys(cache)) {
    if (!sharedRequires.has(path)) delete cache[path];
  }
  for (const name of Reflect.ownKeys(globalThis)) {
    if (!sharedGlobals.has(name)) Reflect.deleteProperty(globalThis, name);
  }
}
