// A point in the format of the function platform (the server that runs functions of users), and the conversion of its
// values to strings (docs/reference/gateway.md#rules-for-tags).

import { formatFloat } from "../point/number-text.ts";
import { Float, PointArray, type PointValue, Uint } from "../point/value.ts";
import type { PointView } from "../point/view.ts";
import { isBytes } from "../text/bytes.ts";

/** A point with plain JavaScript values: JSON values, and bigints. */
export interface PlainPoint {
  readonly measurement: string;
  readonly tags: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Returns a copy of a point with plain JavaScript values, which may be kept after the batch is released. Numbers lose
 * their type (int, uint or float), and lists become arrays.
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

/**
 * Extra fields that the function platform (the server that runs functions of users) provides: the id and name of the
 * workspace, and the id and name of the monitor.
 */
export type ExtraFields = Readonly<Record<string, unknown>>;

const extraNames = new Set([
  "DF_WORKSPACE_UUID",
  "DF_WORKSPACE_NAME",
  "DF_MONITOR_CHECKER_ID",
  "DF_MONITOR_CHECKER_NAME",
]);

/**
 * Returns the value that a point has under a name. The names of the four extra fields (id and name of the
 * workspace and of the monitor) are looked up only in `extra`; all other names are looked up first in the
 * point's tags, then in its fields. A value of null counts as not found.
 */
export function lookUp(point: PlainPoint, extra: ExtraFields, name: string): unknown {
  if (extraNames.has(name)) return own(extra, name);
  return own(point.tags, name) ?? own(point.fields, name);
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? (record[name] ?? undefined) : undefined;
}

/**
 * Returns a scalar as a string, in which a number has no exponent; returns undefined for a value that is not a scalar.
 */
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
