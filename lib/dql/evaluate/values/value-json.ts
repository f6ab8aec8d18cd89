// Writes values as JSON (docs/reference/query.md#how-values-compare): integers with all digits, floats with the fewest
// digits that identify them, NaN and infinities as null, bytes as base64.

import { encodeBase64 } from "../../../text/base64.ts";
import { type DqlValue, isList } from "./value.ts";

/**
 * Writes a value as JSON.
 *
 * @example
 * valueJson(9007199254740993n); // "9007199254740993"
 */
export function valueJson(value: DqlValue): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
  if (value instanceof Uint8Array) return `"${encodeBase64(value)}"`;
  return isList(value) ? listJson(value) : JSON.stringify(value);
}

export function listJson(values: readonly DqlValue[]): string {
  return `[${values.map(valueJson).join(",")}]`;
}
