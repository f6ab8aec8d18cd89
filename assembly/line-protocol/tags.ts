// The tags of the line that is being parsed. This file defines the flags in the key table that say where the tag
// of a key is stored, and sorts the tags into the order of the tape (the decoded entries).

import { ENTRY_SHIFT, E_NUMBER } from "../tape/layout";
import { tagCount, tags } from "../tape/scan-memory";

/**
 * Flags in the member K_ENTRY of a key's record; its other bits are the index of the key's entry. MARK_TAG says
 * that the entry is a tag in the list `tags`. MARK_PLACED says that the tag was already moved to the decoded
 * entries.
 */
export const MARK_TAG: u32 = 0x80000000;
export const MARK_PLACED: u32 = 0x40000000;

/**
 * Sorts the line's tags by the bytes of their keys; the keys still have their escapes. Uses heap sort, which is
 * fast for every input, because a hostile line may have 16,000 tags in the worst order.
 */
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

/**
 * Packs the address and length of a tag's key, with its escapes, into one number, which is stored in the tag's entry in
 * `tags`.
 */
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
