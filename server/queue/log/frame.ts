// The frames of a segment file. A frame is the stored form of one record. The frames follow the header of the
// file (segment-header.ts). A put is one call that adds a body to the queue. A record contains metadata ("meta")
// and the body of one put, or the joined bodies of several puts. Joined bodies are followed by a table
// (parts.ts) with the length and the CRC of each put's body. All numbers are little-endian.
//
//   format 4   0 u32 mark "MRR4"      4 u32 CRC-32 of bytes 8..36, begun with the segment's salt
//              8 u32 length of meta and body in bytes
//              12 u32 CRC-32 of meta and body; for several puts, the CRC at the end of their table
//              16 f64 time (ms)       24 u32 number of points   28 u32 length of meta in bytes
//              32 u32 number of puts in the record
//              36 meta, body, and the table when there are several puts
//   format 3   the same, mark "MRR3", head CRC without salt, bytes 12..16 always the CRC of meta and body
//   format 2   the same to byte 32, mark "MRR2", head CRC of bytes 8..32; meta and body follow
//   format 1   the same to byte 24, mark "MRR1", head CRC of bytes 8..24; no points, no meta: the body follows
//
// This code writes only format 4 and reads all four formats. A new segment may be written over the file of an older
// segment (spare.ts). Each segment has its own salt (a random number), so frames of the older segment that are
// still in the file are never mistaken for frames of the new one. The salt also distinguishes frames from bodies
// that look like frames.

import { crc32 } from "node:zlib";
import { tableBytes } from "./parts.ts";

export interface RecordHead {
  /** Time when the record was added to the queue, in milliseconds since 1970. */
  readonly time: number;
  /**
   * The number of points in the record; 0 when the format of the frame (stored record) does not include this
   * number.
   */
  readonly points: number;
  readonly metaBytes: number;
  readonly payloadBytes: number;
  readonly payloadCrc: number;
  /**
   * Says over which bytes `payloadCrc` was computed. Normally these are the metadata and the body (`payload`). In
   * a record that joins the bodies of several puts (calls that add a body), they are the metadata and the table of
   * parts (`table`), which contains the CRC of each of these bodies.
   */
  readonly summed: "payload" | "table";
  /**
   * The number of puts (calls that add a body to the queue) whose bodies the record contains. If there is more
   * than one, a table of parts follows the body.
   */
  readonly parts: number;
}

export interface FrameFormat {
  readonly version: number;
  readonly mark: number;
  /** Length in bytes of the header of a segment file. */
  readonly headerBytes: number;
  /** Length in bytes of the head of a frame (stored record). */
  readonly headBytes: number;
  /** Parses the head of the frame (stored record) at the offset `at`; returns undefined when the head is damaged. */
  readHead(bytes: Buffer, at: number): RecordHead | undefined;
}

export const frameHeadBytes = 36;
/** The marks (first four bytes of a frame) of the formats 1 to 4, in this order. */
const marks = [0x3152524d, 0x3252524d, 0x3352524d, 0x3452524d] as const;

/**
 * Formats 1 to 3 of a frame (stored record), in this order. Only earlier versions of Millrace wrote these
 * formats.
 */
export const earlierFormats: readonly FrameFormat[] = [formatOf(1, 16, 24), formatOf(2, 16, 32), formatOf(3, 16, 36)];

/**
 * Returns the current frame format (4) for a segment. `salt`: the random number of the segment. The CRC of each
 * frame head is computed with the salt as its start value.
 */
export function format4(salt: number): FrameFormat {
  return formatOf(4, 32, frameHeadBytes, salt);
}

function formatOf(version: number, headerBytes: number, headBytes: number, salt = 0): FrameFormat {
  const mark = marks[version - 1]!;
  return {
    version,
    mark,
    headerBytes,
    headBytes,
    readHead: (bytes, at) => {
      if (!isHead(bytes, at, mark, headBytes, salt)) return undefined;
      const payloadBytes = bytes.readUInt32LE(at + 8);
      const metaBytes = version < 2 ? 0 : bytes.readUInt32LE(at + 28);
      if (metaBytes > payloadBytes) return undefined;
      const parts = version < 3 ? 1 : bytes.readUInt32LE(at + 32);
      return {
        time: bytes.readDoubleLE(at + 16),
        points: version < 2 ? 0 : bytes.readUInt32LE(at + 24),
        metaBytes,
        payloadBytes,
        payloadCrc: bytes.readUInt32LE(at + 12),
        summed: version > 3 && parts > 1 ? "table" : "payload",
        parts,
      };
    },
  };
}

function isHead(bytes: Buffer, at: number, mark: number, headBytes: number, salt: number): boolean {
  if (at + headBytes > bytes.length || bytes.readUInt32LE(at) !== mark) return false;
  return crc32(bytes.subarray(at + 8, at + headBytes), salt) === bytes.readUInt32LE(at + 4);
}

/** Returns the length in bytes of a whole frame (stored record) in the current format. */
export function frameBytes(metaBytes: number, bodyBytes: number, parts: number): number {
  return frameHeadBytes + metaBytes + bodyBytes + tableBytes(parts);
}

/**
 * Writes the head of a frame (stored record) at the offset `at`. The caller writes the metadata and the body
 * after it. `payloadCrc`: the CRC that is written at byte 12 of the head.
 */
export function writeFrameHead(
  into: Buffer,
  at: number,
  salt: number,
  { time, points }: { readonly time: number; readonly points: number },
  metaBytes: number,
  bodyBytes: number,
  payloadCrc: number,
  parts: number,
): void {
  into.writeUInt32LE(marks[3], at);
  into.writeUInt32LE(metaBytes + bodyBytes, at + 8);
  into.writeUInt32LE(payloadCrc, at + 12);
  into.writeDoubleLE(time, at + 16);
  into.writeUInt32LE(points, at + 24);
  into.writeUInt32LE(metaBytes, at + 28);
  into.writeUInt32LE(parts, at + 32);
  into.writeUInt32LE(crc32(into.subarray(at + 8, at + frameHeadBytes), salt), at + 4);
}

/** Returns the four bytes with which a frame (stored record) of the given format begins. */
export function markBytes(format: FrameFormat): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(format.mark);
  return bytes;
}
