// The durable queue: records appended to segment files, read in order by named consumers, deleted when all have passed.
//
// - A put resolves when its record is on the device (`sync: "group"`: puts that come while a sync is under way share the
//   next one) or written to the file (`sync: "os"`: survives the end of the process, not a loss of power).
// - Small puts that allow it become one record with those that wait before them.
// - A put that fails leaves no record behind as far as the disk lets itself be told so; it may come back as a repeat,
//   never as a loss.
// - What is torn at the end of the newest segment is cut off at opening. A damaged record elsewhere is jumped over and
//   counted, and its segment is moved to `aside/` in place of being deleted; of a record that several puts became, only
//   those that are damaged.

import path from "node:path";
import { QueueConsumer } from "./consumer.ts";
import { Cursor, isBefore } from "./cursor.ts";
import type { QueueFile } from "./files.ts";
import { formatOf, segmentHeader, segmentHeaderBytes } from "./frame.ts";
import { bytesOf, framesOf, join, type Pending, pendingOf } from "./pending.ts";
import { SegmentReader } from "./segment.ts";
import { putAside, segmentName, segmentNumber } from "./segment-files.ts";
import type { NewRecord, QueueOptions, Segment } from "./types.ts";

/** The queue holds `maxBytes`, nothing was taken. */
export class QueueFull extends Error {}

/** The record could not be written, nothing was taken. */
export class QueueFailed extends Error {}

/** Bytes written and synced in one go. */
const groupBytes = 16 << 20;

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
          if (found.damagedBytes > 0) segment.damaged = true;
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
  private waiting: Pending[] = [];
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
    const last = this.waiting.at(-1);
    if (last !== undefined && join(last, record)) return last.kept;
    const pending = pendingOf(record, this.options.now(), this.options.joining);
    this.waiting.push(pending);
    this.flushing ??= this.flush();
    return pending.kept;
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
      const accepted: Pending[] = [];
      let bytes = 0;
      for (const each of group) {
        const wanted = bytes + bytesOf(each);
        if (this.hasRoom(wanted) || (await this.makeRoom(wanted))) {
          accepted.push(each);
          bytes = wanted;
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

  private takeGroup(): Pending[] {
    let count = 0;
    let bytes = 0;
    while (count < this.waiting.length && (count === 0 || bytes + bytesOf(this.waiting[count]) <= groupBytes)) {
      bytes += bytesOf(this.waiting[count++]);
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

  private async append(group: readonly Pending[], bytes: number): Promise<void> {
    const { segment, file } = await this.writable(bytes);
    const { parts, bodies } = framesOf(group);
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
    for (const [at, pending] of group.entries()) {
      const { meta, points, time } = pending;
      const start = { segment: segment.number, offset: segment.end };
      segment.end += bytesOf(pending);
      segment.records++;
      segment.points += points;
      const end = { segment: segment.number, offset: segment.end };
      const record = { body: bodies[at]!, meta, points, time, start, end };
      for (const consumer of this.consumers) {
        consumer.added(points, time);
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
