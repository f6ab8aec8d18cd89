// Compares a point before and after a change: keys that were set, removed or renamed, a new measurement, a new time.

import { refuse, requireMethods } from "../text/argument.ts";
import { isBytes } from "../text/bytes.ts";
import { areEqual } from "./equal.ts";
import { Float, isPointValue, PointArray, type PointValue, Uint, valueText } from "./value.ts";
import type { PointView } from "./view.ts";

/** One difference between two snapshots of a point. */
export type Change =
  | {
      readonly kind: "set";
      readonly key: string;
      readonly isTag: boolean;
      readonly value: PointValue;
      /** The value that the key had before the change; undefined when the key is new. */
      readonly before: PointValue | undefined;
    }
  | { readonly kind: "removed"; readonly key: string; readonly isTag: boolean; readonly before: PointValue }
  | { readonly kind: "renamed"; readonly from: string; readonly key: string; readonly isTag: boolean }
  | { readonly kind: "measurement"; readonly value: string; readonly before: string }
  | { readonly kind: "time"; readonly value: bigint; readonly before: bigint };

interface Held {
  readonly value: PointValue;
  readonly isTag: boolean;
}

/** A snapshot: a copy of a point's content at one moment. */
export interface Snapshot {
  readonly name: string;
  readonly time: bigint;
  readonly entries: ReadonlyMap<string, Held>;
}

/**
 * Returns a snapshot of a point, which `changesBetween` compares with a later one.
 *
 * @example
 * snapshotOf(new Point("cpu", 0n)).name; // "cpu"
 */
export function snapshotOf(point: PointView): Snapshot {
  requireMethods("snapshotOf", "point", point, "a point", "entries", "get", "setField");
  const entries = new Map<string, Held>();
  for (const { key, value, isTag } of point.entries())
    entries.set(key, { value: isBytes(value) ? value.toString() : value, isTag });
  return { name: point.name, time: point.time, entries };
}

/**
 * Returns the changes from one snapshot to another, in the order of the keys in the second one; removed keys come last.
 *
 * @example
 * const point = new Point("cpu", 0n);
 * const before = snapshotOf(point);
 * point.setTag(new Key("host"), "a");
 * changesBetween(before, snapshotOf(point)).length; // 1
 */
export function changesBetween(before: Snapshot, after: Snapshot): readonly Change[] {
  requireSnapshot("before", before);
  requireSnapshot("after", after);
  const changes: Change[] = [];
  if (before.name !== after.name) changes.push({ kind: "measurement", value: after.name, before: before.name });
  const removed = new Map([...before.entries].filter(([key]) => !after.entries.has(key)));
  for (const [key, { value, isTag }] of after.entries) {
    const held = before.entries.get(key);
    if (held !== undefined && held.isTag === isTag && areEqual(held.value, value)) continue;
    const from = sourceOf(removed, value, isTag);
    if (from !== undefined) {
      removed.delete(from);
      changes.push({ kind: "renamed", from, key, isTag });
    } else changes.push({ kind: "set", key, isTag, value, before: held?.value });
  }
  for (const [key, { value, isTag }] of removed) changes.push({ kind: "removed", key, isTag, before: value });
  if (before.time !== after.time) changes.push({ kind: "time", value: after.time, before: before.time });
  return changes;
}

/**
 * Finds the old key of a tag or field that was probably renamed. `value` is the value under the new key. Returns
 * the removed key that had the same value; `undefined` when no removed key, or more than one, had this value.
 */
function sourceOf(removed: ReadonlyMap<string, Held>, value: PointValue, isTag: boolean): string | undefined {
  const sources = [...removed].filter(([, held]) => held.isTag === isTag && areEqual(held.value, value));
  return sources.length === 1 ? sources[0]![0] : undefined;
}

/**
 * Returns a value as a script would write it: `"text"`, `1`, `1.0`, `true`, `nil`. Types without a literal are shown as
 * `1u`, `[1, 2]`, `binary(3)`.
 *
 * @example
 * shownValue(new Float(1)); // "1.0"
 */
export function shownValue(value: PointValue): string {
  if (!isPointValue(value) && !Number.isInteger(value)) refuse("shownValue", "value", valueText, value);
  if (value === null) return "nil";
  if (value instanceof Float) return shownFloat(value.value);
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof PointArray) return `[${value.elements.map(shownValue).join(", ")}]`;
  if (value instanceof Uint8Array) return `binary(${value.length})`;
  return typeof value === "string" || isBytes(value) ? JSON.stringify(String(value)) : String(value);
}

function shownFloat(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
}

function requireSnapshot(argument: string, snapshot: unknown): void {
  const { entries } = (snapshot ?? {}) as { readonly entries?: unknown };
  if (!(entries instanceof Map)) refuse("changesBetween", argument, "a snapshot, as snapshotOf returns it", snapshot);
}
