// Compresses large batches (encoded points) in the worker that encoded them. The queue then writes, keeps and reads
// only about a sixth of the bytes, and the uploader sends the compressed batches unchanged. Small batches stay
// uncompressed, because the uploader joins them and compresses them together.

import { gzipSync } from "node:zlib";
import type { Kept } from "./batches.ts";

const largeBytes = 64 * 1024;
const options = { level: 1, chunkSize: 128 * 1024 };

export function compressLarge(body: Uint8Array): Kept {
  if (body.length < largeBytes) return { body: copyOf(body) };
  // zlib returns a part of a larger buffer. A copy of the part lets the garbage collector free that buffer.
  return { body: copyOf(gzipSync(body, options)), gzip: true };
}

/**
 * Copies the bytes into a new buffer that holds nothing else, and returns the buffer. The buffer is not set to zeros
 * before the bytes are copied.
 */
export function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** Returns the uncompressed length in bytes of a gzip member. The member's last four bytes hold this length. */
export function rawBytesOf(member: Uint8Array): number {
  return new DataView(member.buffer, member.byteOffset + member.length - 4).getUint32(0, true);
}
