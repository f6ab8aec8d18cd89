// Parses one line by the whole grammar, byte by byte, and makes the checks in the order of
// docs/reference/points.md#line-protocol. This parser reads the lines that the faster parsers (shape.ts and general.ts)
// cannot read. The faster parsers must agree with this parser, whose result for a line is correct by definition.

import { closePoint } from "../correct/close-point";
import { hasNewlineOrTail } from "../correct/text";
import { pointTime, timeOf } from "../correct/time";
import { numberBits, numberEnd, numberFlags, numberKind, numberLength, readInt, scanNumber, timeEnd } from "../number/scan";
import { pushEntry } from "../tape/batch";
import { internKey, keyAt, nextSerial, serial } from "../tape/keys";
import {
  B_ENTRIES, B_ENTRY_COUNT, ENTRY_DEAD, ENTRY_DUPLICATE, ENTRY_ESCAPED, ENTRY_SHIFT, ENTRY_SOURCE, ENTRY_TAG, E_FLAGS, E_KEY, E_KIND,
  E_LENGTH, E_NUMBER, E_TEXT, KIND_ARRAY, KIND_BINARY, KIND_BOOL, KIND_NIL, KIND_STRING, KIND_UINT, K_ENTRY, K_FLAGS, K_LINE,
} from "../tape/layout";
import {
  BAD_TIMESTAMP, DUPLICATE_TAGS, failWith, INVALID_FIELD_FORMAT, INVALID_FIELD_KEY, INVALID_POINT, INVALID_TAG_FORMAT, MISSING_FIELDS,
  MISSING_FIELD_KEY, MISSING_FIELD_VALUE, MISSING_MEASUREMENT, MISSING_TAG_KEY, MISSING_TAG_VALUE, OK, SERIES_KEY_LENGTH, TIME_OUTSIDE, TIME_RANGE,
  TIME_SYNTAX,
} from "../tape/reasons";
import { pushTag, setTagCount, tagCount, tags } from "../tape/scan-memory";
import { dropsStrings, dropsUint, isStrict, maxFieldValue, maxTagValue } from "../tape/settings";
import { stringEscaped } from "../text/quote";
import { cleanLength, cleanText, unescape } from "./escapes";
import { MARK_PLACED, MARK_TAG, sortTags, writtenKey } from "./tags";
import { arrayIsEmpty, boolean, isNumberStart, scanArray, scanBoolean, scanText, textEnd, textKind, valueEnd } from "./values";

const MAX_SERIES_KEY: u32 = 65535;
const MIN_SENT: i64 = -9223372036854775806;
const MAX_SENT: i64 = 9223372036854775806;

let batch: usize = 0;
let attention: bool = false;
let duplicates: u32 = 0;
let tagFlags: u32 = 0;
let fieldFlags: u32 = 0;
/** Index of the line's first entry on the tape (decoded entries in linear memory). */
let first: u32 = 0;

/** The address of the byte that the parser reads next. After a failure, the address at which the parser stopped. */
export let at: usize = 0;

/**
 * Parses the line from `line` (leading white space is skipped) to `end`. Returns OK when the point was added to the
 * batch. Otherwise returns the reason of the failure and leaves the batch unchanged.
 */
export function parseExactly(owner: usize, line: usize, end: usize): u32 {
  batch = owner;
  attention = false;
  duplicates = 0;
  tagFlags = 0;
  fieldFlags = 0;
  first = load<u32>(batch, B_ENTRY_COUNT);
  setTagCount(0);
  nextSerial();
  at = line;
  const reason = parse(line, end);
  if (reason) store<u32>(batch, first, B_ENTRY_COUNT);
  return reason;
}

function parse(line: usize, end: usize): u32 {
  if (line >= end || load<u8>(line) == 0x2c) return failWith(MISSING_MEASUREMENT);
  let c: u32 = 0;
  for (;;) {
    if (++at >= end) return failWith(MISSING_FIELDS);
    if (load<u8>(at - 1) == 0x5c) continue;
    c = load<u8>(at);
    if (c == 0x2c || c == 0x20) break;
  }
  unescape(batch, line, <u32>(at - line), true);
  const name = cleanText;
  const nameLength = cleanLength;
  while (c == 0x2c) {
    at++;
    const reason = parseTag(end);
    if (reason) return reason;
    c = load<u8>(at);
  }
  if (duplicates && isStrict) return failWith(DUPLICATE_TAGS);
  const seriesLength = <u32>(at - line);
  if (seriesLength > MAX_SERIES_KEY) return failWith(SERIES_KEY_LENGTH, seriesLength);
  const reason = parseFields(end, seriesLength);
  if (reason) return reason;
  const timeReason = parseTime(end);
  if (timeReason) return timeReason;
  sortTags();
  closePoint(
    batch, first, name, nameLength, pointTime, line, end, tagFlags, fieldFlags, tagCount - duplicates, attention || duplicates > 0,
  );
  return OK;
}

/** Parses a tag that begins at `at`. Afterwards, the position `at` is at the comma or space after the tag. */
function parseTag(end: usize): u32 {
  const key = at;
  if (at >= end || load<u8>(at) == 0x20 || load<u8>(at) == 0x2c || load<u8>(at) == 0x3d) return failWith(MISSING_TAG_KEY);
  for (;;) {
    if (++at >= end) return failWith(MISSING_TAG_VALUE);
    const c = load<u8>(at);
    if (load<u8>(at - 1) == 0x5c) continue;
    if (c == 0x20 || c == 0x2c) return failWith(MISSING_TAG_VALUE);
    if (c == 0x3d) break;
  }
  const keyEnd = at++;
  const value = at;
  if (at >= end || load<u8>(at) == 0x20 || load<u8>(at) == 0x2c) return failWith(MISSING_TAG_VALUE);
  for (;;) {
    if (++at >= end) return failWith(MISSING_FIELDS);
    if (load<u8>(at - 1) == 0x5c) continue;
    const c = load<u8>(at);
    if (c == 0x3d) return failWith(INVALID_TAG_FORMAT);
    if (c == 0x20 || c == 0x2c) break;
  }
  unescape(batch, key, <u32>(keyEnd - key), false);
  const id = internKey(batch, cleanText, cleanLength);
  const record = keyAt(batch, id);
  if (load<u32>(record, K_LINE) == serial) {
    duplicates++;
    const earlier = tags + (<usize>(load<u32>(record, K_ENTRY) & ~MARK_TAG) << ENTRY_SHIFT);
    store<u8>(earlier, ENTRY_TAG | ENTRY_DEAD | ENTRY_DUPLICATE, E_FLAGS);
  }
  store<u32>(record, serial, K_LINE);
  store<u32>(record, tagCount | MARK_TAG, K_ENTRY);
  tagFlags |= load<u32>(record, K_FLAGS);
  unescape(batch, value, <u32>(at - value), false);
  if (cleanLength > maxTagValue || hasNewlineOrTail(cleanText, cleanLength)) attention = true;
  const entry = pushTag();
  store<u32>(entry, id, E_KEY);
  store<u32>(entry, KIND_STRING | (ENTRY_TAG << 8), E_KIND);
  store<u32>(entry, <u32>cleanText, E_TEXT);
  store<u32>(entry, cleanLength, E_LENGTH);
  store<u64>(entry, writtenKey(key, keyEnd - key), E_NUMBER);
  return OK;
}

// @ts-ignore: decorator
@inline
function isWhite(c: u32): bool {
  return c == 0x20 || c == 0x09 || c == 0;
}

function skipWhite(p: usize, end: usize): usize {
  while (p < end && isWhite(load<u8>(p))) p++;
  return p;
}

/** Parses the fields of the line. Afterwards, the position `at` is after the last field. */
function parseFields(end: usize, seriesLength: u32): u32 {
  at = skipWhite(at, end);
  let key = at;
  let equals: u32 = 0;
  let commas: u32 = 0;
  let longest: u32 = 0;
  let isKeyless = false;
  while (at < end) {
    const c = load<u8>(at);
    if (c == 0x20) break;
    if (c == 0x5c && at + 1 < end) {
      at += 2;
      continue;
    }
    if (c == 0x2c) {
      commas++;
      key = at + 1;
    } else if (c == 0x3d) {
      equals++;
      // A field with an empty key, such as `=1`, is an error. Usually the error is reported at once. It is reported
      // only after all fields were parsed when a backslash and a comma come directly before the `=`. An example is the
      // text `\\\\,=`: its backslashes escape each other, so that the comma ends the previous field and the key is
      // empty.
      if (at == key && (load<u8>(at - 1) != 0x2c || load<u8>(at - 2) != 0x5c)) return failWith(MISSING_FIELD_KEY);
      if (at + 1 >= end || load<u8>(at + 1) == 0x2c || load<u8>(at + 1) == 0x20) return failWith(MISSING_FIELD_VALUE);
      if (equals <= commas && load<u8>(at + 1) == 0x22) {
        // When an earlier field has no `=`, a quote after the `=` of a later field does not begin a string; it is an
        // ordinary character.
        at++;
        continue;
      }
      const keyLength = <u32>(at - key);
      if (!keyLength) isKeyless = true;
      if (seriesLength + 4 + keyLength > MAX_SERIES_KEY && !longest) longest = seriesLength + 4 + keyLength;
      const reason = parseField(key, keyLength, end);
      if (reason) return reason;
      if (keyLength && load<u8>(key + keyLength - 1) == 0x5c) return failWith(INVALID_FIELD_KEY, key, at - key);
      continue;
    }
    at++;
  }
  if (at > end) at = end;
  if (!equals || commas != equals - 1) return failWith(INVALID_FIELD_FORMAT);
  if (isKeyless) return failWith(MISSING_FIELD_KEY);
  if (longest) return failWith(SERIES_KEY_LENGTH, longest);
  return OK;
}

/** Parses a field whose `=` is at `at`. Afterwards, the position `at` is after the value. */
function parseField(key: usize, keyLength: u32, end: usize): u32 {
  const value = at + 1;
  const c = <u32>load<u8>(value);
  let reason = OK;
  at = value;
  if (isNumberStart(c)) {
    reason = scanNumber(value, end, false);
    if (reason) return reason;
    at = numberEnd;
    if (numberKind == KIND_UINT && dropsUint) attention = true;
    putField(key, keyLength, numberKind, numberFlags, value, numberLength, numberBits);
  } else if (c == 0x22) {
    reason = scanText(value, end, false);
    if (reason) return reason;
    at = valueEnd;
    const length = <u32>(textEnd - value - 1);
    if (dropsStrings || length > maxFieldValue) attention = true;
    const flags = textKind == KIND_BINARY ? ENTRY_SOURCE : stringEscaped ? ENTRY_ESCAPED : 0;
    putField(key, keyLength, textKind, flags, value + 1, length, 0);
  } else if (c == 0x5b) {
    reason = scanArray(value, end);
    if (reason) return reason;
    at = valueEnd;
    if (arrayIsEmpty) attention = true;
    putField(key, keyLength, arrayIsEmpty ? KIND_NIL : KIND_ARRAY, arrayIsEmpty ? 0 : ENTRY_SOURCE, value, <u32>(valueEnd - value), 0);
  } else {
    reason = scanBoolean(value, end, false);
    if (reason) return reason;
    at = valueEnd;
    putField(key, keyLength, KIND_BOOL, 0, value, <u32>(valueEnd - value), boolean ? 1 : 0);
  }
  return OK;
}

/**
 * Writes the field to the tape (the decoded entries). A field overwrites an earlier field with the same key.
 * When the line has a tag with the same key, the field is dropped, and the tag is written in its place, unless
 * the tag was written already. All other fields are added at the end.
 */
function putField(key: usize, keyLength: u32, kind: u32, flags: u32, text: usize, length: u32, bits: u64): void {
  unescape(batch, key, keyLength, true);
  const id = internKey(batch, cleanText, cleanLength);
  const record = keyAt(batch, id);
  let entry: usize = 0;
  if (load<u32>(record, K_LINE) == serial) {
    const mark = load<u32>(record, K_ENTRY);
    if (mark & MARK_PLACED) return;
    if (mark & MARK_TAG) {
      placeTag(record, mark & ~MARK_TAG);
      return;
    }
    entry = <usize>load<u32>(batch, B_ENTRIES) + (<usize>mark << ENTRY_SHIFT);
  } else {
    store<u32>(record, serial, K_LINE);
    store<u32>(record, load<u32>(batch, B_ENTRY_COUNT), K_ENTRY);
    entry = pushEntry(batch);
  }
  fieldFlags |= load<u32>(record, K_FLAGS);
  store<u32>(entry, id, E_KEY);
  store<u32>(entry, kind | (flags << 8), E_KIND);
  store<u32>(entry, <u32>text, E_TEXT);
  store<u32>(entry, length, E_LENGTH);
  store<u64>(entry, bits, E_NUMBER);
}

/**
 * Adds the tag to the tape (the decoded entries) at the place of a dropped field with the same key, because a tag takes
 * precedence.
 */
function placeTag(record: usize, index: u32): void {
  const entry = pushEntry(batch);
  const tag = tags + (<usize>index << ENTRY_SHIFT);
  memory.copy(entry, tag, 1 << ENTRY_SHIFT);
  store<u8>(tag, ENTRY_TAG | ENTRY_DEAD, E_FLAGS);
  store<u32>(record, MARK_PLACED, K_ENTRY);
}

function parseTime(end: usize): u32 {
  at = skipWhite(at, end);
  const start = at;
  const stop = timeEnd(at, end);
  if (!stop) return BAD_TIMESTAMP;
  let sent: i64 = 0;
  if (stop > start) {
    const isNegative = load<u8>(start) == 0x2d;
    if (isNegative && stop == start + 1) return failWith(TIME_SYNTAX, start, stop - start);
    if (!readInt(start, stop)) return failWith(TIME_RANGE, start, stop - start);
    sent = <i64>numberBits;
    if (sent < MIN_SENT || sent > MAX_SENT) return failWith(TIME_OUTSIDE);
  }
  for (at = stop; at < end; at++) if (load<u8>(at) != 0x20) return failWith(INVALID_POINT);
  return timeOf(sent) ? OK : failWith(TIME_OUTSIDE);
}
