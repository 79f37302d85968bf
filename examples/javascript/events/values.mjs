/**
 * Small questions about values that came from outside.
 *
 * Ids are keys of records. `Object.fromEntries` and `Object.entries` take each as an ordinary own member, `__proto__`
 * too, where an assignment or a lookup would meet the prototype (EVT-010, EVT-011).
 */

/** Whether it is what JSON calls an object: neither null nor a list. */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

export const isString = (value) => typeof value === "string";

/** ECMAScript's `trim` is the white space of the specification (spec/conventions.md). */
export const isBlank = (text) => text.trim() === "";

/** The text, or undefined for one that says nothing (EVT-084). */
export const unlessBlank = (text) => (text === undefined || isBlank(text) ? undefined : text);

/** The object without the members that are undefined: over JSON they are absent, and in process they should be too. */
export const compact = (object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

/** The own member of that name, and nothing inherited. */
export const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);
