// Guesses the next key of a line. Each key's record names the key that came after it in an earlier line, so the
// keys of a measurement form a chain. The parser compares 16 bytes of the line with the expected key. When the
// line lacks this key, the parser goes on to the next keys of the chain. Only for a key that is not in the
// chain, the parser has to search the end of the key and look it up by its hash.

import { startsWithKey } from "../tape/keys";
import { B_KEYS, E_KEY, KEY_SHIFT, KEY_SIZE, K_LENGTH, K_NEXT } from "../tape/layout";
import { changeScore, LEAST_SCORE, RETRIED } from "./scores";
import { MAX_KEY, scan } from "./shapes";

// The record of a measurement, 16 bytes. It has the number of the scan (decoding of one body) to which the keys
// in the record belong; the first tag key and the first field key of the chain, in the form of the member K_NEXT
// of a key's record; and two scores (scores.ts) that say how often the guesses of tags and of fields were right.
const C_SCAN: usize = 0;
export const C_TAG: usize = 4;
export const C_FIELD: usize = 8;
export const C_TAG_SCORE: usize = 12;
export const C_FIELD_SCORE: usize = 13;
const CHAIN_SHIFT: usize = 4;
/**
 * Number of measurement records. The low bits of a measurement's hash select its record, so several measurements may
 * share a record.
 */
const CHAINS: u32 = 1024;
const chains = memory.data(1024 << 4, 16);

/**
 * Number of times so far that a score was too low for guesses. In one of `RETRIED` such cases, keys are guessed
 * nevertheless.
 */
let skipped: u32 = 0;

/**
 * Largest number of consecutive keys of the chain that a line may lack. When a line lacks more of them, the key that
 * follows is not guessed but looked up by its hash.
 */
const MOST_LACKING: u32 = 3;

/**
 * Prepares a scan (the decoding of a body). The 32-bit counter of scans begins again at 1 after its greatest
 * value. In this case the function clears all records, because old records could otherwise have the number of a
 * new scan.
 */
export function startChains(): void {
  if (scan == 1) memory.fill(chains, 0, CHAINS << <u32>CHAIN_SHIFT);
}

/**
 * Whether the current line is the first one of its measurement in this scan (the decoding of a body). The keys
 * of such a line are not added to the chain. A body that has only one line for each measurement thus never pays
 * for a chain.
 */
let isFirst: bool = false;

/** Returns the record of the measurement with the hash `named`. To be called once for each line. */
// @ts-ignore: decorator
@inline
export function chainOf(named: u32): usize {
  const chain = chains + (<usize>(named & (CHAINS - 1)) << CHAIN_SHIFT);
  isFirst = load<u32>(chain, C_SCAN) != scan;
  if (isFirst) {
    store<u32>(chain, scan, C_SCAN);
    store<u64>(chain, 0, C_TAG);
  }
  return chain;
}

/**
 * Number of keys since the last call of `startGuesses` that were looked up by their hash, because the guess was wrong.
 */
let misses: u32 = 0;

/**
 * Begins the guesses of a line's tags or fields. Returns -1 (all bits set) when keys are to be guessed, else 0; the
 * caller masks the expected key with the result. Keys are guessed when the score at the address `score` is high enough,
 * and now and then with a lower score, but never in the first line of a measurement.
 */
// @ts-ignore: decorator
@inline
export function startGuesses(score: usize): u32 {
  misses = 0;
  return !isFirst && (<i32>load<i8>(score) >= LEAST_SCORE || !(++skipped & (RETRIED - 1))) ? -1 : 0;
}

/**
 * Changes the score at the address `score`, which says how well the keys of earlier lines were guessed. Called after
 * the `count` tags or fields of a line were read, each with a guess of its key. The score falls when more than a third
 * of the guesses were wrong, else it rises.
 */
export function rate(score: usize, count: u32): void {
  changeScore(score, misses * 3 > count ? -1 : 1);
}

/**
 * Returns the record of the key at `p` when this key is the expected key `next` or one of the keys after `next`
 * in the chain. Returns 0 otherwise. `next` has the form of the member K_NEXT of a key's record.
 */
// @ts-ignore: decorator
@inline
export function expectedKey(batch: usize, next: u32, p: usize): usize {
  if (!next) return 0;
  const record = <usize>load<u32>(batch, B_KEYS) + next - KEY_SIZE;
  return startsWithKey(p, record) ? record : laterKey(batch, load<u32>(record, K_NEXT), p);
}

function laterKey(batch: usize, next: u32, p: usize): usize {
  const keys = <usize>load<u32>(batch, B_KEYS);
  for (let lacking: u32 = 1; next && lacking <= MOST_LACKING; lacking++) {
    const record = keys + next - KEY_SIZE;
    if (startsWithKey(p, record)) return record;
    next = load<u32>(record, K_NEXT);
  }
  return 0;
}

/**
 * Inserts a key into the chain; `record` is the key's record. The key is inserted before `next`, the key that
 * was guessed but that the line does not have at this place. `before` is the entry of the line's previous key.
 * When `before` is 0, the inserted key is the line's first one, and its reference is stored at the address
 * `first`. Keys that are too long for the faster parsers are not inserted.
 */
export function expectAfter(batch: usize, before: usize, first: usize, next: u32, record: usize): void {
  misses++;
  if (load<u32>(record, K_LENGTH) > MAX_KEY) return;
  const keys = <usize>load<u32>(batch, B_KEYS);
  const key = <u32>(record - keys + KEY_SIZE);
  store<u32>(before ? keys + (<usize>load<u32>(before, E_KEY) << KEY_SHIFT) + K_NEXT : first, key);
  if (!load<u32>(record, K_NEXT) && next != key) store<u32>(record, next, K_NEXT);
}
