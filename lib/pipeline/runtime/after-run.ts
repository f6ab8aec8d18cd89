// Finishes a point after its script has ended without an error: maps the log status to a standard word, and uses the
// value of the key `time` as the time of the point (docs/reference/language.md#after-the-script).

import { Cursor } from "../../point/batch/cursor.ts";
import type { CategoryName } from "../../point/category.ts";
import { Key, type PointView } from "../../point/view.ts";
import { fromPoint } from "./point-access.ts";
import type { Run } from "./run.ts";
import { toText } from "./to-text.ts";
import { isInt, isNothing } from "./value.ts";

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

/**
 * Returns the status that is stored for a log: the standard word for the log's own status, or the default status
 * when the log's own status is empty. An unknown status is only converted to lower case.
 *
 * @example
 * mappedStatus("WARN"); // "warning"
 */
export function mappedStatus(text: string): string {
  const lower = text.toLowerCase();
  return lower === "" ? defaultStatus : (names.get(lower) ?? lower);
}

/**
 * Finishes a point: maps the status of a log. Then sets the time of the point, and of each point that the script
 * created, from its key `time` (docs/reference/language.md#after-the-script).
 */
export function afterRun(run: Run, category: CategoryName): void {
  const { point } = run;
  const maps = category === "logging" && run.statusMapping;
  const left = point instanceof Cursor ? finishInPlace(point, maps) : everything;
  if (maps && (left & statusLeft) !== 0) mapStatus(point);
  if ((left & timeLeft) !== 0) takeTime(point);
  for (const { point } of run.created) takeTime(point);
}

function mapStatus(point: PointView): void {
  const held = point.get(status);
  const value = held === undefined ? null : fromPoint(held);
  const text = isNothing(value) ? defaultStatus : mappedStatus(toText(value));
  if (text === held) return;
  if (point.isTag(status)) point.setTag(status, text);
  else point.setField(status, text);
}

// Bits of the result that the WebAssembly module returns when it finishes a point. Each bit represents a step
// that JavaScript still has to do.
const statusLeft = 1;
const timeLeft = 2;
const everything = statusLeft | timeLeft;

/**
 * Finishes a point that lies in WebAssembly memory by one call of the WebAssembly module: maps the status of a log to a
 * standard word, and uses the value of the key `time` as the time of the point. Returns bits for the steps that the
 * module leaves to JavaScript.
 */
function finishInPlace(cursor: Cursor, maps: boolean): number {
  const { batch } = cursor;
  const statusId = maps ? (status.batch === batch ? status.id : batch.resolve(status)) : -1;
  const timeId = time.batch === batch ? time.id : batch.resolve(time);
  const serial = cursor.marked();
  const { module } = batch;
  const left = module.exports.finishPoint(batch.base, cursor.address, serial, statusId, timeId);
  module.refresh();
  return left;
}

/**
 * Removes the key `time` from the point. If its value was an int other than 0, the value becomes the point's time, in
 * nanoseconds.
 */
function takeTime(point: PointView): void {
  const held = point.get(time);
  if (held === undefined) return;
  const value = fromPoint(held);
  if (isInt(value) && Number(value) !== 0) point.time = BigInt(value);
  point.delete(time);
}
