// Writes a parsed JSON value as JSON text. The result equals JSON.stringify of JSON.parse, except that a number that a
// JavaScript number cannot hold exactly keeps its original text.

import { JsonNumber, type JsonValue } from "../../../lib/text/index.ts";

/** Returns the JSON text of a value. Works by recursion, so the caller must limit how deeply the value is nested. */
export function exactJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return numberText(value.text);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(",")}]`;
  if (value instanceof Map) {
    // The members are written in the order in which a JavaScript object lists its names (integer names first), because
    // JSON.stringify would use this order.
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
