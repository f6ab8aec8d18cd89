// Interns keys: gives each distinct key of a batch one id, and finds the id through an open-addressing hash
// table. Each instance of the module uses its own hash seed.

import { lanesOf } from "../memory/lanes";
import { growPages, pagesFor } from "../memory/pages";
import { compareTexts } from "../text/order";
import { growRegion, heapTake } from "./batch";
import {
  B_KEYS, B_KEY_COUNT, B_KEY_PAGES, B_SLOTS, B_SLOT_MASK, B_SLOT_PAGES, KEY_DIRTY, KEY_DOT, KEY_LONG_FIELD, KEY_LONG_TAG, KEY_QUOTE, KEY_SHIFT,
  K_FLAGS, K_HASH, K_HEAD, K_IDLE, K_LENGTH, K_TEXT,
} from "./layout";
import { requireMemory } from "./scan-memory";

/** Seed of the hash. It prevents a sender from choosing keys that all get the same slot of the hash table. */
let seed: u64 = 0x9e3779b97f4a7c15;

export function setSeed(value: u64): void {
  seed = value | 1;
}

// Length limits of tag keys and field keys in bytes; a longer key must be corrected.
let maxTagKey: u32 = 256;
let maxFieldKey: u32 = 256;

export function setKeyLimits(tagKey: u32, fieldKey: u32): void {
  maxTagKey = tagKey;
  maxFieldKey = fieldKey;
}

/**
 * Serial number of the line that is being parsed. When the member K_LINE of a key's record is equal to this
 * number, the key occurs in this line. The number is unique within the instance of the module.
 */
export let serial: u32 = 0;

export function nextSerial(): u32 {
  serial = max(serial + 1, 1);
  return serial;
}

/**
 * Largest number of keys for which the hash table has at least 16 slots for each key; with more keys it has at least 4.
 * More slots make look-ups faster: a look-up has to call a slower function when its first slot holds another key.
 */
const SPARSE_KEYS: u32 = 4096;

// 16 bytes of ones, then 16 bytes of zeros. The 16 bytes from address `ones + 16 - n` on are a mask that keeps the
// first n of 16 bytes.
const ones = memory.data<u64>([-1, -1, 0, 0], 16);

/**
 * Returns the hash of a key. Reads up to 15 bytes past its end. A key of up to 16 bytes is hashed without a branch on
 * its length, because the processor could not predict such a branch for keys of varied lengths.
 */
export function hash(text: usize, length: u32): u32 {
  let h: u64 = seed ^ (<u64>length * 0xff51afd7ed558ccd);
  let left = length;
  while (left > 16) {
    h = mixed(h, load<u64>(text));
    text += 8;
    left -= 8;
  }
  const rest = v128.and(v128.load(text), v128.load(ones + 16 - left));
  // The two halves of the 16 bytes are multiplied independently, so that the processor does both multiplications at the
  // same time and the hash is ready sooner.
  const low = (h ^ i64x2.extract_lane(rest, 0)) * 0x9fb21c651e98df25;
  const high = (h ^ i64x2.extract_lane(rest, 1)) * 0xd6e8feb86659fd93;
  const both = low ^ rotl(high, 32);
  return <u32>(((both ^ (both >> 32)) * 0xa0761d6478bd642f) >> 32);
}

// @ts-ignore: decorator
@inline
function mixed(h: u64, word: u64): u64 {
  const product = (h ^ word) * 0x9fb21c651e98df25;
  return product ^ (product >> 32);
}

/** Returns whether two byte sequences are equal. Reads up to 15 bytes past the end of each. */
// @ts-ignore: decorator
@inline
export function sameBytes(a: usize, b: usize, length: u32): bool {
  while (length > 16) {
    if (i8x16.bitmask(i8x16.ne(v128.load(a), v128.load(b)))) return false;
    a += 16;
    b += 16;
    length -= 16;
  }
  return (i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) | ~((1 << length) - 1)) == -1;
}

// @ts-ignore: decorator
@inline
export function keyAt(batch: usize, id: u32): usize {
  return <usize>load<u32>(batch, B_KEYS) + (<usize>id << KEY_SHIFT);
}

/**
 * Returns the id of the key, or -1 when the batch has no such key. The 16 bytes after the key's text must be
 * readable; the other functions of this file require the same.
 */
export function findKey(batch: usize, text: usize, length: u32): i32 {
  const h = hash(text, length);
  const mask = load<u32>(batch, B_SLOT_MASK);
  const slots = <usize>load<u32>(batch, B_SLOTS);
  let at = h & mask;
  let slot = load<u32>(slots + (<usize>at << 2));
  while (slot) {
    if (isKey(keyAt(batch, slot - 1), h, text, length)) return <i32>(slot - 1);
    at = (at + 1) & mask;
    slot = load<u32>(slots + (<usize>at << 2));
  }
  return -1;
}

function isKey(key: usize, h: u32, text: usize, length: u32): bool {
  return load<u32>(key, K_HASH) == h && load<u32>(key, K_LENGTH) == length && sameBytes(load<u32>(key, K_TEXT), text, length);
}

/**
 * Returns the id of the key, and adds the key when it is new. The text of a new key must stay in place as long as the
 * batch lives.
 */
export function internKey(batch: usize, text: usize, length: u32): u32 {
  return internHashed(batch, text, length, hash(text, length));
}

/** Does the same as `internKey` for a key whose hash is known. */
export function internHashed(batch: usize, text: usize, length: u32, h: u32): u32 {
  const mask = load<u32>(batch, B_SLOT_MASK);
  const slots = <usize>load<u32>(batch, B_SLOTS);
  let at = h & mask;
  for (; ; at = (at + 1) & mask) {
    const slot = load<u32>(slots + (<usize>at << 2));
    if (!slot) break;
    if (isKey(keyAt(batch, slot - 1), h, text, length)) return slot - 1;
  }
  const id = load<u32>(batch, B_KEY_COUNT);
  if (((id + 1) << <u32>KEY_SHIFT) > load<u32>(batch, B_KEY_PAGES) << 16) growRegion(batch, B_KEYS, B_KEY_PAGES);
  const key = keyAt(batch, id);
  v128.store(key, i64x2.splat(0));
  v128.store(key, i64x2.splat(0), 16);
  v128.store(key, i64x2.splat(0), 48);
  writeHead(key, text, length);
  store<u32>(key, <u32>text, K_TEXT);
  store<u32>(key, length, K_LENGTH);
  store<u32>(key, h, K_HASH);
  store<u32>(key, flagsOf(text, length), K_FLAGS);
  store<u32>(batch, id + 1, B_KEY_COUNT);
  store<u32>(slots + (<usize>at << 2), id + 1);
  if (((id + 1) << (id < SPARSE_KEYS ? 4 : 2)) > mask) spread(batch);
  return id;
}

/** Stores the first 16 bytes of a key in its record, so that `startsWithKey` can compare them with a line. */
// @ts-ignore: decorator
@inline
function writeHead(key: usize, text: usize, length: u32): void {
  const inHead = min(length, 16);
  v128.store(key, v128.and(v128.load(text), v128.load(ones + 16 - inHead)), K_HEAD);
  if (length >= 16) return;
  store<u8>(key + length, 0x3d, K_HEAD);
  store<u32>(key, ~((2 << length) - 1), K_IDLE);
}

/**
 * Returns whether the bytes at `p` are the key with the given record, followed by `=`. Reads at most 31 bytes past the
 * first byte that differs.
 */
// @ts-ignore: decorator
@inline
export function startsWithKey(p: usize, key: usize): bool {
  const same = i8x16.bitmask(i8x16.eq(v128.load(p), v128.load(key, K_HEAD)));
  return (same | load<i32>(key, K_IDLE)) == -1 || (same == 0xffff && startsWithLongKey(p, key));
}

function startsWithLongKey(p: usize, key: usize): bool {
  const length = load<u32>(key, K_LENGTH);
  return length >= 16 && sameBytes(load<u32>(key, K_TEXT), p, length) && load<u8>(p + length) == 0x3d;
}

/**
 * Does the same as `internKey` for a key whose text may be overwritten later: a new key gets a copy on the batch's
 * heap.
 */
export function internCopy(batch: usize, text: usize, length: u32): u32 {
  const id = findKey(batch, text, length);
  if (id >= 0) return id;
  const copy = heapTake(batch, length);
  memory.copy(copy, text, length);
  return internKey(batch, copy, length);
}

function flagsOf(text: usize, length: u32): u32 {
  let flags: u32 = 0;
  if (length > maxTagKey) flags |= KEY_LONG_TAG;
  if (length > maxFieldKey) flags |= KEY_LONG_FIELD;
  for (let i: u32 = 0; i < length; i += 16) {
    const v = v128.load(text + i);
    const counting = length - i < 16 ? (1 << (length - i)) - 1 : -1;
    if (i8x16.bitmask(i8x16.eq(v, lanesOf(0x2e))) & counting) flags |= KEY_DOT;
    if (i8x16.bitmask(i8x16.eq(v, lanesOf(0x0a))) & counting) flags |= KEY_DIRTY;
    if (i8x16.bitmask(i8x16.eq(v, lanesOf(0x22))) & counting) flags |= KEY_QUOTE;
  }
  return length && load<u8>(text + length - 1) == 0x5c ? flags | KEY_DIRTY : flags;
}

/** Doubles the hash table and puts every key into its new slot. */
function spread(batch: usize): void {
  const mask = (load<u32>(batch, B_SLOT_MASK) << 1) | 1;
  const pages = pagesFor((mask + 1) << 2);
  if (pages > load<u32>(batch, B_SLOT_PAGES)) {
    store<u32>(batch, <u32>requireMemory(growPages(load<u32>(batch, B_SLOTS), load<u32>(batch, B_SLOT_PAGES), pages)), B_SLOTS);
    store<u32>(batch, pages, B_SLOT_PAGES);
  }
  store<u32>(batch, mask, B_SLOT_MASK);
  const slots = <usize>load<u32>(batch, B_SLOTS);
  memory.fill(slots, 0, <usize>(mask + 1) << 2);
  const count = load<u32>(batch, B_KEY_COUNT);
  for (let id: u32 = 0; id < count; id++) {
    let at = load<u32>(keyAt(batch, id), K_HASH) & mask;
    while (load<u32>(slots + (<usize>at << 2))) at = (at + 1) & mask;
    store<u32>(slots + (<usize>at << 2), id + 1);
  }
}

/** Compares two keys by their bytes. Returns a negative number, 0 or a positive number. */
export function compareKeys(batch: usize, left: u32, right: u32): i32 {
  const a = keyAt(batch, left);
  const b = keyAt(batch, right);
  return compareTexts(load<u32>(a, K_TEXT), load<u32>(a, K_LENGTH), load<u32>(b, K_TEXT), load<u32>(b, K_LENGTH));
}
