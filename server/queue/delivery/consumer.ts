// One reader of a queue: where it reads, what it has read and not acknowledged, what waits for it.

import { type Cursor, isBefore, type Position } from "../log/cursor.ts";
import type { QueueFile } from "../log/files.ts";
import { LatestRecords } from "../log/latest.ts";
import type { Passed } from "../log/mark.ts";
import { type Frame, SegmentReader } from "../log/segment.ts";
import { segmentName } from "../log/segment-files.ts";
import type { DiskQueue } from "../queue.ts";
import type { Backlog, Enough, QueueOptions, Segment, StoredRecord } from "../types.ts";

/** Records are taken by one task, and acknowledged by one, which may be another. */
export class QueueConsumer {
  private readonly cursor: Cursor;
  private queue!: DiskQueue;
  private options!: QueueOptions;
  /** Where `next` reads. */
  private position: Position;
  /** Read and not acknowledged, in order. */
  private readonly taken: StoredRecord[] = [];
  private readonly latest = new LatestRecords();
  private isRead = false;
  /** Damage was met since the backlog was last known to be right. */
  private metDamage = false;
  /** A read that is under way. It never rejects. */
  private reading: Promise<unknown> = Promise.resolve();
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

  /** Where the batch that begins with the record of this end had its own, if it was under way when the process ended. */
  plannedFrom(end: Position): Position | undefined {
    return this.cursor.planned.find((planned) => !isBefore(planned, end));
  }

  get backlog(): Backlog {
    return { records: this.records, points: this.points, oldest: this.records === 0 ? 0 : this.oldest };
  }

  /** Records that wait and are still in memory. */
  get inMemory(): number {
    return this.latest.count;
  }

  get isDone(): boolean {
    return this.records === 0;
  }

  /** The next record when it is in memory: it has just been written, or was read from the file with others. */
  nextAtOnce(): StoredRecord | undefined {
    const { open, position } = this;
    const latest = this.latest.takeAt(position);
    if (latest !== undefined) return this.take(latest);
    if (open === undefined || open.segment.number !== position.segment) return undefined;
    if (this.queue.segmentFrom(position.segment) !== open.segment) return undefined;
    const found = open.reader.atOnce(position.offset, open.segment.end);
    return found === undefined ? undefined : this.take(recordOf(found, open.segment));
  }

  /** The next record; undefined when all were read. Damaged stretches are told to `events` and left behind. */
  async next(): Promise<StoredRecord | undefined> {
    this.isRead = true;
    for (;;) {
      const segment = this.queue.segmentFrom(this.position.segment);
      if (segment === undefined) return await this.nothingMore(true);
      const isSame = segment.number === this.position.segment;
      const { headerBytes } = segment.format;
      const offset = isSame ? Math.max(this.position.offset, headerBytes) : headerBytes;
      // Of a segment that was passed the file may be gone, or another's.
      const reader = offset < segment.end ? await this.readerOf(segment) : undefined;
      if (this.queue.segmentFrom(segment.number) !== segment) {
        // The segment was dropped while its file was opened.
        await this.leave(segment);
        continue;
      }
      const found = reader === undefined ? undefined : await this.read(reader, offset, segment.end);
      if (found === undefined) {
        const following = this.queue.segmentFrom(segment.number + 1);
        // What came while the file was read is met by the next call.
        if (following === undefined) return await this.nothingMore(offset >= segment.end);
        this.position = { segment: following.number, offset: following.format.headerBytes };
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

  /** `next` has failed. */
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

  /** `next` gives this record again, unless its segment was dropped meanwhile. */
  unread(record: StoredRecord): void {
    const at = this.taken.indexOf(record);
    if (at < 0) return;
    this.taken.length = at;
    this.position = record.start;
    this.latest.giveBack(record);
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

  /** Remembers where a batch about to be sent ends. */
  async plan(end: Position): Promise<void> {
    this.cursor.plan(end);
    await this.cursor.save();
  }

  /** Everything before `end` is done, and need not be kept for this consumer. */
  async acknowledge(end: Position): Promise<void> {
    while (this.taken.length > 0 && !isBefore(end, this.taken[0].end)) {
      const { points, time, start, body } = this.taken.shift()!;
      this.records--;
      this.points -= points;
      this.oldest = time;
      if (this.done.segment !== start.segment) this.done = { segment: start.segment, records: 0, points: 0 };
      this.done.records++;
      this.done.points += points;
      this.unneeded(body);
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

  // For the queue.

  /** Returns how much of the segment is acknowledged and was found in its file. */
  passedIn(segment: number): Passed {
    const { acknowledged, done } = this;
    const { records, points } = done.segment === segment ? done : { records: 0, points: 0 };
    return { acknowledged, records, points };
  }

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

  arrived(record: StoredRecord): void {
    this.fresh.records++;
    this.fresh.points += record.points;
    this.fresh.bytes += record.body.length;
    // Of a queue that nobody reads none is kept in memory.
    if (!this.isRead || !this.latest.add(record)) this.unneeded(record.body);
    this.wakeWhenEnough();
  }

  private unneeded(body: Uint8Array): void {
    if (this.options.consumers.length === 1) this.options.unneeded?.(body);
  }

  /** Closes the file of a segment that is about to be deleted. */
  async leave(segment: Segment): Promise<void> {
    const { open } = this;
    if (open?.segment !== segment) return;
    this.open = undefined;
    await this.reading;
    await open.file.close();
  }

  /** The segment is about to be deleted; gives what this consumer loses. */
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

  /** Not acknowledged: of a segment that was read to its end what was read, which is less than was written where it is damaged. */
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

  private async nothingMore(isAtEnd: boolean): Promise<undefined> {
    Object.assign(this.fresh, { records: 0, points: 0, bytes: 0 });
    if (!isAtEnd || !this.metDamage) return;
    // How many records a damaged stretch held is known only here: all that there were but those that were read.
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

  private read(reader: SegmentReader, offset: number, limit: number): ReturnType<SegmentReader["at"]> {
    const found = reader.at(offset, limit);
    this.reading = found.catch(() => {});
    return found;
  }

  /** Undefined when the segment was dropped meanwhile. */
  private async readerOf(segment: Segment): Promise<SegmentReader | undefined> {
    if (this.open?.segment !== segment) {
      if (this.open !== undefined) await this.leave(this.open.segment);
      try {
        const file = await this.options.files.open(this.queue.pathOf(segment));
        this.open = { segment, file, reader: new SegmentReader(file, segment.format, this.options.events.read) };
      } catch (error) {
        if (this.queue.segmentFrom(segment.number) === segment) throw error;
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
