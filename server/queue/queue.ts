// The durable queue. Records are appended to segment files, named consumers (readers) read the records in order,
// and a segment is deleted when every consumer has acknowledged its records.
//
// - A put is one call that adds a record. With `sync: "group"` the put resolves when its record is on the
//   storage device. All puts that arrive during a sync are synced together by the next sync. With `sync: "os"`
//   a put resolves when its record is written to the file: the record survives the end of the process, but not
//   a loss of power.
// - When a small put has the option `joins`, its record is joined into one record with the puts that wait
//   before it.
// - The queue removes the record of a failed put from the disk if the disk allows it. If not, the record may be
//   delivered although its put failed. A failed put never makes the queue lose another record.
// - A record at the end of the newest segment that was not written completely is cut off when the queue is
//   opened. A damaged record elsewhere is skipped and counted, and its segment is moved to `aside/` instead of
//   being deleted. When several puts were joined into the damaged record, only the damaged puts are left out.
// - The file of a deleted segment may be kept as the spare (log/spare.ts), which the next segment overwrites.

import path from "node:path";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { QueueConsumer } from "./delivery/consumer.ts";
import { openSegment } from "./delivery/opening.ts";
import { Cursor, isBefore } from "./log/cursor.ts";
import { lostOf, Mark, markName } from "./log/mark.ts";
import { type Pending, PendingRecords } from "./log/pending.ts";
import { putAside, segmentName, segmentNumber } from "./log/segment-files.ts";
import { longestHeader } from "./log/segment-header.ts";
import { bytesOf, SegmentWriter } from "./log/segment-writer.ts";
import { Spare, spareName } from "./log/spare.ts";
import { Outage, reasonOf } from "./outage.ts";
import { probeFolder, probeName } from "./probe.ts";
import type { NewRecord, QueueOptions, Segment } from "./types.ts";

/** Thrown when the queue already holds `maxBytes` bytes. The record was not stored. */
export class QueueFull extends Error {}

/** Thrown when the record could not be written to the disk. The record was not stored. */
export class QueueFailed extends Error {}

/** Largest number of bytes of records that are written and synced together. */
const groupBytes = 16 << 20;

export async function openQueue(options: QueueOptions): Promise<DiskQueue> {
  const { files, folder } = options;
  await files.makeFolder(folder);
  const names = await files.list(folder);
  for (const name of names) {
    if (name === spareName || name === probeName) await files.remove(path.join(folder, name)).catch(() => {});
  }
  for (const name of names) {
    if (name.startsWith("cursor-") && !options.consumers.some((consumer) => name === `cursor-${consumer}`)) {
      await files.remove(path.join(folder, name));
    }
  }
  const cursors: Cursor[] = [];
  let mark: Mark | undefined;
  try {
    mark = await Mark.open(files, path.join(folder, markName));
    for (const name of options.consumers) cursors.push(await Cursor.open(files, path.join(folder, `cursor-${name}`)));
    const consumers = cursors.map((cursor) => new QueueConsumer(cursor));
    const segments: Segment[] = [];
    const numbers = names.map(segmentNumber).filter((number) => number !== undefined);
    for (const number of numbers) {
      const segment = await openSegment(options, consumers, number, number === numbers.at(-1));
      if (segment !== undefined) segments.push(segment);
    }
    await compareWithMark(options, mark, segments, consumers);
    const passed = consumers.map(({ acknowledged }) => acknowledged.segment);
    const lastNumber = Math.max(numbers.at(-1) ?? 0, mark.contents.newest, ...passed);
    const queue = new DiskQueue(options, segments, consumers, mark, lastNumber);
    await queue.release();
    return queue;
  } catch (error) {
    await mark?.close();
    await Promise.all(cursors.map((cursor) => cursor.leave()));
    throw error;
  }
}

/**
 * Compares the mark (the file that says how much each segment held) with the segment files. Reports missing records as
 * lost, and updates the mark to the contents of the files.
 */
async function compareWithMark(
  { events }: QueueOptions,
  mark: Mark,
  segments: readonly Segment[],
  consumers: readonly QueueConsumer[],
): Promise<void> {
  const found = new Map(segments.map((segment) => [segment.number, segment]));
  const gone: number[] = [];
  for (const [number, entry] of mark.contents.segments) {
    const segment = found.get(number);
    const passed = consumers.map((consumer) => consumer.passedIn(number));
    const lost = lostOf(entry, segment ?? { end: 0, records: 0, points: 0 }, passed);
    if (lost !== undefined) {
      events.lost(segmentName(number), lost);
      mark.addLost(lost);
    }
    if (segment === undefined) gone.push(number);
  }
  await mark.forget(gone);
  for (const segment of segments) mark.note(segment.number, segment);
}

export class DiskQueue {
  readonly consumers: readonly QueueConsumer[];
  /** The spare (the file that is kept for the next segment). Other objects may remove the spare at any time. */
  readonly spare: Spare;
  private readonly options: QueueOptions;
  /** Segment files of the queue, oldest first. */
  private readonly segments: Segment[];
  private lastNumber: number;
  private readonly waiting: PendingRecords;
  private flushing: Promise<void> | undefined;
  /** Writer of the newest segment (file of the queue); undefined when no segment is being written. */
  private active: SegmentWriter | undefined;
  private readonly mark: Mark;
  private readonly outage: Outage;
  /** Size in bytes of the largest write that failed in the current outage. Test writes have this size. */
  private bytesFailed = 0;
  private closed = false;

  /** Only `openQueue` may call this constructor. */
  constructor(
    options: QueueOptions,
    segments: Segment[],
    consumers: readonly QueueConsumer[],
    mark: Mark,
    lastNumber: number,
  ) {
    this.options = options;
    this.segments = segments;
    this.consumers = consumers;
    this.mark = mark;
    this.lastNumber = lastNumber;
    this.waiting = new PendingRecords(options.joining, options.now);
    this.spare = new Spare(options);
    const { events, giveUpRoom = () => this.giveUpRoom() } = options;
    this.outage = new Outage({
      probe: async () => {
        await giveUpRoom();
        await probeFolder(options, this.bytesFailed);
      },
      began: (error) => {
        events.unwritable(error);
        void giveUpRoom();
      },
      ended: () => {
        this.bytesFailed = 0;
        events.writable();
      },
    });
    for (const consumer of consumers) consumer.attach(this, options);
  }

  /** Size in bytes of the files of all segments and of the spare (the file that is kept for the next segment). */
  get bytes(): number {
    return this.segments.reduce((sum, segment) => sum + bytesOf(segment), this.spare.bytes);
  }

  /** The part of `bytes` that `giveUpRoom` gives back. */
  get spareBytes(): number {
    return this.overwritable + this.spare.bytes;
  }

  /** Number of bytes that can be written to the newest segment without making its file longer. */
  private get overwritable(): number {
    return this.active === undefined ? 0 : bytesOf(this.active.segment) - this.active.segment.end;
  }

  /**
   * Size in bytes of the segment files that the queue still needs. 0 when every consumer has acknowledged all records:
   * the queue may then delete all of these files to make room for the next record.
   */
  get neededBytes(): number {
    return this.isDone ? 0 : this.bytes - this.spareBytes;
  }

  get files(): number {
    return this.segments.length;
  }

  /** The reason why records cannot be written now; undefined while they can. */
  get failure(): string | undefined {
    return this.outage.reason;
  }

  /** Adds a record. Resolves when the record is stored. Rejects with QueueFull or QueueFailed. */
  put(record: NewRecord): Promise<void> {
    if (this.closed) return Promise.reject(new QueueFailed("the queue is closed"));
    const kept = this.waiting.put(record);
    this.flushing ??= this.flush();
    return kept;
  }

  async close(): Promise<void> {
    this.closed = true;
    while (this.flushing !== undefined) await this.flushing;
    await this.outage.close();
    await this.seal();
    await this.spare.remove();
    for (const consumer of this.consumers) await consumer.close();
    await this.mark.close();
  }

  /**
   * Gives back the room on the disk that the queue keeps only to be faster: removes the spare, and ends the newest
   * segment when bytes of an older segment are after its end. A queue that is being written uses these bytes soon, so it
   * keeps its newest segment.
   */
  async giveUpRoom(): Promise<void> {
    if (this.flushing === undefined && !this.closed && this.overwritable > 0) {
      this.flushing = this.sealBetweenWrites();
      await this.flushing;
      await this.release();
    }
    await this.spare.remove();
  }

  /** Ends the newest segment while no other code writes to it. */
  private async sealBetweenWrites(): Promise<void> {
    await this.seal();
    this.flushing = this.waiting.isEmpty ? undefined : this.flush();
  }

  /** Returns the first segment whose number is at least `number`; undefined when there is none. */
  segmentFrom(number: number): Segment | undefined {
    return this.segments.find((segment) => segment.number >= number);
  }

  pathOf(segment: Segment): string {
    return path.join(this.options.folder, segmentName(segment.number));
  }

  /**
   * Deletes the segments that every consumer has acknowledged, or keeps the file of one of them as the spare (the file
   * that the next segment overwrites). Consumers call this method after they have acknowledged records.
   */
  async release(): Promise<void> {
    for (let passed = this.passed(); passed.length > 0; passed = this.passed()) {
      await this.forget(passed);
      // This method may run several times at once. A call takes a segment out of the list before it discards the
      // segment, so that no other call discards the same segment.
      while (passed.includes(this.segments[0]!)) {
        const segment = this.segments.shift()!;
        const isSpare = segment.reusable && !segment.damaged && !this.closed && (await this.spare.keep(segment));
        if (!isSpare) await this.discard(segment);
      }
    }
  }

  /**
   * Returns the oldest segments whose records every consumer has acknowledged. Also notes in the mark (the file
   * that says how much each segment holds) how many records of each segment all consumers have acknowledged.
   */
  private passed(): Segment[] {
    const last = this.consumers.reduce((least, each) =>
      isBefore(each.acknowledged, least.acknowledged) ? each : least,
    );
    const { segment: number, offset } = last.acknowledged;
    this.mark.pass(number, last.passedIn(number));
    const end = this.segments.findIndex(
      (segment) =>
        segment === this.active?.segment ||
        segment.number > number ||
        (segment.number === number && offset < segment.end),
    );
    return this.segments.slice(0, end < 0 ? this.segments.length : end);
  }

  /**
   * Closes the files of the given segments and removes the segments from the mark (the file that says how much each
   * segment holds). Called before the files are removed.
   */
  private async forget(segments: readonly Segment[]): Promise<void> {
    // The files are closed first, because a removed file takes room on the disk as long as it is open.
    for (const consumer of this.consumers) {
      for (const segment of segments) {
        await consumer
          .leave(segment)
          .catch((error: Error) => this.options.events.failed(segmentName(segment.number), error));
      }
    }
    await this.mark
      .forget(segments.map(({ number }) => number))
      .catch((error: Error) => this.options.events.failed(markName, error));
  }

  /** Discards a segment: moves its file to `aside/` when it is damaged, or removes it. */
  private async discard(segment: Segment): Promise<void> {
    const name = segmentName(segment.number);
    try {
      if (segment.damaged) await putAside(this.options, name);
      else await this.options.files.remove(this.pathOf(segment));
    } catch (error) {
      // The file of the segment could not be moved or removed. It stays until the next start of the queue, which tries
      // again to move or remove the file.
      this.options.events.failed(name, error as Error);
    }
  }

  private async flush(): Promise<void> {
    // All records that are added to the queue during one turn of the event loop are written together.
    await endOfTurn();
    while (!this.waiting.isEmpty) {
      const group = this.waiting.take(groupBytes);
      const accepted: Pending[] = [];
      let bytes = 0;
      for (const each of group) {
        const wanted = bytes + each.bytes;
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
        this.bytesFailed = Math.max(this.bytesFailed, bytes);
        this.outage.failed(reason);
        for (const each of accepted)
          each.reject(new QueueFailed(`the queue could not be written: ${reasonOf(reason)}`));
        continue;
      }
      for (const each of accepted) each.resolve();
    }
    // The last check of `isEmpty` found no waiting record, and no `await` lies between this check and the next line.
    // So no record can have been added in between, and the next record that is added starts a new flush.
    this.flushing = undefined;
  }

  private get isDone(): boolean {
    return this.consumers.every((consumer) => consumer.isDone);
  }

  private hasRoom(bytes: number): boolean {
    return this.bytes - this.overwritable + bytes + longestHeader <= this.options.maxBytes;
  }

  /**
   * Makes room for `bytes` more bytes. Deletes acknowledged segments and, if this is not enough, the spare (the file
   * that is kept for the next segment). If the option `full` is "drop-oldest", then also deletes as many of the oldest
   * segments as needed. Returns whether the bytes may then be written.
   */
  private async makeRoom(bytes: number): Promise<boolean> {
    const { full, events } = this.options;
    if (this.isDone) {
      await this.seal();
      await this.release();
    }
    if (!this.hasRoom(bytes)) await this.spare.remove();
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
      await this.forget([oldest]);
      await this.discard(oldest);
      if (records > 0) events.dropped(records, points);
    }
    return this.hasRoom(bytes);
  }

  private async append(group: readonly Pending[], bytes: number): Promise<void> {
    const writer = await this.writable(bytes);
    let points = 0;
    try {
      await writer.append(group, (record) => {
        points += record.points;
        for (const consumer of this.consumers) {
          consumer.added(record.points, record.time);
          consumer.arrived(record);
        }
      });
    } catch (error) {
      this.active = undefined;
      if (writer.segment.records === 0) await this.forgetNewest();
      throw error;
    }
    this.mark.note(writer.segment.number, writer.segment);
    this.options.events.written?.(points, bytes);
  }

  private async writable(bytes: number): Promise<SegmentWriter> {
    if (this.active !== undefined) {
      const { end, records } = this.active.segment;
      if (end + bytes <= this.options.segmentBytes || records === 0) return this.active;
      await this.seal();
      await this.release();
    }
    this.active = await SegmentWriter.begin(this.options, this.spare, ++this.lastNumber);
    this.segments.push(this.active.segment);
    return this.active;
  }

  /**
   * Removes the newest segment when it has no record. Without this method, each failed write would leave an empty file.
   */
  private async forgetNewest(): Promise<void> {
    const segment = this.segments.pop();
    if (segment !== undefined) await this.discard(segment);
  }

  /** Ends the newest segment, so that the next record is written to a new segment. */
  private async seal(): Promise<void> {
    const { active } = this;
    this.active = undefined;
    await active?.seal();
  }
}
