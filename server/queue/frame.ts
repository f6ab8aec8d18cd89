// What a segment file holds: a header of 16 bytes, then frames, one per record. All numbers are little-endian.
//
//   segment header   "MRQUEUE" and one byte, the format; 8 bytes: when it was begun (float64, ms since 1970)
//   frame, format 3  0 u32 mark "MRR3"      4 u32 CRC-32 of bytes 8..36    8 u32 bytes of meta and body
//                    12 u32 CRC-32 of meta and body   16 f64 time (ms)   24 u32 points   28 u32 bytes of meta
//                    32 u32 puts that it was made of, 36 meta, body, and where these are several their table (parts.ts)
//   frame, format 2  the same to byte 32, mark "MRR2", header CRC of bytes 8..32; meta and body follow
//   frame, format 1  the same to byte 24, mark "MRR1", header CRC of bytes 8..24; no points, no meta: the body follows
//
// Formats 1 and 2 are read, never written.

import { crc32 } from "node:zlib";
import { tableBytes } from "./parts.ts";

export interface RecordHead {
  /** When it was put, ms since 1970. */
  readonly time: number;
  /** 0 when the format did not keep it. */
  readonly points: number;
  readonly metaBytes: number;
  readonly payloadBytes: number;
  readonly payloadCrc: number;
  /** Puts that it was made of: behind the payload lies a table when they are several. */
  readonly parts: number;
}

export interface FrameFormat {
  readonly version: number;
  readonly mark: number;
  readonly headBytes: number;
  /** Undefined when the head is damaged. */
  readHead(bytes: Buffer, at: number): RecordHead | undefined;
}

export const segmentHeaderBytes = 16;
const magic = Buffer.from("MRQUEUE", "latin1");
const mark1 = 0x3152524d;
const mark2 = 0x3252524d;
const mark3 = 0x3352524d;

const format1: FrameFormat = {
  version: 1,
  mark: mark1,
  headBytes: 24,
  readHead: (bytes, at) => {
    if (!isHead(bytes, at, mark1, 24)) return undefined;
    return {
      time: bytes.readDoubleLE(at + 16),
      points: 0,
      metaBytes: 0,
      payloadBytes: bytes.readUInt32LE(at + 8),
      payloadCrc: bytes.readUInt32LE(at + 12),
      parts: 1,
    };
  },
};

const format2: FrameFormat = {
  version: 2,
  mark: mark2,
  headBytes: 32,
  readHead: (bytes, at) => (isHead(bytes, at, mark2, 32) ? headOf(bytes, at, 1) : undefined),
};

const format3: FrameFormat = {
  version: 3,
  mark: mark3,
  headBytes: 36,
  readHead: (bytes, at) => (isHead(bytes, at, mark3, 36) ? headOf(bytes, at, bytes.readUInt32LE(at + 32)) : undefined),
};

function headOf(bytes: Buffer, at: number, parts: number): RecordHead | undefined {
  const payloadBytes = bytes.readUInt32LE(at + 8);
  const metaBytes = bytes.readUInt32LE(at + 28);
  if (metaBytes > payloadBytes) return undefined;
  return {
    time: bytes.readDoubleLE(at + 16),
    points: bytes.readUInt32LE(at + 24),
    metaBytes,
    payloadBytes,
    payloadCrc: bytes.readUInt32LE(at + 12),
    parts,
  };
}

function isHead(bytes: Buffer, at: number, mark: number, headBytes: number): boolean {
  if (at + headBytes > bytes.length || bytes.readUInt32LE(at) !== mark) return false;
  return crc32(bytes.subarray(at + 8, at + headBytes)) === bytes.readUInt32LE(at + 4);
}

export const currentFormat = format3;
const formats: readonly FrameFormat[] = [format1, format2, format3];

export function segmentHeader(time: number): Buffer {
  const header = Buffer.alloc(segmentHeaderBytes);
  magic.copy(header);
  header[7] = currentFormat.version;
  header.writeDoubleLE(time, 8);
  return header;
}

/** The format of a segment; `undefined` when the header is damaged. Throws on a format of a later program. */
export function formatOf(header: Buffer, name: string): FrameFormat | undefined {
  if (header.length < segmentHeaderBytes || !header.subarray(0, 7).equals(magic)) return undefined;
  const format = formats.find(({ version }) => version === header[7]);
  if (format === undefined) {
    throw new Error(
      `${name} has queue format ${header[7]}; this program reads up to ${currentFormat.version}. ` +
        "It was written by a later version: start that one, or move the folder away",
    );
  }
  return format;
}

export const frameHeadBytes = currentFormat.headBytes;

/** Of a frame in the current format. */
export function frameBytes(metaBytes: number, bodyBytes: number, parts: number): number {
  return frameHeadBytes + metaBytes + bodyBytes + tableBytes(parts);
}

/** Puts the head of a record at `at`, behind which meta and body follow; `payloadCrc` is that of both. */
export function writeFrameHead(
  into: Buffer,
  at: number,
  { time, points }: { readonly time: number; readonly points: number },
  metaBytes: number,
  bodyBytes: number,
  payloadCrc: number,
  parts: number,
): void {
  into.writeUInt32LE(mark3, at);
  into.writeUInt32LE(metaBytes + bodyBytes, at + 8);
  into.writeUInt32LE(payloadCrc, at + 12);
  into.writeDoubleLE(time, at + 16);
  into.writeUInt32LE(points, at + 24);
  into.writeUInt32LE(metaBytes, at + 28);
  into.writeUInt32LE(parts, at + 32);
  into.writeUInt32LE(crc32(into.subarray(at + 8, at + frameHeadBytes)), at + 4);
}

/** The 32-bit number in the four bytes of a frame's mark. */
export function markBytes(format: FrameFormat): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(format.mark);
  return bytes;
}
