// Decoded points to columns of values, as an appender takes them.

import type { KeyKind } from "../../lib/dql/engine.ts";
import type { DqlValue } from "../../lib/dql/evaluate/value.ts";
import { valueJson } from "../../lib/dql/value-json.ts";
import { Float, isBytes, PointArray, type PointValue, Uint } from "../../lib/point/value.ts";
import type { PointView } from "../../lib/point/view.ts";

export type ColumnValue = bigint | number | string | boolean | Uint8Array | null;

export interface KeyColumn {
  readonly key: string;
  readonly kind: KeyKind | "tag";
  /** By row; holes are null. */
  readonly values: ColumnValue[];
  /** Names of the points that have it. */
  readonly names: Set<string>;
}

export interface PointColumns {
  readonly count: number;
  readonly times: bigint[];
  readonly names: string[];
  readonly keys: readonly KeyColumn[];
}

export function columnsOf(points: Iterable<PointView>): PointColumns {
  const keys = new Map<string, KeyColumn>();
  const times: bigint[] = [];
  const names: string[] = [];
  for (const point of points) {
    const row = times.length;
    times.push(point.time);
    names.push(String(point.name));
    for (const { key, value, isTag } of point.entries()) {
      const stored = isTag ? ({ kind: "tag", value: String(value) } as const) : storedValue(value);
      if (stored === null) continue;
      const id = `${stored.kind} ${key}`;
      let column = keys.get(id);
      if (column === undefined) {
        column = { key: String(key), kind: stored.kind, values: [], names: new Set() };
        keys.set(id, column);
      }
      while (column.values.length < row) column.values.push(null);
      column.values[row] = stored.value;
      column.names.add(names[row]!);
    }
  }
  for (const { values } of keys.values()) while (values.length < times.length) values.push(null);
  return { count: times.length, times, names, keys: [...keys.values()] };
}

/** Null for a field without a value. */
function storedValue(value: PointValue): { readonly kind: KeyKind; readonly value: ColumnValue } | null {
  if (value === null) return null;
  if (typeof value === "number" || typeof value === "bigint") return { kind: "int", value: BigInt(value) };
  if (typeof value === "string") return { kind: "string", value };
  if (typeof value === "boolean") return { kind: "bool", value };
  if (value instanceof Float) return { kind: "float", value: value.value };
  if (value instanceof Uint) return { kind: "uint", value: BigInt(value.value) };
  if (value instanceof Uint8Array) return { kind: "binary", value: value.slice() };
  if (value instanceof PointArray) return { kind: "array", value: valueJson(plain(value)) };
  return isBytes(value) ? { kind: "string", value: value.toString() } : null;
}

function plain(value: PointValue): DqlValue {
  if (value instanceof PointArray) return value.elements.map(plain);
  const stored = storedValue(value);
  return stored === null ? null : stored.value;
}
