// Divides the bytes of a protobuf body into rows, and finds the field that each byte belongs to.

import type { ProtobufField } from "../../worker/convert/conversion.ts";

export interface ShownByte {
  readonly at: number;
  readonly hex: string;
  /** Index of the innermost protobuf field that contains the byte; -1 when no field contains it. */
  readonly field: number;
  /**
   * Whether the byte belongs to the protobuf tag (number and wire type) or to the length of the field, and not to its
   * value.
   */
  readonly isHead: boolean;
}

/**
 * Returns the first `most` bytes in rows of `width` bytes. In `fields`, each field must come before the fields inside
 * it.
 */
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
