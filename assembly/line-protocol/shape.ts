// The fast parser of line protocol. When a line has the same keys as an earlier line, in the same order, this
// parser reads it by the shape of the earlier line.
//
// Lines of one sender resemble each other. A shape stores the parts that lines have in common: the measurement,
// the keys with their `=`, the order of the tags on the tape (the decoded entries), and flags that say whether
// the keys need corrections. The parser goes through the line once, from left to right, and searches neither for
// the end of the line nor for any key: it compares 16 bytes with the expected bytes. (Mison speculates on the
// structure of JSON in the same way: Li et al., VLDB 2017.) It reads numbers 16 bytes at a time and without a
// branch on their length, because the processor cannot predict the lengths.
//
// predict.ts chooses the lines that are read this way, and learn.ts makes the shapes. Lines with escapes outside
// strings, with arrays, binaries or a repeated key have no shape; general.ts or exact.ts reads them. For all
// lines that this parser accepts, it has the same result as exact.ts.

import { writePoint } from "../correct/close-point";
import { correctPoint } from "../correct/point";
import { numberBits, numberFlags, numberKind, numberLength, scanNumber } from "../number/scan";
import { growRegion } from "../tape/batch";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, B_POINTS, B_POINT_COUNT, B_POINT_PAGES, ENTRY_SHIFT, E_LENGTH, E_NUMBER, E_TEXT, KIND_UINT, POINT_SIZE,
  POINT_TIMED, SERIES_SHIFT,
} from "../tape/layout";
import { shapes } from "../tape/scan-memory";
import { dropsStrings, dropsUint, maxFieldValue, maxTagValue } from "../tape/settings";
import {
  backToNumber, forgetValues, LONG_NUMBER, MARK_ODD, MARK_STRING, MARK_UINT, marks, ODD_LINE, OTHER_SHAPE, putLong, readFields,
  valueAt, valueEntry, valueSlot,
} from "./fields";
import { endsFields, isTimed, lineStop, lineTime, readLineEnd } from "./line-end";
import { nameKeys } from "./names";
import { stopOfToken } from "./search";
import {
  L_ENTRY, L_PLACE, L_WIDTH, MAX_SERIES, sameBits, scan, SLOT, S_ATTENTION, S_FIELDS, S_FOLLOWER, S_INCOMPLETE, S_NAME, S_QUOTED, S_SCAN, S_SLOTS, S_TAGS,
  tailMatches, textMatches, T_ADVANCE, T_IDLE,
} from "./shapes";

/**
 * Address of the line at which the last call of `parseShaped` stopped, if the call had read at least one line
 * before. `parseShaped` reads only lines that have the keys of an earlier line (its shape). The line at this
 * address has other keys or needs another parser.
 */
export let stoppedAt: usize = 0;
/**
 * Reason why `parseShaped` stopped at the line `stoppedAt`: OTHER_SHAPE (the line has other keys) or ODD_LINE
 * (only exact.ts can read the line).
 */
export let stoppedBy: usize = 0;

/**
 * Flags of the types of field values (strings, unsigned integers) that the current settings do not allow. A point with
 * such a value has to be corrected.
 */
let markFaults: u32 = 0;

/**
 * Prepares a scan (the decoding of a body): reads its settings, and resets the variables that the previous scan
 * set.
 */
export function startShapes(): void {
  stoppedAt = 0;
  markFaults = (dropsStrings ? MARK_STRING : 0) | (dropsUint ? MARK_UINT : 0);
}

/**
 * Whether the last point was corrected. When this is true, `parseShaped` has to read the number of decoded entries
 * again, because a correction may change this number.
 */
let isCorrected: bool = false;

/**
 * Reads the line at `line` by a shape (the remembered keys of an earlier line). When two lines with this shape
 * followed each other the last time, the function also reads the lines after `line`, until `most` entries are
 * decoded. Returns the address after the last line that was read. Returns OTHER_SHAPE or ODD_LINE when the line
 * at `line` could not be read. A line that cannot be read to its end adds no entries.
 */
export function parseShaped(batch: usize, shapeOffset: u32, line: usize, end: usize, most: u32): usize {
  const shape = shapes + <usize>shapeOffset;
  if (!textMatches(shape, line, load<u32>(shape, S_TAGS) ? 0x2c : 0x20)) return OTHER_SHAPE;
  const repeats = load<u32>(shape, S_FOLLOWER) == shapeOffset;
  const count = load<u32>(shape, S_TAGS) + load<u32>(shape, S_FIELDS);
  let p = line;
  // Local copies of the batch's counters and addresses. The counters are written back to the batch after the loop.
  let first = load<u32>(batch, B_ENTRY_COUNT);
  let points = load<u32>(batch, B_POINT_COUNT);
  reserve(batch, first + count + 1, points + 1);
  let entries = <usize>load<u32>(batch, B_ENTRIES) + (<usize>first << ENTRY_SHIFT);
  let point = <usize>load<u32>(batch, B_POINTS) + <usize>points * POINT_SIZE;
  for (;;) {
    const next = parseOne(batch, shape, p, end, first, entries, points, point);
    if (next <= ODD_LINE) {
      if (p == line) return next;
      stoppedAt = p;
      stoppedBy = next;
      break;
    }
    p = next;
    points++;
    if (isCorrected) {
      isCorrected = false;
      first = load<u32>(batch, B_ENTRY_COUNT);
      break;
    }
    first += count + load<u32>(shape, S_INCOMPLETE);
    if (!repeats || p >= end || first >= most) break;
    entries = <usize>load<u32>(batch, B_ENTRIES) + (<usize>first << ENTRY_SHIFT);
    point += POINT_SIZE;
    if ((first + count + 1) << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16 || (points + 1) * <u32>POINT_SIZE > load<u32>(batch, B_POINT_PAGES) << 16) break;
  }
  store<u32>(batch, first, B_ENTRY_COUNT);
  store<u32>(batch, points, B_POINT_COUNT);
  return p;
}

// @ts-ignore: decorator
@inline
function parseOne(
  batch: usize, shape: usize, line: usize, end: usize, first: u32, entries: usize, points: u32, point: usize,
): usize {
  const tagCount = load<u32>(shape, S_TAGS);
  if (!textMatches(shape, line, tagCount ? 0x2c : 0x20)) return OTHER_SHAPE;
  let p = line + load<u32>(shape, T_ADVANCE);
  const nameLength = <u32>(p - line) - 1;
  let attention: u32 = 0;

  let slot = shape + S_SLOTS;
  const fields = slot + <usize>tagCount * SLOT;
  // The bitwise OR of the lengths of all tag values. No length is greater than this OR, so one comparison of the OR
  // with the limit checks the lengths of all values.
  let tagLengths: u32 = 0;
  let c: u32 = 0x2c;
  while (slot < fields) {
    if (c != 0x2c) return OTHER_SHAPE;
    const same = sameBits(slot, p);
    if ((same | load<i32>(slot, T_IDLE)) != -1) {
      if (same != 0xffff || !tailMatches(slot, p, 0x3d)) return OTHER_SHAPE;
    }
    p += load<u32>(slot, T_ADVANCE);
    const length = <u32>(stopOfToken(p) - p);
    const stop = behind(slot, p, length);
    const entry = entries + load<u32>(slot, L_PLACE);
    store<u64>(entry, load<u64>(slot, L_ENTRY));
    store<u32>(entry, <u32>p, E_TEXT);
    store<u32>(entry, length, E_LENGTH);
    slot += SLOT;
    if (!length) return ODD_LINE;
    tagLengths |= length;
    c = load<u8>(stop);
    p = stop + 1;
  }
  if (tagCount && c != 0x20) return OTHER_SHAPE;
  if (p - line > MAX_SERIES) return ODD_LINE;
  let came = <u32>(p - line - 1) << SERIES_SHIFT;
  attention |= <u32>(tagLengths > maxTagValue);

  forgetValues();
  p = readAllFields(fields, entries, p, end);
  if (p <= ODD_LINE) return p;
  c = load<u8>(p++);
  // A line must have all keys of the shape. After the last key, the next slot (record of a key) is the closing slot,
  // the only slot with the length 0. So when the next slot has another length, the line lacks a key.
  if (load<u32>(valueSlot, T_ADVANCE)) return OTHER_SHAPE;
  attention |= <u32>(<u32>marks > maxFieldValue) | (<u32>(marks >> 32) & markFaults);
  p = readLineEnd(p, c, end);
  if (!p) return ODD_LINE;
  if (isTimed) came |= POINT_TIMED;
  if (load<u32>(shape, S_SCAN) != scan) nameKeys(batch, shape, line, nameLength, entries);
  attention |= load<u32>(shape, S_ATTENTION);
  const count = tagCount + load<u32>(shape, S_FIELDS);
  const name = load<u32>(shape, S_NAME);
  if (attention) {
    writePoint(point, entries, first, count, name, nameLength, lineTime, line, lineStop, 0, 0);
    store<u32>(batch, first + count, B_ENTRY_COUNT);
    store<u32>(batch, points + 1, B_POINT_COUNT);
    correctPoint(batch, points, true);
    isCorrected = true;
  } else {
    if (<u32>(marks >> 32) & MARK_ODD || load<u32>(shape, S_QUOTED)) came = 0;
    writePoint(point, entries, first, count, name, nameLength, lineTime, line, lineStop, load<u32>(shape, S_INCOMPLETE), came);
  }
  return p;
}

/**
 * Reads all fields of a line, from the slot `fields` of its shape on, into the entries from `entries` on. Returns the
 * address of the byte that ends the last field; OTHER_SHAPE or ODD_LINE when the shape cannot read the line.
 */
// @ts-ignore: decorator
@inline
function readAllFields(fields: usize, entries: usize, start: usize, end: usize): usize {
  let slot = fields;
  let entry = entries;
  let p = start;
  let c: u32 = 0x2c;
  for (;;) {
    p = readFields(slot, entry, p, c, end);
    if (p > LONG_NUMBER) {
      c = load<u8>(p);
      if (c == 0x20) break;
      if (c == 0x0a) break;
      if (c == 0x0d) break;
      // The value began like a number, but the byte after it cannot end a number. So the slower function `putLong`
      // reads the value again.
      if (!backToNumber(entries)) return OTHER_SHAPE;
    } else if (p <= ODD_LINE) return p;
    const stop = putLong(valueEntry, load<u32>(valueSlot, L_ENTRY), valueAt);
    if (stop == ODD_LINE) return ODD_LINE;
    c = load<u8>(stop);
    if (c != 0x2c && !endsFields(c)) return ODD_LINE;
    slot = valueSlot + SLOT;
    entry = valueEntry + (1 << ENTRY_SHIFT);
    p = stop + 1;
  }
  return p;
}

/**
 * Returns `start` + `length`, where `length` is the length of a value. The function first assumes that the value
 * has the same length as in the previous line. When this is right, the processor need not wait for the
 * computation of `length`, which takes some 20 cycles for each value.
 */
// @ts-ignore: decorator
@inline
function behind(slot: usize, start: usize, length: u32): usize {
  const guess = load<u32>(slot, L_WIDTH);
  if (length == guess) return start + guess;
  store<u32>(slot, length, L_WIDTH);
  return start + length;
}

function reserve(batch: usize, entries: u32, points: u32): void {
  while (entries << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
  if (points * <u32>POINT_SIZE > load<u32>(batch, B_POINT_PAGES) << 16) growRegion(batch, B_POINTS, B_POINT_PAGES);
}
