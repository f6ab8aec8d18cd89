// Reading through a segment that an earlier process left, and cutting off what it did not finish.
//
// Behind the last whole frame of the newest segment lies what was being written when that process ended, and, in a file that was used
// before, what its earlier life left. Of the two only the first is told, as torn, and it is known
// - in a file that was new: all of it;
// - in one that was used before and is shorter or longer there than before: all of it, since a segment that is ended is cut to its end,
//   and the earlier life did not come so far;
// - else the frame whose head is whole and has this segment's salt. Without such a head no byte of it can be told from old ones.
// Before a whole frame of this segment it is damage, whatever it was.

import path from "node:path";
import { type Damage, SegmentReader } from "../log/segment.ts";
import { putAside, segmentName } from "../log/segment-files.ts";
import { longestHeader, readHeader } from "../log/segment-header.ts";
import type { QueueOptions, Segment } from "../types.ts";
import type { QueueConsumer } from "./consumer.ts";

/** Undefined when nothing of it can be used: the file is gone then. */
export async function openSegment(
  options: QueueOptions,
  consumers: readonly QueueConsumer[],
  number: number,
  isNewest: boolean,
): Promise<Segment | undefined> {
  const { files, folder, events } = options;
  const name = segmentName(number);
  const file = await files.open(path.join(folder, name));
  try {
    const size = await files.size(path.join(folder, name));
    const header = await readHeader(file, number);
    if (header.kind !== "header") {
      // The last thing that happened here is that the file was made, or got its name.
      if (isNewest && (header.kind === "earlier" || size <= longestHeader)) await files.remove(path.join(folder, name));
      else {
        events.damaged(name, 0, size);
        await putAside(options, name);
      }
      return undefined;
    }
    const { format, bytesBefore } = header;
    const none = { records: 0, points: 0, oldest: 0, damaged: false, failed: false };
    const segment: Segment = { number, format, end: size, ...none };
    const reader = new SegmentReader(file, format);
    for (let at = format.headerBytes; at < size; ) {
      const found = (await reader.at(at, size))!;
      if (found.kind === "record") {
        if (segment.records++ === 0) segment.oldest = found.time;
        segment.points += found.points;
        if (found.damagedBytes > 0) segment.damaged = true;
        const end = { segment: number, offset: found.end };
        for (const consumer of consumers) consumer.seen(end, found.points, found.time);
      } else if (found.atEnd && isNewest) {
        const torn = tornBytes(found, size, bytesBefore);
        if (torn > 0) events.torn(name, torn);
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

function tornBytes({ start, frameBytes }: Damage, size: number, bytesBefore: number): number {
  const mayBeOld = start < bytesBefore && size >= bytesBefore;
  return mayBeOld ? Math.min(frameBytes, size - start) : size - start;
}
