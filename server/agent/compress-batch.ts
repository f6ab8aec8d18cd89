// Large batches are compressed by the worker that encoded them: the queue writes, keeps and reads a sixth of the bytes,
// and the uploader sends them as they are. Small ones are compressed together when they are uploaded.

import { crc32 } from "node:zlib";
import type { Engine } from "./engine.ts";
import type { Kept } from "./write-batches.ts";

const largeBytes = 64 * 1024;
/** A gzip member (RFC 1952) without name and time; packed for speed, by whatever system. */
const head = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255);
const tailBytes = 8;

/** Where members are put together; kept for the next one while it is not too large. */
let work = new Uint8Array(256 * 1024);
const mostWork = 4 * 1024 * 1024;

export function compressLarge(engine: Pick<Engine, "deflateTo">, body: Uint8Array): Kept {
  if (body.length < largeBytes) return { body: body.slice() };
  work.set(head);
  let at = head.length;
  engine.deflateTo(body, (chunk) => {
    const needed = at + chunk.length + tailBytes;
    if (needed > work.length) {
      const wider = new Uint8Array(2 * needed);
      wider.set(work.subarray(0, at));
      work = wider;
    }
    work.set(chunk, at);
    at += chunk.length;
  });
  const tail = new DataView(work.buffer, at);
  tail.setUint32(0, crc32(body), true);
  tail.setUint32(4, body.length, true);
  const member = work.slice(0, at + tailBytes);
  if (work.length > mostWork) work = new Uint8Array(256 * 1024);
  return { body: member, gzip: true };
}

/** Bytes of a gzip member before compression: its last four bytes. */
export function rawBytesOf(member: Uint8Array): number {
  return new DataView(member.buffer, member.byteOffset + member.length - 4).getUint32(0, true);
}
