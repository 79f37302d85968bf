/** A journal file as lines, each by itself: one that cannot be read costs nothing but itself. */
import { parseObject } from "./json.mjs";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Without ignoreBOM, a byte order mark would vanish unseen. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The lines that hold something, with their numbers from one: the object, or the code of the fault (JRN-090, JRN-093).
 * @param {Buffer} bytes
 * @returns {Generator<{ number: number, value?: object, code?: string }>}
 */
export function* readLines(bytes) {
  let number = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    number++;
    const line = readLine(bytes.subarray(start, bytes[end - 1] === CARRIAGE_RETURN && end > start ? end - 1 : end));
    if (line) yield { number, ...line };
    start = end + 1;
  }
}

/** Undefined for a blank line. */
function readLine(bytes) {
  if (bytes.includes(0)) return { code: "nul" };
  let text;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { code: "utf-8" };
  }
  return text.trim() === "" ? undefined : parseObject(text);
}
