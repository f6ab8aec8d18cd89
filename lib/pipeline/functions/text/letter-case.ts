// The functions uppercase and lowercase (docs/reference/functions.md).

import { Cursor } from "../../../point/batch/cursor.ts";
import { isTextAt, lengthAt, swapCaseAt } from "../../../point/batch/in-place.ts";
import type { Key } from "../../../point/view.ts";
import { isAscii } from "../../../text/characters.ts";
import { mapJoined } from "../../../text/flat.ts";
import type { Evaluate } from "../../runtime/code.ts";
import { writeKey } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { chargeWork } from "../../runtime/step-charge.ts";
import { toText } from "../../runtime/to-text.ts";
import { VOID } from "../../runtime/value.ts";
import { type Call, declare } from "../declare.ts";
import { KEY } from "../nodes.ts";

/** Returns code that rewrites the string value of a key. The code does nothing when the key is missing. */
function rewrite(call: Call, change: (text: string) => string, letters: number): Evaluate {
  const { key, read, mayBeVariable } = call.key(0);
  return (run) => {
    if (!mayBeVariable && swapCase(run, key, letters)) return VOID;
    const value = read(run);
    if (value !== undefined) writeKey(run, key, change(toText(value, run.memory)));
    return VOID;
  };
}

/**
 * Changes the letters from `first` on in the string of a key, when the string is short and lies in WebAssembly memory.
 * Returns false when the caller must change the string.
 */
function swapCase(run: Run, key: Key, first: number): boolean {
  const { point, memory, pendingTags } = run;
  if (!(point instanceof Cursor) || pendingTags !== null) return false;
  const at = point.at(key);
  if (at < 0) return true;
  if (!isTextAt(point, at)) return false;
  const { batch } = point;
  const before = batch.heapBytes;
  const length = lengthAt(point, at);
  if (!swapCaseAt(point, at, first)) return false;
  chargeWork(run, length);
  memory.keep(batch.heapBytes - before);
  return true;
}

/**
 * Returns the simple (one-character) upper case of a character. For Greek letters with iota subscript this is the title
 * case, because JavaScript's toUpperCase gives two characters.
 */
function simpleUpper(c: string): string {
  const upper = c.toUpperCase();
  const code = c.codePointAt(0) as number;
  if (upper.length === (code > 0xffff ? 2 : 1) || [...upper].length === 1) return upper;
  if (/[\u1f80-\u1f87\u1f90-\u1f97\u1fa0-\u1fa7]/.test(c)) return String.fromCodePoint(code + 8);
  return /[\u1fb3\u1fc3\u1ff3]/.test(c) ? String.fromCodePoint(code + 9) : c;
}

function simpleLower(c: string): string {
  return c === "\u0130" ? "i" : c.toLowerCase();
}

export const uppercase = declare({
  name: "uppercase",
  summary: "Turns the text of a key to upper case.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func uppercase expects 1 arg" },
  examples: [{ script: `uppercase(_)`, input: "straße é", gives: { message: "STRAßE É" } }],
  bind: (call) => rewrite(call, (text) => (isAscii(text) ? text.toUpperCase() : mapJoined(text, simpleUpper)), 0x61),
});

export const lowercase = declare({
  name: "lowercase",
  summary: "Turns the text of a key to lower case.",
  params: [KEY],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func lowercase expected 1 args" },
  examples: [{ script: `lowercase(_)`, input: "HeLLo ΣΑΣ", gives: { message: "hello σασ" } }],
  bind: (call) => rewrite(call, (text) => (isAscii(text) ? text.toLowerCase() : mapJoined(text, simpleLower)), 0x41),
});
