// Lists the entries (tags and fields) of one point, without deleted ones, in the order in which an output format writes
// them. Most points of a body have the same keys as the previous point; then the previous order is used again without
// comparing keys.

import { givePages, takePages } from "../memory/pages";
import {
  B_ENTRIES, ENTRY_DEAD, ENTRY_SHIFT, ENTRY_SOURCE, ENTRY_TAG, E_FLAGS, E_KEY, E_LINK, P_COUNT, P_FIRST, P_MORE,
} from "../tape/layout";
import { requireMemory } from "../tape/scan-memory";
import { orderEntries } from "../tape/order/order";
import { unpack } from "./unpack";

// Four lists of 32-bit numbers lie one after another in one block of memory. The first list has the addresses of
// the entries, in the order in which the entries lie in memory. The second has a number for each entry, which
// the encoder of an output format may use. The third has a code for each entry that identifies its key and
// whether it is a tag. The fourth has the indexes of the entries in the order in which they are written.
let region: usize = 0;
let pages: u32 = 0;
let capacity: u32 = 0;
let codes: usize = 0;
let places: usize = 0;
let addresses: usize = 0;
let numbers: usize = 0;

/** For the point that `gather` listed last: the number of its entries (tags and fields), and the number of its tags. */
export let count: u32 = 0;
export let tags: u32 = 0;
/**
 * Number of entries of the previous point. The lists of this file still hold the writing order of these entries. The
 * number is 0 when no order is known.
 */
let known: u32 = 0;

export function startEntries(): void {
  pages = 1;
  region = requireMemory(takePages(pages));
  divide();
}

export function stopEntries(): void {
  if (region) givePages(region, pages);
  region = 0;
}

/**
 * Forgets the writing order of the previous point, which is stored as key ids. To be called for each new batch, because
 * each batch has its own key ids.
 */
export function forgetOrder(): void {
  known = 0;
}

function divide(): void {
  capacity = pages << 12;
  addresses = region;
  numbers = addresses + (<usize>capacity << 2);
  codes = numbers + (<usize>capacity << 2);
  places = codes + (<usize>capacity << 2);
}

/**
 * Doubles the capacity of the lists while the entries of a point are being listed. The writing order of the entries is
 * then computed anew.
 */
function grow(filled: u32): void {
  const wider = requireMemory(takePages(pages << 1));
  memory.copy(wider, addresses, <usize>filled << 2);
  // Each list now has room for 2 * `capacity` numbers of 4 bytes. `codes` is the third list, so it begins after two
  // lists of this size.
  memory.copy(wider + (<usize>capacity << 4), codes, <usize>filled << 2);
  givePages(region, pages);
  region = wider;
  pages <<= 1;
  divide();
}

/**
 * Lists the entries of a point, without deleted ones, and unpacks their values. With `sorted`, also computes their
 * writing order: tags first, then fields, each sorted by key.
 */
export function gather(batch: usize, point: usize, sorted: bool): void {
  const entries = <usize>load<u32>(batch, B_ENTRIES);
  let found: u32 = 0;
  let tagged: u32 = 0;
  let same = true;
  let entry = entries + (<usize>load<u32>(point, P_FIRST) << ENTRY_SHIFT);
  let left = load<u32>(point, P_COUNT);
  let link = load<u32>(point, P_MORE);
  for (;;) {
    if (!left) {
      if (!link) break;
      entry = entries + (<usize>(link - 1) << ENTRY_SHIFT);
      link = load<u32>(entry, E_LINK);
    } else left--;
    const flags = <u32>load<u8>(entry, E_FLAGS);
    if (!(flags & ENTRY_DEAD)) {
      if (flags & ENTRY_SOURCE) unpack(batch, entry);
      if (found == capacity) {
        grow(found);
        known = 0;
      }
      const isTag = flags & ENTRY_TAG;
      tagged += isTag;
      const code = (load<u32>(entry, E_KEY) << 1) | isTag;
      const at = <usize>found << 2;
      store<u32>(addresses + at, <u32>entry);
      if (sorted) {
        same = same && found < known && load<u32>(codes + at) == code;
        store<u32>(codes + at, code);
      }
      found++;
    }
    entry += 1 << ENTRY_SHIFT;
  }
  count = found;
  tags = tagged;
  if (!sorted) return;
  if (!same || found != known) orderEntries(batch, codes, places, found);
  known = found;
}

/** Returns the address of the entry with the given index in writing order. */
// @ts-ignore: decorator
@inline
export function entryInOrder(place: u32): usize {
  return load<u32>(addresses + (<usize>load<u32>(places + (<usize>place << 2)) << 2));
}

/** Returns the address of the entry with the given index, in the order in which the entries lie in memory. */
// @ts-ignore: decorator
@inline
export function entryAt(index: u32): usize {
  return load<u32>(addresses + (<usize>index << 2));
}

// @ts-ignore: decorator
@inline
export function numberAt(index: u32): u32 {
  return load<u32>(numbers + (<usize>index << 2));
}

// @ts-ignore: decorator
@inline
export function setNumberAt(index: u32, number: u32): void {
  store<u32>(numbers + (<usize>index << 2), number);
}
