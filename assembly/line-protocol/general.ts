// The general parser of line protocol: reads a line in one pass, whatever its keys and their order are. It
// guesses keys from earlier lines of the measurement (chains.ts), or finds them by their hash. It also reads
// escapes in keys and tag values. Lines with arrays, binaries, equal keys or mistakes are left to the exact
// parser (exact.ts). For all lines that this parser accepts, it has the same result as the exact parser.

import { writePoint } from "../correct/close-point";
import { correctPoint } from "../correct/point";
import { growRegion, pushPoint } from "../tape/batch";
import { hash, internHashed, internKey, keyAt, nextSerial, startsWithKey } from "../tape/keys";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, B_KEYS, B_POINT_COUNT, B_SLOTS, B_SLOT_MASK, ENTRY_SHIFT, ENTRY_TAG, E_KEY, E_LINK, E_NUMBER, E_TEXT,
  KEY_QUOTE, KEY_REQUIRED, KEY_SHIFT, KIND_STRING, K_FLAGS, K_HASH, K_LENGTH, K_LINE, K_NEXT, POINT_TIMED, SERIES_SHIFT,
} from "../tape/layout";
import { pushTag, setTagCount, tagCount, tags } from "../tape/scan-memory";
import {
  dropsStrings, dropsUint, fieldKeyFaults, maxFields, maxFieldValue, maxMeasurement, maxTags, maxTagValue, requiredKey, tagKeyFaults,
} from "../tape/settings";
import { chainOf, C_FIELD, C_FIELD_SCORE, C_TAG, C_TAG_SCORE, expectAfter, expectedKey, rate, startGuesses } from "./chains";
import { cleanLength, cleanText, unescape } from "./escapes";
import { forgetValues, LONG_NUMBER, MARK_ODD, MARK_STRING, MARK_UINT, marks, ODD_LINE, putLong, readValue } from "./fields";
import { endsFields, isTimed, lineStop, lineTime, readLineEnd } from "./line-end";
import { stopOfName, stopOfToken } from "./search";
import { MAX_KEY, MAX_SERIES } from "./shapes";
import { isInOrder, orderTags, placeOf } from "./tag-order";
import { writtenKey } from "./tags";

/** Hash of all keys of the last line that was read; it depends on the order of the keys. */
export let keysOfLine: u32 = 0;

/** Whether the current line has an escape in a key, a tag value or the measurement. */
let hasEscapes: bool = false;

/**
 * Returns the address at which a key, a tag value or a measurement ends; its first backslash is at `p`. Returns 0 when
 * a backslash stands before a line end or another backslash, because the exact parser (exact.ts) then has to read the
 * line. `isMeasurement` is true for a measurement, which may contain an equals sign.
 */
function escapedStop(p: usize, isMeasurement: bool): usize {
  hasEscapes = true;
  do {
    const c = load<u8>(p + 1);
    if (c == 0x5c || c == 0x0a || c == 0x0d) return 0;
    p = isMeasurement ? stopOfName(p + 2) : stopOfToken(p + 2);
  } while (load<u8>(p) == 0x5c);
  return p;
}

/**
 * Returns the record of the key in the key table; adds the key when it is new. The text of the key must be
 * followed by `=`, and must have no escapes.
 */
// @ts-ignore: decorator
@inline
function recordOf(batch: usize, text: usize, length: u32): usize {
  const h = hash(text, length);
  const slot = load<u32>(<usize>load<u32>(batch, B_SLOTS) + (<usize>(h & load<u32>(batch, B_SLOT_MASK)) << 2));
  if (slot) {
    const record = <usize>load<u32>(batch, B_KEYS) + (<usize>(slot - 1) << KEY_SHIFT);
    if (load<u32>(record, K_LENGTH) == length && startsWithKey(text, record)) return record;
  }
  const id = internHashed(batch, text, length, h);
  return <usize>load<u32>(batch, B_KEYS) + (<usize>id << KEY_SHIFT);
}

/**
 * Returns the first 8 bytes of a key as a big-endian number, so that comparing two such numbers compares the
 * bytes of the two keys.
 */
// @ts-ignore: decorator
@inline
function rankOf(key: usize, length: u32): u64 {
  const head = bswap<u64>(load<u64>(key));
  return length >= 8 ? head : head & ~((<u64>-1) >> (length << 3));
}

// Variables that describe the measurement and the keys of the current line. The line's tags are in scan-memory.ts, and
// facts about its field values in fields.ts.
let name: usize = 0;
let nameLength: u32 = 0;
let tagFlags: u32 = 0;
/**
 * The bitwise OR of the lengths of all tag values. No length is greater than this OR, so one comparison of the OR with
 * the limit checks the lengths of all values.
 */
let tagLengths: u32 = 0;
let fieldFlags: u32 = 0;
let fieldCount: u32 = 0;

/**
 * Reads the line at `line`, whose measurement ends at `stop` and has the hash `named`. Returns the address after the
 * newline. Returns 0 when this parser cannot read the whole line; the caller then passes the line to the exact parser
 * (exact.ts). Such a line adds no point and no entries (tags and fields) to the batch.
 */
export function parseGeneral(batch: usize, named: u32, line: usize, stop: usize, end: usize): usize {
  const serial = nextSerial();
  const chain = chainOf(named);
  let p = readMeasurement(batch, line, stop);
  if (!p) return 0;
  p = readTags(batch, p, serial, chain);
  if (!p || p - line > MAX_SERIES) return 0;
  const came = <u32>(p - line) << SERIES_SHIFT;
  p++;
  // A line with more than one white space character before its fields is left to the exact parser (exact.ts).
  const c = load<u8>(p);
  if (c == 0x20 || c == 0x09 || !c) return 0;
  p = readFields(batch, p, serial, end, chain);
  if (!p) return 0;
  p = readLineEnd(p, load<u8>(p - 1), end);
  if (p) putPoint(batch, line, came);
  return p;
}

/**
 * Returns the address at which the measurement ends. Returns 0 when the exact parser (exact.ts) has to read the line.
 */
// @ts-ignore: decorator
@inline
function readMeasurement(batch: usize, line: usize, stop: usize): usize {
  hasEscapes = false;
  name = line;
  nameLength = <u32>(stop - line);
  let p = stop;
  if (load<u8>(stop) == 0x5c) {
    p = escapedStop(p, true);
    if (!p) return 0;
    unescape(batch, line, <u32>(p - line), true);
    name = cleanText;
    nameLength = cleanLength;
  }
  keysOfLine = nameLength;
  return p;
}

/**
 * Reads the tags and sorts them. The first tag follows the comma at `p`; when no comma is there, the line has no tags.
 * Returns the address of the space after the tags. Returns 0 when the exact parser (exact.ts) has to read the line.
 */
// @ts-ignore: decorator
@inline
function readTags(batch: usize, p: usize, serial: u32, chain: usize): usize {
  setTagCount(0);
  let c = <u32>load<u8>(p);
  let keys = keysOfLine;
  let flags: u32 = 0;
  let lengths: u32 = 0;
  let rankBefore: u64 = 0;
  let isSorted = true;
  let hasEscapedKey = false;
  const guesses = startGuesses(chain + C_TAG_SCORE);
  let next = load<u32>(chain, C_TAG) & guesses;
  while (c == 0x2c) {
    const key = p + 1;
    let record = expectedKey(batch, next, key);
    if (record) p = key + load<u32>(record, K_LENGTH);
    else {
      p = stopOfToken(key);
      c = load<u8>(p);
      if (c != 0x3d) {
        if (c != 0x5c) return 0;
        p = escapedStop(p, false);
        if (!p || load<u8>(p) != 0x3d) return 0;
        unescape(batch, key, <u32>(p - key), false);
        hasEscapedKey = true;
        record = keyAt(batch, internKey(batch, cleanText, cleanLength));
      } else {
        if (p == key) return 0;
        record = recordOf(batch, key, <u32>(p - key));
        if (guesses) expectAfter(batch, tagCount ? tags + (<usize>(tagCount - 1) << ENTRY_SHIFT) : 0, chain + C_TAG, next, record);
      }
    }
    const keyLength = <u32>(p - key);
    next = load<u32>(record, K_NEXT) & guesses;
    if (load<u32>(record, K_LINE) == serial) return 0;
    store<u32>(record, serial, K_LINE);
    flags |= load<u32>(record, K_FLAGS);
    let value = p + 1;
    p = stopOfToken(value);
    c = load<u8>(p);
    let length = <u32>(p - value);
    if (c == 0x5c) {
      p = escapedStop(p, false);
      if (!p) return 0;
      c = load<u8>(p);
      unescape(batch, value, <u32>(p - value), false);
      value = cleanText;
      length = cleanLength;
    }
    if ((c != 0x2c && c != 0x20) || !length) return 0;
    lengths |= length;
    const rank = rankOf(key, keyLength);
    isSorted = isSorted && rank > rankBefore;
    rankBefore = rank;
    const id = <u32>((record - <usize>load<u32>(batch, B_KEYS)) >> KEY_SHIFT);
    keys = (keys ^ load<u32>(record, K_HASH)) * 0x9e3779b1;
    const entry = pushTag();
    store<u64>(entry, <u64>id | (<u64>(KIND_STRING | (ENTRY_TAG << 8)) << 32), E_KEY);
    store<u64>(entry, <u64>value | (<u64>length << 32), E_TEXT);
    store<u64>(entry, rank, E_NUMBER);
    store<u64>(entry, writtenKey(key, keyLength), E_LINK);
  }
  if (c != 0x20) return 0;
  orderTags(batch, isSorted, hasEscapedKey);
  if (guesses) rate(chain + C_TAG_SCORE, tagCount);
  keysOfLine = keys;
  tagFlags = flags;
  tagLengths = lengths;
  return p;
}

/**
 * Reads the fields from the address `p` on. Writes them to the entries after those of the last point. Returns the
 * address after the byte that ends the fields; 0 when the exact parser (exact.ts) has to read the line.
 */
// @ts-ignore: decorator
@inline
function readFields(batch: usize, p: usize, serial: u32, end: usize, chain: usize): usize {
  forgetValues();
  let keys = keysOfLine;
  let flags: u32 = 0;
  const guesses = startGuesses(chain + C_FIELD_SCORE);
  let next = load<u32>(chain, C_FIELD) & guesses;
  const start = <usize>load<u32>(batch, B_ENTRY_COUNT) << ENTRY_SHIFT;
  let entry = <usize>load<u32>(batch, B_ENTRIES) + start;
  let limit = entriesEnd(batch);
  for (;;) {
    const key = p;
    let record = expectedKey(batch, next, key);
    let c: u32 = 0;
    if (record) p = key + load<u32>(record, K_LENGTH);
    else {
      p = stopOfToken(key);
      c = load<u8>(p);
      const length = <u32>(p - key);
      if (c != 0x3d) {
        if (c != 0x5c) return 0;
        p = escapedStop(p, false);
        if (!p || load<u8>(p) != 0x3d) return 0;
        if (<u32>(p - key) > MAX_KEY) return 0;
        unescape(batch, key, <u32>(p - key), true);
        if (cleanLength - 1 >= MAX_KEY) return 0;
        record = keyAt(batch, internKey(batch, cleanText, cleanLength));
      } else {
        if (length - 1 >= MAX_KEY) return 0;
        record = recordOf(batch, key, length);
        if (guesses) expectAfter(batch, entry > <usize>load<u32>(batch, B_ENTRIES) + start ? entry - (1 << ENTRY_SHIFT) : 0, chain + C_FIELD, next, record);
      }
    }
    next = load<u32>(record, K_NEXT) & guesses;
    if (load<u32>(record, K_LINE) == serial) return 0;
    store<u32>(record, serial, K_LINE);
    flags |= load<u32>(record, K_FLAGS);
    const id = <u32>((record - <usize>load<u32>(batch, B_KEYS)) >> KEY_SHIFT);
    keys = (keys ^ load<u32>(record, K_HASH)) * 0x9e3779b1;
    if (entry + (1 << ENTRY_SHIFT) > limit) {
      const offset = entry - <usize>load<u32>(batch, B_ENTRIES);
      growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
      entry = <usize>load<u32>(batch, B_ENTRIES) + offset;
      limit = entriesEnd(batch);
    }
    const at = p + 1;
    const lead = <u32>load<u8>(at);
    p = readValue(entry, id, at, lead, end);
    c = load<u8>(p);
    if (p <= LONG_NUMBER || (c != 0x2c && !endsFields(c))) {
      // `readValue` could not read the value. The value is a long number, or a text that begins like a number but is
      // none.
      if (p == ODD_LINE || (lead - 0x2d > 12)) return 0;
      p = putLong(entry, id, at);
      if (p == ODD_LINE) return 0;
      c = load<u8>(p);
      if (c != 0x2c && !endsFields(c)) return 0;
    }
    entry += 1 << ENTRY_SHIFT;
    p++;
    if (c != 0x2c) break;
  }
  keysOfLine = keys;
  fieldFlags = flags;
  fieldCount = <u32>((entry - <usize>load<u32>(batch, B_ENTRIES) - start) >> ENTRY_SHIFT);
  if (guesses) rate(chain + C_FIELD_SCORE, fieldCount);
  return p;
}

/** Returns the address at which the batch's memory for entries (tags and fields) ends. */
// @ts-ignore: decorator
@inline
function entriesEnd(batch: usize): usize {
  return <usize>load<u32>(batch, B_ENTRIES) + (<usize>load<u32>(batch, B_ENTRY_PAGES) << 16);
}

/**
 * Copies the tags to the tape (the decoded entries), after the fields, and adds the point. `came` is the length of the
 * series (measurement and tags) in the line; it is stored in the point's flags.
 */
// @ts-ignore: decorator
@inline
function putPoint(batch: usize, line: usize, came: u32): void {
  const first = load<u32>(batch, B_ENTRY_COUNT);
  const count = fieldCount + tagCount;
  // The added 1 is room for one more entry: the point may lack the key that its category requires (such as `status` for
  // `logging`), and then an entry with this key is added.
  while ((first + count + 1) << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
  const entries = <usize>load<u32>(batch, B_ENTRIES) + (<usize>first << ENTRY_SHIFT);
  const to = entries + (<usize>fieldCount << ENTRY_SHIFT);
  for (let i: u32 = 0; i < tagCount; i++) {
    const place = to + ((isInOrder ? <usize>i : placeOf(i)) << ENTRY_SHIFT);
    v128.store(place, v128.load(tags + (<usize>i << ENTRY_SHIFT)));
    v128.store(place, i64x2.splat(0), 16);
  }
  const valueMarks = <u32>(marks >> 32);
  const hasFaults =
    tagLengths > maxTagValue || <u32>marks > maxFieldValue ||
    (valueMarks & ((dropsStrings ? MARK_STRING : 0) | (dropsUint ? MARK_UINT : 0))) != 0 ||
    ((tagFlags & tagKeyFaults) | (fieldFlags & fieldKeyFaults)) != 0 || fieldCount > maxFields || tagCount > maxTags || nameLength > maxMeasurement;
  const appends: u32 = !hasFaults && requiredKey >= 0 && !((tagFlags | fieldFlags) & KEY_REQUIRED) ? 1 : 0;
  const isOdd = hasFaults || hasEscapes || (valueMarks & MARK_ODD) != 0 || (fieldFlags & KEY_QUOTE) != 0;
  store<u32>(batch, first + count + appends, B_ENTRY_COUNT);
  writePoint(pushPoint(batch), entries, first, count, name, nameLength, lineTime, line, lineStop, appends, isOdd ? 0 : came | (isTimed ? POINT_TIMED : 0));
  if (hasFaults) correctPoint(batch, load<u32>(batch, B_POINT_COUNT) - 1, true);
}
