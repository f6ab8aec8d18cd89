// The high-water mark file of a queue (the mark file). It lies beside the segment files and has an entry for each live
// segment (one whose file is still needed), which says how much the segment file holds. When the queue is opened, the
// entries show which records a segment file once had and has lost, for example because the file was cut or deleted.
//
// The mark file is divided into places. Each place holds the entry of one segment (except place 0):
//
//   place of 128 bytes   two slots. Each new version of the entry overwrites the slot with the older version, so that
//                        the newer version stays intact when a write is interrupted
//   slot of 64 bytes     0 u32 CRC-32 of bytes 8..64
//                        8 f64 generation: how often the entry was written; the slot with the higher number is valid
//                        16 f64 segment number
//                        24 f64 length of the segment's contents in bytes; 0 when the segment file is no longer needed
//                        32 f64 records   40 f64 points
//                        48 f64 records that all consumers have acknowledged
//                        56 f64 points that all consumers have acknowledged
//
// Place 0 counts the records and points that were found to be lost since the mark file was made. Segment n has place
// 1 + n mod 4096; when there are more than 4096 live segments, only the newest ones have a place.
//
// An entry never says more than the segment file once held:
// - The entry of a segment is written after the segment's records are on the storage device. This write is not synced,
//   so after a loss of power the mark file may be older than the segment files. Entries are written at most a hundred
//   times a second, because a write after each stored record would cost too much compared with storing a small record.
// - The entry of a segment is removed before the segment file is removed, and the mark file is synced between these two
//   steps. So when a segment has an entry and no file, its file was lost.

import { isBefore, type Position } from "./cursor.ts";
import { type QueueFile, type QueueFiles, unlessGone } from "./files.ts";
import { encodeSlot, numbersIn } from "./slots.ts";

export const markName = "mark";

const slotBytes = 64;
/** Offset in a slot of the first byte that its CRC covers. */
const summedFrom = 8;
const placeBytes = 2 * slotBytes;
const capacity = 4096;
/** Least time from one write of the high-water mark file to the next, in milliseconds. */
export const spacingMs = 10;

interface Counts {
  readonly records: number;
  readonly points: number;
}

/**
 * The contents of a segment file: the number of records and points, and their length in bytes (`end`). `end` is 0 when
 * the file is no longer needed.
 */
export interface Holding extends Counts {
  readonly end: number;
}

interface Entry {
  generation: number;
  number: number;
  end: number;
  records: number;
  points: number;
  passedRecords: number;
  passedPoints: number;
}

export interface MarkContents {
  /** Entries of the high-water mark file by segment number, in ascending order. */
  readonly segments: ReadonlyMap<number, Readonly<Entry>>;
  /**
   * The highest segment number that was ever noted in the high-water mark file, including segments that were removed
   * from it.
   */
  readonly newest: number;
  /** Number of records and points that were found to be lost so far. */
  readonly lost: Counts;
}

export interface Lost extends Counts {
  /** Number of bytes that are missing from the segment file. */
  readonly bytes: number;
}

/**
 * The position up to which a consumer (reader) has acknowledged records, and the number of records and points
 * before this position that are still in the segment file.
 */
export interface Passed extends Counts {
  readonly acknowledged: Position;
}

/**
 * Compares the entry of a segment in the high-water mark file with the segment's file. Returns the records that are
 * missing from the segment's file and that at least one consumer has not acknowledged; undefined when there are none.
 */
export function lostOf(entry: Readonly<Entry>, found: Holding, consumers: readonly Passed[]): Lost | undefined {
  const end = { segment: entry.number, offset: entry.end };
  const left = consumers.filter(({ acknowledged }) => isBefore(acknowledged, end));
  const most = (of: "records" | "points", passed: number) =>
    Math.max(
      0,
      ...left.map(({ acknowledged, ...before }) => {
        const isWithin = acknowledged.segment === entry.number;
        const done = isWithin ? Math.max(passed, before[of]) : 0;
        const there = isWithin ? found[of] - before[of] : found[of];
        return entry[of] - done - there;
      }),
    );
  const records = most("records", entry.passedRecords);
  const points = most("points", entry.passedPoints);
  return records === 0 && points === 0 ? undefined : { records, points, bytes: Math.max(0, entry.end - found.end) };
}

/**
 * Reads a high-water mark file, to which another process may be writing. Returns empty contents when there is no file.
 */
export async function readMark(files: QueueFiles, path: string): Promise<MarkContents> {
  const file = await unlessGone(files.open(path));
  if (file === undefined) return contentsOf(new Map());
  try {
    const size = await unlessGone(files.size(path));
    return contentsOf(size === undefined ? new Map() : await entriesIn(file, size));
  } finally {
    await file.close();
  }
}

export class Mark {
  private readonly file: QueueFile;
  /** Entries of the high-water mark file, by the number of their place (a fixed range of bytes) in the file. */
  private readonly entries: Map<number, Entry>;
  /** Numbers of the places (fixed ranges of bytes in the file) whose entries changed since they were last written. */
  private readonly dirty = new Set<number>();
  private writing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = Number.NEGATIVE_INFINITY;

  private constructor(file: QueueFile, entries: Map<number, Entry>) {
    this.file = file;
    this.entries = entries;
  }

  static async open(files: QueueFiles, path: string): Promise<Mark> {
    const file = await files.openOrMake(path);
    try {
      const mark = new Mark(file, await entriesIn(file, await files.size(path)));
      // A new high-water mark file is written at once, so that the file system allocates its space now. Later the disk
      // may be full, and then the file could not grow.
      if (!mark.entries.has(0)) mark.write(0, { end: 0, records: 0, points: 0 });
      return mark;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get contents(): MarkContents {
    return contentsOf(this.entries);
  }

  /**
   * Stores in the high-water mark file how far a segment is filled. Called when the segment's records are on the
   * storage device.
   */
  note(number: number, { end, records, points }: Holding): void {
    const entry = this.of(number);
    if (entry === undefined) this.write(number, { end, records, points });
    else if (entry.end !== end || entry.records !== records || entry.points !== points) {
      entry.end = end;
      entry.records = records;
      entry.points = points;
      this.save(placeOf(number));
    }
  }

  /** Stores in the high-water mark file how many records and points of a segment all consumers have acknowledged. */
  pass(number: number, { records, points }: Counts): void {
    const entry = this.of(number);
    if (entry === undefined || (entry.passedRecords === records && entry.passedPoints === points)) return;
    entry.passedRecords = records;
    entry.passedPoints = points;
    this.save(placeOf(number));
  }

  /** Adds to the numbers of lost records and points that the high-water mark file stores. */
  addLost({ records, points }: Counts): void {
    const before = this.entries.get(0)!;
    this.write(0, { end: 0, records: before.records + records, points: before.points + points });
  }

  /**
   * Removes segments from the high-water mark file. Resolves when the mark file is on the storage device; only then may
   * the caller remove the segment files. Rejects when the mark file cannot be synced.
   */
  async forget(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    for (const number of numbers) {
      if (this.of(number) !== undefined) this.write(number, { end: 0, records: 0, points: 0 });
    }
    await this.flush();
    await this.file.sync();
  }

  async close(): Promise<void> {
    await this.flush();
    await this.file.close();
  }

  private of(number: number): Entry | undefined {
    const entry = this.entries.get(placeOf(number));
    return entry?.number === number ? entry : undefined;
  }

  private write(number: number, { end, records, points }: Holding): void {
    const place = placeOf(number);
    const entry = this.entries.get(place);
    // The place (a fixed range of bytes) in the high-water mark file already contains the entry of a newer segment,
    // so the older segment gets no entry.
    if (entry !== undefined && entry.number > number) return;
    const { generation = 0 } = entry ?? {};
    this.entries.set(place, { generation, number, end, records, points, passedRecords: 0, passedPoints: 0 });
    this.save(place);
  }

  /**
   * Writes the entry of a place (a fixed range of bytes in the file) soon, without a sync. When the last write of the
   * file was less than `spacingMs` milliseconds ago, waits until this time has passed; otherwise writes at once.
   */
  private save(place: number): void {
    this.dirty.add(place);
    if (this.timer !== undefined) return;
    const wait = this.writtenAt + spacingMs - performance.now();
    if (wait <= 0) this.writing ??= this.saveAll();
    else this.timer = setTimeout(() => void this.flush(), wait).unref();
  }

  /** Writes all changed entries of the high-water mark file now. */
  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.dirty.size > 0) this.writing ??= this.saveAll();
    await this.writing;
  }

  /**
   * Writes all changed entries of the high-water mark file. Ignores write errors: a mark file that is older than the
   * segment files only counts fewer records, so no record is reported as lost by mistake.
   */
  private async saveAll(): Promise<void> {
    for (const place of this.dirty) {
      this.dirty.delete(place);
      const entry = this.entries.get(place)!;
      entry.generation++;
      const { generation, number, end, records, points, passedRecords, passedPoints } = entry;
      const numbers = [generation, number, end, records, points, passedRecords, passedPoints];
      const at = place * placeBytes + (generation % 2) * slotBytes;
      await this.file.write([encodeSlot(slotBytes, summedFrom, numbers)], at).catch(() => {});
    }
    this.writing = undefined;
    this.writtenAt = performance.now();
  }
}

function placeOf(number: number): number {
  return number === 0 ? 0 : 1 + (number % capacity);
}

async function entriesIn(file: QueueFile, size: number): Promise<Map<number, Entry>> {
  const bytes = Buffer.alloc(Math.min(size, (capacity + 1) * placeBytes));
  const filled = bytes.subarray(0, await file.read(bytes, 0));
  const entries = new Map<number, Entry>();
  for (let at = 0; at + slotBytes <= filled.length; at += slotBytes) {
    // Unused slots are holes in the file. They read as zeros, and count as damaged.
    const numbers = numbersIn(filled.subarray(at, at + slotBytes), summedFrom);
    if (numbers === undefined) continue;
    const [generation, number, end, records, points, passedRecords, passedPoints] = numbers;
    const place = Math.floor(at / placeBytes);
    // When both slots of a place contain an entry, the slot with the lower generation is older and is skipped.
    if (generation <= (entries.get(place)?.generation ?? 0)) continue;
    entries.set(place, { generation, number, end, records, points, passedRecords, passedPoints });
  }
  return entries;
}

function contentsOf(entries: ReadonlyMap<number, Entry>): MarkContents {
  const { records = 0, points = 0 } = entries.get(0) ?? {};
  const known = [...entries.values()].filter(({ number }) => number > 0).sort((a, b) => a.number - b.number);
  return {
    segments: new Map(known.filter(({ end }) => end > 0).map((entry) => [entry.number, entry])),
    newest: known.at(-1)?.number ?? 0,
    lost: { records, points },
  };
}
