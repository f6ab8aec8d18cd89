// JSON in which every number keeps its value when the JSON is read and written again, even a number that a JavaScript
// number cannot hold.

import { JsonNumber, type JsonValue, readJson } from "../../../lib/text/index.ts";

/**
 * Parses JSON into plain objects and lists. A number whose digits do not fit into a JavaScript number becomes a
 * JsonNumber, which keeps them. Throws an Error that says what is wrong and where.
 */
export function parseExact(text: string): unknown {
  return plainOf(readJson(text));
}

function plainOf(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return isHeld(value.text) ? Number(value.text) : value;
  if (Array.isArray(value)) return value.map(plainOf);
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([name, each]) => [name, plainOf(each)]));
  return value;
}

/** Returns whether a JavaScript number holds all digits of a number. It holds every decimal of up to 15 digits. */
function isHeld(text: string): boolean {
  const digits = text
    .replace(/[eE].*$/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+/, "");
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(Number(text));
  const isLarge = !Number.isFinite(Number(text)) || (Number(text) === 0 && digits !== "");
  return !isLarge && (digits.length <= 15 || String(Number(text)) === text);
}

/** Writes a value that `parseExact` returned as JSON text. `indent`: number of spaces for each level of nesting. */
export function exactText(value: unknown, indent = 0): string {
  return written(value, indent, "\n");
}

function written(value: unknown, indent: number, line: string): string {
  if (value instanceof JsonNumber) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const inner = indent === 0 ? "" : line + " ".repeat(indent);
  const members = Array.isArray(value)
    ? value.map((each) => written(each, indent, inner))
    : Object.entries(value).flatMap(([name, each]) =>
        each === undefined ? [] : [`${JSON.stringify(name)}:${indent === 0 ? "" : " "}${written(each, indent, inner)}`],
      );
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (members.length === 0) return open + close;
  return open + inner + members.join(`,${inner}`) + (indent === 0 ? "" : line) + close;
}
