// Checks arguments that must be points, lists of points or compiled scripts.

import { Script } from "../pipeline/runtime/script.ts";
import { Batch, type PointBatch } from "../point/batch/batch.ts";
import { Cursor } from "../point/batch/cursor.ts";
import { Selection } from "../point/batch/selection.ts";
import type { Batcher } from "../point/codec/batches.ts";
import type { Encodable } from "../point/codec/encode.ts";
import { Point } from "../point/point.ts";
import type { PointView } from "../point/view.ts";
import { refuse, requireFunction } from "../text/argument.ts";
import { DecodedPoints } from "./decoded-points.ts";

const pointText = "a point, such as a Point or points.at(0)";
const pointsText = "points: a batch, or an iterable of points or batches";
const scriptText = 'a compiled script, such as compile(...).scripts.get("name")';

/**
 * Returns whether the value is a point with the methods of `PointView`: a `Point`, a point of a batch, or any object
 * that has these methods. Plain objects such as `{ fields }` are not.
 */
export function isPoint(value: unknown): value is PointView {
  if (value instanceof Cursor || value instanceof Point) return true;
  if (typeof value !== "object" || value === null) return false;
  const { get, setField, entries } = value as Partial<PointView>;
  return typeof get === "function" && typeof setField === "function" && typeof entries === "function";
}

export function requirePoint(call: string, point: unknown): void {
  // Throws an Error for a point of a batch that has been released. Without this test, a script that reads no values of
  // the point would run over it without an error.
  if (point instanceof Cursor) point.batch.requireLive();
  else if (!(point instanceof Point || isPoint(point))) refuse(call, "point", pointText, point);
}

export function requireScript(call: string, script: unknown): void {
  if (script instanceof Script) return;
  const help = typeof script === "string" ? ". Compile the text first, or use script(text)" : "";
  refuse(call, "script", scriptText, script, help);
}

/**
 * Returns the argument `points` as a batch, or throws a TypeError when the argument is not a batch. An object with the
 * members `length` and `at` is accepted as a batch, too.
 */
export function batchOf(call: string, points: unknown): PointBatch {
  if (points instanceof Batch) return points;
  if (points instanceof DecodedPoints) return points.batch;
  const { length, at } = (points ?? {}) as { length?: unknown; at?: unknown };
  if (typeof points === "object" && typeof length === "number" && typeof at === "function" && !isArrayLike(points))
    return points as PointBatch;
  return refuse(call, "points", "a batch, such as decodePoints returns", points);
}

/**
 * Throws a TypeError when the argument is a point of a batch, because the batch may be released before the run
 * ends.
 */
export function requireOwnPoint(call: string, point: unknown): void {
  requirePoint(call, point);
  if (point instanceof Cursor) refuse(call, "point", "a point of its own, such as points.point(0)", point);
}

/**
 * Returns a batcher (which encodes points as they arrive and collects them into batches) that checks its arguments
 * before it passes them to `batcher`.
 */
export function checkedBatcher(batcher: Batcher): Batcher {
  return {
    add: (points) => batcher.add(encodableOf("batcher.add", points)),
    end: () => batcher.end(),
    each: (points, take) => {
      requireFunction("batcher.each", "take", take);
      batcher.each(points === undefined ? undefined : encodableOf("batcher.each", points), take);
    },
    get ignored() {
      return batcher.ignored;
    },
    get unwritable() {
      return batcher.unwritable;
    },
  };
}

const isArrayLike = (value: unknown): boolean => Array.isArray(value) || ArrayBuffer.isView(value);

/**
 * Returns the points to encode, or throws a TypeError. The elements of an array are checked at once; the elements of
 * another iterable are checked one by one, when the encoder reads them. The points of a batch need no check.
 */
export function encodableOf(call: string, points: unknown): Encodable {
  if (points instanceof Batch || points instanceof Selection) return points;
  if (points instanceof DecodedPoints) return points.batch;
  const isIterable =
    typeof points === "object" &&
    points !== null &&
    typeof (points as Iterable<unknown>)[Symbol.iterator] === "function";
  if (!isIterable || ArrayBuffer.isView(points)) refuse(call, "points", pointsText, points);
  if (!Array.isArray(points)) return checkedEach(call, points as Iterable<unknown>);
  points.forEach((each, index) => {
    requireElement(call, each, index);
  });
  return points as Encodable;
}

function* checkedEach(call: string, points: Iterable<unknown>): Iterable<PointView> {
  let index = 0;
  for (const each of points) {
    requireElement(call, each, index++);
    yield each as PointView;
  }
}

function requireElement(call: string, each: unknown, index: number): void {
  if (!(each instanceof Batch) && !isPoint(each)) refuse(call, `points[${index}]`, `${pointText}, or a batch`, each);
}
