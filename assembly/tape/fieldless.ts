// Finds points without a field. A decoded point may have lost all its fields, because the rules of its category
// remove them. Such a point is neither stored nor sent.

import {
  B_ENTRIES, B_POINTS, B_POINT_COUNT, ENTRY_DEAD, ENTRY_SHIFT, ENTRY_TAG, E_FLAGS, E_LINK, POINT_SIZE, P_COUNT, P_FIRST, P_MORE,
} from "./layout";

/**
 * Returns the index of the first point without a field, searching from the index `from` on. When there is no
 * such point, returns the number of points of the batch.
 */
export function findFieldless(batch: usize, from: u32): u32 {
  const entries = <usize>load<u32>(batch, B_ENTRIES);
  const count = load<u32>(batch, B_POINT_COUNT);
  let point = <usize>load<u32>(batch, B_POINTS) + <usize>from * POINT_SIZE;
  for (let index = from; index < count; index++, point += POINT_SIZE) if (!hasField(entries, point)) return index;
  return count;
}

/**
 * Returns whether the point has a field. Begins with the last entry of the point, because encoders and senders
 * write the tags before the fields.
 */
function hasField(entries: usize, point: usize): bool {
  const first = entries + (<usize>load<u32>(point, P_FIRST) << ENTRY_SHIFT);
  for (let entry = first + (<usize>load<u32>(point, P_COUNT) << ENTRY_SHIFT); entry > first; ) {
    entry -= 1 << ENTRY_SHIFT;
    if (isField(entry)) return true;
  }
  for (let link = load<u32>(point, P_MORE); link; ) {
    const entry = entries + (<usize>(link - 1) << ENTRY_SHIFT);
    if (isField(entry)) return true;
    link = load<u32>(entry, E_LINK);
  }
  return false;
}

// @ts-ignore: decorator
@inline
function isField(entry: usize): bool {
  return !(<u32>load<u8>(entry, E_FLAGS) & (ENTRY_TAG | ENTRY_DEAD));
}
