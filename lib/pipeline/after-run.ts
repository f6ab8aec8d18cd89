// What happens to a point after its script has ended well (pipeline document, section 13).

import type { CategoryName } from "../point/category.ts";
import { Cursor } from "../point/cursor.ts";
import { addressAt, isIntAt, isTextAt, lengthAt, takeTimeAt, writeLiteral } from "../point/in-place.ts";
import { TextTable } from "../point/text-table.ts";
import { Key, Literal, type PointView } from "../point/view.ts";
import { fromPoint } from "./point-access.ts";
import type { Run } from "./run.ts";
import { isInt, isNothing, toText } from "./value.ts";

const status = new Key("status");
const time = new Key("time");

export const defaultStatus = "unknown";

const names: ReadonlyMap<string, string> = new Map([
  ["f", "emerg"],
  ["a", "alert"],
  ["c", "critical"],
  ["e", "error"],
  ["w", "warning"],
  ["warn", "warning"],
  ["n", "notice"],
  ["i", "info"],
  ["d", "debug"],
  ["trace", "debug"],
  ["verbose", "debug"],
  ["o", "OK"],
  ["s", "OK"],
  ["ok", "OK"],
]);

/** The status a log is stored with. */
export function mappedStatus(text: string): string {
  const lower = text.toLowerCase();
  return lower === "" ? defaultStatus : (names.get(lower) ?? lower);
}

/** Steps 1 to 3 of section 13. */
export function afterRun(run: Run, category: CategoryName): void {
  if (category === "logging" && run.statusMapping) mapStatus(run.point);
  takeTime(run.point);
  for (const { point } of run.created) takeTime(point);
}

function mapStatus(point: PointView): void {
  if (point instanceof Cursor && mapInPlace(point)) return;
  const held = point.get(status);
  const value = held === undefined ? null : fromPoint(held);
  const text = isNothing(value) ? defaultStatus : mappedStatus(toText(value));
  if (text === held) return;
  if (point.isTag(status)) point.setTag(status, text);
  else point.setField(status, text);
}

/** The key `time` never stays; an int other than 0 becomes the point's time, in nanoseconds. */
const unknown = new Literal(defaultStatus);
/** What statuses met so far become; null: they stay. */
const mapped = new TextTable<Literal | null>();
const mostMapped = 200;
const longestMapped = 32;

/** The same for text on a tape; false when the status is no text, or not a short one in ASCII. */
function mapInPlace(cursor: Cursor): boolean {
  const at = cursor.at(status);
  if (at < 0) {
    writeLiteral(cursor, status, unknown);
    return true;
  }
  if (!isTextAt(cursor, at)) return false;
  const { u8 } = cursor.batch.module;
  const address = addressAt(cursor, at);
  const length = lengthAt(cursor, at);
  let known = mapped.find(u8, address, length);
  if (known === undefined) {
    const bytes = u8.slice(address, address + Math.min(length, longestMapped));
    if (length > longestMapped || bytes.some((byte) => byte >= 0x80)) return false;
    const text = String.fromCharCode(...bytes);
    known = mappedStatus(text) === text ? null : new Literal(mappedStatus(text));
    if (mapped.size >= mostMapped) mapped.clear();
    mapped.set(bytes, known);
  }
  if (known !== null) writeLiteral(cursor, status, known);
  return true;
}

function takeTime(point: PointView): void {
  if (point instanceof Cursor) {
    const at = point.at(time);
    if (at < 0) return;
    if (isIntAt(point, at)) {
      takeTimeAt(point, at);
      point.delete(time);
      return;
    }
  }
  const held = point.get(time);
  if (held === undefined) return;
  const value = fromPoint(held);
  if (isInt(value) && Number(value) !== 0) point.time = BigInt(value);
  point.delete(time);
}
