// Writes a point as a string that is equal for two points exactly when the points are equal, including types of values,
// signs of zero and bytes.

import { Float, kindOf, PointArray, type PointValue, Uint } from "../../lib/point/value.ts";
import type { PointView } from "../../lib/point/view.ts";
import { isBytes } from "../../lib/text/bytes.ts";
import { plainFloat } from "../baseline/float.ts";

const encoder = new TextEncoder();

/**
 * Returns the point as a string, its tags and fields sorted by key. Corrections are included only when `withWarnings`
 * is set.
 */
export function canonical(point: PointView, withWarnings = false): string {
  const entries = Array.from(point.entries(), ({ key, value, isTag }) => {
    const traits = point.traits?.(key);
    const isPlain =
      traits === undefined || (traits.metricType === 0 && traits.unit === "" && traits.description === "");
    return [key, isTag ? "tag" : "field", kindOf(value), shown(value), isPlain ? null : traits];
  });
  entries.sort((a, b) => (a[0]! < b[0]! ? -1 : 1));
  return JSON.stringify([point.name, `${point.time}`, entries, withWarnings ? (point.warnings ?? []) : []]);
}

function shown(value: PointValue): unknown {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return hex(encoder.encode(value));
  if (isBytes(value)) return hex(value.view());
  if (value instanceof Uint8Array) return hex(value);
  if (value instanceof Float) return plainFloat(value.value);
  if (value instanceof PointArray) return value.elements.map((element) => [kindOf(element), shown(element)]);
  return `${value instanceof Uint ? value.value : value}`;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
