// The table of parts at the end of a record that was joined from several puts (calls that add a body to the
// queue). Each part is the body of one put. When bytes of the record are damaged, the table shows which parts
// contain the damage, so that all other parts can still be read.
//
//   for each part   u32 length in bytes of the part and the separator after it   u32 CRC-32 of these bytes
//                   u32 number of points
//   at the end      u32 length of a separator in bytes   u32 CRC-32 of the record's meta and of the table before

import { crc32 } from "node:zlib";

const entryBytes = 12;
const endBytes = 8;

/** Returns the length of the table of parts in bytes; 0 for a record of one part, which needs no table. */
export function tableBytes(parts: number): number {
  return parts > 1 ? parts * entryBytes + endBytes : 0;
}

export interface Parts {
  /** Length in bytes of each part (a body that was joined into the record). */
  readonly lengths: readonly number[];
  readonly points: readonly number[];
  readonly separatorBytes: number;
}

/**
 * Writes the table of parts of a record to `into` at the offset `at`. The bodies of the record are in `into`
 * already and begin at the offset `from`. Returns the CRC at the end of the table.
 */
export function writeTable(into: Buffer, from: number, at: number, meta: Uint8Array, parts: Parts): number {
  const { lengths, points, separatorBytes } = parts;
  let part = from;
  let to = at;
  for (const [place, length] of lengths.entries()) {
    const bytes = place < lengths.length - 1 ? length + separatorBytes : length;
    into.writeUInt32LE(bytes, to);
    into.writeUInt32LE(crc32(into.subarray(part, part + bytes)), to + 4);
    into.writeUInt32LE(points[place]!, to + 8);
    part += bytes;
    to += entryBytes;
  }
  into.writeUInt32LE(separatorBytes, to);
  const crc = crc32(into.subarray(at, to + 4), crc32(meta));
  into.writeUInt32LE(crc, to + 4);
  return crc;
}

/**
 * Returns the CRC at the end of a table of parts. (The table describes the bodies that were joined into one
 * record.)
 */
export function tableCrc(table: Buffer): number {
  return table.readUInt32LE(table.length - 4);
}

export interface Intact {
  readonly body: Buffer;
  readonly points: number;
  /** Number of bytes in damaged parts, which are left out of `body`. */
  readonly damagedBytes: number;
}

/**
 * Returns the undamaged parts of a record; undefined when no part is undamaged, or when the metadata or the table of
 * parts is damaged.
 */
export function intactParts(meta: Uint8Array, body: Buffer, table: Buffer): Intact | undefined {
  const end = table.length - endBytes;
  if (end < 0 || crc32(table.subarray(0, end + 4), crc32(meta)) !== table.readUInt32LE(end + 4)) return undefined;
  const separatorBytes = table.readUInt32LE(end);
  const kept: Buffer[] = [];
  let points = 0;
  let damagedBytes = 0;
  let from = 0;
  let endsWithSeparator = false;
  for (let at = 0; at < end; at += entryBytes) {
    const bytes = table.readUInt32LE(at);
    const part = body.subarray(from, from + bytes);
    from += bytes;
    if (crc32(part) !== table.readUInt32LE(at + 4)) {
      damagedBytes += bytes;
      continue;
    }
    kept.push(part);
    points += table.readUInt32LE(at + 8);
    endsWithSeparator = at + entryBytes < end;
  }
  if (kept.length === 0) return undefined;
  if (damagedBytes === 0) return { body, points, damagedBytes };
  const all = Buffer.concat(kept);
  return { body: all.subarray(0, all.length - (endsWithSeparator ? separatorBytes : 0)), points, damagedBytes };
}
