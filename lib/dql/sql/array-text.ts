// Writes an array as the JSON string that a database column stores: whole numbers with all digits, floats with a
// fraction, bytes as base64.

import { Float, type PointArray, type PointValue, Uint } from "../../point/value.ts";
import { isBytes } from "../../text/bytes.ts";
import { valueJson } from "../evaluate/values/value-json.ts";

export function arrayText({ elements }: PointArray): string {
  return `[${elements.map(elementText).join(",")}]`;
}

function elementText(value: PointValue): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Float) return floatText(value.value);
  return valueJson(isBytes(value) ? value.toString() : (value as string | boolean | Uint8Array));
}

/** Writes the float 2 as 2.0, so that it is read back as a float. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return "null";
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /^-?[0-9]+$/.test(text) ? `${text}.0` : text;
}
