// Records on their way into the queue: what waits to be written, and the frames that a group of it becomes. Small records that come while
// others wait, all of the same meta, become one: a frame, its reading and its delivery cost more than the bytes of a small body.

import { crc32 } from "node:zlib";
import { frameBytes, frameHeadBytes, writeFrameHead } from "./frame.ts";
import { tableBytes, writeTable } from "./parts.ts";
import type { Joining, NewRecord } from "./types.ts";

/** One record of the file. */
export interface Pending {
  readonly meta: Uint8Array;
  /** One after the other, the separator between them. */
  readonly bodies: Uint8Array[];
  /** With the separators. */
  bodyBytes: number;
  points: number;
  /** Of each body. */
  readonly pointsOfParts: number[];
  /** When the first of them was put, ms since 1970. */
  readonly time: number;
  /** Undefined: nothing joins it. */
  readonly joining: Joining | undefined;
  /** Resolves when it is kept. */
  readonly kept: Promise<void>;
  resolve(): void;
  reject(error: Error): void;
}

export function pendingOf(record: NewRecord, time: number, joining: Joining | undefined): Pending {
  let resolve = () => {};
  let reject = (_error: Error) => {};
  const kept = new Promise<void>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return {
    meta: record.meta,
    bodies: [record.body],
    bodyBytes: record.body.length,
    points: record.points,
    pointsOfParts: [record.points],
    time,
    joining: record.joins === true ? joining : undefined,
    kept,
    resolve,
    reject,
  };
}

/** Adds the record to one that waits; false when the two do not go together. */
export function join(pending: Pending, { meta, body, points, joins }: NewRecord): boolean {
  const { joining } = pending;
  if (joins !== true || joining === undefined) return false;
  const bytes = pending.bodyBytes + joining.separator.length + body.length;
  if (bytes > joining.maxBytes) return false;
  if (pending.meta !== meta && Buffer.compare(pending.meta, meta) !== 0) return false;
  pending.bodies.push(body);
  pending.bodyBytes = bytes;
  pending.points += points;
  pending.pointsOfParts.push(points);
  return true;
}

/** Of its frame. */
export function bytesOf({ meta, bodies, bodyBytes }: Pending): number {
  return frameBytes(meta.length, bodyBytes, bodies.length);
}

/** Bodies that are smaller are copied together: one part costs the system more than copying it. */
const copiedBytes = 16 * 1024;

/** Of the memory that they are copied to: who keeps one of them keeps no more than that. */
const blockBytes = 256 * 1024;

export interface Frames {
  /** To be written one after the other. */
  readonly parts: readonly Uint8Array[];
  /** The body of each record, whole. */
  readonly bodies: readonly Uint8Array[];
}

/** For a segment with this salt. */
export function framesOf(group: readonly Pending[], salt: number): Frames {
  const parts: Uint8Array[] = [];
  const bodies: Uint8Array[] = [];
  let first = 0;
  let bytes = 0;
  for (const [at, pending] of group.entries()) {
    const wanted = bytesOf(pending) - ownPart(pending);
    if (bytes > 0 && bytes + wanted > blockBytes) {
      addFrames(group.slice(first, at), salt, bytes, parts, bodies);
      first = at;
      bytes = 0;
    }
    bytes += wanted;
  }
  addFrames(group.slice(first), salt, bytes, parts, bodies);
  return { parts, bodies };
}

/** The frames of those that share a block of so many bytes. */
function addFrames(
  group: readonly Pending[],
  salt: number,
  bytes: number,
  parts: Uint8Array[],
  whole: Uint8Array[],
): void {
  // Not of the memory that small buffers of the whole process share: bodies are kept for a while.
  const block = Buffer.allocUnsafeSlow(bytes);
  let from = 0;
  let at = 0;
  for (const pending of group) {
    const { meta, bodies, bodyBytes } = pending;
    const head = at;
    const payload = head + frameHeadBytes;
    block.set(meta, payload);
    at = payload + meta.length;
    if (ownPart(pending) > 0) {
      const [body] = bodies;
      writeFrameHead(block, head, salt, pending, meta.length, bodyBytes, crc32(body, crc32(meta)), 1);
      parts.push(block.subarray(from, at), body);
      whole.push(body);
      from = at;
      continue;
    }
    const start = at;
    for (const [place, body] of bodies.entries()) {
      if (place > 0) {
        const { separator } = pending.joining!;
        block.set(separator, at);
        at += separator.length;
      }
      block.set(body, at);
      at += body.length;
    }
    whole.push(block.subarray(start, at));
    const crc = bodies.length > 1 ? writeTableOf(pending, block, start, at) : crc32(block.subarray(payload, at));
    writeFrameHead(block, head, salt, pending, meta.length, bodyBytes, crc, bodies.length);
    at += tableBytes(bodies.length);
  }
  if (from < at) parts.push(block.subarray(from, at));
}

/** Gives the CRC at its end. */
function writeTableOf(
  { meta, bodies, pointsOfParts, joining }: Pending,
  block: Buffer,
  from: number,
  at: number,
): number {
  const lengths = bodies.map(({ length }) => length);
  const separatorBytes = joining!.separator.length;
  return writeTable(block, from, at, meta, { lengths, points: pointsOfParts, separatorBytes });
}

/** Bytes of the body when it is written from where it lies, 0 when it is copied. */
function ownPart({ bodies, bodyBytes }: Pending): number {
  return bodies.length === 1 && bodyBytes > copiedBytes ? bodyBytes : 0;
}
