// The durable queue: records appended to segment files, read in order by named consumers, deleted when all have passed.
//
// - A put resolves when its record is on the device (`sync: "group"`: puts that come while a sync is under way share the
//   next one) or written to the file (`sync: "os"`: survives the end of the process, not a loss of power).
// - A put that fails leaves no record behind as far as the disk lets itself be told so; it may come back as a repeat,
//   never as a loss.
// - What is torn at the end of the newest segment is cut off at opening. A damaged record elsewhere is jumped over and
//   counted, and its segment is moved to `aside/` in place of being deleted.

import path from "node:path";
import { QueueConsumer } from "./consumer.ts";
import { Cursor, isBefore } from "./cursor.ts";
import type { QueueFile } from "./files.ts";
import { formatOf, frameBytes, segmentHeader, segmentHeaderBytes, writeFrameHead } from "./frame.ts";
import { SegmentReader } from "./segment.ts";
import { putAside, segmentName, segmentNumber } from "./segment-files.ts";
import type { NewRecord, QueueOptions, Segment } from "./types.ts";

/** The queue holds `maxBytes`, nothing was taken. */
export class QueueFull extends Error {}

/** The record could not be written, nothing was taken. */
export class QueueFailed extends Error {}

interface Waiting {
  readonly record: NewRecord;
  readonly time: number;
  readonly bytes: number;
  resolve(): void;
  reject(error: Error): void;
}

/** Bytes written and synced in one go. */
const groupBytes = 16 << 20;
/** Records of a group that are smaller are copied together: one part costs the system more than copying it. */
const copiedBytes = 16 * 1024;

export async function openQueue(options: QueueOptions): Promise<DiskQueue> {
  const { files, folder, events } = options;
  await files.makeFolder(folder);
  const names = await files.list(folder);
  for (const name of names) {
    if (name.startsWith("cursor-") && !options.consumers.some((consumer) => name === `cursor-${consumer}`)) {
      await files.remove(path.join(folder, name));
    }
  }
  const consumers: QueueConsumer[] = [];
  for (const name of options.consumers) {
    consumers.push(new QueueConsumer(await Cursor.open(files, path.join(folder, `cursor-${name}`))));
  }
  const segments: Segment[] = [];
  const numbers = names.map(segmentNumber).filter((number) => number !== undefined);
  for (const number of numbers) {
    const segment = await openSegment(number, number === numbers.at(-1));
    if (segment !== undefined) segments.push(segment);
  }
  const lastNumber = Math.max(numbers.at(-1) ?? 0, ...consumers.map(({ acknowledged }) => acknowledged.segment));
  const queue = new DiskQueue(options, segments, consumers, lastNumber);
  await queue.release();
  return queue;

  /** Reads a segment through; undefined when nothing of it can be used. */
  async function openSegment(number: number, isNewest: boolean): Promise<Segment | undefined> {
    const name = segmentName(number);
    const file = await files.open(path.join(folder, name));
    try {
      const size = await files.size(path.join(folder, name));
      const header = Buffer.alloc(Math.min(size, segmentHeaderBytes));
      await file.read(header, 0);
      const format = formatOf(header, name);
      if (format === undefined) {
        if (isNewest && size <= segmentHeaderBytes) await files.remove(path.join(folder, name));
        else {
          events.damaged(name, 0, size);
          await putAside(options, name);
        }
        return undefined;
      }
      const segment: Segment = { number, format, end: size, records: 0, points: 0, damaged: false };
      const reader = new SegmentReader(file, format);
      for (let at = segmentHeaderBytes; at < size; ) {
        const found = (await reader.at(at, size))!;
        if (found.kind === "record") {
          segment.records++;
          segment.points += found.points;
          const end = { segment: number, offset: found.end };
          for (const consumer of consumers) consumer.seen(end, found.points, found.time);
        } else if (found.atEnd && isNewest) {
          events.torn(name, size - at);
          await file.truncate(at);
          await file.sync();
          segment.end = at;
          break;
        } else {
          // Told when a consumer comes by.
          segment.damaged = true;
        }
        at = found.end;
      }
      return segment;
    } finally {
      await file.close();
    }
  }
}

export class DiskQueue {
  readonly consumers: readonly QueueConsumer[];
  private readonly options: QueueOptions;
  /** Oldest first. */
  private readonly segments: Segment[];
  private lastNumber: number;
  private waiting: Waiting[] = [];
  private flushing: Promise<void> | undefined;
  /** The newest segment while it is written to. */
  private active: { readonly segment: Segment; readonly file: QueueFile } | undefined;
  private closed = false;

  /** Use `openQueue`. */
  constructor(options: QueueOptions, segments: Segment[], consumers: readonly QueueConsumer[], lastNumber: number) {
    this.options = options;
    this.segments = segments;
    this.consumers = consumers;
    this.lastNumber = lastNumber;
    for (const consumer of consumers) consumer.attach(this, options);
  }

  /** Bytes of all segment files. */
  get bytes(): number {
    return this.segments.reduce((sum, segment) => sum + segment.end, 0);
  }

  get files(): number {
    return this.segments.length;
  }

  /** Resolves when the record is kept; rejects with QueueFull or QueueFailed when it is not. */
  put(record: NewRecord): Promise<void> {
    if (this.closed) return Promise.reject(new QueueFailed("the queue is closed"));
    return new Promise((resolve, reject) => {
      const bytes = frameBytes(record.meta, record.body);
      this.waiting.push({ record, time: this.options.now(), bytes, resolve, reject });
      this.flushing ??= this.flush();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    while (this.flushing !== undefined) await this.flushing;
    await this.seal();
    for (const consumer of this.consumers) await consumer.close();
  }

  /** The segment at or after `number`. */
  segmentFrom(number: number): Segment | undefined {
    return this.segments.find((segment) => segment.number >= number);
  }

  pathOf(segment: Segment): string {
    return path.join(this.options.folder, segmentName(segment.number));
  }

  /** A consumer has passed more records. */
  async release(): Promise<void> {
    const needed = this.consumers.reduce(
      (least, { acknowledged }) => (isBefore(acknowledged, least) ? acknowledged : least),
      { segment: Number.POSITIVE_INFINITY, offset: 0 },
    );
    while (this.segments.length > 0) {
      const oldest = this.segments[0];
      const isPassed =
        oldest.number < needed.segment || (oldest.number === needed.segment && needed.offset >= oldest.end);
      if (!isPassed || oldest === this.active?.segment) return;
      this.segments.shift();
      await this.discard(oldest);
    }
  }

  private async discard(segment: Segment): Promise<void> {
    const name = segmentName(segment.number);
    try {
      if (segment.damaged) await putAside(this.options, name);
      else await this.options.files.remove(this.pathOf(segment));
    } catch (error) {
      // The file stays until the next start, which finds it passed and tries again.
      this.options.events.failed(name, error as Error);
    }
  }

  private async flush(): Promise<void> {
    // After what else this turn of the event loop brings, so that its puts go together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.waiting.length > 0) {
      const group = this.takeGroup();
      const accepted: Waiting[] = [];
      let bytes = 0;
      for (const each of group) {
        if (this.hasRoom(bytes + each.bytes) || (await this.makeRoom(bytes + each.bytes))) {
          accepted.push(each);
          bytes += each.bytes;
        } else each.reject(new QueueFull(`the queue holds ${this.bytes} of ${this.options.maxBytes} bytes`));
      }
      if (accepted.length === 0) continue;
      try {
        await this.append(accepted, bytes);
      } catch (error) {
        const reason = error as Error;
        for (const each of accepted) each.reject(new QueueFailed(`the queue could not be written: ${reason.message}`));
        continue;
      }
      for (const each of accepted) each.resolve();
    }
    // In the same turn as the last look: a put that comes later starts the next flush.
    this.flushing = undefined;
  }

  private takeGroup(): Waiting[] {
    let count = 0;
    let bytes = 0;
    while (count < this.waiting.length && (count === 0 || bytes + this.waiting[count].bytes <= groupBytes)) {
      bytes += this.waiting[count++].bytes;
    }
    return this.waiting.splice(0, count);
  }

  private hasRoom(bytes: number): boolean {
    return this.bytes + bytes + segmentHeaderBytes <= this.options.maxBytes;
  }

  /** Deletes what may be deleted; whether `bytes` more may be written then. */
  private async makeRoom(bytes: number): Promise<boolean> {
    const { full, events } = this.options;
    if (this.consumers.every((consumer) => consumer.isDone)) {
      await this.seal();
      await this.release();
    }
    while (full === "drop-oldest" && !this.hasRoom(bytes) && this.segments.length > 0) {
      const oldest = this.segments[0];
      if (oldest === this.active?.segment) await this.seal();
      this.segments.shift();
      let records = 0;
      let points = 0;
      for (const consumer of this.consumers) {
        const lost = consumer.skip(oldest);
        records = Math.max(records, lost.records);
        points = Math.max(points, lost.points);
      }
      await this.discard(oldest);
      if (records > 0) events.dropped(records, points);
    }
    return this.hasRoom(bytes);
  }

  private async append(group: readonly Waiting[], bytes: number): Promise<void> {
    const { segment, file } = await this.writable(bytes);
    const parts = framesOf(group);
    try {
      await file.write(parts, segment.end);
      if (this.options.sync === "group") await file.sync();
    } catch (error) {
      // What the device holds after a failed sync is unknown: nothing is appended to this file any more.
      this.options.events.failed(segmentName(segment.number), error as Error);
      this.active = undefined;
      await file.truncate(segment.end).catch(() => {});
      await file.close().catch(() => {});
      throw error;
    }
    for (const { record, time, bytes: size } of group) {
      segment.end += size;
      segment.records++;
      segment.points += record.points;
      for (const consumer of this.consumers) {
        consumer.added(record.points, time);
        consumer.arrived(record);
      }
    }
  }

  private async writable(bytes: number): Promise<{ segment: Segment; file: QueueFile }> {
    if (this.active !== undefined) {
      const { end } = this.active.segment;
      if (end + bytes <= this.options.segmentBytes || end === segmentHeaderBytes) return this.active;
      await this.seal();
      await this.release();
    }
    const { files, folder, sync, events, now } = this.options;
    const number = ++this.lastNumber;
    const name = segmentName(number);
    const header = segmentHeader(now());
    const format = formatOf(header, name)!;
    let file: QueueFile | undefined;
    try {
      file = await files.open(path.join(folder, name));
      await file.write([header], 0);
      if (sync === "group") await files.syncFolder(folder);
    } catch (error) {
      events.failed(name, error as Error);
      await file?.close().catch(() => {});
      await files.remove(path.join(folder, name)).catch(() => {});
      throw error;
    }
    const segment: Segment = { number, format, end: segmentHeaderBytes, records: 0, points: 0, damaged: false };
    this.active = { segment, file };
    this.segments.push(segment);
    return this.active;
  }

  /** Ends the segment that is written to. */
  private async seal(): Promise<void> {
    const { active } = this;
    this.active = undefined;
    await active?.file.close().catch((error: Error) => {
      this.options.events.failed(segmentName(active.segment.number), error);
    });
  }
}

/** The frames of a group as parts to be written one after the other. */
function framesOf(group: readonly Waiting[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const copied = group.reduce((sum, { record, bytes }) => sum + bytes - bodyPart(record), 0);
  const block = Buffer.allocUnsafe(copied);
  let from = 0;
  let at = 0;
  for (const { record, time } of group) {
    at = writeFrameHead(block, at, record, time);
    if (bodyPart(record) > 0) {
      parts.push(block.subarray(from, at), record.body);
      from = at;
    } else {
      block.set(record.body, at);
      at += record.body.length;
    }
  }
  if (from < at) parts.push(block.subarray(from, at));
  return parts;
}

/** Bytes of the body when it is written from where it lies, 0 when it is copied. */
function bodyPart({ body }: NewRecord): number {
  return body.length > copiedBytes ? body.length : 0;
}
