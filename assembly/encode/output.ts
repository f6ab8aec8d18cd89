// Where encoders write: one region of fixed size, handed to the host whenever it is full. So the output takes the same memory for one point
// and for a million, and a text may be as long as it likes.

import { givePages, takePages } from "../memory/pages";
import { need } from "../tape/scan-memory";

/** Takes `length` bytes of output at `address` away before it returns. */
// @ts-ignore: decorator
@external("host", "flush")
declare function hostFlush(address: usize, length: u32): void;

/** A chunk of output, in pages, that still fits the cache beside what is read. */
const CHUNK: u32 = 2;
/** What may be written after a look at `limit`: an entry with short texts. */
const SLACK: u32 = 1;

let region: usize = 0;
/** Where the next byte goes. */
export let out: usize = 0;
/** Bytes handed out so far, modulo 2^32. */
let handed: u32 = 0;
/** Behind it the chunk must be flushed before another entry is written. */
export let limit: usize = 0;

export function startOutput(): void {
  region = need(takePages(CHUNK + SLACK));
  out = region;
  limit = region + (CHUNK << 16);
}

/** Gives the region back; what was not flushed is lost. */
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

/** Hands out bytes that lie elsewhere, behind what has been written. */
export function flushFrom(address: usize, length: u32): void {
  flush();
  handed += length;
  hostFlush(address, length);
}

/** Bytes written so far, modulo 2^32: for differences. */
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

/** Up to eight bytes, the first in the lowest. */
// @ts-ignore: decorator
@inline
export function putWord(word: u64, length: u32): void {
  store<u64>(out, word);
  out += length;
}

/** Copies a text, mostly a short one: at least 16 bytes are written, and so many read. */
// @ts-ignore: decorator
@inline
export function copyShortAt(to: usize, text: usize, length: u32): void {
  v128.store(to, v128.load(text));
  for (let at: u32 = 16; at < length; at += 16) v128.store(to + at, v128.load(text + at));
}

/** The same, of any length. */
// @ts-ignore: decorator
@inline
export function copyAt(to: usize, text: usize, length: u32): void {
  if (length > 256) memory.copy(to, text, length);
  else copyShortAt(to, text, length);
}

/** Any bytes as they are. Reads up to 15 bytes past a short text; a very long one goes to the host from where it lies. */
// @ts-ignore: decorator
@inline
export function putBytes(text: usize, length: u32): void {
  if (length > 256) return putLong(text, length);
  copyShortAt(out, text, length);
  out += length;
}

/** Longer texts are not copied twice. */
const DIRECT: u32 = 32768;

function putLong(text: usize, length: u32): void {
  if (length > DIRECT) return flushFrom(text, length);
  room();
  memory.copy(out, text, length);
  out += length;
}
