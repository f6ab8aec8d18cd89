// Large batches are compressed by the worker that encoded them: the queue writes, keeps and reads a sixth of the bytes,
// and the uploader sends them as they are. Small ones are compressed together when they are uploaded.

import { gzipSync } from "node:zlib";
import { copyOf } from "../../http/body/body-memory.ts";
import type { Kept } from "./batches.ts";

const largeBytes = 64 * 1024;
const options = { level: 1, chunkSize: 128 * 1024 };

export function compressLarge(body: Uint8Array): Kept {
  if (body.length < largeBytes) return { body: copyOf(body) };
  // A copy: what zlib gives lies in a larger piece of memory.
  return { body: copyOf(gzipSync(body, options)), gzip: true };
}

/** Bytes of a gzip member before compression: its last four bytes. */
export function rawBytesOf(member: Uint8Array): number {
  return new DataView(member.buffer, member.byteOffset + member.length - 4).getUint32(0, true);
}
