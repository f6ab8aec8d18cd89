// JSON of values that were read with the digits of their numbers: what JSON.stringify writes of what JSON.parse reads, but for numbers
// that JavaScript does not hold, which stay as they were written.

import { JsonNumber, type JsonValue } from "../../../lib/point/codec/json-text.ts";

/** By recursion: whoever gives the value bounds its depth. */
export function exactJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return numberText(value.text);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(",")}]`;
  if (value instanceof Map) {
    // In the order that an object has them.
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
