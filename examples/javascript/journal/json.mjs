/** JSON as a journal must have it, where JSON.parse alone is too tolerant. */

const MAX_DEPTH = 64;
const WHITE_SPACE = new Set([" ", "\t", "\n", "\r"]);
const NUMBER = /[-+.eE\d]+/y;

/**
 * Parses one JSON object. JSON.parse says whether it is JSON at all; what it does not tell is found by a walk over its
 * text, which can then rely on it to be well formed. An integer that a double cannot hold becomes a bigint.
 * @returns {{ value: object } | { code: "json" | "depth" | "duplicate-key" }}
 */
export function parseObject(text) {
  if (isDeep(text)) return { code: "depth" };
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return { code: "json" };
  }
  if (!isObject(value)) return { code: "json" };
  const { repeatsKey, largeIntegers } = walk(text);
  if (repeatsKey) return { code: "duplicate-key" };
  return { value: largeIntegers.length > 0 ? parseWith(text, largeIntegers) : value };
}

/** An object, and neither a list nor null. */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As far as brackets tell, so that no parser has to go down there. */
function isDeep(text) {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

function walk(text) {
  const open = []; // the keys of each object or list that is open
  const largeIntegers = []; // where they are
  let repeatsKey = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") {
      open.push(new Set());
    } else if (character === "}" || character === "]") {
      open.pop();
    } else if (character === '"') {
      const start = at;
      at = endOfString(text, start);
      if (!isKey(text, at + 1)) continue;
      const keys = open.at(-1);
      const key = JSON.parse(text.slice(start, at + 1)); // however it is escaped
      repeatsKey ||= keys.has(key);
      keys.add(key);
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      NUMBER.lastIndex = at;
      const [number] = NUMBER.exec(text);
      if (isLargeInteger(number)) largeIntegers.push({ start: at, number });
      at += number.length - 1;
    }
  }
  return { repeatsKey, largeIntegers };
}

function endOfString(text, start) {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

/** Only a key is followed by a colon. */
function isKey(text, after) {
  while (WHITE_SPACE.has(text[after])) after++;
  return text[after] === ":";
}

function isLargeInteger(number) {
  return !/[.eE]/.test(number) && !Number.isSafeInteger(Number(number));
}

/** Parses with each large integer in a text that begins as no other does, and takes it out of that again. */
function parseWith(text, largeIntegers) {
  const mark = `${crypto.randomUUID()}:`;
  let marked = "";
  let rest = 0;
  for (const { start, number } of largeIntegers) {
    marked += `${text.slice(rest, start)}"${mark}${number}"`;
    rest = start + number.length;
  }
  return JSON.parse(marked + text.slice(rest), (_, value) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}
