// Lists the fields of a protobuf body with their names and byte ranges (docs/reference/points.md#protobuf). The
// library's decoder decides whether a body is valid; this reader is only for display.

import { t } from "../../text/translate.ts";
import type { ProtobufField } from "./conversion.ts";

type Kind = "int64" | "uint64" | "double" | "bool" | "bytes" | "string" | "enum";
type Shape = Readonly<Record<number, readonly [name: string, kind: Kind | Shape]>>;

const scalars = { i: "int64", u: "uint64", f: "double", b: "bool", d: "bytes", s: "string" } as const;
const element: Shape = {
  1: ["i", scalars.i],
  2: ["u", scalars.u],
  3: ["f", scalars.f],
  4: ["b", scalars.b],
  5: ["d", scalars.d],
  6: ["s", scalars.s],
};
const any: Shape = { 1: ["type_url", "string"], 2: ["value", { 1: ["arr", element] }] };
const field: Shape = {
  1: ["key", "string"],
  2: ["i", scalars.i],
  3: ["u", scalars.u],
  4: ["f", scalars.f],
  5: ["b", scalars.b],
  6: ["d", scalars.d],
  7: ["a", any],
  8: ["is_tag", "bool"],
  9: ["type", "enum"],
  10: ["unit", "string"],
  11: ["s", scalars.s],
  12: ["description", "string"],
};
const point: Shape = {
  1: ["name", "string"],
  2: ["fields", field],
  3: ["time", "int64"],
  4: ["warns", { 1: ["type", "string"], 2: ["message", "string"] }],
  5: ["debugs", { 1: ["info", "string"] }],
};
const body: Shape = { 1: ["arr", point] };

export interface FieldsRead {
  readonly fields: readonly ProtobufField[];
  /**
   * Offset of the first byte that cannot be read; null when there was no error before the end of the body or
   * before the requested number of fields was reached.
   */
  readonly fault: number | null;
}

/** Largest number of characters of a value that the page shows. */
const longestValue = 120;
const decoder = new TextDecoder();

class Reader {
  readonly fields: ProtobufField[] = [];
  fault: number | null = null;
  private at = 0;
  private readonly bytes: Uint8Array;
  private readonly most: number;

  constructor(bytes: Uint8Array, most: number) {
    this.bytes = bytes;
    this.most = most;
  }

  /**
   * Reads the fields of a protobuf message, which ends at the offset `end`. Returns false after an error, or when
   * the requested number of fields has been read.
   */
  message(shape: Shape, end: number, depth: number): boolean {
    while (this.at < end) {
      if (this.fields.length >= this.most) return false;
      if (!this.field(shape, end, depth)) return false;
    }
    return true;
  }

  private field(shape: Shape, end: number, depth: number): boolean {
    const from = this.at;
    const tag = this.varint(end);
    if (tag === null || tag >> 3n === 0n) return this.stop(from);
    const number = Number(tag >> 3n);
    const wire = Number(tag & 7n);
    const [name, kind] = shape[number] ?? [t("field {n}", { n: number }), null];
    const size = this.sizeOf(wire, end);
    const valueFrom = this.at;
    const to = valueFrom + (size ?? 0);
    if (size === null || to > end || (kind !== null && wire !== wireOf(kind))) return this.stop(from);
    const isMessage = kind !== null && typeof kind === "object";
    const type = kind === null ? t("unknown, wire type {wire}", { wire }) : isMessage ? "message" : kind;
    const value = isMessage ? "" : this.valueText(kind, wire, valueFrom, to);
    this.fields.push({ name, type, value, depth, from, valueFrom, to });
    if (isMessage) return this.message(kind, to, depth + 1);
    this.at = to;
    return true;
  }

  private stop(at: number): false {
    this.fault ??= at;
    return false;
  }

  /**
   * Moves the reading position to the start of a field's value. Returns the size of the value in bytes; null when the
   * value cannot be read.
   */
  private sizeOf(wire: number, end: number): number | null {
    if (wire === 1) return 8;
    if (wire === 5) return 4;
    if (wire === 0) {
      const start = this.at;
      if (this.varint(end) === null) return null;
      const size = this.at - start;
      this.at = start;
      return size;
    }
    const length = wire === 2 ? this.varint(end) : null;
    return length === null || length > BigInt(end - this.at) ? null : Number(length);
  }

  private varint(end: number): bigint | null {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.at >= end) return null;
      const byte = this.bytes[this.at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    return null;
  }

  private valueText(kind: Kind | Shape | null, wire: number, from: number, to: number): string {
    if (wire === 0) {
      const start = this.at;
      this.at = from;
      const value = this.varint(to) ?? 0n;
      this.at = start;
      if (kind === "bool") return value === 0n ? "false" : "true";
      return String(kind === "uint64" ? value : BigInt.asIntN(64, value));
    }
    const bytes = this.bytes.subarray(from, to);
    if (kind === "double") return String(new DataView(bytes.slice().buffer).getFloat64(0, true));
    if (kind !== "string") return t("{n} bytes", { n: bytes.length });
    const text = decoder.decode(bytes.subarray(0, longestValue * 4));
    return JSON.stringify(text.length > longestValue ? `${text.slice(0, longestValue)}…` : text);
  }
}

function wireOf(kind: Kind | Shape): number {
  if (kind === "double") return 1;
  return kind === "string" || kind === "bytes" || typeof kind === "object" ? 2 : 0;
}

/** Returns the first `most` fields of a body. A message comes before the fields inside it. */
export function readFields(bytes: Uint8Array, most: number): FieldsRead {
  const reader = new Reader(bytes, most);
  reader.message(body, bytes.length, 0);
  return { fields: reader.fields, fault: reader.fault };
}

/**
 * Returns the range of bytes of one tag or field in a protobuf body. `index`: index of the point in the body,
 * from 0. `entry`: index of the tag or field in this point, from 0. When `entry` is null, or when the point has
 * no such tag or field, returns the range of the whole point. Returns null when the body has no such point.
 */
export function rangeOfPoint(bytes: Uint8Array, index: number, entry: number | null): ProtobufField | null {
  const { fields } = readFields(bytes, Number.POSITIVE_INFINITY);
  const found = fields.filter(({ depth }) => depth === 0)[index];
  if (found === undefined || entry === null) return found ?? null;
  const inside = fields.filter(
    ({ depth, name, from, to }) => depth === 1 && name === "fields" && from >= found.from && to <= found.to,
  );
  return inside[entry] ?? found;
}
