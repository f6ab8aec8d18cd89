// Reading one segment file: frames in order, damaged stretches found and jumped over.

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
  /** Of puts that were written with it in one frame and are damaged: they are left out of body and points. */
  readonly damagedBytes: number;
}

/** Bytes that are no frame, up to the next whole frame or to the end. */
export interface Damage {
  readonly kind: "damage";
  readonly start: number;
  readonly end: number;
  /** No whole frame follows. */
  readonly atEnd: boolean;
  /** Of the frame whose head lies whole at `start`; 0 when none does. */
  readonly frameBytes: number;
}

const windowBytes = 1 << 20;

/** Reads a segment forwards, a window of the file at a time. */
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

  /** What lies at `offset` of a segment whose contents end at `limit`; undefined at the limit. */
  async at(offset: number, limit: number): Promise<Frame | Damage | undefined> {
    if (offset >= limit) return undefined;
    const head = await this.head(offset, limit);
    const frame = await this.frame(offset, limit, head);
    if (frame !== undefined) return frame;
    const frameBytes = head === undefined ? 0 : this.format.headBytes + bytesBehind(head);
    const next = await this.resync(offset + 1, limit);
    return { kind: "damage", start: offset, end: next ?? limit, atEnd: next === undefined, frameBytes };
  }

  /** The same without reading the file: undefined also when what lies there has to be read first, or is damaged. */
  atOnce(offset: number, limit: number): Frame | undefined {
    const from = offset - this.windowStart;
    const { headBytes } = this.format;
    if (from < 0 || from + headBytes > this.window.length || offset + headBytes > limit) return undefined;
    const head = this.format.readHead(this.window, from);
    if (head === undefined) return undefined;
    const start = from + headBytes;
    const end = start + bytesBehind(head);
    if (end > this.window.length) return undefined;
    const found = frameOf(offset, limit, headBytes, head, this.window.subarray(start, end));
    return found === undefined || found.damagedBytes > 0 ? undefined : found;
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

  /** Where the next whole frame begins. */
  private async resync(from: number, limit: number): Promise<number | undefined> {
    const mark = markBytes(this.format);
    for (let at = from; at < limit; ) {
      const window = await this.bytes(at, Math.min(windowBytes, limit - at), limit);
      for (let found = window.indexOf(mark); found >= 0; found = window.indexOf(mark, found + 1)) {
        const start = at + found;
        if ((await this.frame(start, limit, await this.head(start, limit))) !== undefined) return start;
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
    const began = performance.now();
    this.window = window.subarray(0, await this.file.read(window, offset));
    this.onRead?.(this.window.length, (performance.now() - began) / 1000);
    this.windowStart = offset;
    return this.window.subarray(0, count);
  }
}

/** Of payload and table. */
function bytesBehind({ payloadBytes, parts }: RecordHead): number {
  return payloadBytes + tableBytes(parts);
}

/** Undefined when it does not end before the limit, or nothing of its payload is whole; `rest`: what follows its head. */
function frameOf(start: number, limit: number, headBytes: number, head: RecordHead, rest: Buffer): Frame | undefined {
  const end = start + headBytes + bytesBehind(head);
  if (end > limit || rest.length < bytesBehind(head)) return undefined;
  const meta = rest.subarray(0, head.metaBytes);
  const body = rest.subarray(head.metaBytes, head.payloadBytes);
  const frame = { kind: "record", start, end, time: head.time, meta } as const;
  const table = rest.subarray(head.payloadBytes);
  if (head.summed === "table") {
    // Behind a head that was written and a payload that was not lies a table of the file's earlier life, right in itself.
    if (tableCrc(table) !== head.payloadCrc) return undefined;
  } else if (crc32(rest.subarray(0, head.payloadBytes)) === head.payloadCrc)
    return { ...frame, points: head.points, body, damagedBytes: 0 };
  const intact = intactParts(meta, body, table);
  return intact === undefined ? undefined : { ...frame, ...intact };
}
