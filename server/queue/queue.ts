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
// - The file of a segment that all have passed is kept as a spare, and becomes the next segment, overwritten in place.

import path from "node:path";
import { QueueConsumer } from "./delivery/consumer.ts";
import { openSegment } from "./delivery/opening.ts";
import { Cursor, isBefore } from "./log/cursor.ts";
import { lostOf, Mark, markName } from "./log/mark.ts";
import { type Pending, PendingRecords } from "./log/pending.ts";
import { putAside, segmentName, segmentNumber } from "./log/segment-files.ts";
import { longestHeader } from "./log/segment-header.ts";
import { SegmentWriter } from "./log/segment-writer.ts";
import { Spare, spareName } from "./log/spare.ts";
import { Outage, reasonOf } from "./outage.ts";
import { probeFolder, probeName } from "./probe.ts";
import { endOfTick } from "./turn.ts";
import type { NewRecord, QueueOptions, Segment } from "./types.ts";

/** The queue holds `maxBytes`, nothing was taken. */
export class QueueFull extends Error {}

/** The record could not be written, nothing was taken. */
export class QueueFailed extends Error {}

/** Bytes written and synced in one go. */
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

/** Reports what the files lack, and has the mark say what they hold. */
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
  private readonly options: QueueOptions;
  /** Oldest first. */
  private readonly segments: Segment[];
  private lastNumber: number;
  private readonly waiting: PendingRecords;
  private flushing: Promise<void> | undefined;
  /** Of the newest segment while it is written to. */
  private active: SegmentWriter | undefined;
  private readonly mark: Mark;
  private readonly spare: Spare;
  private readonly outage: Outage;
  /** Bytes of the largest write that failed in this outage. */
  private bytesFailed = 0;
  private closed = false;

  /** Use `openQueue`. */
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
    const { events } = options;
    this.outage = new Outage({
      probe: () => probeFolder(options, this.bytesFailed),
      began: (error) => events.unwritable(error),
      ended: () => {
        this.bytesFailed = 0;
        events.writable();
      },
    });
    for (const consumer of consumers) consumer.attach(this, options);
  }

  /**
   * Of all segments and the spare. The files never take more: a spare that becomes a segment is overwritten before the file grows, and
   * was counted whole when the others were written.
   */
  get bytes(): number {
    return this.segments.reduce((sum, segment) => sum + segment.end, this.spare.bytes);
  }

  /** Of `bytes` those that are free at any moment. */
  get spareBytes(): number {
    return this.spare.bytes;
  }

  /** Of `bytes` those that the next put cannot have: what every consumer has passed makes room for it. */
  get neededBytes(): number {
    return this.isDone ? 0 : this.bytes - this.spare.bytes;
  }

  async removeSpare(): Promise<void> {
    await this.spare.remove();
  }

  get files(): number {
    return this.segments.length;
  }

  /** Why puts are refused, as long as they cannot be written; undefined while they can. */
  get failure(): string | undefined {
    return this.outage.reason;
  }

  /** Resolves when the record is kept; rejects with QueueFull or QueueFailed when it is not. */
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
    await this.spare.end();
    for (const consumer of this.consumers) await consumer.close();
    await this.mark.close();
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
    for (let passed = this.passed(); passed.length > 0; passed = this.passed()) {
      await this.forget(passed);
      // When several calls run at once, exactly one of them discards a segment.
      while (passed.includes(this.segments[0]!)) await this.discard(this.segments.shift()!, true);
    }
  }

  /** The oldest segments, as far as every consumer has passed them. */
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

  /** Before the files of these segments are removed. */
  private async forget(segments: readonly Segment[]): Promise<void> {
    // A file that is open keeps its room on the disk when it is removed.
    for (const consumer of this.consumers) for (const segment of segments) await consumer.leave(segment);
    await this.mark
      .forget(segments.map(({ number }) => number))
      .catch((error: Error) => this.options.events.failed(markName, error));
  }

  /** The file of a segment that not all have passed may be read at this moment. */
  private async discard(segment: Segment, isPassed: boolean): Promise<void> {
    const name = segmentName(segment.number);
    try {
      if (segment.damaged) await putAside(this.options, name);
      else if (!isPassed || !(await this.spare.keep(segment))) await this.options.files.remove(this.pathOf(segment));
    } catch (error) {
      // The file stays until the next start, which finds it passed and tries again.
      this.options.events.failed(name, error as Error);
    }
  }

  private async flush(): Promise<void> {
    // The puts of a turn go together.
    await endOfTick();
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
    // In the same turn as the last look: a put that comes later starts the next flush.
    this.flushing = undefined;
  }

  private get isDone(): boolean {
    return this.consumers.every((consumer) => consumer.isDone);
  }

  private hasRoom(bytes: number): boolean {
    return this.bytes + bytes + longestHeader <= this.options.maxBytes;
  }

  /** Deletes what may be deleted; whether `bytes` more may be written then. */
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
      await this.discard(oldest, false);
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

  /** Removes the newest segment, into which nothing could be written: each put that fails would leave another such file. */
  private async forgetNewest(): Promise<void> {
    const segment = this.segments.pop();
    if (segment !== undefined) await this.discard(segment, false);
  }

  /** Ends the segment that is written to. */
  private async seal(): Promise<void> {
    const { active } = this;
    this.active = undefined;
    await active?.seal();
  }
}
