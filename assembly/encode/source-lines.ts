// Copies lines of the decoded body to the output unchanged. The decoder has set the flag POINT_SERIES on a point
// whose line has exactly the content of the point, and which every decoder reads in the same way as a newly
// written line. Such lines that follow each other are copied together. When entries (tags or fields) were added
// to the point, its line is copied in parts around the new entries. A copied line may differ from a newly
// written one only in the order of tags and fields and in the spelling of numbers and booleans.

import { keyAt } from "../tape/keys";
import {
  B_ENTRIES, ENTRY_DEAD, ENTRY_SHIFT, ENTRY_TAG, E_FLAGS, E_KEY, E_LENGTH, E_LINK, E_TEXT, K_LENGTH, POINT_REQUIRED, POINT_SIZE, POINT_TIMED,
  P_COUNT, P_FIRST, P_FLAGS, P_LINE, P_LINE_LENGTH, P_MORE, P_TIME, SERIES_SHIFT,
} from "../tape/layout";
import { putFieldKey, putTagKey } from "./keys";
import { MAX_SERIES, MAX_TIME } from "./line-protocol";
import { putInt } from "./numbers";
import { put, putBytes, room } from "./output";
import { putQuotable } from "./text";
import { putToken } from "./token";

/**
 * Returns whether the point's line can be copied as a whole: nothing was added to the point, and the line ends with the
 * point's time.
 */
// @ts-ignore: decorator
@inline
function isAsItCame(point: usize): bool {
  const flags = load<u32>(point, P_FLAGS);
  return (flags & (POINT_TIMED | POINT_REQUIRED)) == POINT_TIMED && flags >> SERIES_SHIFT != 0 && !load<u32>(point, P_MORE);
}

/**
 * Number of bytes of lines after which one call stops copying. The last line is copied whole, so a call may copy
 * more.
 */
const MOST: usize = 131072;

/**
 * Copies the lines of points from `point` up to `end` (exclusive) in one piece. Stops before a point whose line cannot
 * be copied as a whole, before a line that does not follow the previous line directly in the decoded body, and when
 * `MOST` bytes are reached. Returns the first point that was not copied.
 */
export function copyLines(point: usize, end: usize, isNext: bool): usize {
  if (point == end || !isAsItCame(point)) return point;
  const start = <usize>load<u32>(point, P_LINE);
  let stop = start;
  do {
    stop = <usize>load<u32>(point, P_LINE) + load<u32>(point, P_LINE_LENGTH);
    point += POINT_SIZE;
    // The loop goes on when the line of the next point begins one byte after the end of the current line; the byte
    // between the two lines is then a newline.
  } while (point < end && stop - start < MOST && <usize>load<u32>(point, P_LINE) == stop + 1 && isAsItCame(point));
  room();
  if (isNext) put(0x0a);
  putBytes(start, <u32>(stop - start));
  return point;
}

/**
 * Copies the line of a point and inserts the entries that were added to the point. The time is written in units of
 * `unit` nanoseconds. Returns false when the line must be written anew.
 */
export function putWithAdded(batch: usize, point: usize, unit: i64, isNext: bool): bool {
  const flags = load<u32>(point, P_FLAGS);
  const series = flags >> SERIES_SHIFT;
  if (!series || !canAdd(batch, point, series)) return false;
  const time = load<i64>(point, P_TIME);
  const isTimed = (flags & POINT_TIMED) != 0;
  if (!isTimed && (time > MAX_TIME || time < -MAX_TIME)) return false;
  const line = <usize>load<u32>(point, P_LINE);
  const stop = line + load<u32>(point, P_LINE_LENGTH);
  const keepsTime = isTimed && unit == 1;
  const required = flags & POINT_REQUIRED;
  room();
  if (isNext) put(0x0a);
  putBytes(line, series);
  putTags(batch, load<u32>(point, P_MORE));
  const fields = line + series;
  if (keepsTime && !required) {
    putBytes(fields, <u32>(stop - fields));
    return true;
  }
  const behind = endOfFields(stop, isTimed ? time : 0);
  putBytes(fields, <u32>(behind - fields));
  room();
  if (required) putRequired(batch, point);
  if (keepsTime) putBytes(behind, <u32>(stop - behind));
  else {
    put(0x20);
    putInt(unit == 1 ? time : time / unit);
  }
  return true;
}

// @ts-ignore: decorator
@inline
function linked(batch: usize, link: u32): usize {
  return <usize>load<u32>(batch, B_ENTRIES) + (<usize>(link - 1) << ENTRY_SHIFT);
}

/**
 * Returns whether all added entries are tags and fit into the series (measurement and tags), whose length is limited.
 */
function canAdd(batch: usize, point: usize, series: u32): bool {
  let length: u64 = series;
  for (let link = load<u32>(point, P_MORE); link; ) {
    const entry = linked(batch, link);
    link = load<u32>(entry, E_LINK);
    const flags = <u32>load<u8>(entry, E_FLAGS);
    if (flags & ENTRY_DEAD) continue;
    if (!(flags & ENTRY_TAG)) return false;
    // The lengths of the tag's key and value are doubled, because in the worst case every byte of them needs an
    // escape. The tag also takes 2 bytes for the comma before it and for its `=`.
    length += ((<u64>load<u32>(keyAt(batch, load<u32>(entry, E_KEY)), K_LENGTH) + load<u32>(entry, E_LENGTH)) << 1) + 2;
  }
  return length <= MAX_SERIES;
}

function putTags(batch: usize, link: u32): void {
  while (link) {
    const entry = linked(batch, link);
    link = load<u32>(entry, E_LINK);
    const length = load<u32>(entry, E_LENGTH);
    if (!length || <u32>load<u8>(entry, E_FLAGS) & ENTRY_DEAD) continue;
    put(0x2c);
    putTagKey(batch, load<u32>(entry, E_KEY));
    put(0x3d);
    putToken(load<u32>(entry, E_TEXT), length, 0x3d, 0x3d);
  }
}

/**
 * Writes the field that was added because the point's category requires its key (such as `status` for the
 * category `logging`). The value of the field is a string. Its entry in memory follows directly after the
 * entries that came from the line.
 */
function putRequired(batch: usize, point: usize): void {
  const entry = linked(batch, load<u32>(point, P_FIRST) + load<u32>(point, P_COUNT));
  put(0x2c);
  putFieldKey(batch, load<u32>(entry, E_KEY));
  put(0x3d);
  put(0x22);
  putQuotable(load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH), false);
  put(0x22);
}

/** Smallest time in nanoseconds that has 19 digits. */
const LONG_TIME: i64 = 1000000000000000000;

/**
 * Returns the address where the fields of a line end; the line ends at `stop`. `time` is the time at the end of the
 * line; 0 when it is unknown whether the line ends with a time.
 */
function endOfFields(stop: usize, time: i64): usize {
  if (time >= LONG_TIME) return stop - 20;
  let p = stop;
  while (<u32>load<u8>(p - 1) - 0x30 < 10) p--;
  // Digits that follow a space are the line's time: they cannot belong to a value, because a string value ends with its
  // quote.
  return p < stop && load<u8>(p - 1) == 0x20 ? p - 1 : stop;
}
