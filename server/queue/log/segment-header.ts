// The header of a segment file (a file of the queue). All numbers are little-endian.
//
//   format 4        0 "MRQUEUE" and one byte, the format   8 f64 number of the segment
//                   16 f64 length of the file when the segment was begun: 0 for a new file, more for a reused one
//                   24 u32 random                          28 u32 CRC-32 of bytes 0..28: the salt of its frames
//   formats 1 to 3  the same to byte 8, then 8 bytes: time when the segment was begun (f64, ms since 1970)
//
// Each segment that is written to a reused file has a higher number than the one before, so no header comes twice. The
// random bytes prevent a client from guessing the salt. A client that knew the salt could send a body that contains
// frames, and these would be read as records when the frame around them is damaged or the file is reused.

import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { QueueFile } from "./files.ts";
import { earlierFormats, type FrameFormat, format4 } from "./frame.ts";
import { segmentName } from "./segment-files.ts";

export interface SegmentHeader {
  readonly kind: "header";
  readonly format: FrameFormat;
  /**
   * Length that the file had when the segment was begun. It is more than 0 only when the segment was written over an
   * older one (spare.ts). Bytes of the older segment may then remain before this offset.
   */
  readonly bytesBefore: number;
}

export type FoundHeader =
  | SegmentHeader
  /**
   * The file still has the header of an older segment. The file was renamed to be reused for this segment (spare.ts),
   * but the process ended before it had written the new header.
   */
  | { readonly kind: "earlier" }
  | { readonly kind: "damaged" };

const magic = Buffer.from("MRQUEUE", "latin1");
const currentVersion = 4;
const headerBytes = 32;
/** Length in bytes of the longest header of all formats. */
export const longestHeader = headerBytes;

export interface NewHeader {
  readonly bytes: Buffer;
  readonly salt: number;
  readonly header: SegmentHeader;
}

export function newHeader(number: number, bytesBefore: number): NewHeader {
  const bytes = Buffer.alloc(headerBytes);
  magic.copy(bytes);
  bytes[7] = currentVersion;
  bytes.writeDoubleLE(number, 8);
  bytes.writeDoubleLE(bytesBefore, 16);
  bytes.writeUInt32LE(randomInt(2 ** 32), 24);
  const salt = crc32(bytes.subarray(0, 28));
  bytes.writeUInt32LE(salt, 28);
  return { bytes, salt, header: { kind: "header", format: format4(salt), bytesBefore } };
}

/** Reads the header of a segment file. Throws when a later version of Millrace wrote the file. */
export async function readHeader(file: QueueFile, number: number): Promise<FoundHeader> {
  const bytes = Buffer.alloc(headerBytes);
  return headerOf(bytes.subarray(0, await file.read(bytes, 0)), number);
}

function headerOf(bytes: Buffer, number: number): FoundHeader {
  if (bytes.length < 16 || !bytes.subarray(0, 7).equals(magic)) return { kind: "damaged" };
  const version = bytes[7]!;
  if (version > currentVersion) {
    throw new Error(
      `${segmentName(number)} has queue format ${version}; this program reads up to ${currentVersion}. ` +
        "It was written by a later version: start that one, or move the folder away",
    );
  }
  if (version === currentVersion) return currentHeader(bytes, number);
  const format = earlierFormats[version - 1];
  return format === undefined ? { kind: "damaged" } : { kind: "header", format, bytesBefore: 0 };
}

function currentHeader(bytes: Buffer, number: number): FoundHeader {
  if (bytes.length < headerBytes || crc32(bytes.subarray(0, 28)) !== bytes.readUInt32LE(28)) return { kind: "damaged" };
  const own = bytes.readDoubleLE(8);
  if (own < number) return { kind: "earlier" };
  if (own > number) return { kind: "damaged" };
  return { kind: "header", format: format4(bytes.readUInt32LE(28)), bytesBefore: bytes.readDoubleLE(16) };
}
