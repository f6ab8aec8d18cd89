// Records that wait to be written to the queue. Their frames (stored records) are built one after the other in
// blocks of memory, and are written to the file from these blocks. When small records with the same metadata
// wait together, they are joined into one record, because framing, reading and delivering one more record costs
// more than the bytes of a small body.

import { crc32 } from "node:zlib";
import type { JoinLimits, NewRecord } from "../types.ts";
import { frameBytes, frameHeadBytes, writeFrameHead } from "./frame.ts";
import { tableBytes, writeTable } from "./parts.ts";

/**
 * Length in bytes of the largest body that is copied into a block (the memory from which several records are written).
 * A larger body is written from its own memory, because one more byte range in a write call costs less than the copy.
 */
export const mostCopied = 16 * 1024;

/**
 * Returns the given record. When the record's body is small, returns a copy of the record that has a body of its own,
 * so that the caller may reuse the memory of the given body. (An open queue copies small bodies itself.)
 */
export function withOwnBody<T extends { readonly body: Uint8Array }>(given: T): T {
  return given.body.length > mostCopied ? given : { ...given, body: Uint8Array.from(given.body) };
}

/**
 * Size in bytes of a block of memory, which holds the frames of several records. A reference to one frame keeps the
 * whole block in memory.
 */
const blockBytes = 256 * 1024;

export class PendingRecords {
  private readonly joining: JoinLimits | undefined;
  private readonly now: () => number;
  private readonly waiting: Pending[] = [];
  private block: Buffer = Buffer.alloc(0);
  /**
   * Offset in the block (memory for the frames of several records) at which the frame (stored form) of the newest
   * record ends.
   */
  private end = 0;

  constructor(joining: JoinLimits | undefined, now: () => number) {
    this.joining = joining;
    this.now = now;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** Adds a record. Resolves when the record is stored in the queue. */
  put(record: NewRecord): Promise<void> {
    const last = this.waiting.at(-1);
    if (last !== undefined && this.join(last, record)) return last.kept;
    const pending = this.begin(record);
    this.waiting.push(pending);
    return pending.kept;
  }

  /**
   * Removes and returns the oldest waiting records, of at most `mostBytes` bytes in total (in the form in which
   * they are stored). When the oldest record alone is larger than `mostBytes`, returns only this record.
   */
  take(mostBytes: number): Pending[] {
    let count = 0;
    let bytes = 0;
    while (count < this.waiting.length && (count === 0 || bytes + this.waiting[count].bytes <= mostBytes)) {
      bytes += this.waiting[count++].bytes;
    }
    return this.waiting.splice(0, count);
  }

  private begin(record: NewRecord): Pending {
    const isCopied = record.body.length <= mostCopied;
    const bytes = frameHeadBytes + record.meta.length + (isCopied ? record.body.length : 0);
    if (this.end + bytes > this.block.length) {
      // The block gets memory of its own. `Buffer.allocUnsafe` would take memory from a pool that all small buffers of
      // the process share. Bodies stay in memory for a while, and would keep the whole pool in use.
      this.block = Buffer.allocUnsafeSlow(Math.max(blockBytes, bytes));
      this.end = 0;
    }
    const pending = new Pending(this.block, this.end, record, this.now(), isCopied);
    this.end = pending.end;
    return pending;
  }

  /** Joins the record with the newest waiting record. Returns false when the two cannot be joined. */
  private join(youngest: Pending, record: NewRecord): boolean {
    const { joining } = this;
    if (record.joins !== true || joining === undefined || !youngest.takes(record, joining)) return false;
    youngest.add(record, joining);
    this.end = youngest.end;
    return true;
  }
}

/**
 * One record that waits to be written. It has the body of one put (a call that adds a body to the queue), or the joined
 * bodies of several puts.
 */
export class Pending {
  readonly meta: Uint8Array;
  /** Time when the first body of the record was added to the queue, in milliseconds since 1970. */
  readonly time: number;
  points: number;
  /** Promise that resolves when the record is stored in the queue. */
  readonly kept: Promise<void>;
  resolve = (): void => {};
  reject = (_error: Error): void => {};
  /**
   * The block of memory in which the record's frame (its stored form) lies; `start` is the offset of the frame in the
   * block.
   */
  readonly block: Buffer;
  readonly start: number;
  /**
   * The body of the record when it is too large to be copied into the block of memory that several records share;
   * otherwise undefined.
   */
  readonly own: Uint8Array | undefined;
  private readonly joins: boolean;
  private bodyEnd: number;
  /** Lengths in bytes of the bodies that were joined into this record; one length when the record was not joined. */
  private readonly lengths: number[];
  private readonly pointsOfParts: number[];
  private separatorBytes = 0;

  constructor(block: Buffer, start: number, record: NewRecord, time: number, isCopied: boolean) {
    const { body, meta, points, joins } = record;
    this.meta = meta;
    this.time = time;
    this.points = points;
    this.kept = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.block = block;
    this.start = start;
    this.joins = joins === true && isCopied;
    this.lengths = [body.length];
    this.pointsOfParts = [points];
    block.set(meta, start + frameHeadBytes);
    this.bodyEnd = this.bodyStart;
    if (isCopied) {
      block.set(body, this.bodyEnd);
      this.bodyEnd += body.length;
    } else this.own = body;
  }

  /** Offset in the block (memory for the frames of several records) where the next frame may begin. */
  get end(): number {
    return this.bodyEnd + tableBytes(this.lengths.length);
  }

  /** The body of the record. When several bodies were joined, separators lie between them. */
  get body(): Uint8Array {
    return this.own ?? this.block.subarray(this.bodyStart, this.bodyEnd);
  }

  /** Length in bytes of the record's frame (its stored form). */
  get bytes(): number {
    return frameBytes(this.meta.length, this.bodyBytes, this.lengths.length);
  }

  /**
   * Returns whether the given record can be joined with this record, and the block (memory for the frames of several
   * records) has room for it.
   */
  takes({ meta, body }: NewRecord, { separator, maxBytes }: JoinLimits): boolean {
    const more = separator.length + body.length;
    if (!this.joins || this.bodyBytes + more > maxBytes) return false;
    if (this.bodyEnd + more + tableBytes(this.lengths.length + 1) > this.block.length) return false;
    return this.meta === meta || Buffer.compare(this.meta, meta) === 0;
  }

  add({ body, points }: NewRecord, { separator }: JoinLimits): void {
    this.block.set(separator, this.bodyEnd);
    this.block.set(body, this.bodyEnd + separator.length);
    this.bodyEnd += separator.length + body.length;
    this.separatorBytes = separator.length;
    this.lengths.push(body.length);
    this.points += points;
    this.pointsOfParts.push(points);
  }

  /**
   * Writes the head of the frame and, for a joined record, the table of its parts. `salt`: the random number of the
   * segment, which is the start value of the CRC of each frame head.
   */
  frame(salt: number): void {
    const { block, start, meta, bodyBytes, lengths } = this;
    writeFrameHead(block, start, salt, this, meta.length, bodyBytes, this.crc(), lengths.length);
  }

  private get bodyStart(): number {
    return this.start + frameHeadBytes + this.meta.length;
  }

  private get bodyBytes(): number {
    return this.own?.length ?? this.bodyEnd - this.bodyStart;
  }

  private crc(): number {
    const { block, start, meta, own, lengths, pointsOfParts: points, separatorBytes } = this;
    if (own !== undefined) return crc32(own, crc32(meta));
    if (lengths.length === 1) return crc32(block.subarray(start + frameHeadBytes, this.bodyEnd));
    return writeTable(block, this.bodyStart, this.bodyEnd, meta, { lengths, points, separatorBytes });
  }
}

/**
 * Returns the byte ranges to write, one after the other, to the segment with the given salt (the start value of the CRC
 * of each frame head). A record whose body was not copied into its block has two ranges; any other record has one.
 */
export function framesOf(group: readonly Pending[], salt: number): Uint8Array[] {
  return group.flatMap((pending) => {
    pending.frame(salt);
    const { block, start, end, own } = pending;
    const frame = block.subarray(start, end);
    return own === undefined ? [frame] : [frame, own];
  });
}
