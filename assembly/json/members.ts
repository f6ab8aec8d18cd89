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

/**
 * Writes the addresses of the sorted members to `list` and returns their number, or -1 when the map has more
 * than `most` members. Uses insertion sort, because in most JSON texts a map has few members or members that are
 * already sorted.
 */
export function sortMembers(map: usize, list: usize, most: u32): i32 {
  const end = <usize>load<u32>(map, R_NEXT);
  let count: u32 = 0;
  let seen: u32 = 0;
  for (let member = map + R_SIZE; member < end; member = <usize>load<u32>(member, R_NEXT)) {
    if (seen++ == most) return -1;
    const text = <usize>load<u32>(member, R_KEY);
    const length = load<u32>(member, R_KEY_LENGTH);
    const beginning = beginningOf(text, length);
    let place = count;
    let order: i32 = 1;
    for (; place; place--) {
      order = compare(<usize>load<u32>(list + (<usize>(place - 1) << 2)), text, length, beginning);
      if (order <= 0) break;
    }
    if (place && !order) {
      store<u32>(list + (<usize>(place - 1) << 2), <u32>member);
      continue;
    }
    const at = list + (<usize>place << 2);
    memory.copy(at + 4, at, <usize>(count - place) << 2);
    store<u32>(at, <u32>member);
    count++;
  }
  return count;
}

/**
 * Compares the key of a member with another key. `beginning` holds the first eight bytes of the other key. Returns a
 * negative number, 0 or a positive number.
 */
// @ts-ignore: decorator
@inline
function compare(member: usize, text: usize, length: u32, beginning: u64): i32 {
  const key = <usize>load<u32>(member, R_KEY);
  const keyLength = load<u32>(member, R_KEY_LENGTH);
  const own = beginningOf(key, keyLength);
  if (own != beginning) return own < beginning ? -1 : 1;
  return compareTexts(key, keyLength, text, length);
}
