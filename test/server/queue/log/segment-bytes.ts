// Builds segment files of formats 3 and 4 byte by byte, without using the code that is tested.

import { crc32 } from "node:zlib";

export interface Life {
  readonly header: Buffer;
  frame(text: string): Buffer;
  /** Returns a frame (a part of the file with a checksum) whose body is several records joined by "|". */
  joined(...texts: readonly string[]): Buffer;
}

/**
 * Returns the header of a segment of format 4, and functions that make its frames (records with checksums). The
 * header contains the size that the file had before the segment began.
 */
export function life(number: number, bytesBefore = 0): Life {
  const header = Buffer.alloc(32);
  header.write("MRQUEUE\u0004", "latin1");
  header.writeDoubleLE(number, 8);
  header.writeDoubleLE(bytesBefore, 16);
  header.writeUInt32LE(12345, 24);
  const salt = crc32(header.subarray(0, 28));
  header.writeUInt32LE(salt, 28);
  return { header, ...framesOf("MRR4", salt) };
}

/** Returns the header of a segment of format 3, and functions that make its frames (records with checksums). */
export function format3(): Life {
  return { header: Buffer.from("MRQUEUE\u0003\0\0\0\0\0\0\0\0", "latin1"), ...framesOf("MRR3", 0) };
}

function framesOf(mark: string, salt: number): Omit<Life, "header"> {
  const frame = (payload: string, crc: number, parts: number, table: Buffer) => {
    const head = Buffer.alloc(36);
    head.write(mark, "latin1");
    head.writeUInt32LE(payload.length, 8);
    head.writeUInt32LE(crc, 12);
    head.writeDoubleLE(500, 16);
    head.writeUInt32LE(parts, 24);
    head.writeUInt32LE(0, 28);
    head.writeUInt32LE(parts, 32);
    head.writeUInt32LE(crc32(head.subarray(8), salt), 4);
    return Buffer.concat([head, Buffer.from(payload), table]);
  };
  return {
    frame: (text) => frame(text, crc32(text), 1, Buffer.alloc(0)),
    joined: (...texts) => {
      const table = Buffer.alloc(texts.length * 12 + 8);
      for (const [at, text] of texts.entries()) {
        const part = at < texts.length - 1 ? `${text}|` : text;
        table.writeUInt32LE(part.length, at * 12);
        table.writeUInt32LE(crc32(part), at * 12 + 4);
        table.writeUInt32LE(1, at * 12 + 8);
      }
      table.writeUInt32LE(1, texts.length * 12);
      table.writeUInt32LE(crc32(table.subarray(0, -4)), texts.length * 12 + 4);
      const payload = texts.join("|");
      return frame(
        payload,
        mark === "MRR3" ? crc32(payload) : table.readUInt32LE(table.length - 4),
        texts.length,
        table,
      );
    },
  };
}

/** Returns the bytes of the file `old` after `parts` were written to its beginning, one after the other. */
export function over(old: Buffer, ...parts: readonly Buffer[]): Buffer {
  const written = Buffer.concat(parts);
  return Buffer.concat([written, old.subarray(written.length)]);
}
