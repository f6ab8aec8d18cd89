// Reads the fields of a line by the line's shape (the remembered keys of an earlier line). Decoding spends most of its
// time in the loop of `readFields`. This loop calls no function, so that its variables stay in registers. For a rare
// value, `readFields` returns to its caller; the caller reads the value and calls `readFields` again for the following
// fields.

import { dottedBefore, stopsAt, wholeBefore } from "../number/digits";
import { longBits, longIsOdd, longKind, longLength, readLong, readScaled } from "../number/long";
import { numberBits, numberFlags, numberKind, numberLength, SAFE_DIGITS, scanNumber } from "../number/scan";
import { tenTo } from "../number/parse-float";
import {
  ENTRY_ESCAPED, ENTRY_SHIFT, E_KEY, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KIND_BOOL, KIND_FLOAT, KIND_INT, KIND_STRING, KIND_UINT,
} from "../tape/layout";
import { hasBackslash, hasOddEscape, stopOfToken, stringEnd } from "./search";
import { L_ENTRY, tailMatches, sameBits, SLOT, T_ADVANCE, T_IDLE } from "./shapes";

/**
 * Results of `readFields`, which returns an address or one of three codes. OTHER_SHAPE: the line may have other
 * keys than the expected ones. ODD_LINE: the exact parser (exact.ts) has to read the line. LONG_NUMBER: the next
 * value is a long number.
 */
export const OTHER_SHAPE: usize = 0;
export const ODD_LINE: usize = 1;
/** Result of `readFields`: the next value is a number of more than 15 digits, or one with an exponent. */
export const LONG_NUMBER: usize = 2;

// Three facts about the number for which `readFields` returned LONG_NUMBER: the address of its text, the address
// of the record of its key in the shape (remembered keys of a line), and the address of its entry. After any
// other result of `readFields`, `valueSlot` and `valueEntry` are the addresses for the value that would be read
// next.
export let valueAt: usize = 0;
export let valueSlot: usize = 0;
export let valueEntry: usize = 0;

/**
 * Two facts about all values of the line so far. The low 32 bits are the bitwise OR of the lengths of all strings. No
 * length is greater than this OR, so one comparison with the limit checks all lengths. The high 32 bits hold the flags
 * MARK_STRING, MARK_UINT and MARK_ODD.
 */
export let marks: u64 = 0;
export const MARK_STRING: u32 = 1;
export const MARK_UINT: u32 = 2;
/**
 * Flag: the line has a number or a string that some decoders of line protocol read as another value. Only a line
 * without this flag may be sent on unchanged.
 */
export const MARK_ODD: u32 = 4;
const STRING_MARK: u64 = <u64>MARK_STRING << 32;
const UINT_MARK: u64 = <u64>MARK_UINT << 32;
const ODD_MARK: u64 = <u64>MARK_ODD << 32;
/** Index of the flag MARK_ODD among the bits of `marks`. */
const ODD_SHIFT: u64 = 34;

export function forgetValues(): void {
  marks = 0;
}

export function markOdd(): void {
  marks |= ODD_MARK;
}

const ESCAPED_STRING: u32 = KIND_STRING | (ENTRY_ESCAPED << 8);
/**
 * Index of the bit ENTRY_CANONICAL in a word that holds the type of an entry (bits 0 to 7) and its flags (bits 8 to
 * 15).
 */
const CANONICAL_SHIFT: u32 = 15;

/**
 * Stores in an entry (a tag or field): the type with its flags, the key, and the address and length of the source text.
 */
// @ts-ignore: decorator
@inline
export function put(entry: usize, id: u32, kind: u32, text: usize, length: u32): void {
  store<u32>(entry, id, E_KEY);
  store<u32>(entry, kind, E_KIND);
  store<u32>(entry, <u32>text, E_TEXT);
  store<u32>(entry, length, E_LENGTH);
}

/**
 * Reads fields into the entry at `entry` and the entries after it. `slot` is the address of the first record of
 * the expected keys; the records of the other keys follow. `c` is the byte before the first key, and `p` the
 * address after this byte. Stops after a value that is not followed by a comma, and returns the address of the
 * byte after this value. When a comma follows the last expected field, the result is OTHER_SHAPE, because the
 * record after that of the last key matches no text.
 */
// @ts-ignore: decorator
@inline
export function readFields(slot: usize, entry: usize, p: usize, c: u32, end: usize): usize {
  for (; c == 0x2c; slot += SLOT, entry += 1 << ENTRY_SHIFT) {
    const same = sameBits(slot, p);
    if ((same | load<i32>(slot, T_IDLE)) != -1) {
      if (same != 0xffff || !tailMatches(slot, p, 0x3d)) return OTHER_SHAPE;
    }
    p += load<u32>(slot, T_ADVANCE);
    c = load<u8>(p);
    const next = readValue(entry, load<u32>(slot, L_ENTRY), p, c, end);
    if (next <= LONG_NUMBER) {
      if (next == LONG_NUMBER) longNumber(slot, entry, p);
      return next;
    }
    p = next;
    c = load<u8>(p++);
  }
  valueSlot = slot;
  valueEntry = entry;
  return p - 1;
}

/**
 * Reads the value at `p`, whose first byte is `c`, into the entry with the key `id`. Returns the address after the
 * value, ODD_LINE or LONG_NUMBER. The caller checks that the byte at the returned address can end a value.
 */
// @ts-ignore: decorator
@inline
export function readValue(entry: usize, id: u32, p: usize, c: u32, end: usize): usize {
  // A byte that passes this test is a digit, a dot or a slash. When it is a slash, `readNumber` finds that the value is
  // no number.
  if (c - 0x2e < 12) return readNumber(entry, id, p, c, 0);
  if (c == 0x22) {
    const close = stringEnd(p + 1, end);
    if (close >= end) return ODD_LINE;
    const length = <u32>(close - p) - 1;
    marks |= <u64>length | STRING_MARK | (<u64>hasOddEscape << ODD_SHIFT);
    put(entry, id, hasBackslash ? ESCAPED_STRING : KIND_STRING, p + 1, length);
    return close + 1;
  }
  if (c == 0x2d) return readNumber(entry, id, p, load<u8>(p + 1), 1);
  const next = behindBoolean(p, c);
  if (!next) return ODD_LINE;
  put(entry, id, KIND_BOOL, p, <u32>(next - p));
  store<u64>(entry, (c | 0x20) == 0x74 ? 1 : 0, E_NUMBER);
  return next;
}

/**
 * Reads the number at `start`, whose first digit is `lead`. `negative` is the number of minus signs before the digits,
 * 0 or 1. Every caller passes a constant, so that the compiler makes separate code for numbers with and without a sign.
 * Returns the address after the number, or LONG_NUMBER. The caller checks that the byte at this address can end a
 * value.
 */
// @ts-ignore: decorator
@inline
function readNumber(entry: usize, id: u32, start: usize, lead: u32, negative: u32): usize {
  const first = start + negative;
  const stops = stopsAt(first);
  // Number of digits at the start of the 16 bytes from the address `first` on; 32 (`ctz` of 0) when all 16 bytes are
  // digits.
  const whole = <u32>ctz(stops);
  const c = <u32>load<u8>(first + whole);
  // The sign bit (bit 31) of `idle` is 1 when the number has no needless leading zero: its first digit is not 0, or is
  // the only digit of its integer part. The bit helps to decide whether the number is written as the encoder would
  // write it, because the encoder writes no needless zeros. The bit is computed by arithmetic, without a branch.
  const some = 0x30 - lead;
  const idle = ((whole ^ 1) - 1) | some;
  if (c == 0x2e) {
    const length = <u32>ctz(stops & (stops - 1));
    if (length - 2 >= SAFE_DIGITS) return LONG_NUMBER;
    const p = first + length;
    const fraction = length - whole - 1;
    const figures = dottedBefore(p, whole, fraction);
    if ((load<u8>(p) | 0x20) == 0x65) return putScaled(entry, id, start, p, figures, fraction, negative);
    const value = <f64><i64>figures / tenTo(fraction);
    // A number is canonical when the encoder would write it in the same way. The encoder would not write `5.` or
    // zeros at the end of the fraction, so such numbers are not canonical.
    const last = <u32>load<u8>(p - 1);
    const canonical = idle & (0x30 - last);
    // Zeros at the end of the fraction do not set the flag MARK_ODD, because all decoders read such a number in the
    // same way.
    marks |= <u64>(~(idle & (0x2f - last)) >>> 31) << ODD_SHIFT;
    put(entry, id, KIND_FLOAT | ((canonical >>> 31) << CANONICAL_SHIFT), start, length + negative);
    store<f64>(entry, negative ? -value : value, E_NUMBER);
    return p;
  }
  if (whole - 1 >= SAFE_DIGITS) return LONG_NUMBER;
  const p = first + whole;
  const value = wholeBefore(p, whole);
  const length = whole + negative;
  if (c == 0x69) {
    const canonical = (negative ? some : idle) >>> 31;
    marks |= <u64>(canonical ^ 1) << ODD_SHIFT;
    put(entry, id, KIND_INT | (canonical << CANONICAL_SHIFT), start, length);
    store<u64>(entry, negative ? 0 - value : value, E_NUMBER);
    return p + 1;
  }
  const canonical = idle >>> 31;
  marks |= <u64>(canonical ^ 1) << ODD_SHIFT;
  if (c == 0x75 && !negative) {
    marks |= UINT_MARK;
    put(entry, id, KIND_UINT | (canonical << CANONICAL_SHIFT), start, length);
    store<u64>(entry, value, E_NUMBER);
    return p + 1;
  }
  put(entry, id, KIND_FLOAT | (canonical << CANONICAL_SHIFT), start, length);
  store<f64>(entry, negative ? -<f64><i64>value : <f64><i64>value, E_NUMBER);
  return p;
}

/**
 * Reads the exponent at the address `p` of its `e`. Then writes the number that begins at `start` to the entry
 * with the key `id`. The number is `figures` * 10^-`fraction` * 10^exponent, with a minus sign when `negative`
 * is 1. Returns the address after the number, or LONG_NUMBER.
 */
function putScaled(entry: usize, id: u32, start: usize, p: usize, figures: u64, fraction: u32, negative: u32): usize {
  const next = readScaled(p, figures, -<i32>fraction, negative);
  if (!next) return LONG_NUMBER;
  marks |= ODD_MARK;
  put(entry, id, KIND_FLOAT, start, <u32>(next - start));
  store<u64>(entry, longBits, E_NUMBER);
  return next;
}

// @ts-ignore: decorator
@inline
function longNumber(slot: usize, entry: usize, start: usize): usize {
  valueSlot = slot;
  valueEntry = entry;
  valueAt = start;
  return LONG_NUMBER;
}

/**
 * Moves `valueEntry` (the entry of a value) and `valueSlot` (the record of its key) one value back, to the value that
 * was read last. Returns true when this value is a number of the current line, whose first entry is `first`.
 */
export function backToNumber(first: usize): bool {
  valueEntry -= 1 << ENTRY_SHIFT;
  valueSlot -= SLOT;
  if (valueEntry < first) return false;
  const kind = load<u8>(valueEntry, E_KIND);
  valueAt = load<u32>(valueEntry, E_TEXT);
  return kind >= KIND_INT && kind <= KIND_FLOAT;
}

/**
 * Returns the address after one of the eleven spellings of a boolean; 0 when the text is none of them. The caller
 * checks that the byte at the returned address can end a value.
 */
// @ts-ignore: decorator
@inline
function behindBoolean(p: usize, c: u32): usize {
  if ((c | 0x20) == 0x74) {
    const word = load<u32>(p);
    return word == 0x65757274 || word == 0x65757254 || word == 0x45555254 ? p + 4 : p + 1;
  }
  if ((c | 0x20) != 0x66) return 0;
  const rest = load<u32>(p + 1);
  return rest == 0x65736c61 || (rest == 0x45534c41 && c == 0x46) ? p + 5 : p + 1;
}

/**
 * Reads the number at `start`, which is long or has an exponent, into the entry with the key `id`. Numbers of up
 * to 20 digits are read quickly, all others by the slower `scanNumber`. Returns the address after the value, or
 * ODD_LINE when the text is not a number. The caller checks that the byte at the returned address can end a
 * value.
 */
export function putLong(entry: usize, id: u32, start: usize): usize {
  let next = readLong(start);
  const c = next ? <u32>load<u8>(next) : 0;
  if (c == 0x2c || c == 0x20 || c == 0x0a || c == 0x0d) {
    if (longIsOdd) markOdd();
    if ((longKind & 0xff) == KIND_UINT) marks |= UINT_MARK;
    put(entry, id, longKind, start, longLength);
    store<u64>(entry, longBits, E_NUMBER);
    return next;
  }
  // A number with more than 20 digits, or more than 4 digits in its exponent, is left to `scanNumber`.
  next = stopOfToken(start);
  if (scanNumber(start, next, false)) return ODD_LINE;
  if (numberKind == KIND_UINT) marks |= UINT_MARK;
  if (!isEverybodys(start, numberLength)) markOdd();
  put(entry, id, numberKind | (numberFlags << 8), start, numberLength);
  store<u64>(entry, numberBits, E_NUMBER);
  return next;
}

/**
 * Returns whether all decoders read the number in the same way: it has digits without needless leading zeros, perhaps a
 * dot between them, and no exponent.
 */
function isEverybodys(p: usize, length: u32): bool {
  const end = p + length;
  if (load<u8>(p) == 0x2d) p++;
  if (<u32>load<u8>(p) - 0x30 > 9 || <u32>load<u8>(end - 1) - 0x30 > 9) return false;
  if (load<u8>(p) == 0x30 && p + 1 < end && load<u8>(p + 1) != 0x2e) return false;
  for (; p < end; p++) if (load<u8>(p) > 0x39) return false;
  return true;
}
