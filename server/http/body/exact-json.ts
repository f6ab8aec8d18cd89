// Writes JSON with all digits of its numbers. The result equals JSON.stringify of JSON.parse, but a number that a
// JavaScript number cannot hold exactly keeps its original text.

import { JsonNumber, type JsonValue } from "../../../lib/text/index.ts";

/** Returns the JSON text of a value. Works by recursion: the caller must limit the depth of the value. */
export function exactJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return numberText(value.text);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(",")}]`;
  if (value instanceof Map) {
    // The order in which an object has these names.
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
