// Computes the writing order of the entries of one point: tags first, then fields, each sorted by key; entries
// with the same key keep their order. The input is a list of codes; a code is `key id << 1 | is tag`. The output
// is a list of indexes.
//
// When the keys have ranks (key-ranks.ts), the place of an entry is the number of entries with a lower rank.
// These entries are counted four at a time, without a branch that depends on the data. Long points are
// merge-sorted by rank. As long as the keys have no ranks, their texts are compared.

import { givePages, pagesFor, takePages } from "../../memory/pages";
import { compareKeys } from "../keys";
import { B_KEYS, B_RANKED, KEY_SHIFT, K_RANK } from "../layout";
import { rankKeysFor } from "./key-ranks";
import { RECORD_SHIFT, R_ID, sortRecords } from "./merge-sort";

/** Largest number of entries that are sorted by counting. The time for counting grows with the square of the number. */
const MOST_COUNTED: u32 = 128;
const INDEX_BITS: u32 = 7;
/** Time for sorting one entry without ranks, expressed as the number of keys that could be ranked in this time. */
const KEYS_PER_ENTRY: u32 = 8;
/**
 * Sort codes of the entries of a short point. The highest bit of a code says whether the entry is a tag. The rank of
 * the key follows, then the entry's index, so no two codes are equal.
 */
const short = memory.data(128 * 4, 16);

/**
 * Writes the order of the `count` entries with the given codes to `places`. A place is the index of an entry in the
 * list of codes. An entry takes 4 bytes in the list of codes and 4 bytes in `places`.
 */
export function orderEntries(batch: usize, codes: usize, places: usize, count: u32): void {
  if (!areRanked(batch, codes, count) && !rankKeysFor(batch, count * KEYS_PER_ENTRY)) return heapSort(batch, codes, places, count);
  const keys = <usize>load<u32>(batch, B_KEYS);
  if (count <= MOST_COUNTED) orderByCounting(keys, codes, places, count);
  else if (!orderByMerging(keys, codes, places, count)) heapSort(batch, codes, places, count);
}

function areRanked(batch: usize, codes: usize, count: u32): bool {
  const ranked = load<u32>(batch, B_RANKED);
  let greatest: u32 = 0;
  for (let i: u32 = 0; i < count; i++) greatest = max(greatest, load<u32>(codes + (<usize>i << 2)));
  return greatest >> 1 < ranked;
}

// @ts-ignore: decorator
@inline
function rankOf(keys: usize, code: u32): u32 {
  return load<u32>(keys + (<usize>(code >> 1) << KEY_SHIFT), K_RANK);
}

function orderByCounting(keys: usize, codes: usize, places: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const code = load<u32>(codes + (<usize>i << 2));
    store<u32>(short + (<usize>i << 2), (code << 31) | (rankOf(keys, code) << INDEX_BITS) | i);
  }
  const end = short + (<usize>count << 2);
  for (let block: u32 = 0; block < count; block += 4) {
    // The last block may have fewer than four entries. The remaining lanes (elements of the vector) then hold codes of
    // an earlier point, and their results are not used.
    const four = v128.load(short + (<usize>block << 2));
    let lower = i32x4.splat(0);
    for (let each = short; each < end; each += 4) {
      // In the comparison's result, a lane (element of the vector) is -1 when the entry at `each` has a lower sort code
      // than the entry of this lane. Subtracting -1 adds 1, so `lower` counts the entries with a lower sort code.
      lower = i32x4.sub(lower, i32x4.lt_s(v128.load32_splat(each), four));
    }
    store<u32>(places + (<usize>i32x4.extract_lane(lower, 0) << 2), block);
    if (block + 1 < count) store<u32>(places + (<usize>i32x4.extract_lane(lower, 1) << 2), block + 1);
    if (block + 2 < count) store<u32>(places + (<usize>i32x4.extract_lane(lower, 2) << 2), block + 2);
    if (block + 3 < count) store<u32>(places + (<usize>i32x4.extract_lane(lower, 3) << 2), block + 3);
  }
}

/** Orders the entries of a long point by merge sort. Returns false when there is no memory for sorting. */
function orderByMerging(keys: usize, codes: usize, places: usize, count: u32): bool {
  const size = <usize>count << RECORD_SHIFT;
  const pages = pagesFor(<u64>size << 1);
  const records = takePages(pages);
  if (!records) return false;
  for (let i: u32 = 0; i < count; i++) {
    const code = load<u32>(codes + (<usize>i << 2));
    const record = records + (<usize>i << RECORD_SHIFT);
    store<u64>(record, (<u64>(~code & 1) << 32) | rankOf(keys, code));
    store<u32>(record, i, R_ID);
  }
  const sorted = sortRecords(0, records, records + size, count);
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(places + (<usize>i << 2), load<u32>(sorted + (<usize>i << RECORD_SHIFT), R_ID));
  }
  givePages(records, pages);
  return true;
}

/**
 * Sorts the entries by the texts of their keys. Uses heap sort, which needs no further memory and is fast for
 * every input: a hostile point may have thousands of entries in the worst order.
 */
function heapSort(batch: usize, codes: usize, places: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) store<u32>(places + (<usize>i << 2), i);
  for (let i: u32 = count >> 1; i > 0; ) sift(batch, codes, places, --i, count);
  for (let last: u32 = count; last > 1; ) {
    last--;
    swap(places, 0, last);
    sift(batch, codes, places, 0, last);
  }
}

function sift(batch: usize, codes: usize, places: usize, at: u32, end: u32): void {
  for (;;) {
    let child = (at << 1) + 1;
    if (child >= end) return;
    if (child + 1 < end && compare(batch, codes, places, child, child + 1) < 0) child++;
    if (compare(batch, codes, places, at, child) >= 0) return;
    swap(places, at, child);
    at = child;
  }
}

function compare(batch: usize, codes: usize, places: usize, left: u32, right: u32): i32 {
  const a = load<u32>(places + (<usize>left << 2));
  const b = load<u32>(places + (<usize>right << 2));
  const codeA = load<u32>(codes + (<usize>a << 2));
  const codeB = load<u32>(codes + (<usize>b << 2));
  if ((codeA ^ codeB) & 1) return codeA & 1 ? -1 : 1;
  const order = compareKeys(batch, codeA >> 1, codeB >> 1);
  return order ? order : <i32>(a - b);
}

function swap(places: usize, left: u32, right: u32): void {
  const a = places + (<usize>left << 2);
  const b = places + (<usize>right << 2);
  const held = load<u32>(a);
  store<u32>(a, load<u32>(b));
  store<u32>(b, held);
}
