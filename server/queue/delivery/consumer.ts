// One consumer (reader) of a queue. It knows the position of the next record to read and the records that were
// read but not yet acknowledged, and it wakes the task that waits for new records.

import { type Cursor, isBefore, type Position } from "../log/cursor.ts";
import type { QueueFile } from "../log/files.ts";
import { LatestRecords } from "../log/latest.ts";
import type { Passed } from "../log/mark.ts";
import { type Frame, SegmentReader } from "../log/segment.ts";
import { segmentName } from "../log/segment-files.ts";
import type { DiskQueue } from "../queue.ts";
import type { Backlog, QueueOptions, Segment, StoredRecord, WakeThreshold } from "../types.ts";

/** A consumer of a queue. One task reads the records, and one task acknowledges them; both may be the same task. */
export class QueueConsumer {
  private readonly cursor: Cursor;
  private queue!: DiskQueue;
  private options!: QueueOptions;
  /** The position in the queue of the next record that this consumer reads. */
  private position: Position;
  /** The records that were read but are not yet acknowledged, in the order of the queue. */
  private readonly taken: StoredRecord[] = [];
  private readonly latest = new LatestRecords();
  private isRead = false;
  /**
   * Whether the consumer has read damaged bytes. If so, the numbers of waiting records and points may be too high,
   * because they may include records that are destroyed.
   */
  private metDamage = false;
  /** The promise of the latest read of a segment file; it resolves even if the read fails. */
  private reading: Promise<unknown> = Promise.resolve();
  private open: { readonly segment: Segment; readonly file: QueueFile; readonly reader: SegmentReader } | undefined;
  private records = 0;
  private points = 0;
  private oldest = 0;
  /**
   * The segment that contains the acknowledged position, and the numbers of records and points in this segment
   * that are acknowledged.
   */
  private done = { segment: 0, records: 0, points: 0 };
  /** The numbers of records, points and bytes that were added to the queue since `next` last found no more record. */
  private readonly fresh = { records: 0, points: 0, bytes: 0 };
  private waiting: { readonly enough: WakeThreshold; readonly wakeUp: () => void } | undefined;

  constructor(cursor: Cursor) {
    this.cursor = cursor;
    this.position = cursor.acknowledged;
  }

  get acknowledged(): Position {
    return this.cursor.acknowledged;
  }

  /**
   * Finds the batch (records sent together) that contained a record before a restart and was not acknowledged.
   * Returns the end of this batch, or undefined when there is none. `end`: the end of the record.
   */
  plannedFrom(end: Position): Position | undefined {
    return this.cursor.planned.find((planned) => !isBefore(planned, end));
  }

  get backlog(): Backlog {
    return { records: this.records, points: this.points, oldest: this.records === 0 ? 0 : this.oldest };
  }

  /** The number of unacknowledged records that are still in memory and need not be read from the file. */
  get inMemory(): number {
    return this.latest.count;
  }

  get isDone(): boolean {
    return this.records === 0;
  }

  /**
   * Returns the next record, from memory when it was just written, otherwise from its file; undefined when all records
   * were read. Skips damaged bytes, and reports them through `events`. Throws when a file cannot be read.
   */
  async next(): Promise<StoredRecord | undefined> {
    this.isRead = true;
    for (;;) {
      const latest = this.latest.takeAt(this.position);
      if (latest !== undefined) return this.take(latest);
      const segment = this.queue.segmentFrom(this.position.segment);
      if (segment === undefined) return await this.nothingMore();
      const isSame = segment.number === this.position.segment;
      const { headerBytes } = segment.format;
      const offset = isSame ? Math.max(this.position.offset, headerBytes) : headerBytes;
      // A segment whose records were all read is not opened again, because its file may already be deleted.
      if (offset >= segment.end) {
        const following = this.queue.segmentFrom(segment.number + 1);
        if (following === undefined) return await this.nothingMore();
        this.position = { segment: following.number, offset: following.format.headerBytes };
        continue;
      }
      const found = await this.read(segment, offset);
      if (found === undefined || this.isDropped(segment)) {
        // The queue dropped this segment while its file was being opened or read, so reading continues with the next
        // segment. Its records are counted as dropped, also the one that was read.
        await this.leave(segment);
        continue;
      }
      if (found.kind === "record") {
        if (found.damagedBytes > 0) this.damaged(segment, found.start, found.damagedBytes);
        return this.take(recordOf(found, segment));
      }
      this.position = { segment: segment.number, offset: found.end };
      this.damaged(segment, found.start, found.end - found.start);
    }
  }

  /** Reports that a call of `next` has failed because a segment file cannot be read. */
  unreadable(error: Error): void {
    const { segment } = this.position;
    this.options.events.failed(segmentName(this.queue.segmentFrom(segment)?.number ?? segment), error);
  }

  private damaged(segment: Segment, offset: number, bytes: number): void {
    segment.damaged = true;
    this.metDamage = true;
    this.options.events.damaged(segmentName(segment.number), offset, bytes);
  }

  private take(record: StoredRecord): StoredRecord {
    this.position = record.end;
    this.taken.push(record);
    return record;
  }

  /**
   * Puts back a record that was read, so that `next` returns it again. Does nothing when the queue has dropped the
   * segment of the record.
   */
  unread(record: StoredRecord): void {
    const at = this.taken.indexOf(record);
    if (at < 0) return;
    this.taken.length = at;
    this.position = record.start;
    this.latest.giveBack(record);
  }

  /**
   * Waits for new records. Resolves when at least `enough` records, points or bytes were added to the queue since
   * `next` last found no more record, when `wake()` is called, or after `ms` milliseconds. Only one task may wait.
   */
  wait(ms: number, enough: WakeThreshold = { records: 1 }): Promise<void> {
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

  /**
   * Saves the end of a batch (records sent together) that is about to be sent. If the batch has to be sent again
   * after a restart, it then has the same end.
   */
  async plan(end: Position): Promise<void> {
    this.cursor.plan(end);
    await this.cursor.save();
  }

  /** Acknowledges all records before `end`. The queue no longer needs to keep these records for this consumer. */
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
    this.cursor.acknowledge(end);
    void this.cursor.save();
    await this.queue.release();
  }

  async close(): Promise<void> {
    this.wake();
    await this.open?.file.close();
    this.open = undefined;
    await this.cursor.close();
  }

  // Only the queue calls `passedIn` and the methods below it in this class.

  /**
   * Returns the position up to which this consumer has acknowledged all records. If the position is in the segment
   * with the given number, also returns the numbers of acknowledged records and points of this segment; otherwise
   * these two numbers are 0.
   */
  passedIn(segment: number): Passed {
    const { acknowledged, done } = this;
    const { records, points } = done.segment === segment ? done : { records: 0, points: 0 };
    return { acknowledged, records, points };
  }

  attach(queue: DiskQueue, options: QueueOptions): void {
    this.queue = queue;
    this.options = options;
  }

  /** Counts a record that was found in a segment file while the queue was being opened. */
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

  arrived(record: StoredRecord): void {
    this.fresh.records++;
    this.fresh.points += record.points;
    this.fresh.bytes += record.body.length;
    // The record is kept in memory only if a task reads the queue; `LatestRecords` also limits the memory that is
    // used.
    if (this.isRead) this.latest.add(record);
    this.wakeWhenEnough();
  }

  /** Closes the file of a segment that the queue is about to delete. */
  async leave(segment: Segment): Promise<void> {
    const { open } = this;
    if (open?.segment !== segment) return;
    this.open = undefined;
    await this.reading;
    await open.file.close();
  }

  /**
   * Skips a segment that the queue is about to delete. Returns the numbers of records and points that this
   * consumer loses.
   */
  skip(segment: Segment): { readonly records: number; readonly points: number } {
    const after = { segment: segment.number + 1, offset: 0 };
    if (!isBefore(this.cursor.acknowledged, after)) return { records: 0, points: 0 };
    const lost = this.leftOf(segment);
    while (this.taken.length > 0 && this.taken[0].start.segment === segment.number) this.taken.shift();
    if (isBefore(this.position, after)) this.position = after;
    this.records -= lost.records;
    this.points -= lost.points;
    this.oldest = this.taken[0]?.time ?? this.queue.segmentFrom(after.segment)?.oldest ?? 0;
    this.cursor.acknowledge(after);
    void this.cursor.save();
    return lost;
  }

  /**
   * Returns the numbers of unacknowledged records and points of a segment. If the segment was read to its end,
   * counts only the records that were read, because a damaged segment contains fewer records than were written.
   */
  private leftOf(segment: Segment): { readonly records: number; readonly points: number } {
    if (!isBefore(this.position, { segment: segment.number, offset: segment.end })) {
      const left = this.taken.filter(({ start }) => start.segment === segment.number);
      return { records: left.length, points: pointsOf(left) };
    }
    const done = this.done.segment === segment.number ? this.done : { records: 0, points: 0 };
    return {
      records: Math.min(segment.records - done.records, this.records),
      points: Math.min(segment.points - done.points, this.points),
    };
  }

  private async nothingMore(): Promise<undefined> {
    Object.assign(this.fresh, { records: 0, points: 0, bytes: 0 });
    if (!this.metDamage) return;
    // All records were read, so the number of records that were destroyed by damage is now known. Only the records
    // that were read and not yet acknowledged are still waiting.
    this.metDamage = false;
    this.records = this.taken.length;
    this.points = pointsOf(this.taken);
    if (this.taken.length > 0) this.oldest = this.taken[0].time;
    else await this.acknowledge(this.position);
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

  /** Reads a segment at `offset`. Returns undefined when the queue dropped the segment while its file was opened. */
  private async read(segment: Segment, offset: number): ReturnType<SegmentReader["at"]> {
    const reader = await this.readerOf(segment);
    if (reader === undefined || this.isDropped(segment)) return undefined;
    const found = reader.at(offset, segment.end);
    this.reading = found.catch(() => {});
    return await found;
  }

  private isDropped(segment: Segment): boolean {
    return this.queue.segmentFrom(segment.number) !== segment;
  }

  /**
   * Returns a reader for the segment, or undefined when the queue dropped the segment while its file was being
   * opened.
   */
  private async readerOf(segment: Segment): Promise<SegmentReader | undefined> {
    if (this.open?.segment !== segment) {
      if (this.open !== undefined) await this.leave(this.open.segment);
      try {
        const file = await this.options.files.open(this.queue.pathOf(segment));
        this.open = { segment, file, reader: new SegmentReader(file, segment.format, this.options.events.read) };
      } catch (error) {
        if (!this.isDropped(segment)) throw error;
        return undefined;
      }
    }
    return this.open.reader;
  }
}

function pointsOf(records: readonly StoredRecord[]): number {
  return records.reduce((sum, { points }) => sum + points, 0);
}

function recordOf({ start, end, time, points, meta, body }: Frame, { number: segment }: Segment): StoredRecord {
  return { body, meta, points, time, start: { segment, offset: start }, end: { segment, offset: end }, wasRead: true };
}
