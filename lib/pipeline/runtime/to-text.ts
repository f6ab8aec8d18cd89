// Converts a value to a string, for tags of points and for text functions
// (docs/reference/language.md#writing-to-the-point).

import { formatFloat } from "../../point/number-text.ts";
import { Float } from "../../point/value.ts";
import { isBytes } from "../../text/bytes.ts";
import { toJsonText } from "./json-text.ts";
import type { Memory } from "./memory.ts";
import { type Value, VOID } from "./value.ts";

/**
 * Returns the value as a string: empty for nil, JSON for lists and maps (empty when the value cannot be written as
 * JSON). `memory` counts the bytes of the JSON text.
 */
export function toText(value: Value, memory?: Memory): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
    case "bigint":
    case "boolean":
      return String(value);
  }
  if (value === null || value === VOID) return "";
  if (value instanceof Float) return formatFloat(value.value);
  if (isBytes(value)) return value.toString();
  return toJsonText(value, 2, memory) ?? "";
}
