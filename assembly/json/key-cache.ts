// Caches the ids of the keys in a JSON body. Each slot (place in the cache) has the text and the id of a short
// key, so that one comparison of 16 bytes finds the id. A key that is not in its slot is looked up in the key
// table of the batch, which is slower. In a hostile body, many keys may need the same slot; the only harm is
// then this slower look-up.

import { internKey } from "../tape/keys";

/** Longest key in bytes that the cache holds. Longer keys are looked up in the key table. */
const MOST: u32 = 16;
const SLOT_BITS: u64 = 11;
const SLOT_SHIFT: usize = 5;
// The layout of a slot (place in the cache), 32 bytes: the text of the key, filled with zeros; the number of the scan
// (decoding of one body) that wrote the slot; the length of the key; the key's id.
const S_SCAN: usize = 16;
const S_ID: usize = 24;
const slots = memory.data(2048 * 32, 16);

// Bytes from which masks are loaded: 16 times 255, then 16 times 0. The 16 bytes from offset 16 - n on are a mask that
// keeps the first n bytes of a vector.
const firsts = memory.data<u8>([
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/**
 * Number of the current scan (decoding of one body). A slot (place in the cache) that an earlier scan wrote is ignored,
 * because its key id belongs to another batch.
 */
let scan: u32 = 0;

/** Removes all keys from the cache. Must be called before each scan (the decoding of one body). */
export function forgetCachedKeys(): void {
  if (++scan) return;
  memory.fill(slots, 0, 2048 << SLOT_SHIFT);
  scan = 1;
}

/** Returns the id of the key and adds the key when it is new, as `internKey` of assembly/tape/keys.ts does. */
// @ts-ignore: decorator
@inline
export function cachedKey(batch: usize, text: usize, length: u32): u32 {
  if (length - 1 >= MOST) return internKey(batch, text, length);
  const key = v128.and(v128.load(text), v128.load(firsts + 16 - <usize>length));
  const mixed = (i64x2.extract_lane(key, 0) ^ (i64x2.extract_lane(key, 1) * 0x9fb21c651e98df25)) * 0x9e3779b97f4a7c15;
  const slot = slots + (<usize>(<u64>mixed >> (64 - SLOT_BITS)) << SLOT_SHIFT);
  const mark = <u64>scan | (<u64>length << 32);
  if (load<u64>(slot, S_SCAN) == mark && !v128.any_true(v128.xor(key, v128.load(slot)))) return load<u32>(slot, S_ID);
  const id = internKey(batch, text, length);
  v128.store(slot, key);
  store<u64>(slot, mark, S_SCAN);
  store<u32>(slot, id, S_ID);
  return id;
}
