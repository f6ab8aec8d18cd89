// Encodes points as rows of the ClickHouse tables, one JSON line for each row. 64-bit integers are written as strings,
// so that no JSON parser rounds them to floats.

import type { KeyKind } from "../../../lib/dql/index.ts";
import { arrayText, maps } from "../../../lib/dql/sql/index.ts";
import type { Encodable } from "../../../lib/index.ts";
import { Float, PointArray, type PointValue, type PointView, Uint } from "../../../lib/point/index.ts";
import { encodeBase64, isBytes } from "../../../lib/text/index.ts";
import { WrittenTooMuch } from "../points-database.ts";

export type Kind = KeyKind | "tag";

/** A key (of a tag or field) that occurs in points with a certain name. */
export interface KeyUse {
  readonly name: string;
  readonly key: string;
  readonly kind: Kind;
}

export interface EncodedRows {
  readonly count: number;
  /** The rows as lines in ClickHouse's format JSONCompactEachRow. */
  readonly chunks: readonly string[];
  readonly uses: readonly KeyUse[];
}

export interface RowOptions {
  readonly workspace: string;
  readonly index: string;
  /** The time at which the points were received, in ms since 1970. */
  readonly received: number;
  /** The maximum size in bytes of all lines together. */
  readonly maxBytes: number;
  readonly sequence: () => bigint;
}

/** The columns of an encoded row, in their order. */
export const rowColumns = [
  ...["workspace", "ts", "seq", "name", "idx", "recv"],
  ...Object.values(maps).map(({ column }) => column),
];

const kinds = Object.keys(maps) as Kind[];
const chunkLength = 1 << 18;

/** Encodes points as lines of JSON. Throws WrittenTooMuch as soon as the lines exceed `maxBytes`. */
export function encodeRows(points: Encodable, options: RowOptions): EncodedRows {
  const { workspace, index, received, maxBytes, sequence } = options;
  const chunks: string[] = [];
  const uses = new Map<string, KeyUse>();
  let text = "";
  let count = 0;
  let bytes = 0;
  for (const point of eachPoint(points)) {
    const name = String(point.name);
    const values: Record<Kind, Record<string, unknown>> = {
      ...{ tag: record(), int: record(), uint: record(), float: record() },
      ...{ bool: record(), string: record(), binary: record(), array: record() },
    };
    for (const { key, value, isTag } of point.entries()) {
      const stored = isTag ? ({ kind: "tag", value: String(value) } as const) : storedValue(value);
      if (stored === null) continue;
      const { kind } = stored;
      values[kind][String(key)] = stored.value;
      const id = JSON.stringify([name, kind, String(key)]);
      if (!uses.has(id)) uses.set(id, { name, key: String(key), kind });
    }
    const row = [workspace, String(point.time), String(sequence()), name, index, received];
    const line = `${JSON.stringify([...row, ...kinds.map((kind) => values[kind])])}\n`;
    bytes += Buffer.byteLength(line);
    if (bytes > maxBytes) throw new WrittenTooMuch(maxBytes);
    text += line;
    count++;
    if (text.length >= chunkLength) {
      chunks.push(text);
      text = "";
    }
  }
  if (text !== "") chunks.push(text);
  return { count, chunks, uses: [...uses.values()] };
}

function* eachPoint(points: Encodable): Iterable<PointView> {
  for (const each of points) {
    if (Symbol.iterator in each) yield* each;
    else yield each;
  }
}

/**
 * Returns an object without a prototype. Its keys come from users, and a key such as `__proto__` must not have a
 * special meaning.
 */
function record(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

/** Returns the type and the JSON value of a field, or null for a field without a value. */
function storedValue(value: PointValue): { readonly kind: KeyKind; readonly value: unknown } | null {
  if (value === null) return null;
  if (typeof value === "number" || typeof value === "bigint") return { kind: "int", value: String(value) };
  if (typeof value === "string") return { kind: "string", value };
  if (typeof value === "boolean") return { kind: "bool", value };
  if (value instanceof Float) return { kind: "float", value: floatJson(value.value) };
  if (value instanceof Uint) return { kind: "uint", value: String(value.value) };
  if (value instanceof Uint8Array) return { kind: "binary", value: encodeBase64(value) };
  if (value instanceof PointArray) return { kind: "array", value: arrayText(value) };
  return isBytes(value) ? { kind: "string", value: value.toString() } : null;
}

/**
 * Returns the JSON of a float. JSON cannot express infinities, NaN and negative zero, so they are written as strings.
 */
function floatJson(value: number): number | string {
  if (Object.is(value, -0)) return "-0";
  return Number.isFinite(value) ? value : String(value).replace("Infinity", "inf").toLowerCase();
}
