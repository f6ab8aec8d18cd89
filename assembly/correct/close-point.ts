// Completes a point after its line or element was scanned: appends the point's tags, and the key that its category
// requires (such as `status` for the category `logging`), to the tape (the list of decoded entries in linear memory).
// Writes the point's header, and corrects the point when something is wrong with it.

import { growRegion, pushPoint } from "../tape/batch";
import {
  B_ATTENTION, B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, B_POINTS, B_POINT_COUNT, ENTRY_SHIFT, KEY_REQUIRED, POINT_ATTENTION,
  POINT_REQUIRED, POINT_SIZE, P_COUNT, P_FIRST, P_FLAGS, P_LAST, P_LINE, P_LINE_LENGTH, P_NAME, P_NAME_LENGTH, P_TIME,
} from "../tape/layout";
import { tagCount, tags } from "../tape/scan-memory";
import {
  fieldKeyFaults, maxFields, maxMeasurement, maxTags, requiredEntry, requiredKey, requiredOfTags, tagKeyFaults,
} from "../tape/settings";
import { correctPoint } from "./point";

/**
 * Completes the point of a line whose fields are already among the decoded entries, from index `first` on: appends the
 * tags and, if the point lacks it, the key that its category requires (such as `status` for `logging`). Then writes the
 * point's header. `tagFlags` is the bitwise OR of the flags of all tag keys, and `fieldFlags` that of all field keys.
 * `attention` is true when the parser has found a fault that the flags do not show.
 */
export function closePoint(
  batch: usize, first: u32, name: usize, nameLength: u32, time: i64, line: usize, lineEnd: usize,
  tagFlags: u32, fieldFlags: u32, liveTags: u32, attention: bool,
): void {
  let count = load<u32>(batch, B_ENTRY_COUNT);
  const fields = count - first;
  // The added 1 is room for one more entry: the point may lack the key that its category requires (such as `status` for
  // `logging`), and then an entry with this key is added.
  while ((count + tagCount + 1) << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
  if (tagCount) {
    memory.copy(<usize>load<u32>(batch, B_ENTRIES) + (<usize>count << ENTRY_SHIFT), tags, <usize>tagCount << ENTRY_SHIFT);
    count += tagCount;
  }
  const hasFaults =
    attention || (tagFlags & tagKeyFaults) | (fieldFlags & fieldKeyFaults) || fields > maxFields || liveTags > maxTags ||
    nameLength > maxMeasurement;
  // Whether the sender sent at least one field. `fields` + `tagCount` is the number of entries (tags and fields)
  // that were read, including fields that a later entry with the same key replaced. `liveTags` is the number of
  // tags that the point has. The sender sent a field when the first number is greater than the second. For PBJSON
  // and protobuf, `fields` also counts the tags.
  const cameWithField = fields + tagCount > liveTags;
  const getsRequired = cameWithField || (requiredOfTags && count > first);
  const isIncomplete = getsRequired && requiredKey >= 0 && !((tagFlags | fieldFlags) & KEY_REQUIRED);
  const appends = !hasFaults && isIncomplete ? 1 : 0;
  finishPoint(batch, first, count - first, name, nameLength, time, line, lineEnd, appends);
  if (hasFaults) correctPoint(batch, load<u32>(batch, B_POINT_COUNT) - 1, getsRequired);
}

/**
 * Adds an empty point for an element that only JavaScript can read. `start` and `stop` are the bounds of the element in
 * the body. JavaScript reads the element later and fills in the point.
 */
export function leavePoint(batch: usize, start: usize, stop: usize): void {
  finishPoint(batch, load<u32>(batch, B_ENTRY_COUNT), 0, start, 0, 0, start, stop, 0);
  const point = <usize>load<u32>(batch, B_POINTS) + <usize>(load<u32>(batch, B_POINT_COUNT) - 1) * POINT_SIZE;
  store<u32>(point, POINT_ATTENTION, P_FLAGS);
  store<u32>(batch, load<u32>(batch, B_ATTENTION) + 1, B_ATTENTION);
}

/**
 * Adds a point to the batch and writes the point's header. The point's entries (tags and fields) are the `count`
 * entries from index `first` on. `appends` is 1 when one more entry must be appended, for the key that the
 * point's category requires (such as `status` for `logging`), else 0. The memory must have room for this entry
 * after the `count` entries.
 */
function finishPoint(
  batch: usize, first: u32, count: u32, name: usize, nameLength: u32, time: i64, line: usize, lineEnd: usize, appends: u32,
): void {
  const entries = <usize>load<u32>(batch, B_ENTRIES) + (<usize>first << ENTRY_SHIFT);
  store<u32>(batch, first + count + appends, B_ENTRY_COUNT);
  writePoint(pushPoint(batch), entries, first, count, name, nameLength, time, line, lineEnd, appends, 0);
}

/**
 * Writes the header of a point whose entries are at `entries`. `appends` is 1 when an entry must be appended for
 * the key that the point's category requires (such as `status` for `logging`), else 0. `came` has the flags
 * POINT_SERIES and POINT_TIMED, which depend on the source line of the point.
 */
// @ts-ignore: decorator
@inline
export function writePoint(
  point: usize, entries: usize, first: u32, count: u32, name: usize, nameLength: u32, time: i64, line: usize, lineEnd: usize, appends: u32,
  came: u32,
): void {
  if (appends) v128.store(entries + (<usize>count << ENTRY_SHIFT), v128.load(requiredEntry));
  store<u32>(point, first, P_FIRST);
  store<u32>(point, count + appends, P_COUNT);
  store<u32>(point, <u32>name, P_NAME);
  store<u32>(point, nameLength, P_NAME_LENGTH);
  store<i64>(point, time, P_TIME);
  // P_FLAGS and P_LINE_LENGTH are written by stores of 64 bits, which also write the 32-bit members after them in
  // memory: P_MORE and P_WARNINGS become 0.
  store<u64>(point, (appends ? POINT_REQUIRED : 0) | came, P_FLAGS);
  store<u32>(point, 0, P_LAST);
  store<u32>(point, <u32>line, P_LINE);
  store<u64>(point, <u64>(lineEnd - line), P_LINE_LENGTH);
}
