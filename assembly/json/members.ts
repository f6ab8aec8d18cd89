// Lists the members of a map in an indexed JSON document (see document.ts). Scripts see the members in this
// order: sorted by the bytes of their keys. When several members have the same key, only the last one is listed.

import { beginningOf, compareTexts } from "../text/order";
import { heapKeep, heapTake } from "../tape/batch";
import { internKey } from "../tape/keys";
import { R_KEY, R_KEY_LENGTH, R_NEXT, R_SIZE } from "./records";

/**
 * Largest number of members of a map that this file sorts; JavaScript sorts larger maps. The time of an insertion sort
 * grows with the square of this number.
 */
export const MOST_MEMBERS: u32 = 64;

/**
 * Writes a list and returns its address. The list begins with the number of different keys of the map. After it
 * come the addresses of the members' records, and then the ids of the members' keys in the batch. Returns 0 when
 * the map has too many members. The list is valid until the batch is freed.
 */
export function listMembers(batch: usize, map: usize): usize {
  const list = heapTake(batch, (2 * MOST_MEMBERS + 1) << 2);
  const count = sortMembers(map, list + 4, MOST_MEMBERS);
  if (count < 0) {
    heapKeep(batch, list, 0);
    return 0;
  }
  store<u32>(list, count);
  heapKeep(batch, list, <u32>(2 * count + 1) << 2);
  const ids = list + 4 + (<usize>count << 2);
  for (let at: usize = 0; at < <usize>count << 2; at += 4) {
    const member = <usize>load<u32>(list + 4 + at);
    store<u32>(ids + at, internKey(batch, load<u32>(member, R_KEY), load<u32>(member, R_KEY_LENGTH)));
  }
  return list;
}

/** The first eight bytes of the keys of the members that were sorted so far, in their order. */
const beginnings = memory.data(8 * 64, 16);

/**
 * Writes the addresses of the sorted members to `list` and returns their number; -1 when the map has more than `most`
 * members, which is at most MOST_MEMBERS. Uses insertion sort, because most JSON texts have the members of a map in
 * sorted order, or have few members.
 */
export function sortMembers(map: usize, list: usize, most: u32): i32 {
  const end = <usize>load<u32>(map, R_NEXT);
  let count: usize = 0;
  let seen: u32 = 0;
  for (let member = map + R_SIZE; member < end; member = <usize>load<u32>(member, R_NEXT)) {
    if (seen++ == most) return -1;
    const beginning = beginningOf(load<u32>(member, R_KEY), load<u32>(member, R_KEY_LENGTH));
    let place = count;
    let order: i32 = 1;
    for (; place; place--) {
      const other = load<u64>(beginnings + ((place - 1) << 3));
      if (other < beginning) break;
      if (other > beginning) continue;
      order = compareKeys(<usize>load<u32>(list + ((place - 1) << 2)), member);
      if (order <= 0) break;
    }
    if (place && !order) {
      store<u32>(list + ((place - 1) << 2), <u32>member);
      continue;
    }
    for (let at = count; at > place; at--) {
      store<u32>(list + (at << 2), load<u32>(list + ((at - 1) << 2)));
      store<u64>(beginnings + (at << 3), load<u64>(beginnings + ((at - 1) << 3)));
    }
    store<u32>(list + (place << 2), <u32>member);
    store<u64>(beginnings + (place << 3), beginning);
    count++;
  }
  return <i32>count;
}

/** Compares the keys of two members. Returns a negative number, 0 or a positive number. */
function compareKeys(a: usize, b: usize): i32 {
  return compareTexts(load<u32>(a, R_KEY), load<u32>(a, R_KEY_LENGTH), load<u32>(b, R_KEY), load<u32>(b, R_KEY_LENGTH));
}
