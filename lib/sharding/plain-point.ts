// A point as the function platform represents it, and the conversion of its values to text (docs/reference/gateway.md#rules-for-tags and
// 5.4).

import { formatFloat } from "../point/number-text.ts";
import { Float, PointArray, type PointValue, Uint } from "../point/value.ts";
import type { PointView } from "../point/view.ts";
import { isBytes } from "../text/bytes.ts";

/** A point with plain values: those of JSON, and bigints. */
export interface PlainPoint {
  readonly measurement: string;
  readonly tags: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Returns a point as plain values that outlive the batch: numbers without their kinds, lists as arrays.
 *
 * @example
 * plainPointOf(new Point("cpu", 0n)).measurement; // "cpu"
 */
export function plainPointOf(point: PointView): PlainPoint {
  const tags: Record<string, unknown> = Object.create(null);
  const fields: Record<string, unknown> = Object.create(null);
  for (const { key, value, isTag } of point.entries()) (isTag ? tags : fields)[key] = plainValue(value);
  return { measurement: point.name, tags, fields };
}

function plainValue(value: PointValue): unknown {
  if (value instanceof Float || value instanceof Uint) return value.value;
  if (value instanceof PointArray) return value.elements.map(plainValue);
  return isBytes(value) ? value.toString() : value;
}

/** Additional fields that the platform provides: the workspace and the monitor. */
export type ExtraFields = Readonly<Record<string, unknown>>;

const extraNames = new Set([
  "DF_WORKSPACE_UUID",
  "DF_WORKSPACE_NAME",
  "DF_MONITOR_CHECKER_ID",
  "DF_MONITOR_CHECKER_NAME",
]);

/**
 * Returns the value of a name. The four extra names are only looked up among the extra fields, all others among tags,
 * then fields; null counts as not found.
 */
export function lookUp(point: PlainPoint, extra: ExtraFields, name: string): unknown {
  if (extraNames.has(name)) return own(extra, name);
  return own(point.tags, name) ?? own(point.fields, name);
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;
}

/** Returns a scalar as text, numbers without an exponent; undefined for a value that is not a scalar. */
export function scalarText(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return formatFloat(value);
    case "bigint":
    case "boolean":
      return String(value);
    default:
      return undefined;
  }
}
