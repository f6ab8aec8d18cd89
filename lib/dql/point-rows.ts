// Turns points into rows for the query engine in memory. The rows are copies of the points, so the memory of the
// points may be released afterwards.

import { Float, PointArray, type PointValue, Uint } from "../point/value.ts";
import type { PointView } from "../point/view.ts";
import { type OptionNames, requireOptions } from "../text/argument.ts";
import { isBytes } from "../text/bytes.ts";
import type { Row } from "./evaluate/row.ts";
import type { DqlValue } from "./evaluate/values/value.ts";

/** Options of `rowsOfPoints`, which turns points into rows. */
export interface RowOptions {
  /**
   * Prefix of the row ids. Each call must use another prefix, and the prefixes must sort in the order in which the
   * points arrived.
   */
  readonly batch?: string;
  /** Time when the points arrived, in milliseconds since 1970. */
  readonly received?: number;
}

const rowNames: OptionNames<RowOptions> = { batch: true, received: true };

/**
 * Returns one row for each point, in the order of the points.
 *
 * @example
 * rowsOfPoints([new Point("cpu", 5n)])[0]?.time; // 5n
 */
export function rowsOfPoints(points: Iterable<PointView>, options: RowOptions = {}): Row[] {
  requireOptions("rowsOfPoints", options, rowNames);
  const { batch = "", received = 0 } = options;
  const rows: Row[] = [];
  for (const point of points) {
    const tags = new Map<string, string>();
    const fields = new Map<string, DqlValue>();
    for (const { key, value, isTag } of point.entries()) {
      if (isTag) tags.set(String(key), String(value));
      else if (value !== null) fields.set(String(key), dqlValue(value));
    }
    const docid = `${batch}${String(rows.length).padStart(12, "0")}`;
    rows.push({ time: point.time, name: String(point.name), docid, index: "default", received, tags, fields });
  }
  return rows;
}

function dqlValue(value: PointValue): DqlValue {
  if (value === null || typeof value === "bigint" || typeof value === "string" || typeof value === "boolean")
    return value;
  if (typeof value === "number") return BigInt(value);
  if (value instanceof Float) return value.value;
  if (value instanceof Uint) return BigInt(value.value);
  if (value instanceof Uint8Array) return value.slice();
  if (value instanceof PointArray) return value.elements.map(dqlValue);
  return isBytes(value) ? value.toString() : null;
}
