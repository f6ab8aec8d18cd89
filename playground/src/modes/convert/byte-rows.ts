// Lays the bytes of a protobuf body out in rows, each byte with the field that it belongs to.

import type { ProtobufField } from "../../worker/convert/conversion.ts";

export interface ShownByte {
  readonly at: number;
  readonly hex: string;
  /** Index of the innermost field that has the byte; -1 when none has. */
  readonly field: number;
  /** Whether the byte is of the field's tag or length, not of its value. */
  readonly isHead: boolean;
}

/** Returns the first `most` bytes in rows of `width`. Each field comes before the fields inside it. */
export function byteRows(
  bytes: Uint8Array,
  fields: readonly ProtobufField[],
  most: number,
  width: number,
): readonly (readonly ShownByte[])[] {
  const count = Math.min(bytes.length, most);
  const owner = new Int32Array(count).fill(-1);
  fields.forEach(({ from, to }, index) => void owner.fill(index, from, Math.max(from, Math.min(to, count))));
  const rows: ShownByte[][] = [];
  for (let at = 0; at < count; at++) {
    if (at % width === 0) rows.push([]);
    const field = owner[at]!;
    const hex = bytes[at]!.toString(16).padStart(2, "0");
    rows.at(-1)!.push({ at, hex, field, isHead: field >= 0 && at < fields[field]!.valueFrom });
  }
  return rows;
}
