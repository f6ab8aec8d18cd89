// Shows points to people: as rows of a table, or as plain lines.

import { Float, type Point, type PointValue, Uint } from "../../../lib/index.ts";
import { timeText } from "../../../lib/script-tests/index.ts";
import { columnsWithin, tableText } from "../terminal/table.ts";

/** A point with all values converted to strings. The fields keep their order. */
export interface ShownPoint {
  readonly time: string;
  readonly status: string;
  readonly message: string;
  readonly fields: ReadonlyMap<string, string>;
}

export function shownPoint(point: Point): ShownPoint {
  const fields = new Map<string, string>();
  for (const { key, value } of point.entries()) fields.set(key, textOf(value));
  const [status, message] = [fields.get("status") ?? "", fields.get("message") ?? ""];
  for (const key of ["status", "message"]) fields.delete(key);
  return { time: timeText(point.time), status, message, fields };
}

/**
 * Returns a point as one line: the time, the status, and the fields. A point without fields is shown with its message.
 */
export function plainLine({ time, status, message, fields }: ShownPoint): string {
  const found = Array.from(fields, ([key, value]) => `${key}=${/[\s"=]/.test(value) ? JSON.stringify(value) : value}`);
  return [time, status, ...(found.length > 0 ? found : [message])].join(" ");
}

export interface TableSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Returns the last points as a table with column names. Older points and further columns that do not fit are left out.
 */
export function pointTable(points: readonly ShownPoint[], { columns, rows }: TableSize): string[] {
  const last = points.slice(-Math.max(1, rows - 1));
  const keys = [...new Set(last.flatMap(({ fields }) => [...fields.keys()]))];
  const hasMessage = last.some(({ fields }) => fields.size === 0);
  const head = ["time", "status", ...keys, ...(hasMessage ? ["message"] : [])];
  const cells = last.map(({ time, status, fields, message }) => [
    time.replace(/^\d{4}-\d\d-\d\dT/, "").replace(/(?<=\.\d{3})\d*Z$|Z$/, ""),
    status,
    ...keys.map((key) => fields.get(key) ?? ""),
    ...(hasMessage ? [fields.size === 0 ? message : ""] : []),
  ]);
  const options = { width: columns, whole: (column: number) => column < 2, left: () => true };
  return tableText(columnsWithin([head, ...cells], options), options);
}

function textOf(value: PointValue): string {
  if (value instanceof Float || value instanceof Uint) return String(value.value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : String(value);
}
