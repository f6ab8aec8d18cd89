// Inspects the folder of a queue without changing it, even while another process uses the queue. Returns how
// many records wait to be sent and how many are lost.

import path from "node:path";
import { Cursor, isBefore, type Position } from "./log/cursor.ts";
import { type QueueFiles, unlessGone } from "./log/files.ts";
import { type Lost, lostOf, type MarkContents, markName, readMark } from "./log/mark.ts";
import { type Frame, SegmentReader } from "./log/segment.ts";
import { segmentNumber } from "./log/segment-files.ts";
import { readHeader } from "./log/segment-header.ts";
import { spareName } from "./log/spare.ts";

export interface Inspected {
  readonly consumers: readonly string[];
  /** Number of records that at least one consumer (reader of the queue) has not acknowledged. */
  readonly records: number;
  readonly points: number;
  /** Size in bytes of all segment files and of the spare (the file that is kept for the next segment). */
  readonly bytes: number;
  /**
   * Time when the oldest unacknowledged record was added to the queue, in milliseconds since 1970; 0 when there is
   * none.
   */
  readonly oldest: number;
  /**
   * The numbers of records and points that are missing from the files. A service has already reported them as
   * lost, or will report them at its next start.
   */
  readonly lost: Pick<Lost, "records" | "points">;
}

/**
 * Reads all records in the folder of a queue. Calls `visit` for each record that at least one consumer has not
 * acknowledged, from the oldest to the newest, and awaits its result each time. Calls `damaged` with the length
 * in bytes of each range that contains no record. Throws when a later version of Millrace has written a segment
 * file.
 */
export async function inspectQueue(
  files: QueueFiles,
  folder: string,
  visit: (record: Frame) => unknown = () => {},
  damaged: (file: string, bytes: number) => void = () => {},
): Promise<Inspected> {
  const markFile = path.join(folder, markName);
  const markBefore = await readMark(files, markFile);
  const tallies = new Map<number, Tally>();
  const names = await files.list(folder);
  const consumers = names.filter((name) => name.startsWith("cursor-"));
  const cursors = (
    await Promise.all(consumers.map((name) => unlessGone(Cursor.read(files, path.join(folder, name)))))
  ).filter((cursor) => cursor !== undefined);
  let records = 0;
  let points = 0;
  let bytes = names.includes(spareName) ? ((await unlessGone(files.size(path.join(folder, spareName)))) ?? 0) : 0;
  let oldest = 0;
  for (const name of names) {
    const number = segmentNumber(name);
    if (number === undefined) continue;
    const file = await unlessGone(files.open(path.join(folder, name)));
    if (file === undefined) continue;
    try {
      const size = (await unlessGone(files.size(path.join(folder, name)))) ?? 0;
      bytes += size;
      const header = await readHeader(file, number);
      if (header.kind !== "header") {
        damaged(name, size);
        continue;
      }
      const reader = new SegmentReader(file, header.format);
      const tally = new Tally(cursors);
      tallies.set(number, tally);
      for (let at = header.format.headerBytes; at < size; ) {
        const found = (await reader.at(at, size))!;
        at = found.end;
        if (found.kind === "damage") {
          damaged(name, found.end - found.start);
          continue;
        }
        const end = { segment: number, offset: found.end };
        tally.add(end, found.points);
        if (cursors.length > 0 && cursors.every((cursor) => !isBefore(cursor, end))) continue;
        if (records === 0) oldest = found.time;
        records++;
        points += found.points;
        await visit(found);
      }
    } finally {
      await file.close();
    }
  }
  const lost = lostIn(markBefore, await readMark(files, markFile), tallies, new Tally(cursors));
  return { consumers: consumers.map((name) => name.slice("cursor-".length)), records, points, bytes, oldest, lost };
}

/** Counts the undamaged records in one segment file. */
class Tally {
  end = 0;
  records = 0;
  points = 0;
  /** For each consumer, the numbers of records and points in the segment that the consumer has acknowledged. */
  readonly passed: readonly { readonly acknowledged: Position; records: number; points: number }[];

  constructor(cursors: readonly Position[]) {
    this.passed = cursors.map((acknowledged) => ({ acknowledged, records: 0, points: 0 }));
  }

  add(end: Position, points: number): void {
    this.end = end.offset;
    this.records++;
    this.points += points;
    for (const passed of this.passed) {
      if (isBefore(passed.acknowledged, end)) continue;
      passed.records++;
      passed.points += points;
    }
  }
}

/**
 * Returns the numbers of records and points that are missing from the segment files. The high-water mark file
 * (mark.ts) says how many were written. While the files are read, a running service may remove a segment, first
 * from the mark file and then from the disk. So only segments count that are in the mark file both before and
 * after the reading. A service that opens the queue in the meantime writes the losses that it finds to the mark
 * file; they are in `after`, the content of the mark file after the reading.
 */
function lostIn(
  before: MarkContents,
  after: MarkContents,
  tallies: ReadonlyMap<number, Tally>,
  none: Tally,
): Inspected["lost"] {
  let { records, points } = after.lost;
  for (const [number, entry] of before.segments) {
    const later = after.segments.get(number);
    if (later === undefined) continue;
    const tally = tallies.get(number) ?? none;
    const lost = lostOf(later.records < entry.records ? later : entry, tally, tally.passed);
    records += lost?.records ?? 0;
    points += lost?.points ?? 0;
  }
  return { records, points };
}
