// Writes script values as JSON text (docs/reference/language.md#writing-to-the-point). The value is traversed with an
// explicit stack, because a script can build values that nest far deeper than JavaScript's call stack.

import { formatFloatJson } from "../../point/number-text.ts";
import { Float } from "../../point/value.ts";
import { isBytes } from "../../text/bytes.ts";
import { type CountPiece, mapJoined } from "../../text/flat.ts";
import type { Memory } from "./memory.ts";
import { compareBytes, type Value, VOID } from "./value.ts";

/**
 * Largest number of characters of a JSON text. The length is limited, because a list that contains another list
 * many times can be small in memory and extremely long as text.
 */
const longestText = 1 << 25;

/**
 * Number of short strings that are joined at once. A string that grows by many short additions takes much more memory
 * than its characters.
 */
const joinedPieces = 4096;

interface Frame {
  readonly container: object;
  readonly keys: readonly string[] | null;
  readonly items: readonly Value[];
  next: number;
}

/**
 * Returns compact JSON with map keys in byte order. Returns null when the value cannot be written: when it contains
 * NaN, an infinity or a container that contains itself, or when the text needs more than `longest` characters. `memory`
 * counts the text while it is made, and throws when the run's memory limit is reached.
 */
export function toJsonText(
  value: Value,
  exponentDigits: 1 | 2 = 2,
  memory?: Memory,
  longest = longestText,
): string | null {
  let text = "";
  let pieces: string[] = [];
  let length = 0;
  const put = (piece: string): void => {
    length += piece.length;
    if (piece.length > joinedPieces) {
      // A long string is appended to the result directly. Joining the long string with the short strings first would
      // copy it once more.
      join();
      memory?.makeText(piece.length);
      text += piece;
    } else if (pieces.push(piece) === joinedPieces) join();
  };
  const join = (): void => {
    const joined = pieces.join("");
    memory?.makeJoined(joined.length, pieces.length);
    text += joined;
    pieces = [];
  };
  const count = (characters: number): void => memory?.makeText(characters);
  const stack: Frame[] = [];
  const open = new Set<object>();
  let current: Value = value;
  for (;;) {
    if (Array.isArray(current) || current instanceof Map) {
      if (open.has(current)) return null;
      const frame = frameOf(current);
      open.add(current);
      stack.push(frame);
      put(frame.keys === null ? "[" : "{");
    } else {
      const scalar = scalarText(current, exponentDigits, count);
      if (scalar === null) return null;
      put(scalar);
    }
    if (length > longest) return null;
    let frame = stack.at(-1);
    while (frame !== undefined && frame.next === frame.items.length) {
      put(frame.keys === null ? "]" : "}");
      open.delete(frame.container);
      stack.pop();
      frame = stack.at(-1);
    }
    if (frame === undefined) {
      join();
      return text;
    }
    if (frame.next > 0) put(",");
    if (frame.keys !== null) put(`${quoteJson(frame.keys[frame.next]!)}:`);
    current = frame.items[frame.next++]!;
  }
}

function frameOf(container: Value[] | Map<string, Value>): Frame {
  if (Array.isArray(container)) return { container, keys: null, items: container, next: 0 };
  const keys = [...container.keys()].sort(compareBytes);
  return { container, keys, items: keys.map((key) => container.get(key)!), next: 0 };
}

function scalarText(value: Value, exponentDigits: 1 | 2, count: CountPiece): string | null {
  if (value === null || value === VOID) return "null";
  if (typeof value === "string") return quoteJson(value, count);
  if (value instanceof Float) return Number.isFinite(value.value) ? formatFloatJson(value.value, exponentDigits) : null;
  if (isBytes(value)) return quoteJson(value.toString(), count);
  return String(value);
}

const plain = /^[\x20\x21\x23-\x25\x27-\x3b\x3d\x3f-\x5b\x5d-\u2027\u202a-\ud7ff\ue000-\uffff]*$/;
const special = /["\\<>&\u2028\u2029\p{Cs}]|[^\x20-\u{10ffff}]/gu;
const short: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Returns a JSON string literal. Also escapes `<`, `>`, `&`, U+2028 and U+2029. A lone surrogate becomes `\ufffd`. */
export function quoteJson(text: string, count?: CountPiece): string {
  if (plain.test(text)) return `"${text}"`;
  // One `replace` call over a long text would take much memory, because the JavaScript engine keeps all matches until
  // the last one is found. So a long text is escaped character by character.
  if (text.length > joinedPieces) return `"${mapJoined(text, (each) => each.replace(special, escapeOf), count)}"`;
  return `"${text.replace(special, escapeOf)}"`;
}

function escapeOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code >= 0xd800 && code <= 0xdfff) return "\\ufffd";
  return short[character] ?? `\\u${code.toString(16).padStart(4, "0")}`;
}
