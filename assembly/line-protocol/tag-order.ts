// Finds the places of a line's tags on the tape (the decoded entries), where tags are sorted by key. Each key
// has a rank, its number in sorted order (tape/order/key-ranks.ts). The place of a tag is the number of tags
// whose keys have a lower rank. These tags are counted eight at a time, without a branch that depends on the
// data, because the processor cannot predict a random order.

import { B_KEYS, B_RANKED, ENTRY_SHIFT, E_KEY, E_LINK, E_NUMBER, KEY_SHIFT, K_RANK } from "../tape/layout";
import { rankKeysFor } from "../tape/order/key-ranks";
import { tagCount, tags } from "../tape/scan-memory";
import { sortTags } from "./tags";

/**
 * Largest number of tags of a line whose places are found by counting the tags with a lower rank. The time for counting
 * grows with the square of the number of tags.
 */
const MOST_COUNTED: u32 = 64;
/** Largest number of keys whose ranks fit into 16 bits. In a batch with more keys, tags are not ordered by ranks. */
const MOST_KEYS: u32 = 65536;

/**
 * Time for computing the rank of one key, expressed as the number of tags that insertion sort can order in this
 * time.
 */
const ENTRIES_PER_KEY: u32 = 8;

/**
 * Ranks of the tags' keys, 16 bits for each tag. The highest bit is flipped, because the ranks are compared as signed
 * numbers.
 */
const ranks = memory.data(64 * 2, 16);
/** The places of the tags, 16 bits for each tag. */
const places = memory.data(64 * 2, 16);

/** Whether the list `tags`, the tags of the current line, has the same order as the tape (the decoded entries). */
export let isInOrder: bool = false;

/** Returns the place of the tag with the given index. Only valid when `isInOrder` is false. */
// @ts-ignore: decorator
@inline
export function placeOf(index: u32): usize {
  return load<u16>(places + (<usize>index << 1));
}

/**
 * Finds the places of the current line's tags. When `isSorted` is true, the tags are in order already. Otherwise
 * the function counts, for each tag, the tags with a lower rank. When counting is not possible, it sorts the
 * list `tags`. Counting is not possible when there are too many tags, when ranking their keys would take longer
 * than sorting, and when `hasEscapedKey` is true: tags are sorted by their keys with escapes, but ranks belong
 * to keys without escapes.
 */
export function orderTags(batch: usize, isSorted: bool, hasEscapedKey: bool): void {
  isInOrder = true;
  if (isSorted) return;
  if (tagCount > MOST_COUNTED) return sortMany();
  if (hasEscapedKey || !readRanks(batch)) return insertTags();
  isInOrder = false;
  const end = ranks + (<usize>tagCount << 1);
  for (let block = ranks, to = places; block < end; block += 16, to += 16) {
    // The last block may have elements after the last tag. They are ranks of an earlier line; their results are not
    // used.
    const eight = v128.load(block);
    let lower = i16x8.splat(0);
    for (let each = ranks; each < end; each += 2) {
      // In the comparison's result, a lane (element of the vector) is -1 when the tag at `each` has a lower rank than
      // the tag of this lane. Subtracting -1 adds 1, so `lower` counts the tags with a lower rank.
      lower = i16x8.sub(lower, i16x8.lt_s(v128.load16_splat(each), eight));
    }
    v128.store(to, lower);
  }
}

/** Writes the ranks of the line's tag keys to `ranks`. Returns false when the keys of the line have no ranks. */
function readRanks(batch: usize): bool {
  let greatest: u32 = 0;
  for (let i: u32 = 0; i < tagCount; i++) greatest = max(greatest, load<u32>(tags + (<usize>i << ENTRY_SHIFT), E_KEY));
  if (greatest >= load<u32>(batch, B_RANKED) && !rankKeysFor(batch, (tagCount + ENTRIES_PER_KEY - 1) / ENTRIES_PER_KEY)) return false;
  if (load<u32>(batch, B_RANKED) > MOST_KEYS) return false;
  const keys = <usize>load<u32>(batch, B_KEYS);
  for (let i: u32 = 0; i < tagCount; i++) {
    const id = <usize>load<u32>(tags + (<usize>i << ENTRY_SHIFT), E_KEY);
    store<u16>(ranks + (<usize>i << 1), <u16>(load<u32>(keys + (id << KEY_SHIFT), K_RANK) ^ 0x8000));
  }
  return true;
}

/** Sorts any number of tags by heap sort. */
function sortMany(): void {
  for (let i: u32 = 0; i < tagCount; i++) {
    const tag = tags + (<usize>i << ENTRY_SHIFT);
    store<u64>(tag, load<u64>(tag, E_LINK), E_NUMBER);
  }
  sortTags();
}

/**
 * Sorts the tags by insertion. First compares the first 8 bytes of two keys; the member E_NUMBER of each tag
 * contains these bytes. Compares the whole keys only when the 8 bytes are equal.
 */
function insertTags(): void {
  for (let i: u32 = 1; i < tagCount; i++) {
    const tag = tags + (<usize>i << ENTRY_SHIFT);
    const rank = load<u64>(tag, E_NUMBER);
    let at = tag;
    const low = v128.load(tag);
    const high = v128.load(tag, 16);
    for (; at > tags; at -= 1 << ENTRY_SHIFT) {
      const before = at - (1 << ENTRY_SHIFT);
      const other = load<u64>(before, E_NUMBER);
      if (other < rank) break;
      if (other == rank) {
        // Another tag may already be at the old place of the inserted tag in the list. So the inserted tag is written
        // to `at`, where `compareLong` can read it.
        v128.store(at, low);
        v128.store(at, high, 16);
        if (compareLong(before, at) < 0) break;
      }
      v128.store(at, v128.load(before));
      v128.store(at, v128.load(before, 16), 16);
    }
    v128.store(at, low);
    v128.store(at, high, 16);
  }
}

/**
 * Compares two tags whose keys begin with the same 8 bytes. Returns a negative number when the key of `a` comes first,
 * else a positive one.
 */
function compareLong(a: usize, b: usize): i32 {
  const lengthA = load<u32>(a, E_LINK + 4);
  const lengthB = load<u32>(b, E_LINK + 4);
  const order = memory.compare(load<u32>(a, E_LINK), load<u32>(b, E_LINK), min(lengthA, lengthB));
  return order ? order : <i32>(lengthA - lengthB);
}
