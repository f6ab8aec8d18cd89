// Writes a parsed JSON value as JSON text. The text is the same as after JSON.parse and JSON.stringify, with one
// exception: a number that a JavaScript number cannot represent exactly keeps its original digits.

import { JsonNumber, type JsonValue } from "../../../lib/text/index.ts";

/**
 * Returns the JSON text of a value. The function is recursive, so the caller must limit how deeply the value is
 * nested.
 */
export function exactJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return numberText(value.text);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(",")}]`;
  if (value instanceof Map) {
    // JSON.stringify writes the members in the order in which a JavaScript object lists its names: names that are
    // integers come first. So this function uses the same order.
    const names = Object.keys(Object.fromEntries(value));
    return `{${names.map((name) => `${JSON.stringify(name)}:${exactJson(value.get(name)!)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

function numberText(text: string): string {
  const read = Number(text);
  const isHeld = /^-?\d+$/.test(text) ? Number.isSafeInteger(read) : Number.isFinite(read);
  return isHeld ? JSON.stringify(read) : text;
}
