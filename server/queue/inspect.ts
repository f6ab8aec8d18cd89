// Looks into the folder of a queue without changing anything, also while a process uses it.

import path from "node:path";
import { Cursor, isBefore } from "./cursor.ts";
import type { QueueFiles } from "./files.ts";
import { type Frame, SegmentReader } from "./segment.ts";
import { segmentNumber } from "./segment-files.ts";
import { readHeader } from "./segment-header.ts";
import { spareName } from "./spare.ts";

export interface Inspected {
  readonly consumers: readonly string[];
  /** Not yet passed by every consumer. */
  readonly records: number;
  readonly points: number;
  /** Of the segment files and the spare. */
  readonly bytes: number;
  /** When the oldest of the records was put, ms since 1970; 0 when there is none. */
  readonly oldest: number;
}

/**
 * `visit` gets each record that is not yet passed by every consumer, oldest first; the next one is read when its promise has resolved.
 * `damaged` gets the number of bytes that are no record.
 */
export async function inspectQueue(
  files: QueueFiles,
  folder: string,
  visit: (record: Frame) => void | Promise<void> = () => {},
  damaged: (file: string, bytes: number) => void = () => {},
): Promise<Inspected> {
  const names = await files.list(folder);
  const consumers = names.filter((name) => name.startsWith("cursor-"));
  const cursors = await Promise.all(consumers.map((name) => Cursor.read(files, path.join(folder, name))));
  let records = 0;
  let points = 0;
  let bytes = 0;
  let oldest = 0;
  if (names.includes(spareName)) bytes += (await unlessGone(files.size(path.join(folder, spareName)))) ?? 0;
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
      for (let at = header.format.headerBytes; at < size; ) {
        const found = (await reader.at(at, size))!;
        at = found.end;
        if (found.kind === "damage") {
          damaged(name, found.end - found.start);
          continue;
        }
        const end = { segment: number, offset: found.end };
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
  return { consumers: consumers.map((name) => name.slice("cursor-".length)), records, points, bytes, oldest };
}

/** Undefined of a file that the process removed or renamed since the folder was listed. */
async function unlessGone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}
