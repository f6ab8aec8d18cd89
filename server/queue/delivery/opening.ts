// Opens a segment (one of the files of a queue) that an earlier process has left. Reads the whole segment,
// counts its records, and cuts off the bytes of an unfinished write at its end.
//
// In the newest segment, bytes of an unfinished write may follow the last complete frame (stored record). There
// may also be bytes of an older segment, because a new segment may be written over the file of an older one
// (log/spare.ts). Only the bytes of the unfinished write are reported as torn. These bytes are:
// - in a file that was not reused: all bytes after the last frame;
// - in a reused file, if the last frame ends beyond the length that the file had when it was reused, or if the
//   file is now shorter than that length: all bytes after the last frame, because no bytes of the older segment
//   are left;
// - in any other file: one frame, if its head is undamaged and has the salt (a random number) of this segment.
//   Without such a head, the bytes of the two segments cannot be distinguished.
//
// Bytes that belong to no frame but are followed by a complete frame of this segment are always reported as
// damage.

import path from "node:path";
import { type Damage, SegmentReader } from "../log/segment.ts";
import { putAside, segmentName } from "../log/segment-files.ts";
import { longestHeader, readHeader } from "../log/segment-header.ts";
import type { QueueOptions, Segment } from "../types.ts";
import type { QueueConsumer } from "./consumer.ts";

/** Opens a segment. If nothing in its file can be used, removes or moves the file and returns undefined. */
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
      // The file does not have the header of this segment. This can happen in two ways: the process created the newest
      // file and ended before it wrote the header, or it renamed the spare (the file of an older segment) to this name
      // and could not write the header. In both cases the file contains no record of this segment, so it is removed.
      if (header.kind === "earlier" || (isNewest && size <= longestHeader)) await files.remove(path.join(folder, name));
      else {
        events.damaged(name, 0, size);
        await putAside(options, name);
      }
      return undefined;
    }
    const { format, bytesBefore } = header;
    const none = { records: 0, points: 0, oldest: 0, damaged: false, reusable: false };
    const segment: Segment = { number, format, end: size, bytesBefore: 0, ...none };
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
        // The damage is not reported here. The consumer reports it when it reads this part of the segment.
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
