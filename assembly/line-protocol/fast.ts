// The quick way through a line that has nothing unusual: no escapes outside strings, no binary, array or exponent, no key twice, no
// spaces but the two that must be. Such a line is read once, from left to right, without looking for its end first. At anything
// else the parser gives up without a trace and exact.ts reads the line again; the two agree on all that this one accepts.
//
// Keys are guessed, not read: each key remembers the key that followed it last time, so that in a stream of similar lines one
// 16-byte compare finds key, length and id at once. (Speculation on structure, as Mison does for JSON: Li et al., VLDB 2017.)

import { easyFloat, isEasyFloat } from "../number/scan";
import { growRegion } from "../tape/batch";
import { compareKeys, internKey, keyAt, sameBytes } from "../tape/keys";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, B_KEYS, ENTRY_CANONICAL, ENTRY_ESCAPED, ENTRY_SHIFT, ENTRY_TAG, ENTRY_TEXT_ONLY, E_KEY,
  E_KIND, E_LENGTH, E_LINK, E_NUMBER, E_TEXT, KEY_SHIFT, KIND_BOOL, KIND_FLOAT, KIND_INT, KIND_STRING, KIND_UINT, K_ENTRY, K_FIELD,
  K_FLAGS, K_LENGTH, K_LINE, K_NEXT, K_TEXT,
} from "../tape/layout";
import { closePoint, MARK_TAG, nextSerial, pointTime, pushTag, setTagCount, sortTags, tagCount, timeOf } from "./line";
import { dropsStrings, dropsUint, maxFieldValue, maxTagValue } from "./settings";

/** Id + 1 of the last line's measurement. */
let lastName: u32 = 0;

/** With this bit of K_NEXT the key that follows is also the greater one. Only tags set it: a word may be measurement, tag and field. */
const IN_ORDER: u32 = 0x80000000;

/** Longest series and field key that cannot come near the limit of 65535 together. */
const MAX_SERIES: usize = 60000;
const MAX_KEY: usize = 5000;

export function startFast(): void {
  lastName = 0;
}

// @ts-ignore: decorator
@inline
function among(v: v128, c: u8): v128 {
  return i8x16.eq(v, i8x16.splat(c));
}

/** First comma, space, `=`, backslash or newline. */
// @ts-ignore: decorator
@inline
function stopOfToken(p: usize): usize {
  for (;;) {
    const v = v128.load(p);
    const mask = i8x16.bitmask(
      v128.or(v128.or(v128.or(among(v, 0x2c), among(v, 0x20)), v128.or(among(v, 0x3d), among(v, 0x5c))), among(v, 0x0a)),
    );
    if (mask) return p + ctz(mask);
    p += 16;
  }
  return p;
}

/** First comma, space, backslash or newline. */
// @ts-ignore: decorator
@inline
function stopOfName(p: usize): usize {
  for (;;) {
    const v = v128.load(p);
    const mask = i8x16.bitmask(v128.or(v128.or(among(v, 0x2c), among(v, 0x20)), v128.or(among(v, 0x5c), among(v, 0x0a))));
    if (mask) return p + ctz(mask);
    p += 16;
  }
  return p;
}

/** First quote or backslash at or behind `p`, or something not before `end`. */
// @ts-ignore: decorator
@inline
function stopOfString(p: usize, end: usize): usize {
  while (p < end) {
    const v = v128.load(p);
    const mask = i8x16.bitmask(v128.or(among(v, 0x22), among(v, 0x5c)));
    if (mask) return p + ctz(mask);
    p += 16;
  }
  return end;
}

/** Does the key `guess` - 1 stand at `p`? */
// @ts-ignore: decorator
@inline
function stands(keys: usize, guess: u32, p: usize): bool {
  const key = keys + (<usize>(guess - 1) << KEY_SHIFT);
  return sameBytes(load<u32>(key, K_TEXT), p, load<u32>(key, K_LENGTH));
}

// @ts-ignore: decorator
@inline
function isDigit(c: u32): bool {
  return c - 0x30 < 10;
}

/** Reads the line at `line`; the address behind its newline, or 0 when it is a line for exact.ts. */
export function parseFast(batch: usize, line: usize, end: usize): usize {
  const serial = nextSerial();
  let keys = <usize>load<u32>(batch, B_KEYS);
  let p = line;

  // Measurement.
  let name = lastName;
  if (!name || !stands(keys, name, p) || !isNameEnd(p + load<u32>(keyAt(batch, name - 1), K_LENGTH))) {
    const stop = stopOfName(p);
    const c = load<u8>(stop);
    if (stop == p || c == 0x5c || c == 0x0a) return 0;
    name = internKey(batch, p, <u32>(stop - p)) + 1;
    keys = load<u32>(batch, B_KEYS);
    lastName = name;
  }
  let nameRecord = keys + (<usize>(name - 1) << KEY_SHIFT);
  const nameText = <usize>load<u32>(nameRecord, K_TEXT);
  const nameLength = load<u32>(nameRecord, K_LENGTH);
  p += nameLength;

  // Tags.
  let tagFlags: u32 = 0;
  let attention = false;
  let sorted = true;
  let previous: u32 = 0;
  setTagCount(0);
  while (load<u8>(p) == 0x2c) {
    p++;
    const link = load<u32>(previous ? keys + (<usize>(previous - 1) << KEY_SHIFT) : nameRecord, K_NEXT);
    let id = link & ~IN_ORDER;
    if (id && stands(keys, id, p) && load<u8>(p + load<u32>(keys + (<usize>(id - 1) << KEY_SHIFT), K_LENGTH)) == 0x3d) {
      if (previous && !(link & IN_ORDER)) sorted = false;
    } else {
      const stop = stopOfToken(p);
      if (stop == p || load<u8>(stop) != 0x3d) return 0;
      id = internKey(batch, p, <u32>(stop - p)) + 1;
      keys = load<u32>(batch, B_KEYS);
      nameRecord = keys + (<usize>(name - 1) << KEY_SHIFT);
      if (!previous) store<u32>(nameRecord, id, K_NEXT);
      else {
        const inOrder = compareKeys(batch, previous - 1, id - 1) < 0;
        if (!inOrder) sorted = false;
        store<u32>(keys + (<usize>(previous - 1) << KEY_SHIFT), inOrder ? id | IN_ORDER : id, K_NEXT);
      }
    }
    const record = keys + (<usize>(id - 1) << KEY_SHIFT);
    if (load<u32>(record, K_LINE) == serial) return 0;
    store<u32>(record, serial, K_LINE);
    store<u32>(record, MARK_TAG, K_ENTRY);
    tagFlags |= load<u32>(record, K_FLAGS);
    previous = id;
    p += load<u32>(record, K_LENGTH) + 1;
    const stop = stopOfToken(p);
    const c = load<u8>(stop);
    if (stop == p || (c != 0x2c && c != 0x20)) return 0;
    const length = <u32>(stop - p);
    if (length > maxTagValue) attention = true;
    const entry = pushTag();
    store<u32>(entry, id - 1, E_KEY);
    store<u32>(entry, KIND_STRING | (ENTRY_TAG << 8), E_KIND);
    store<u32>(entry, <u32>p, E_TEXT);
    store<u32>(entry, length, E_LENGTH);
    store<u32>(entry, 0, E_LINK);
    p = stop;
  }
  // `p` is at the space now: nothing else ends a measurement or a tag here.
  if (p - line > MAX_SERIES) return 0;
  p++;

  // Fields.
  const first = load<u32>(batch, B_ENTRY_COUNT);
  let count = first;
  let capacity = load<u32>(batch, B_ENTRY_PAGES) << (16 - <u32>ENTRY_SHIFT);
  let entries = <usize>load<u32>(batch, B_ENTRIES);
  let fieldFlags: u32 = 0;
  previous = 0;
  let c: u32 = 0;
  for (;;) {
    let id = previous ? load<u32>(keys + (<usize>(previous - 1) << KEY_SHIFT), K_NEXT) & ~IN_ORDER : load<u32>(nameRecord, K_FIELD);
    if (!id || !stands(keys, id, p) || load<u8>(p + load<u32>(keys + (<usize>(id - 1) << KEY_SHIFT), K_LENGTH)) != 0x3d) {
      const stop = stopOfToken(p);
      if (stop == p || load<u8>(stop) != 0x3d || stop - p > MAX_KEY || load<u8>(p) == 0x09 || load<u8>(p) == 0) return 0;
      id = internKey(batch, p, <u32>(stop - p)) + 1;
      keys = load<u32>(batch, B_KEYS);
      nameRecord = keys + (<usize>(name - 1) << KEY_SHIFT);
      if (previous) store<u32>(keys + (<usize>(previous - 1) << KEY_SHIFT), id, K_NEXT);
      else store<u32>(nameRecord, id, K_FIELD);
    }
    const record = keys + (<usize>(id - 1) << KEY_SHIFT);
    if (load<u32>(record, K_LINE) == serial) return 0;
    store<u32>(record, serial, K_LINE);
    store<u32>(record, count, K_ENTRY);
    fieldFlags |= load<u32>(record, K_FLAGS);
    previous = id;
    p += load<u32>(record, K_LENGTH) + 1;

    if (count == capacity) {
      store<u32>(batch, count, B_ENTRY_COUNT);
      growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
      store<u32>(batch, first, B_ENTRY_COUNT);
      capacity = load<u32>(batch, B_ENTRY_PAGES) << (16 - <u32>ENTRY_SHIFT);
      entries = load<u32>(batch, B_ENTRIES);
    }
    const entry = entries + (<usize>count << ENTRY_SHIFT);
    count++;
    store<u32>(entry, id - 1, E_KEY);
    store<u32>(entry, 0, E_LINK);

    const start = p;
    c = load<u8>(p);
    if (c == 0x22) {
      let flags = KIND_STRING;
      p++;
      for (;;) {
        p = stopOfString(p, end);
        if (p + 1 >= end) {
          if (p + 1 > end || load<u8>(p) != 0x22) return 0;
          break;
        }
        if (load<u8>(p) == 0x22) break;
        flags = KIND_STRING | (ENTRY_ESCAPED << 8);
        p += 2;
      }
      const length = <u32>(p - start - 1);
      if (dropsStrings || length > maxFieldValue) attention = true;
      store<u32>(entry, flags, E_KIND);
      store<u32>(entry, <u32>start + 1, E_TEXT);
      store<u32>(entry, length, E_LENGTH);
      p++;
    } else if (isDigit(c) || c == 0x2d || c == 0x2e) {
      const negative = c == 0x2d;
      if (negative) c = load<u8>(++p);
      const digits = p;
      let value: u64 = 0;
      let digit = c - 0x30;
      while (digit < 10) {
        value = value * 10 + digit;
        digit = <u32>load<u8>(++p) - 0x30;
      }
      const whole = <u32>(p - digits);
      c = load<u8>(p);
      let flags: u32 = 0;
      if (c == 0x2e) {
        const dot = p;
        digit = <u32>load<u8>(++p) - 0x30;
        while (digit < 10) {
          value = value * 10 + digit;
          digit = <u32>load<u8>(++p) - 0x30;
        }
        const fraction = <u32>(p - dot) - 1;
        if (whole + fraction == 0) return 0;
        if (whole + fraction <= 15) {
          const canonical = whole && (whole == 1 || load<u8>(digits) != 0x30) && fraction && load<u8>(p - 1) != 0x30;
          flags = KIND_FLOAT | (canonical ? ENTRY_CANONICAL << 8 : 0);
          const float = easyFloat(value, -<i32>fraction);
          store<f64>(entry, negative ? -float : float, E_NUMBER);
        } else if (whole + fraction <= 19 && isEasyFloat(value, -<i32>fraction)) {
          flags = KIND_FLOAT;
          const float = easyFloat(value, -<i32>fraction);
          store<f64>(entry, negative ? -float : float, E_NUMBER);
        } else if (p - start < 25) flags = KIND_FLOAT | (ENTRY_TEXT_ONLY << 8);
        else return 0;
        c = load<u8>(p);
        store<u32>(entry, <u32>(p - start), E_LENGTH);
      } else {
        if (!whole || whole > 18) return 0;
        const canonical: u32 = whole == 1 || load<u8>(digits) != 0x30 ? ENTRY_CANONICAL << 8 : 0;
        store<u32>(entry, <u32>(p - start), E_LENGTH);
        if (c == 0x69) {
          flags = KIND_INT | (negative && !value ? 0 : canonical);
          store<u64>(entry, negative ? 0 - value : value, E_NUMBER);
          c = load<u8>(++p);
        } else if (c == 0x75) {
          if (negative) return 0;
          if (dropsUint) attention = true;
          flags = KIND_UINT | canonical;
          store<u64>(entry, value, E_NUMBER);
          c = load<u8>(++p);
        } else {
          if (whole > 15) return 0;
          flags = KIND_FLOAT | canonical;
          store<f64>(entry, negative ? -<f64>value : <f64>value, E_NUMBER);
        }
      }
      store<u32>(entry, flags, E_KIND);
      store<u32>(entry, <u32>start, E_TEXT);
    } else {
      p = behindBoolean(p, c);
      if (!p) return 0;
      store<u32>(entry, KIND_BOOL, E_KIND);
      store<u32>(entry, <u32>start, E_TEXT);
      store<u32>(entry, <u32>(p - start), E_LENGTH);
      store<u64>(entry, (c | 0x20) == 0x74 ? 1 : 0, E_NUMBER);
    }
    c = load<u8>(p);
    if (c != 0x2c) break;
    p++;
  }

  // Time.
  let sent: i64 = 0;
  if (c == 0x20) {
    const start = ++p;
    let digit = <u32>load<u8>(p) - 0x30;
    while (digit < 10) {
      sent = sent * 10 + digit;
      digit = <u32>load<u8>(++p) - 0x30;
    }
    const length = p - start;
    if (!length || length > 19 || sent < 0 || sent == i64.MAX_VALUE) return 0;
    // 19 digits may pass 2^63 and come back positive only beyond 2 * 2^63, which needs 20.
    c = load<u8>(p);
  }
  if (c == 0x0d && p + 1 < end && load<u8>(p + 1) == 0x0a) p++;
  else if (c != 0x0a) return 0;
  if (!timeOf(sent)) return 0;

  if (!sorted) sortTags(batch);
  store<u32>(batch, count, B_ENTRY_COUNT);
  const stop = load<u8>(p - 1) == 0x0d && p < end ? p - 1 : p;
  closePoint(batch, first, nameText, nameLength, pointTime, line, min(stop, end), tagFlags, fieldFlags, tagCount, attention);
  return p + 1;
}

// @ts-ignore: decorator
@inline
function isNameEnd(p: usize): bool {
  const c = load<u8>(p);
  return c == 0x2c || c == 0x20;
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
