// Reading one segment file: frames in order, damaged stretches found and jumped over.

import { crc32 } from "node:zlib";
import type { QueueFile } from "./files.ts";
import { type FrameFormat, markBytes, type RecordHead } from "./frame.ts";

export interface Frame {
  readonly kind: "record";
  readonly start: number;
  readonly end: number;
  readonly time: number;
  readonly points: number;
  readonly meta: Buffer;
  readonly body: Buffer;
}

/** Bytes that are no frame, up to the next whole frame or to the end. */
export interface Damage {
  readonly kind: "damage";
  readonly start: number;
  readonly end: number;
  /** No whole frame follows. */
  readonly atEnd: boolean;
}

const windowBytes = 1 << 20;

/** Reads a segment forwards, a window of the file at a time. */
export class SegmentReader {
  private window = Buffer.alloc(0);
  private windowStart = 0;
  private readonly file: QueueFile;
  private readonly format: FrameFormat;

  constructor(file: QueueFile, format: FrameFormat) {
    this.file = file;
    this.format = format;
  }

  /** What lies at `offset` of a segment whose contents end at `limit`; undefined at the limit. */
  async at(offset: number, limit: number): Promise<Frame | Damage | undefined> {
    if (offset >= limit) return undefined;
    const frame = await this.frame(offset, limit);
    if (frame !== undefined) return frame;
    const next = await this.resync(offset + 1, limit);
    return { kind: "damage", start: offset, end: next ?? limit, atEnd: next === undefined };
  }

  /** The same without reading the file: undefined also when what lies there has to be read first, or is damaged. */
  atOnce(offset: number, limit: number): Frame | undefined {
    const from = offset - this.windowStart;
    const { headBytes } = this.format;
    if (from < 0 || from + headBytes > this.window.length || offset + headBytes > limit) return undefined;
    const head = this.format.readHead(this.window, from);
    if (head === undefined) return undefined;
    const start = from + headBytes;
    if (start + head.payloadBytes > this.window.length) return undefined;
    return frameOf(offset, limit, headBytes, head, this.window.subarray(start, start + head.payloadBytes));
  }

  private async frame(offset: number, limit: number): Promise<Frame | undefined> {
    const { headBytes } = this.format;
    if (offset + headBytes > limit) return undefined;
    const head = this.format.readHead(await this.bytes(offset, headBytes, limit), 0);
    if (head === undefined || offset + headBytes + head.payloadBytes > limit) return undefined;
    const payload = await this.bytes(offset + headBytes, head.payloadBytes, limit);
    return frameOf(offset, limit, headBytes, head, payload);
  }

  /** Where the next whole frame begins. */
  private async resync(from: number, limit: number): Promise<number | undefined> {
    const mark = markBytes(this.format);
    for (let at = from; at < limit; ) {
      const window = await this.bytes(at, Math.min(windowBytes, limit - at), limit);
      for (let found = window.indexOf(mark); found >= 0; found = window.indexOf(mark, found + 1)) {
        if ((await this.frame(at + found, limit)) !== undefined) return at + found;
      }
      if (window.length <= mark.length) return undefined;
      // A mark may lie across the border of two windows.
      at += window.length - mark.length + 1;
    }
    return undefined;
  }

  /** `count` bytes at `offset`, fewer when the file ends; valid for good, since windows are never written again. */
  private async bytes(offset: number, count: number, limit: number): Promise<Buffer> {
    const from = offset - this.windowStart;
    if (from >= 0 && from + count <= this.window.length) return this.window.subarray(from, from + count);
    const window = Buffer.allocUnsafeSlow(Math.max(count, Math.min(windowBytes, limit - offset)));
    this.window = window.subarray(0, await this.file.read(window, offset));
    this.windowStart = offset;
    return this.window.subarray(0, count);
  }
}

/** Undefined when it does not end before the limit, or its payload is damaged. */
function frameOf(
  start: number,
  limit: number,
  headBytes: number,
  head: RecordHead,
  payload: Buffer,
): Frame | undefined {
  const end = start + headBytes + head.payloadBytes;
  if (end > limit || payload.length < head.payloadBytes || crc32(payload) !== head.payloadCrc) return undefined;
  return {
    kind: "record",
    start,
    end,
    time: head.time,
    points: head.points,
    meta: payload.subarray(0, head.metaBytes),
    body: payload.subarray(head.metaBytes),
  };
}
