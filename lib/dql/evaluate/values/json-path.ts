// Reads a value inside a JSON string by a path such as `a.b[0].c`, where `-1` means the last element
// (docs/reference/query.md#how-values-compare).

import { JsonNumber, type JsonValue, readJson } from "../../../text/json-text.ts";
import { type DqlValue, numberIn } from "./value.ts";

/**
 * Returns a function that reads the value at the path from a JSON string. The function returns null when the string is
 * not JSON or has no value at the path, and returns objects and arrays as JSON strings.
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
