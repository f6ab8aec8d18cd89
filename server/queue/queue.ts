// The durable queue: records appended to segment files, read in order by named consumers, deleted when all have passed.
//
// - A put resolves when its record is on the device (`sync: "group"`: puts that come while a sync is under way share the
//   next one) or written to the file (`sync: "os"`: survives the end of the process, not a loss of power).
// - A put that fails leaves no record behind as far as the disk lets itself be told so; it may come back as a repeat,
//   never as a loss.
// - What is torn at the end of the newest segment is cut off at opening. A damaged record elsewhere is jumped over and
//   counted, and its segment is moved to `aside/` in place of being deleted.

import path from "node:path";
import { Cursor, isBefore, type Position } from "./cursor.ts";
import type { QueueFile, QueueFiles } from "./files.ts";
import { type FrameFormat, formatOf, frameBytes, segmentHeader, segmentHeaderBytes, writeFrameHead } from "./frame.ts";
import { SegmentReader } from "./segment.ts";

export interface QueueOptions {
  readonly folder: string;
  readonly files: QueueFiles;
  /** Consumers by name; each gets every record. A cursor of another name is removed. */
  readonly consumers: readonly string[];
  /** Bytes of all segment files together. */
  readonly maxBytes: number;
  /** Size at which a segment is closed and the next one begun. */
  readonly segmentBytes: number;
  readonly sync: "group" | "os";
  /** What a put meets at `maxBytes`: a QueueFull, or room made by deleting the oldest segment. */
  readonly full: "refuse" | "drop-oldest";
  /** ms since 1970. */
  readonly now: () => number;
  readonly events: QueueEvents;
}

export interface QueueEvents {
  /** Records deleted before every consumer had them. */
  dropped(records: number, points: number): void;
  /** Bytes that are no record; the segment is kept aside. */
  damaged(file: string, offset: number, bytes: number): void;
  /** The end of a record that was being written when the process or machine ended. */
  torn(file: string, bytes: number): void;
  /** A write or sync failed; the puts it held were refused. */
  failed(file: string, error: Error): void;
}

export interface NewRecord {
  readonly body: Uint8Array;
  readonly meta: Uint8Array;
  readonly points: number;
}

export interface StoredRecord extends NewRecord {
  readonly start: Position;
  readonly end: Position;
  /** When it was put, ms since 1970. */
  readonly time: number;
}

export interface Backlog {
  readonly records: number;
  readonly points: number;
  /** When the oldest record was put, ms since 1970; 0 when there is none. */
  readonly oldest: number;
}

/** What a consumer waits for: any of these. */
export interface Enough {
  readonly records?: number;
  readonly points?: number;
  /** Of bodies. */
  readonly bytes?: number;
}

/** The queue holds `maxBytes`, nothing was taken. */
export class QueueFull extends Error {}

/** The record could not be written, nothing was taken. */
export class QueueFailed extends Error {}

interface Segment {
  readonly number: number;
  readonly format: FrameFormat;
  /** Where whole, durable frames end. */
  end: number;
  records: number;
  points: number;
  damaged: boolean;
}

interface Waiting {
  readonly record: NewRecord;
  readonly time: number;
  readonly bytes: number;
  resolve(): void;
  reject(error: Error): void;
}

/** Bytes written and synced in one go. */
const groupBytes = 16 << 20;
const asideFiles = 8;
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

/** One reader of a queue. Its methods are called by one task at a time. */
export class QueueConsumer {
  private readonly cursor: Cursor;
  private queue!: DiskQueue;
  private options!: QueueOptions;
  /** Where `next` reads. */
  private position: Position;
  /** Read and not acknowledged, in order. */
  private readonly taken: StoredRecord[] = [];
  private open: { readonly segment: Segment; readonly file: QueueFile; readonly reader: SegmentReader } | undefined;
  private records = 0;
  private points = 0;
  private oldest = 0;
  /** Acknowledged within the segment of the cursor. */
  private done = { segment: 0, records: 0, points: 0 };
  /** What came since `next` found nothing more. */
  private readonly fresh = { records: 0, points: 0, bytes: 0 };
  private waiting: { readonly enough: Enough; readonly wakeUp: () => void } | undefined;

  constructor(cursor: Cursor) {
    this.cursor = cursor;
    this.position = cursor.acknowledged;
  }

  get acknowledged(): Position {
    return this.cursor.acknowledged;
  }

  /** Where the batch that was under way when the process ended had its end. */
  get planned(): Position | undefined {
    return this.cursor.planned;
  }

  get backlog(): Backlog {
    return { records: this.records, points: this.points, oldest: this.records === 0 ? 0 : this.oldest };
  }

  get isDone(): boolean {
    return this.records === 0;
  }

  /** The next record; undefined when all were read. Damaged stretches are told to `events` and left behind. */
  async next(): Promise<StoredRecord | undefined> {
    for (;;) {
      const segment = this.queue.segmentFrom(this.position.segment);
      if (segment === undefined) return this.nothingMore();
      const isSame = segment.number === this.position.segment;
      const offset = isSame ? Math.max(this.position.offset, segmentHeaderBytes) : segmentHeaderBytes;
      const found = await (await this.readerOf(segment)).at(offset, segment.end);
      if (found === undefined) {
        const following = this.queue.segmentFrom(segment.number + 1);
        if (following === undefined) return this.nothingMore();
        this.position = { segment: following.number, offset: segmentHeaderBytes };
        continue;
      }
      this.position = { segment: segment.number, offset: found.end };
      if (found.kind === "damage") {
        segment.damaged = true;
        this.options.events.damaged(segmentName(segment.number), found.start, found.end - found.start);
        continue;
      }
      const start = { segment: segment.number, offset: found.start };
      const record: StoredRecord = { ...found, start, end: this.position };
      this.taken.push(record);
      return record;
    }
  }

  /** `next` gives this record again. */
  unread(record: StoredRecord): void {
    const at = this.taken.indexOf(record);
    if (at >= 0) this.taken.length = at;
    this.position = record.start;
  }

  /** Resolves when `enough` has come since `next` found nothing more, at `wake()`, or after `ms`. */
  wait(ms: number, enough: Enough = { records: 1 }): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wake(), ms);
      const wakeUp = () => {
        clearTimeout(timer);
        this.waiting = undefined;
        resolve();
      };
      this.waiting = { enough, wakeUp };
      this.wakeWhenEnough();
    });
  }

  wake(): void {
    this.waiting?.wakeUp();
  }

  /** Remembers where the batch about to be sent ends. */
  async plan(end: Position): Promise<void> {
    this.cursor.planned = end;
    await this.cursor.save();
  }

  /** Everything before `end` is done, and need not be kept for this consumer. */
  async acknowledge(end: Position): Promise<void> {
    while (this.taken.length > 0 && !isBefore(end, this.taken[0].end)) {
      const { points, time, start } = this.taken.shift()!;
      this.records--;
      this.points -= points;
      this.oldest = time;
      if (this.done.segment !== start.segment) this.done = { segment: start.segment, records: 0, points: 0 };
      this.done.records++;
      this.done.points += points;
    }
    if (this.taken.length > 0) this.oldest = this.taken[0].time;
    if (!isBefore(this.cursor.acknowledged, end)) return;
    this.cursor.acknowledged = end;
    this.cursor.planned = undefined;
    void this.cursor.save();
    await this.queue.release();
  }

  async close(): Promise<void> {
    this.wake();
    await this.open?.file.close();
    this.open = undefined;
    await this.cursor.close();
  }

  // For the queue.

  attach(queue: DiskQueue, options: QueueOptions): void {
    this.queue = queue;
    this.options = options;
  }

  /** A record met at opening. */
  seen(end: Position, points: number, time: number): void {
    if (isBefore(this.cursor.acknowledged, end)) {
      this.added(points, time);
      return;
    }
    if (end.segment !== this.cursor.acknowledged.segment) return;
    if (this.done.segment !== end.segment) this.done = { segment: end.segment, records: 0, points: 0 };
    this.done.records++;
    this.done.points += points;
  }

  added(points: number, time: number): void {
    if (this.records === 0) this.oldest = time;
    this.records++;
    this.points += points;
  }

  arrived({ points, body }: NewRecord): void {
    this.fresh.records++;
    this.fresh.points += points;
    this.fresh.bytes += body.length;
    this.wakeWhenEnough();
  }

  /** The segment is about to be deleted; gives what this consumer loses. */
  skip(segment: Segment): { readonly records: number; readonly points: number } {
    const after = { segment: segment.number + 1, offset: 0 };
    if (!isBefore(this.cursor.acknowledged, after)) return { records: 0, points: 0 };
    const done = this.done.segment === segment.number ? this.done : { records: 0, points: 0 };
    const lost = { records: segment.records - done.records, points: segment.points - done.points };
    while (this.taken.length > 0 && this.taken[0].start.segment === segment.number) this.taken.shift();
    if (isBefore(this.position, after)) this.position = after;
    this.records -= lost.records;
    this.points -= lost.points;
    this.cursor.acknowledged = after;
    this.cursor.planned = undefined;
    void this.cursor.save();
    return lost;
  }

  private nothingMore(): undefined {
    Object.assign(this.fresh, { records: 0, points: 0, bytes: 0 });
  }

  private wakeWhenEnough(): void {
    if (this.waiting === undefined) return;
    const { records, points, bytes } = this.waiting.enough;
    const { fresh } = this;
    if (
      fresh.records >= (records ?? Number.POSITIVE_INFINITY) ||
      fresh.points >= (points ?? Number.POSITIVE_INFINITY) ||
      fresh.bytes >= (bytes ?? Number.POSITIVE_INFINITY)
    )
      this.waiting.wakeUp();
  }

  private async readerOf(segment: Segment): Promise<SegmentReader> {
    if (this.open?.segment !== segment) {
      await this.open?.file.close();
      this.open = undefined;
      const file = await this.options.files.open(this.queue.pathOf(segment));
      this.open = { segment, file, reader: new SegmentReader(file, segment.format) };
    }
    return this.open.reader;
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

export function segmentName(number: number): string {
  return `${String(number).padStart(16, "0")}.seg`;
}

export function segmentNumber(name: string): number | undefined {
  return /^\d{16}\.seg$/.test(name) ? Number(name.slice(0, 16)) : undefined;
}

/** Moves a damaged segment out of the way; of these the newest are kept. */
async function putAside({ files, folder }: QueueOptions, name: string): Promise<void> {
  const aside = path.join(folder, "aside");
  await files.makeFolder(aside);
  await files.rename(path.join(folder, name), path.join(aside, name));
  const kept = await files.list(aside);
  for (const old of kept.slice(0, Math.max(0, kept.length - asideFiles))) await files.remove(path.join(aside, old));
}
