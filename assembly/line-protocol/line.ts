// What the two line parsers share: the tags of the current line (kept apart, since they follow the fields on the tape), the
// order of tags, the time rule, and the closing of a point.

import { correctPoint } from "../correct/point";
import { growRegion, pushPoint } from "../tape/batch";
import {
  B_ATTENTION, B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, B_POINTS, B_POINT_COUNT, ENTRY_SHIFT, E_KEY, E_NUMBER, E_TEXT, KEY_REQUIRED, KIND_STRING,
  POINT_ATTENTION, POINT_REQUIRED, POINT_SIZE, P_COUNT, P_FIRST, P_FLAGS, P_LAST, P_LINE, P_LINE_LENGTH, P_NAME, P_NAME_LENGTH, P_TIME,
} from "../tape/layout";
import { givePages, growFrom } from "../memory";
import { need } from "../tape/need";
import {
  fieldKeyFaults, maxFields, maxMeasurement, maxTags, receiveTime, requiredEntry, requiredKey, requiredOfTags, tagKeyFaults, timeUnit,
} from "./settings";

/** Number of the line being parsed; marks in the key table that carry it belong to this line. Unique within the instance. */
export let serial: u32 = 0;

export function nextSerial(): u32 {
  serial = max(serial + 1, 1);
  return serial;
}

const FEW_TAGS: u32 = 8192;
const fewTags = memory.data(8192, 16);

// The tags of the line, as entries. The first may be left over: entries of a line that failed are overwritten by the next.
export let tags: usize = fewTags;
/** Bytes there is room for, and the pages that they take, 0 while they are few. */
let tagRoom: u32 = FEW_TAGS;
let tagPages: u32 = 0;
export let tagCount: u32 = 0;

/** Bits a K_ENTRY mark carries beside the index: the entry is a tag, in `tags` or already on the tape. */
export const MARK_TAG: u32 = 0x80000000;
export const MARK_PLACED: u32 = 0x40000000;

export function setTagCount(count: u32): void {
  tagCount = count;
}

/** When a scan ends: what it took for lines of many tags goes back. */
export function giveTags(): void {
  givePages(tags, tagPages);
  tags = fewTags;
  tagRoom = FEW_TAGS;
  tagPages = 0;
}

/** Address of the next tag's entry. */
// @ts-ignore: decorator
@inline
export function pushTag(): usize {
  if ((tagCount + 1) << <u32>ENTRY_SHIFT > tagRoom) growTags();
  const index = tagCount;
  tagCount = index + 1;
  return tags + (<usize>index << ENTRY_SHIFT);
}

function growTags(): void {
  const more = tagPages ? tagPages << 1 : 1;
  tags = need(growFrom(tags, tagRoom, tagPages, more));
  tagPages = more;
  tagRoom = more << 16;
}

/** Sorts the line's tags by the bytes of their keys as written. Heap sort: a hostile line has 16,000 tags. */
export function sortTags(): void {
  const count = tagCount;
  for (let i: u32 = count >> 1; i > 0; ) sift(--i, count);
  for (let last: u32 = count; last > 1; ) {
    last--;
    swap(0, last);
    sift(0, last);
  }
}

function sift(at: u32, count: u32): void {
  for (;;) {
    let child = (at << 1) + 1;
    if (child >= count) return;
    if (child + 1 < count && compareTags(child, child + 1) < 0) child++;
    if (compareTags(at, child) >= 0) return;
    swap(at, child);
    at = child;
  }
}

function compareTags(left: u32, right: u32): i32 {
  const a = load<u64>(tags + (<usize>left << ENTRY_SHIFT), E_NUMBER);
  const b = load<u64>(tags + (<usize>right << ENTRY_SHIFT), E_NUMBER);
  const lengthA = <u32>(a >> 32);
  const lengthB = <u32>(b >> 32);
  const order = memory.compare(<usize>(a & 0xffffffff), <usize>(b & 0xffffffff), min(lengthA, lengthB));
  return order ? order : <i32>(lengthA - lengthB);
}

/** What a tag of `tags` has for a number: where its key stands as written, escapes and all. */
// @ts-ignore: decorator
@inline
export function writtenKey(p: usize, length: usize): u64 {
  return <u64>p | (<u64>length << 32);
}

function swap(left: u32, right: u32): void {
  const a = tags + (<usize>left << ENTRY_SHIFT);
  const b = tags + (<usize>right << ENTRY_SHIFT);
  const low = v128.load(a);
  const high = v128.load(a, 16);
  v128.store(a, v128.load(b));
  v128.store(a, v128.load(b, 16), 16);
  v128.store(b, low);
  v128.store(b, high, 16);
}

const MAX_TIME: i64 = 9223372036854775806;

/** The last result of `timeOf`. */
export let pointTime: i64 = 0;

/** Nanoseconds of the integer as written, section 11: false when they are beyond the range. */
export function timeOf(written: i64): bool {
  if (written <= 0) {
    pointTime = receiveTime;
    return true;
  }
  let unit = timeUnit;
  if (!unit) unit = written < 10000000000 ? 1000000000 : written < 10000000000000 ? 1000000 : written < 10000000000000000 ? 1000 : 1;
  if (unit == 1) {
    pointTime = written;
    return written <= MAX_TIME;
  }
  if (written > MAX_TIME / unit) return false;
  pointTime = written * unit;
  return true;
}

/**
 * Makes the point of a line whose fields are on the tape from entry `first` on: appends tags and required key, writes the header.
 * `tagFlags` and `fieldFlags` are the flags of all its keys, `attention` what the parser itself found.
 */
export function closePoint(
  batch: usize, first: u32, name: usize, nameLength: u32, time: i64, line: usize, lineEnd: usize,
  tagFlags: u32, fieldFlags: u32, liveTags: u32, attention: bool,
): void {
  let count = load<u32>(batch, B_ENTRY_COUNT);
  const fields = count - first;
  // One more for the required key.
  while ((count + tagCount + 1) << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
  if (tagCount) {
    memory.copy(<usize>load<u32>(batch, B_ENTRIES) + (<usize>count << ENTRY_SHIFT), tags, <usize>tagCount << ENTRY_SHIFT);
    count += tagCount;
  }
  const hasFaults =
    attention || (tagFlags & tagKeyFaults) | (fieldFlags & fieldKeyFaults) || fields > maxFields || liveTags > maxTags ||
    nameLength > maxMeasurement;
  // PBJSON and protobuf have tags among the fields. Every entry that came counts, also one that lost its key to another.
  const cameWithField = fields + tagCount > liveTags;
  const getsRequired = cameWithField || (requiredOfTags && count > first);
  const isIncomplete = getsRequired && requiredKey >= 0 && !((tagFlags | fieldFlags) & KEY_REQUIRED);
  const appends = !hasFaults && isIncomplete ? 1 : 0;
  finishPoint(batch, first, count - first, name, nameLength, time, line, lineEnd, appends);
  if (hasFaults) correctPoint(batch, load<u32>(batch, B_POINT_COUNT) - 1, getsRequired);
}

/** A point without entries that JavaScript reads again, from the bytes of the body from `start` to `stop`. */
export function leavePoint(batch: usize, start: usize, stop: usize): void {
  finishPoint(batch, load<u32>(batch, B_ENTRY_COUNT), 0, start, 0, 0, start, stop, 0);
  const point = <usize>load<u32>(batch, B_POINTS) + <usize>(load<u32>(batch, B_POINT_COUNT) - 1) * POINT_SIZE;
  store<u32>(point, POINT_ATTENTION, P_FLAGS);
  store<u32>(batch, load<u32>(batch, B_ATTENTION) + 1, B_ATTENTION);
}

/** The point of the `count` entries from `first` on, `appends` as in `writePoint`; there is room for one entry behind them. */
function finishPoint(
  batch: usize, first: u32, count: u32, name: usize, nameLength: u32, time: i64, line: usize, lineEnd: usize, appends: u32,
): void {
  const entries = <usize>load<u32>(batch, B_ENTRIES) + (<usize>first << ENTRY_SHIFT);
  store<u32>(batch, first + count + appends, B_ENTRY_COUNT);
  writePoint(pushPoint(batch), entries, first, count, name, nameLength, time, line, lineEnd, appends, 0);
}

/** Writes the header of a point whose entries are at `entries`; `appends`, 0 or 1, entries with the required key behind them. `came` has POINT_SERIES and POINT_TIMED. */
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
  // With P_MORE, P_LAST and P_WARNINGS, which are 0.
  store<u64>(point, (appends ? POINT_REQUIRED : 0) | came, P_FLAGS);
  store<u32>(point, 0, P_LAST);
  store<u32>(point, <u32>line, P_LINE);
  store<u64>(point, <u64>(lineEnd - line), P_LINE_LENGTH);
}
