// A point as the function platform knows it, and how its values become text (docs/reference/gateway.md#rules-for-tags).

import { formatFloat } from "../point/number-text.ts";
import { Float, isBytes, PointArray, type PointValue, Uint } from "../point/value.ts";
import type { PointView } from "../point/view.ts";

/** Values are those of JSON, and bigints. */
export interface PlainPoint {
  readonly measurement: string;
  readonly tags: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A point as plain values that outlive it: numbers without their kinds, lists as arrays. */
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

/** What the platform says besides: the workspace and the monitor. */
export type ExtraFields = Readonly<Record<string, unknown>>;

const extraNames = new Set([
  "DF_WORKSPACE_UUID",
  "DF_WORKSPACE_NAME",
  "DF_MONITOR_CHECKER_ID",
  "DF_MONITOR_CHECKER_NAME",
]);

/** The four names are looked up among the extra fields only, all others among tags, then fields; null is not found. */
export function lookUp(point: PlainPoint, extra: ExtraFields, name: string): unknown {
  if (extraNames.has(name)) return own(extra, name);
  return own(point.tags, name) ?? own(point.fields, name);
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;
}

/** Numbers without exponent; undefined for what is no scalar. */
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
