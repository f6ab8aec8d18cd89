// Reads one segment file. Returns its frames (stored records) in order, and finds and skips damaged bytes.

import { crc32 } from "node:zlib";
import type { QueueEvents } from "../types.ts";
import type { QueueFile } from "./files.ts";
import { type FrameFormat, markBytes, type RecordHead } from "./frame.ts";
import { intactParts, tableBytes, tableCrc } from "./parts.ts";

export interface Frame {
  readonly kind: "record";
  readonly start: number;
  readonly end: number;
  readonly time: number;
  readonly points: number;
  readonly meta: Buffer;
  readonly body: Buffer;
  /**
   * Number of bytes in damaged parts of the record. (When several bodies were joined into the record, each body is a
   * part.) `body` and `points` do not include these parts.
   */
  readonly damagedBytes: number;
}

/**
 * A range of bytes that contains no whole frame (stored record). The range ends at the next whole frame or at the end
 * of the segment.
 */
export interface Damage {
  readonly kind: "damage";
  readonly start: number;
  readonly end: number;
  /** Whether no whole frame (stored record) follows the damaged range. */
  readonly atEnd: boolean;
  /**
   * Length of the frame (stored record) that begins where the damaged range begins, if its head is undamaged; otherwise
   * 0.
   */
  readonly frameBytes: number;
}

const windowBytes = 1 << 20;

/**
 * Reads the frames (stored records) of a segment in the order of their offsets. Reads the file in windows
 * (ranges of bytes), one at a time.
 */
export class SegmentReader {
  private window = Buffer.alloc(0);
  private windowStart = 0;
  private readonly file: QueueFile;
  private readonly format: FrameFormat;
  private readonly onRead: QueueEvents["read"];

  constructor(file: QueueFile, format: FrameFormat, onRead?: QueueEvents["read"]) {
    this.file = file;
    this.format = format;
    this.onRead = onRead;
  }

  /**
   * Returns the frame (stored record) or the damaged range at `offset`; undefined at `limit`, where the contents of the
   * segment end.
   */
  async at(offset: number, limit: number): Promise<Frame | Damage | undefined> {
    if (offset >= limit) return undefined;
    const head = await this.head(offset, limit);
    const frame = await this.frame(offset, limit, head);
    if (frame !== undefined) return frame;
    const frameBytes = head === undefined ? 0 : this.format.headBytes + bytesBehind(head);
    const next = await this.resync(offset + 1, limit);
    return { kind: "damage", start: offset, end: next ?? limit, atEnd: next === undefined, frameBytes };
  }

  private async head(offset: number, limit: number): Promise<RecordHead | undefined> {
    const { headBytes } = this.format;
    if (offset + headBytes > limit) return undefined;
    return this.format.readHead(await this.bytes(offset, headBytes, limit), 0);
  }

  private async frame(offset: number, limit: number, head: RecordHead | undefined): Promise<Frame | undefined> {
    const { headBytes } = this.format;
    if (head === undefined || offset + headBytes + bytesBehind(head) > limit) return undefined;
    const rest = await this.bytes(offset + headBytes, bytesBehind(head), limit);
    return frameOf(offset, limit, headBytes, head, rest);
  }

  /**
   * Finds the next whole frame (stored record) at or after the offset `from`. Returns its offset; undefined when there
   * is none.
   */
  private async resync(from: number, limit: number): Promise<number | undefined> {
    const mark = markBytes(this.format);
    for (let at = from; at < limit; ) {
      const window = await this.bytes(at, Math.min(windowBytes, limit - at), limit);
      for (let found = window.indexOf(mark); found >= 0; found = window.indexOf(mark, found + 1)) {
        const start = at + found;
        if ((await this.frame(start, limit, await this.head(start, limit))) !== undefined) return start;
      }
      if (window.length <= mark.length) return undefined;
      // The four bytes that begin a frame may lie partly at the end of this window (the bytes that were read) and
      // partly after it. So the next window begins three bytes before the end of this window.
      at += window.length - mark.length + 1;
    }
    return undefined;
  }

  /**
   * Returns `count` bytes at `offset`, or fewer when the file ends earlier. The returned bytes never change, because
   * the memory of a window (the range of the file that was read last) is filled only once.
   */
  private async bytes(offset: number, count: number, limit: number): Promise<Buffer> {
    const from = offset - this.windowStart;
    if (from >= 0 && from + count <= this.window.length) return this.window.subarray(from, from + count);
    const window = Buffer.allocUnsafeSlow(Math.max(count, Math.min(windowBytes, limit - offset)));
    const began = performance.now();
    this.window = window.subarray(0, await this.file.read(window, offset));
    this.onRead?.(this.window.length, (performance.now() - began) / 1000);
    this.windowStart = offset;
    return this.window.subarray(0, count);
  }
}

/** Returns the number of bytes after the head of a frame (stored record): its metadata, body and table of parts. */
function bytesBehind({ payloadBytes, parts }: RecordHead): number {
  return payloadBytes + tableBytes(parts);
}

/**
 * Returns the frame (stored record) that begins at `start`; undefined when the frame ends after `limit` or its metadata
 * or body is damaged. `rest` holds the bytes after its head.
 */
function frameOf(start: number, limit: number, headBytes: number, head: RecordHead, rest: Buffer): Frame | undefined {
  const end = start + headBytes + bytesBehind(head);
  if (end > limit || rest.length < bytesBehind(head)) return undefined;
  const meta = rest.subarray(0, head.metaBytes);
  const body = rest.subarray(head.metaBytes, head.payloadBytes);
  const frame = { kind: "record", start, end, time: head.time, meta } as const;
  const table = rest.subarray(head.payloadBytes);
  if (head.summed === "table") {
    // A segment may be written over the file of an older segment. After a crash, the head of a frame may be followed by
    // the table of parts of the older segment. This table is undamaged. Only the CRC in the head shows that it belongs
    // to another frame.
    if (tableCrc(table) !== head.payloadCrc) return undefined;
  } else if (crc32(rest.subarray(0, head.payloadBytes)) === head.payloadCrc)
    return { ...frame, points: head.points, body, damagedBytes: 0 };
  const intact = intactParts(meta, body, table);
  return intact === undefined ? undefined : { ...frame, ...intact };
}
