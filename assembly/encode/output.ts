// The output buffer of the encoders: one region of fixed size, which is passed to JavaScript whenever it is full. So
// the output takes the same memory for one point and for a million, and a string may have any length.

import { givePages, takePages } from "../memory/pages";
import { requireMemory } from "../tape/scan-memory";

/** Host function that must copy the `length` bytes of output at `address` before it returns. */
// @ts-ignore: decorator
@external("host", "flush")
declare function hostFlush(address: usize, length: u32): void;

/**
 * Size in pages of 64 KB of the output buffer, whose content is passed to JavaScript as one chunk. With this size, the
 * buffer and the input together fit the processor's cache.
 */
const CHUNK: u32 = 2;
/**
 * Number of spare memory pages of the output buffer after the address `limit`. An encoder compares `out` with `limit`
 * only once for each entry, so an entry with short strings may end in the spare pages.
 */
const SLACK: u32 = 1;

let region: usize = 0;
/** Address where the next byte of output is written. */
export let out: usize = 0;
/** Number of bytes passed to JavaScript so far, modulo 2^32. */
let handed: u32 = 0;
/**
 * When `out` (the address of the next output byte) is beyond this address, the chunk must be flushed before another
 * entry is written.
 */
export let limit: usize = 0;

export function startOutput(): void {
  region = requireMemory(takePages(CHUNK + SLACK));
  out = region;
  limit = region + (CHUNK << 16);
}

/** Frees the memory of the output buffer. Output that was not passed to JavaScript before is lost. */
export function stopOutput(): void {
  if (region) givePages(region, CHUNK + SLACK);
  region = 0;
}

export function flush(): void {
  const length = <u32>(out - region);
  handed += length;
  if (length) hostFlush(region, length);
  out = region;
}

/**
 * Passes the output written so far to JavaScript, and after it the `length` bytes at `address`, which lie outside of
 * the output buffer.
 */
export function flushFrom(address: usize, length: u32): void {
  flush();
  handed += length;
  hostFlush(address, length);
}

/** Returns the number of bytes written so far, modulo 2^32. Only the difference of two results is meaningful. */
export function position(): u32 {
  return handed + <u32>(out - region);
}

// @ts-ignore: decorator
@inline
export function room(): void {
  if (out > limit) flush();
}

// @ts-ignore: decorator
@inline
export function setOut(address: usize): void {
  out = address;
}

// @ts-ignore: decorator
@inline
export function put(c: u32): void {
  store<u8>(out, c);
  out++;
}

/** Appends the lowest `length` bytes of `word`, at most eight, to the output: the lowest byte first. */
// @ts-ignore: decorator
@inline
export function putWord(word: u64, length: u32): void {
  store<u64>(out, word);
  out += length;
}

/** Copies a string that is usually short. Reads and writes blocks of 16 bytes, at least one block. */
// @ts-ignore: decorator
@inline
export function copyShortAt(to: usize, text: usize, length: u32): void {
  v128.store(to, v128.load(text));
  for (let at: u32 = 16; at < length; at += 16) v128.store(to + at, v128.load(text + at));
}

/** Copies a string of any length in blocks of 16 bytes. */
// @ts-ignore: decorator
@inline
export function copyAt(to: usize, text: usize, length: u32): void {
  if (length > 256) memory.copy(to, text, length);
  else copyShortAt(to, text, length);
}

/**
 * Writes any bytes unchanged. Reads up to 15 bytes past a short string. A very long string is passed to JavaScript
 * directly, without a copy.
 */
// @ts-ignore: decorator
@inline
export function putBytes(text: usize, length: u32): void {
  if (length > 256) return putLong(text, length);
  copyShortAt(out, text, length);
  out += length;
}

/**
 * Strings longer than this number of bytes are passed to JavaScript directly, without a copy into the output region.
 */
const DIRECT: u32 = 32768;

function putLong(text: usize, length: u32): void {
  if (length > DIRECT) return flushFrom(text, length);
  room();
  memory.copy(out, text, length);
  out += length;
}
