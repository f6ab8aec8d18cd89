// Inspects the folder of a queue without changing it, even while another process uses the queue. Returns the number of
// records that wait to be sent and of records that are lost.

import path from "node:path";
import { Cursor, isBefore, type Position } from "./log/cursor.ts";
import { type QueueFiles, unlessGone } from "./log/files.ts";
import { type Lost, lostOf, type MarkContents, markName, readMark } from "./log/mark.ts";
import { type Frame, SegmentReader } from "./log/segment.ts";
import { segmentNumber } from "./log/segment-files.ts";
import { readHeader } from "./log/segment-header.ts";

export interface Inspected {
  readonly consumers: readonly string[];
  /** Number of records that at least one consumer (reader of the queue) has not acknowledged. */
  readonly records: number;
  readonly points: number;
  /** Size in bytes of all segment files. */
  readonly bytes: number;
  /**
   * Time when the oldest unacknowledged record was added to the queue, in milliseconds since 1970; 0 when there is
   * none.
   */
  readonly oldest: number;
  /**
   * Number of records and points that are missing from the files. They were reported as lost earlier, or will be
   * reported at the next start.
   */
  readonly lost: Pick<Lost, "records" | "points">;
}

/**
 * Reads all records in the folder of a queue. Calls `visit` for each record that at least one consumer has not
 * acknowledged, oldest first, and awaits its result before the next record. Calls `damaged` with the length in bytes of
 * each range that contains no record. Throws when a later version of Millrace wrote a segment file.
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
  let bytes = 0;
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

/** Counts the whole (undamaged) records in a segment file. */
class Tally {
  end = 0;
  records = 0;
  points = 0;
  /** For each consumer, the number of records and points of the segment that it has acknowledged. */
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
 * Returns the number of records that are missing from the segment files although the high-water mark file (mark.ts)
 * says that they were written. A running service may remove segments meanwhile, first from the mark file and then from
 * the disk. So a segment counts only if it is in the mark file both before and after the segment files are read. When a
 * service opens the queue meanwhile, it writes the losses that it finds to the mark file. These losses are in `after`,
 * the contents of the mark file that are read last.
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
