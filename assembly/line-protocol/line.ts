// What the two line parsers share: the tags of the current line (kept apart, since they follow the fields on the tape), the
// order of tags, the time rule, and the closing of a point.

import { growRegion, need, pushEntry, pushPoint } from "../tape/batch";
import { compareKeys } from "../tape/keys";
import {
  B_ATTENTION, B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, ENTRY_SHIFT, E_KEY, E_KIND, E_LENGTH,
  E_TEXT, KEY_REQUIRED, KIND_STRING, POINT_ATTENTION, POINT_REQUIRED, P_COUNT, P_FIRST, P_FLAGS, P_LAST, P_LINE, P_LINE_LENGTH,
  P_MORE, P_NAME, P_NAME_LENGTH, P_TIME,
} from "../tape/layout";
import { givePages, growPages, takePages } from "../memory";
import {
  fieldKeyFaults, maxFields, maxMeasurement, maxTags, receiveTime, requiredKey, requiredLength, requiredText, tagKeyFaults, timeUnit,
} from "./settings";

/** Number of the line being parsed; marks in the key table that carry it belong to this line. Unique within the instance. */
export let serial: u32 = 0;

export function nextSerial(): u32 {
  serial = max(serial + 1, 1);
  return serial;
}

// The tags of the line, as entries. The first may be left over: entries of a line that failed are overwritten by the next.
export let tags: usize = 0;
let tagPages: u32 = 0;
export let tagCount: u32 = 0;

/** Bits a K_ENTRY mark carries beside the index: the entry is a tag, in `tags` or already on the tape. */
export const MARK_TAG: u32 = 0x80000000;
export const MARK_PLACED: u32 = 0x40000000;

export function setTagCount(count: u32): void {
  tagCount = count;
}

export function takeTags(): void {
  tags = need(takePages(1));
  tagPages = 1;
}

export function giveTags(): void {
  givePages(tags, tagPages);
}

/** Address of the next tag's entry. */
// @ts-ignore: decorator
@inline
export function pushTag(): usize {
  if ((tagCount + 1) << <u32>ENTRY_SHIFT > tagPages << 16) growTags();
  const index = tagCount;
  tagCount = index + 1;
  return tags + (<usize>index << ENTRY_SHIFT);
}

function growTags(): void {
  tags = need(growPages(tags, tagPages, tagPages << 1));
  tagPages <<= 1;
}

/** Sorts the line's tags by the bytes of their keys. Heap sort: a hostile line has 16,000 tags. */
export function sortTags(batch: usize): void {
  const count = tagCount;
  for (let i: u32 = count >> 1; i > 0; ) sift(batch, --i, count);
  for (let last: u32 = count; last > 1; ) {
    last--;
    swap(0, last);
    sift(batch, 0, last);
  }
}

function sift(batch: usize, at: u32, count: u32): void {
  for (;;) {
    let child = (at << 1) + 1;
    if (child >= count) return;
    if (child + 1 < count && compareTags(batch, child, child + 1) < 0) child++;
    if (compareTags(batch, at, child) >= 0) return;
    swap(at, child);
    at = child;
  }
}

function compareTags(batch: usize, left: u32, right: u32): i32 {
  return compareKeys(batch, load<u32>(tags + (<usize>left << ENTRY_SHIFT), E_KEY), load<u32>(tags + (<usize>right << ENTRY_SHIFT), E_KEY));
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
  const fields = load<u32>(batch, B_ENTRY_COUNT) - first;
  if (tagCount) {
    const count = load<u32>(batch, B_ENTRY_COUNT);
    while ((count + tagCount) << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
    memory.copy(<usize>load<u32>(batch, B_ENTRIES) + (<usize>count << ENTRY_SHIFT), tags, <usize>tagCount << ENTRY_SHIFT);
    store<u32>(batch, count + tagCount, B_ENTRY_COUNT);
  }
  let flags: u32 = 0;
  if (
    attention || (tagFlags & tagKeyFaults) | (fieldFlags & fieldKeyFaults) || fields > maxFields || liveTags > maxTags ||
    nameLength > maxMeasurement
  ) {
    flags = POINT_ATTENTION;
    store<u32>(batch, load<u32>(batch, B_ATTENTION) + 1, B_ATTENTION);
  } else if (requiredKey >= 0 && !((tagFlags | fieldFlags) & KEY_REQUIRED)) {
    flags = POINT_REQUIRED;
    const entry = pushEntry(batch);
    store<u32>(entry, requiredKey, E_KEY);
    store<u8>(entry, KIND_STRING, E_KIND);
    store<u32>(entry, <u32>requiredText, E_TEXT);
    store<u32>(entry, requiredLength, E_LENGTH);
  }
  const point = pushPoint(batch);
  store<u32>(point, first, P_FIRST);
  store<u32>(point, load<u32>(batch, B_ENTRY_COUNT) - first, P_COUNT);
  store<u32>(point, <u32>name, P_NAME);
  store<u32>(point, nameLength, P_NAME_LENGTH);
  store<i64>(point, time, P_TIME);
  store<u32>(point, flags, P_FLAGS);
  store<u32>(point, 0, P_MORE);
  store<u32>(point, 0, P_LAST);
  store<u32>(point, <u32>line, P_LINE);
  store<u32>(point, <u32>(lineEnd - line), P_LINE_LENGTH);
}

