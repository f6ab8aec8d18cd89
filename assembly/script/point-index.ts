// Finds the entries of a script's current point by key in one step: the record of each key of the point contains
// the index of its entry. The index is valid only if the record also contains the serial number that
// `indexPoint` returned for the point. Code that adds or removes entries updates the records.

import { nextSerial } from "../tape/keys";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_KEYS, ENTRY_DEAD, ENTRY_SHIFT, E_FLAGS, E_KEY, E_LINK, KEY_SHIFT, K_ENTRY, K_LINE, P_COUNT, P_FIRST, P_LAST,
  P_MORE,
} from "../tape/layout";

/**
 * Stores the index of each entry of a point in the record of the entry's key. Leaves out deleted entries. Returns the
 * serial number with which the indexes are stored.
 */
export function indexPoint(batch: usize, point: usize): u32 {
  const serial = nextSerial();
  const entries = <usize>load<u32>(batch, B_ENTRIES);
  const keys = <usize>load<u32>(batch, B_KEYS);
  let index = load<u32>(point, P_FIRST);
  for (const stop = index + load<u32>(point, P_COUNT); index < stop; index++) {
    mark(keys, entries + (<usize>index << ENTRY_SHIFT), index, serial);
  }
  for (let link = load<u32>(point, P_MORE); link; ) {
    const entry = entries + (<usize>(link - 1) << ENTRY_SHIFT);
    mark(keys, entry, link - 1, serial);
    link = load<u32>(entry, E_LINK);
  }
  return serial;
}

/**
 * Stores the index of an entry in the record of its key, unless the entry is deleted. When two entries have the same
 * key, the index of the first one is stored.
 */
// @ts-ignore: decorator
@inline
function mark(keys: usize, entry: usize, index: u32, serial: u32): void {
  if (<u32>load<u8>(entry, E_FLAGS) & ENTRY_DEAD) return;
  const record = keys + (<usize>load<u32>(entry, E_KEY) << KEY_SHIFT);
  if (load<u32>(record, K_LINE) == serial) return;
  store<u32>(record, serial, K_LINE);
  store<u32>(record, index, K_ENTRY);
}

/** Returns the address of the point's entry with the given key; 0 when there is none. Deleted entries do not count. */
// @ts-ignore: decorator
@inline
export function entryOf(batch: usize, serial: u32, key: u32): usize {
  const record = <usize>load<u32>(batch, B_KEYS) + (<usize>key << KEY_SHIFT);
  if (load<u32>(record, K_LINE) != serial) return 0;
  return <usize>load<u32>(batch, B_ENTRIES) + (<usize>load<u32>(record, K_ENTRY) << ENTRY_SHIFT);
}

/**
 * Returns the address of the entry of a key. When the point has no such entry, adds an entry at the end of the
 * point; all its members are zero, except the key. `reserveEntries` must have made room for this entry.
 */
// @ts-ignore: decorator
@inline
export function entryFor(batch: usize, point: usize, serial: u32, key: u32): usize {
  const record = <usize>load<u32>(batch, B_KEYS) + (<usize>key << KEY_SHIFT);
  const entries = <usize>load<u32>(batch, B_ENTRIES);
  if (load<u32>(record, K_LINE) == serial) return entries + (<usize>load<u32>(record, K_ENTRY) << ENTRY_SHIFT);
  const index = load<u32>(batch, B_ENTRY_COUNT);
  store<u32>(batch, index + 1, B_ENTRY_COUNT);
  const entry = entries + (<usize>index << ENTRY_SHIFT);
  v128.store(entry, i32x4.replace_lane(i64x2.splat(0), 0, key));
  v128.store(entry, i64x2.splat(0), 16);
  const last = load<u32>(point, P_LAST);
  if (last) store<u32>(entries + (<usize>(last - 1) << ENTRY_SHIFT), index + 1, E_LINK);
  else store<u32>(point, index + 1, P_MORE);
  store<u32>(point, index + 1, P_LAST);
  store<u32>(record, serial, K_LINE);
  store<u32>(record, index, K_ENTRY);
  return entry;
}
