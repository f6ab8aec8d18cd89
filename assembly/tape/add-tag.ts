// Adds one tag to all points of a batch that lack the tag's key. The entries of a point lie next to each other, so
// searching them costs less than making an index of the keys.

import { heapTake, pushEntry } from "./batch";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_POINTS, B_POINT_COUNT, ENTRY_DEAD, ENTRY_SHIFT, ENTRY_TAG, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_LINK, E_TEXT,
  KIND_STRING, POINT_SIZE, P_COUNT, P_FIRST, P_LAST, P_MORE,
} from "./layout";

/**
 * Offset, in bytes from the point's first entry, at which the key's entry was found in the last point that has
 * this key. The search in the next point begins at the same offset, because most points of a body have the same
 * keys in the same order.
 */
let usual: usize = 0;

/**
 * Adds the tag to every point that has no tag and no field with the tag's key. Copies the tag's value when needed, so
 * the caller may reuse the memory of the value.
 */
export function addTag(batch: usize, key: u32, text: usize, length: u32): void {
  let kept: usize = 0;
  const points = <usize>load<u32>(batch, B_POINTS);
  const end = points + <usize>load<u32>(batch, B_POINT_COUNT) * POINT_SIZE;
  usual = 0;
  for (let point = points; point < end; point += POINT_SIZE) {
    if (has(<usize>load<u32>(batch, B_ENTRIES), point, key)) continue;
    if (!kept) {
      kept = heapTake(batch, length);
      memory.copy(kept, text, length);
    }
    append(batch, point, key, kept, length);
  }
}

// @ts-ignore: decorator
@inline
function isHere(entry: usize, key: u32): bool {
  return load<u32>(entry, E_KEY) == key && !(<u32>load<u8>(entry, E_FLAGS) & ENTRY_DEAD);
}

function has(entries: usize, point: usize, key: u32): bool {
  const first = entries + (<usize>load<u32>(point, P_FIRST) << ENTRY_SHIFT);
  const end = first + (<usize>load<u32>(point, P_COUNT) << ENTRY_SHIFT);
  if (first + usual < end && isHere(first + usual, key)) return true;
  for (let entry = first; entry < end; entry += 1 << ENTRY_SHIFT) {
    if (!isHere(entry, key)) continue;
    usual = entry - first;
    return true;
  }
  for (let link = load<u32>(point, P_MORE); link; ) {
    const entry = entries + (<usize>(link - 1) << ENTRY_SHIFT);
    if (isHere(entry, key)) return true;
    link = load<u32>(entry, E_LINK);
  }
  return false;
}

/** Appends a tag to the end of the point's overflow chain, the linked list of entries that were added later. */
function append(batch: usize, point: usize, key: u32, text: usize, length: u32): void {
  const entry = pushEntry(batch);
  const next = load<u32>(batch, B_ENTRY_COUNT);
  const last = load<u32>(point, P_LAST);
  if (last) store<u32>(<usize>load<u32>(batch, B_ENTRIES) + (<usize>(last - 1) << ENTRY_SHIFT), next, E_LINK);
  else store<u32>(point, next, P_MORE);
  store<u32>(point, next, P_LAST);
  store<u32>(entry, key, E_KEY);
  store<u32>(entry, KIND_STRING | (ENTRY_TAG << 8), E_KIND);
  store<u32>(entry, <u32>text, E_TEXT);
  store<u32>(entry, length, E_LENGTH);
}
