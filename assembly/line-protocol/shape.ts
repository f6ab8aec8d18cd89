// The quick way through a body: a line that has the keys of an earlier line, in the same order, is read against that line's shape.
//
// Lines of one sender repeat themselves. A shape is what repeats: the measurement, the keys with their `=`, the order that the tags
// have on the tape, what the corrections would say about the keys. Against it a line is read once, left to right, without looking
// for its end and without asking for any key: 16 bytes are compared with what should stand there. (Speculation on structure, as
// Mison does it for JSON: Li et al., VLDB 2017.) Numbers are read 16 bytes at a time and without a branch on their length, since
// lengths are what a processor cannot foresee here.
//
// A line that has no shape yet gets one from learn.ts. Lines with escapes outside strings, arrays, binaries or a key twice have none:
// exact.ts reads them. The two agree on all that this file accepts.

import { digitMask, dottedValue, figuresAt, wholeValue } from "../number/digits";
import { numberBits, numberFlags, numberKind, numberLength, SAFE_DIGITS, scanNumber } from "../number/scan";
import { tenTo } from "../number/parse-float";
import { growRegion } from "../tape/batch";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, ENTRY_ESCAPED, ENTRY_SHIFT, E_KEY, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KIND_BOOL,
  KIND_FLOAT, KIND_INT, KIND_STRING, KIND_UINT,
} from "../tape/layout";
import { finishPoint, pointTime, timeOf } from "./line";
import { hasBackslash, stopOfToken, stringEnd } from "./search";
import { dropsStrings, dropsUint, maxFieldValue, maxTagValue } from "./settings";
import {
  L_ENTRY, L_PLACE, shapes, SLOT, stands, S_ATTENTION, S_FIELDS, S_INCOMPLETE, S_NAME, S_SLOTS, S_TAGS, T_ADVANCE,
} from "./shapes";

/** What `parseShaped` gives when another shape may do; the address behind the line when all is well; else the line is odd. */
export const OTHER_SHAPE: usize = 0;
export const ODD_LINE: usize = 1;

/** Longest series that cannot come near the limit of 65535 together with a field key that a shape may have. */
const MAX_SERIES: usize = 60000;

/** Kind with flags, key and text of an entry. */
// @ts-ignore: decorator
@inline
function put(entry: usize, id: u32, kind: u32, text: usize, length: u32): void {
  store<u32>(entry, id, E_KEY);
  store<u32>(entry, kind, E_KIND);
  store<u32>(entry, <u32>text, E_TEXT);
  store<u32>(entry, length, E_LENGTH);
}

const ESCAPED_STRING: u32 = KIND_STRING | (ENTRY_ESCAPED << 8);
/** Bit 15 of an entry's kind, from a 1. */
const CANONICAL_SHIFT: u32 = 15;

/** Reads the line at `line` against a shape. Nothing is left behind unless it is read to its end. */
export function parseShaped(batch: usize, shapeOffset: u32, line: usize, end: usize): usize {
  const shape = shapes + <usize>shapeOffset;
  const tagCount = load<u32>(shape, S_TAGS);
  if (!stands(shape, line, tagCount ? 0x2c : 0x20)) return OTHER_SHAPE;
  let p = line + load<u32>(shape, T_ADVANCE);
  const nameLength = <u32>(p - line) - 1;

  const first = load<u32>(batch, B_ENTRY_COUNT);
  const fieldCount = load<u32>(shape, S_FIELDS);
  const count = tagCount + fieldCount;
  if ((first + count + 1) << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16) reserve(batch, first + count + 1);
  const entries = <usize>load<u32>(batch, B_ENTRIES) + (<usize>first << ENTRY_SHIFT);
  let attention = load<u32>(shape, S_ATTENTION);

  let slot = shape + S_SLOTS;
  const fields = slot + <usize>tagCount * SLOT;
  // All the bits of all the lengths: while they stay below the limit, so do the lengths.
  let lengths: u32 = 0;
  let c: u32 = 0x2c;
  while (slot < fields) {
    if (c != 0x2c || !stands(slot, p, 0x3d)) return OTHER_SHAPE;
    p += load<u32>(slot, T_ADVANCE);
    const stop = stopOfToken(p);
    const length = <u32>(stop - p);
    const entry = entries + load<u32>(slot, L_PLACE);
    store<u64>(entry, load<u64>(slot, L_ENTRY));
    store<u32>(entry, <u32>p, E_TEXT);
    store<u32>(entry, length, E_LENGTH);
    slot += SLOT;
    if (!length) return ODD_LINE;
    lengths |= length;
    c = load<u8>(stop);
    p = stop + 1;
  }
  if (tagCount && c != 0x20) return OTHER_SHAPE;
  if (p - line > MAX_SERIES) return ODD_LINE;
  attention |= <u32>(lengths > maxTagValue);
  lengths = 0;

  const slotsEnd = fields + <usize>fieldCount * SLOT;
  let entry = entries;
  c = 0x2c;
  while (slot < slotsEnd) {
    if (c != 0x2c || !stands(slot, p, 0x3d)) return OTHER_SHAPE;
    p += load<u32>(slot, T_ADVANCE);
    const id = load<u32>(slot, L_ENTRY);
    slot += SLOT;
    const start = p;
    c = load<u8>(p);
    if (c == 0x22) {
      p = stringEnd(p + 1, end);
      if (p >= end) return ODD_LINE;
      const length = <u32>(p - start) - 1;
      attention |= <u32>dropsStrings;
      lengths |= length;
      put(entry, id, hasBackslash ? ESCAPED_STRING : KIND_STRING, start + 1, length);
      p++;
    } else if (c - 0x30 < 10 || c == 0x2d || c == 0x2e) {
      const negative = <u32>(c == 0x2d);
      const digits = p + negative;
      const figures = figuresAt(digits);
      const mask = digitMask(figures);
      const whole = <u32>ctz(~mask);
      p = digits + whole;
      c = load<u8>(p);
      if (c == 0x2e) {
        const fraction = <u32>ctz(~(mask >> (whole + 1)));
        p += fraction + 1;
        c = load<u8>(p);
        if (whole + fraction - 1 < SAFE_DIGITS && isDelimiter(c)) {
          const canonical =
            <u32>(whole != 0) & (<u32>(whole == 1) | <u32>(load<u8>(digits) != 0x30)) & <u32>(fraction != 0) &
            <u32>(load<u8>(p - 1) != 0x30);
          const value = <f64><i64>dottedValue(figures, whole, fraction) / tenTo(fraction);
          put(entry, id, KIND_FLOAT | (canonical << CANONICAL_SHIFT), start, <u32>(p - start));
          store<u64>(entry, reinterpret<u64>(value) | (<u64>negative << 63), E_NUMBER);
          entry += 1 << ENTRY_SHIFT;
          p++;
          continue;
        }
      } else if (whole - 1 < SAFE_DIGITS) {
        const value = wholeValue(figures, whole);
        const canonical =
          (<u32>(whole == 1) & (negative ^ 1 | <u32>(load<u8>(digits) != 0x30))) | <u32>(load<u8>(digits) != 0x30);
        const length = <u32>(p - start);
        if (c == 0x69) {
          c = load<u8>(++p);
          put(entry, id, KIND_INT | (canonical << CANONICAL_SHIFT), start, length);
          store<u64>(entry, (value ^ (0 - <u64>negative)) + negative, E_NUMBER);
        } else if (c == 0x75 && !negative) {
          c = load<u8>(++p);
          attention |= <u32>dropsUint;
          put(entry, id, KIND_UINT | (canonical << CANONICAL_SHIFT), start, length);
          store<u64>(entry, value, E_NUMBER);
        } else {
          const plain = <u32>(whole == 1) | <u32>(load<u8>(digits) != 0x30);
          put(entry, id, KIND_FLOAT | (plain << CANONICAL_SHIFT), start, length);
          store<u64>(entry, reinterpret<u64>(<f64><i64>value) | (<u64>negative << 63), E_NUMBER);
        }
        if (isDelimiter(c)) {
          entry += 1 << ENTRY_SHIFT;
          p++;
          continue;
        }
      }
      // Longer numbers and exponents.
      p = stopOfToken(start);
      if (scanNumber(start, p, false)) return ODD_LINE;
      attention |= <u32>(dropsUint && numberKind == KIND_UINT);
      put(entry, id, numberKind | (numberFlags << 8), start, numberLength);
      store<u64>(entry, numberBits, E_NUMBER);
    } else {
      p = behindBoolean(p, c);
      if (!p) return ODD_LINE;
      put(entry, id, KIND_BOOL, start, <u32>(p - start));
      store<u64>(entry, (c | 0x20) == 0x74 ? 1 : 0, E_NUMBER);
    }
    c = load<u8>(p++);
    entry += 1 << ENTRY_SHIFT;
  }
  // `p` is behind the byte `c` that ended the last value.
  if (c == 0x2c) return OTHER_SHAPE;
  attention |= <u32>(lengths > maxFieldValue);
  let sent: i64 = 0;
  if (c == 0x20) {
    const figures = figuresAt(p);
    let length = <u32>ctz(~digitMask(figures));
    if (!length) return ODD_LINE;
    sent = wholeValue(figures, length);
    p += length;
    c = load<u8>(p);
    while (c - 0x30 < 10) {
      sent = sent * 10 + (c - 0x30);
      length++;
      c = load<u8>(++p);
    }
    // 19 digits may pass 2^63 and come back positive only beyond 2 * 2^63, which needs 20.
    if (length > 19 || sent < 0 || sent == i64.MAX_VALUE) return ODD_LINE;
    p++;
  }
  let stop = p - 1;
  if (c == 0x0d && p < end && load<u8>(p) == 0x0a) p++;
  else if (c != 0x0a) return ODD_LINE;
  if (!timeOf(sent)) return ODD_LINE;
  if (stop > end) stop = end;
  finishPoint(
    batch, first, count, load<u32>(shape, S_NAME), nameLength, pointTime, line, stop, attention, load<u32>(shape, S_INCOMPLETE),
  );
  return p;
}

/** Does this byte end a number in the middle of a line? What it is exactly is looked at later. */
// @ts-ignore: decorator
@inline
function isDelimiter(c: u32): bool {
  return c == 0x2c || c == 0x20 || c == 0x0a || c == 0x0d;
}

function reserve(batch: usize, count: u32): void {
  while (count << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
}

/** Behind one of the eleven spellings of a boolean, 0 when there is none; what follows is the caller's to check. */
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
