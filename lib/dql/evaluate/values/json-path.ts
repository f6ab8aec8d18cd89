// Reads a value inside a JSON text: `a.b[0].c`, `-1` for the last element (docs/reference/query.md#how-values-compare).

import { JsonNumber, type JsonValue, readJson } from "../../../text/json-text.ts";
import { type DqlValue, numberIn } from "./value.ts";

/**
 * Returns a function that reads the path from a text: null for text that is not JSON, and when the path leads nowhere;
 * objects and arrays as their text.
 */
export function jsonPath(path: string): (text: string) => DqlValue {
  const steps = path.split(/\.|\[(-?[0-9]+)\]/).filter((step) => step !== undefined && step !== "");
  return (text) => {
    let value: JsonValue | undefined;
    try {
      value = readJson(text);
    } catch {
      return null;
    }
    for (const step of steps) {
      if (value instanceof Map) value = value.get(step);
      else value = Array.isArray(value) && /^-?[0-9]+$/.test(step) ? value.at(Number(step)) : undefined;
    }
    return value === undefined ? null : plain(value);
  };
}

function plain(value: JsonValue): DqlValue {
  if (value instanceof JsonNumber) return numberIn(value.text) ?? null;
  return value instanceof Map || Array.isArray(value) ? jsonText(value) : value;
}

function jsonText(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  return `{${[...value].map(([key, member]) => `${JSON.stringify(key)}:${jsonText(member)}`).join(",")}}`;
}
