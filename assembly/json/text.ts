// Reads JSON text (RFC 8259, strictly) value by value: reads strings and numbers, and can skip any value. The reading
// position `at` moves past each accepted value. The functions that read or skip return `false` when the text is not
// JSON; lib/text/json-text.ts then finds the error message.

import { lanesOf } from "../memory/lanes";
import { heapTake } from "../tape/batch";
import { passNumber } from "./number-text";

/** Largest depth to which arrays and objects may be nested. The JSON reader in JavaScript has the same limit. */
const MAX_DEPTH: u32 = 10000;

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;

/** The reading position in the JSON text: the address of the next byte. */
export let at: usize = 0;
let end: usize = 0;

export function startText(p: usize, stop: usize): void {
  at = p;
  end = stop;
}

/** Moves the reading position in the JSON text back to an earlier address. */
// @ts-ignore: decorator
@inline
export function moveTo(p: usize): void {
  at = p;
}

export function isAtEnd(): bool {
  return at == end;
}

/** Moves the reading position in the JSON text past one byte. */
// @ts-ignore: decorator
@inline
export function step(): void {
  at++;
}

/** Skips white space and returns the next byte, without moving past it; 0 at the end of the text. */
// @ts-ignore: decorator
@inline
export function next(): u32 {
  const c = <u32>load<u8>(at);
  return c > 0x20 ? c : behindSpace();
}

function behindSpace(): u32 {
  for (; at < end; at++) {
    const c = <u32>load<u8>(at);
    if (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09) return c;
  }
  return 0;
}

/** Skips white space, then moves past the byte `c`. Returns false when another byte follows. */
// @ts-ignore: decorator
@inline
export function take(c: u32): bool {
  if (next() != c) return false;
  at++;
  return true;
}

// The result of the last `readString`: the string without escapes. The string lies in the body or, when it had escapes,
// on the batch's heap.
export let text: usize = 0;
export let length: u32 = 0;

/** Reads a string from its opening quote on. Stores its address in `text` and its length in bytes in `length`. */
// @ts-ignore: decorator
@inline
export function readString(batch: usize): bool {
  if (next() != QUOTE) return false;
  const start = at + 1;
  const stop = plainEnd(start);
  if (load<u8>(stop) != QUOTE) return readEscaped(batch, start, stop);
  text = start;
  length = <u32>(stop - start);
  at = stop + 1;
  return true;
}

/** Whether the string that `passString` read last is all ASCII. */
export let isAscii: bool = false;

/**
 * Skips a string from its opening quote on. Sets `text` and `length` to the string as it is written in the JSON text,
 * with its escapes. Returns 1 when the string has no escapes, and 2 when it has some. Returns 0 when the string is not
 * valid or has a `\u` escape.
 */
export function passString(): u32 {
  const start = at + 1;
  let p = start;
  let found: u32 = 1;
  let high: i32 = 0;
  for (;;) {
    const v = v128.load(p);
    const mask = i8x16.bitmask(specialBytes(v));
    if (!mask) {
      high |= i8x16.bitmask(v);
      p += 16;
      continue;
    }
    const stop = ctz(mask);
    high |= i8x16.bitmask(v) & ((1 << stop) - 1);
    p += stop;
    if (load<u8>(p) != BACKSLASH) break;
    if (!meaningOf(load<u8>(p, 1))) return 0;
    found = 2;
    p += 2;
  }
  if (load<u8>(p) != QUOTE) return 0;
  isAscii = !high;
  text = start;
  length = <u32>(p - start);
  at = p + 1;
  return found;
}

/**
 * Returns the address of the first quote, backslash or control character. The search ends at the newlines (padding)
 * after the body at the latest.
 */
// @ts-ignore: decorator
@inline
function plainEnd(p: usize): usize {
  for (;;) {
    const v = v128.load(p);
    const mask = i8x16.bitmask(specialBytes(v));
    if (mask) return p + ctz(mask);
    p += 16;
  }
  return p;
}

/** Returns a vector that marks the quotes, backslashes and control characters among 16 bytes. */
// @ts-ignore: decorator
@inline
function specialBytes(v: v128): v128 {
  return v128.or(v128.or(i8x16.eq(v, lanesOf(QUOTE)), i8x16.eq(v, lanesOf(BACKSLASH))), i8x16.le_u(v, lanesOf(0x1f)));
}

/**
 * Returns the address of the quote that closes a string. The search begins at `p`; the string has no escape before `p`.
 * Returns 0 when the string is not valid.
 */
function closingQuote(p: usize): usize {
  for (;;) {
    const c = <u32>load<u8>(p);
    if (c == QUOTE) return p;
    if (c != BACKSLASH) return 0;
    const letter = <u32>load<u8>(p, 1);
    if (letter == 0x75) {
      if (unitAt(p + 2) < 0) return 0;
      p += 6;
    } else if (meaningOf(letter)) p += 2;
    else return 0;
    p = plainEnd(p);
  }
  return 0;
}

/** Returns the character that a letter after a backslash stands for, 0 when the escape is not valid. */
function meaningOf(letter: u32): u32 {
  switch (letter) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f:
      return letter;
    case 0x62:
      return 0x08;
    case 0x66:
      return 0x0c;
    case 0x6e:
      return 0x0a;
    case 0x72:
      return 0x0d;
    case 0x74:
      return 0x09;
    default:
      return 0;
  }
}

/**
 * Returns the UTF-16 unit that four hexadecimal digits at `p` stand for, -1 when the four bytes at `p` are not
 * hexadecimal digits.
 */
function unitAt(p: usize): i32 {
  let unit: u32 = 0;
  for (let i: usize = 0; i < 4; i++) {
    const c = <u32>load<u8>(p + i);
    const letter = c | 0x20;
    const figure = c - 0x30 < 10 ? c - 0x30 : letter - 0x61 < 6 ? letter - 0x57 : <u32>16;
    if (figure == 16) return -1;
    unit = (unit << 4) | figure;
  }
  return <i32>unit;
}

/** Reads the remainder of a JSON string from the address `p` on, at which the string has an escape or an error. */
function readEscaped(batch: usize, start: usize, p: usize): bool {
  const stop = closingQuote(p);
  if (!stop) return false;
  // The string without escapes fits into this memory, because no character takes more bytes than the escape that
  // stands for it.
  let out = heapTake(batch, <u32>(stop - start));
  text = out;
  memory.copy(out, start, p - start);
  out += p - start;
  while (p < stop) {
    const letter = <u32>load<u8>(p, 1);
    if (letter == 0x75) {
      let code = <u32>unitAt(p + 2);
      p += 6;
      if (code - 0xd800 < 0x800) {
        const low = code < 0xdc00 && load<u8>(p) == BACKSLASH && load<u8>(p, 1) == 0x75 ? <u32>unitAt(p + 2) - 0xdc00 : <u32>0x400;
        if (low < 0x400) {
          code = 0x10000 + ((code - 0xd800) << 10) + low;
          p += 6;
        } else code = 0xfffd;
      }
      out = putCharacter(out, code);
    } else {
      store<u8>(out++, meaningOf(letter));
      p += 2;
    }
    const run = plainEnd(p) - p;
    memory.copy(out, p, run);
    out += run;
    p += run;
  }
  length = <u32>(out - text);
  at = stop + 1;
  return true;
}

/** Writes a character as UTF-8 and returns the address after it. */
function putCharacter(out: usize, code: u32): usize {
  if (code < 0x80) {
    store<u8>(out, code);
    return out + 1;
  }
  if (code < 0x800) {
    store<u8>(out, 0xc0 | (code >> 6));
    store<u8>(out, 0x80 | (code & 0x3f), 1);
    return out + 2;
  }
  if (code < 0x10000) {
    store<u8>(out, 0xe0 | (code >> 12));
    store<u8>(out, 0x80 | ((code >> 6) & 0x3f), 1);
    store<u8>(out, 0x80 | (code & 0x3f), 2);
    return out + 3;
  }
  store<u8>(out, 0xf0 | (code >> 18));
  store<u8>(out, 0x80 | ((code >> 12) & 0x3f), 1);
  store<u8>(out, 0x80 | ((code >> 6) & 0x3f), 2);
  store<u8>(out, 0x80 | (code & 0x3f), 3);
  return out + 4;
}

/**
 * Address of the number that was read last; the number ends at `at`. number-text.ts stores more facts about this
 * number.
 */
export let numberAt: usize = 0;

/** Moves the reading position past a JSON number. */
export function readNumber(): bool {
  numberAt = at;
  const behind = passNumber(at, end);
  if (!behind) return false;
  at = behind;
  return true;
}

/** Moves the reading position past `true`, `false` or `null`. */
export function readWord(): bool {
  const word = load<u32>(at);
  if (word == 0x65757274 || word == 0x6c6c756e) at += 4;
  else if (word == 0x736c6166 && load<u8>(at, 4) == 0x65) at += 5;
  else return false;
  return at <= end;
}

// For each array or object that is open while `skipValue` skips a value, one byte: 1 for an object, 0 for an array.
const isObject = memory.data(10000);

/** Moves the reading position past any value. `depth` is the number of arrays and objects that contain the value. */
export function skipValue(depth: u32): bool {
  let open: u32 = 0;
  for (;;) {
    const c = next();
    if (c == 0x5b || c == 0x7b) {
      at++;
      if (next() == c + 2) at++;
      else {
        if (depth + open >= MAX_DEPTH) return false;
        store<u8>(isObject + open, <u8>(c == 0x7b));
        open++;
        if (c == 0x7b && !skipName()) return false;
        continue;
      }
    } else if (c == QUOTE) {
      if (!skipString()) return false;
    } else if (!(c - 0x61 < 26 ? readWord() : readNumber())) return false;
    // After a value, the text may have closing brackets: they close one or more of the arrays and objects that
    // contain the value.
    for (;;) {
      if (!open) return true;
      const object = load<u8>(isObject + open - 1);
      const behind = next();
      at++;
      if (behind == 0x2c) {
        if (object && !skipName()) return false;
        break;
      }
      if (behind != <u32>(object ? 0x7d : 0x5d)) return false;
      open--;
    }
  }
  return false;
}

function skipString(): bool {
  const stop = closingQuote(plainEnd(at + 1));
  if (!stop) return false;
  at = stop + 1;
  return true;
}

function skipName(): bool {
  return next() == QUOTE && skipString() && take(0x3a);
}
