// The general parser of line protocol: reads a line in one pass, whatever its keys and their order are. Keys are found
// by their hash, so that a line costs about the same whether or not a line with the same keys came before. It also
// reads escapes in keys and tag values. Lines with arrays, binaries, equal keys or mistakes are left to exact.ts. On
// all lines that this file accepts, it agrees with exact.ts.

import { writePoint } from "../correct/close-point";
import { correctPoint } from "../correct/point";
import { growRegion, pushPoint } from "../tape/batch";
import { hash, internHashed, nextSerial, sameBytes } from "../tape/keys";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, B_KEYS, B_POINT_COUNT, B_SLOTS, B_SLOT_MASK, ENTRY_SHIFT, ENTRY_TAG, E_KEY, E_LINK, E_NUMBER, E_TEXT,
  KEY_QUOTE, KEY_REQUIRED, KEY_SHIFT, KIND_STRING, K_FLAGS, K_HASH, K_LENGTH, K_LINE, K_TEXT, POINT_TIMED, SERIES_SHIFT,
} from "../tape/layout";
import { pushTag, setTagCount, tagCount, tags } from "../tape/scan-memory";
import {
  dropsStrings, dropsUint, fieldKeyFaults, maxFields, maxFieldValue, maxMeasurement, maxTags, maxTagValue, requiredKey, tagKeyFaults,
} from "../tape/settings";
import { cleanLength, cleanText, unescape } from "./escapes";
import { forgetValues, LONG_NUMBER, MARK_ODD, MARK_STRING, MARK_UINT, marks, ODD_LINE, putLong, readValue } from "./fields";
import { endsFields, isTimed, lineStop, lineTime, readLineEnd } from "./line-end";
import { stopOfName, stopOfToken } from "./search";
import { MAX_KEY, MAX_SERIES } from "./shapes";
import { sortTags, writtenKey } from "./tags";

/** Largest number of tags that are sorted by insertion sort; more tags are sorted by heap sort. */
const MOST_INSERTED: u32 = 48;

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

/** Returns the record of the key in the key table; adds the key when it is new. */
// @ts-ignore: decorator
@inline
function recordOf(batch: usize, text: usize, length: u32): usize {
  const h = hash(text, length);
  const slot = load<u32>(<usize>load<u32>(batch, B_SLOTS) + (<usize>(h & load<u32>(batch, B_SLOT_MASK)) << 2));
  if (slot) {
    const record = <usize>load<u32>(batch, B_KEYS) + (<usize>(slot - 1) << KEY_SHIFT);
    // The length and the hash are neighbours in the record of a key, so one comparison of 64 bits compares both.
    if (load<u64>(record, K_LENGTH) == (<u64>length | (<u64>h << 32)) && sameBytes(load<u32>(record, K_TEXT), text, length)) return record;
  }
  const id = internHashed(batch, text, length, h);
  return <usize>load<u32>(batch, B_KEYS) + (<usize>id << KEY_SHIFT);
}

/** Returns the first 8 bytes of a key as a big-endian number: comparing two such numbers compares the bytes. */
// @ts-ignore: decorator
@inline
function rankOf(key: usize, length: u32): u64 {
  const head = bswap<u64>(load<u64>(key));
  return length >= 8 ? head : head & ~((<u64>-1) >> (length << 3));
}

/**
 * Compares two tags whose keys begin with the same 8 bytes. Returns a negative number when the key of `a` comes first,
 * else a positive one.
 */
function compareLong(a: usize, b: usize): i32 {
  const lengthA = load<u32>(a, E_LINK + 4);
  const lengthB = load<u32>(b, E_LINK + 4);
  const order = memory.compare(load<u32>(a, E_LINK), load<u32>(b, E_LINK), min(lengthA, lengthB));
  return order ? order : <i32>(lengthA - lengthB);
}

/** Sorts the tags of the current line by the bytes of their keys. */
function order(): void {
  const count = tagCount;
  if (count > MOST_INSERTED) {
    for (let i: u32 = 0; i < count; i++) {
      const tag = tags + (<usize>i << ENTRY_SHIFT);
      store<u64>(tag, load<u64>(tag, E_LINK), E_NUMBER);
    }
    sortTags();
    return;
  }
  for (let i: u32 = 1; i < count; i++) {
    const tag = tags + (<usize>i << ENTRY_SHIFT);
    const rank = load<u64>(tag, E_NUMBER);
    let at = tag;
    const low = v128.load(tag);
    const high = v128.load(tag, 16);
    for (; at > tags; at -= 1 << ENTRY_SHIFT) {
      const before = at - (1 << ENTRY_SHIFT);
      const other = load<u64>(before, E_NUMBER);
      if (other < rank) break;
      if (other == rank) {
        // `compareLong` reads both tags from memory. So the tag that is being inserted is first written to `at`: its
        // old place may hold another tag by now.
        v128.store(at, low);
        v128.store(at, high, 16);
        if (compareLong(before, at) < 0) break;
      }
      v128.store(at, v128.load(before));
      v128.store(at, v128.load(before, 16), 16);
    }
    v128.store(at, low);
    v128.store(at, high, 16);
  }
}

// Variables that describe the measurement and the keys of the current line. The line's tags are in scan-memory.ts, and
// facts about its field values in fields.ts.
let name: usize = 0;
let nameLength: u32 = 0;
let tagFlags: u32 = 0;
/** The bitwise OR of the lengths of all tag values: when this OR is below a limit, every length is. */
let tagLengths: u32 = 0;
let fieldFlags: u32 = 0;
let fieldCount: u32 = 0;

/**
 * Reads the line at `line`, whose measurement ends at `stop`. Returns the address after the newline; 0 when the exact
 * parser (exact.ts) has to read the line. A line that is not read to its end leaves no point and no entries.
 */
export function parseGeneral(batch: usize, line: usize, stop: usize, end: usize): usize {
  const serial = nextSerial();
  let p = readMeasurement(batch, line, stop);
  if (!p) return 0;
  p = readTags(batch, p, serial);
  if (!p || p - line > MAX_SERIES) return 0;
  const came = <u32>(p - line) << SERIES_SHIFT;
  p++;
  // A line with more than one white space character before its fields is left to the exact parser (exact.ts).
  const c = load<u8>(p);
  if (c == 0x20 || c == 0x09 || !c) return 0;
  p = readFields(batch, p, serial, end);
  if (!p) return 0;
  p = readLineEnd(p, load<u8>(p - 1), end);
  if (p) putPoint(batch, line, came);
  return p;
}

/** Returns the end of the measurement, 0 when the exact parser (exact.ts) has to read the line. */
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
 * Reads the tags from the comma at `p` on, if there is one, and sorts them. Returns the address of the space after
 * them, 0 when the exact parser (exact.ts) has to read the line.
 */
// @ts-ignore: decorator
@inline
function readTags(batch: usize, p: usize, serial: u32): usize {
  setTagCount(0);
  let c = <u32>load<u8>(p);
  let keys = keysOfLine;
  let flags: u32 = 0;
  let lengths: u32 = 0;
  let rankBefore: u64 = 0;
  let isSorted = true;
  while (c == 0x2c) {
    const key = p + 1;
    p = stopOfToken(key);
    c = load<u8>(p);
    if (c != 0x3d) {
      if (c != 0x5c) return 0;
      p = escapedStop(p, false);
      if (!p || load<u8>(p) != 0x3d) return 0;
    }
    const keyLength = <u32>(p - key);
    if (!keyLength) return 0;
    let text = key;
    let length = keyLength;
    if (c == 0x5c) {
      unescape(batch, key, keyLength, false);
      text = cleanText;
      length = cleanLength;
    }
    const record = recordOf(batch, text, length);
    if (load<u32>(record, K_LINE) == serial) return 0;
    store<u32>(record, serial, K_LINE);
    flags |= load<u32>(record, K_FLAGS);
    let value = p + 1;
    p = stopOfToken(value);
    c = load<u8>(p);
    length = <u32>(p - value);
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
  if (!isSorted) order();
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
function readFields(batch: usize, p: usize, serial: u32, end: usize): usize {
  forgetValues();
  let keys = keysOfLine;
  let flags: u32 = 0;
  const start = <usize>load<u32>(batch, B_ENTRY_COUNT) << ENTRY_SHIFT;
  let entry = <usize>load<u32>(batch, B_ENTRIES) + start;
  let limit = entriesEnd(batch);
  for (;;) {
    const key = p;
    p = stopOfToken(key);
    let c = <u32>load<u8>(p);
    let text = key;
    let length = <u32>(p - key);
    if (c != 0x3d) {
      if (c != 0x5c) return 0;
      p = escapedStop(p, false);
      if (!p || load<u8>(p) != 0x3d) return 0;
      length = <u32>(p - key);
      if (length > MAX_KEY) return 0;
      unescape(batch, key, length, true);
      text = cleanText;
      length = cleanLength;
    }
    if (length - 1 >= MAX_KEY) return 0;
    const record = recordOf(batch, text, length);
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
      // `readValue` could not read the value, which is a long number, or a text that begins like a number but is none.
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
  let to = entries + (<usize>fieldCount << ENTRY_SHIFT);
  const tagsEnd = tags + (<usize>tagCount << ENTRY_SHIFT);
  for (let from = tags; from < tagsEnd; from += 1 << ENTRY_SHIFT, to += 1 << ENTRY_SHIFT) {
    v128.store(to, v128.load(from));
    v128.store(to, i64x2.splat(0), 16);
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
