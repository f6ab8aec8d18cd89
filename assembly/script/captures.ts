// Writes the captures of a grok expression into the entries of a point: strings as slices of the searched text,
// and converted numbers. JavaScript writes the captures that need more work, such as a number for a tag, whose
// value must be a string.

import { TYPE_FLOAT, TYPE_INT, TYPE_STRING } from "../grok/layout";
import { boolOf, floatOf, integerOf } from "../grok/numbers";
import { dropSpace, skipSpace } from "../grok/space";
import { NO, YES } from "../regex/layout";
import { searchText } from "../regex/search";
import { reserveEntries } from "../tape/batch";
import {
  ENTRY_ESCAPED, ENTRY_TAG, E_FLAGS, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KIND_BOOL, KIND_FLOAT, KIND_INT, KIND_STRING,
} from "../tape/layout";
import { forgetLine } from "../tape/line";
import { unescapeEntry } from "../tape/unescape";
import {
  FOUND, MISSED, PLAN_COUNT, PLAN_LENGTH, PLAN_ROW, PLAN_ROWS, PLAN_TEXT, PLAN_TRIM, PLAN_VALUE, ROW_SIZE, R_GROUP,
  R_KEY, R_NEXT, R_PREVIOUS, R_TYPE, UNDECIDED, WRITTEN,
} from "./capture-layout";
import { entryFor, entryOf } from "./point-index";

/**
 * Searches the string value of a key with a grok expression, and writes the captures. `machine` is the address of the
 * record in memory that describes the expression.
 */
export function matchEntry(machine: usize, batch: usize, point: usize, serial: u32, key: u32, plan: usize, slots: usize): u32 {
  store<u32>(plan, 0, PLAN_LENGTH);
  const entry = entryOf(batch, serial, key);
  if (!entry) return MISSED;
  if (load<u8>(entry, E_KIND) != KIND_STRING) return UNDECIDED;
  if (<u32>load<u8>(entry, E_FLAGS) & ENTRY_ESCAPED) unescapeEntry(batch, entry);
  const text = <usize>load<u32>(entry, E_TEXT);
  const length = load<u32>(entry, E_LENGTH);
  const answer = searchText(machine, text, text, text + length, text, slots);
  if (answer != NO && answer != YES) return UNDECIDED;
  store<u32>(plan, length, PLAN_LENGTH);
  if (answer == NO) return MISSED;
  const row = writeCaptures(batch, point, serial, plan, 0, text, slots);
  if (row == load<u32>(plan, PLAN_COUNT)) return WRITTEN;
  store<u32>(plan, <u32>text, PLAN_TEXT);
  store<u32>(plan, row, PLAN_ROW);
  return FOUND;
}

/**
 * Writes the captures of the named groups, from row `from` of the plan (the table of captures) on. `slots` holds the
 * start and end of each group, as offsets from `base`; both are -1 for a group that took no part in the match. Returns
 * the row that JavaScript has to write, or the number of rows when all are written.
 */
export function writeCaptures(batch: usize, point: usize, serial: u32, plan: usize, from: u32, base: usize, slots: usize): u32 {
  const count = load<u32>(plan, PLAN_COUNT);
  const trim = load<u32>(plan, PLAN_TRIM);
  reserveEntries(batch, count - from);
  forgetLine(point);
  for (let at = from; at < count; at++) {
    const row = plan + PLAN_ROWS + <usize>at * ROW_SIZE;
    if ((load<u32>(row, R_NEXT) | load<u32>(row, R_PREVIOUS)) != 0 && !decides(plan, row, slots)) continue;
    const slot = slots + (<usize>load<u32>(row, R_GROUP) << 3);
    let start = base;
    let end = base;
    if (load<i32>(slot) >= 0) {
      start = base + <usize>load<u32>(slot);
      end = base + <usize>load<u32>(slot, 4);
      if (trim && start < end) {
        if (!isVisible(load<u8>(start))) start = skipSpace(start, end);
        if (start < end && !isVisible(load<u8>(end - 1))) end = dropSpace(start, end);
      }
    }
    const entry = entryFor(batch, point, serial, load<u32>(row, R_KEY));
    const flags = <u32>load<u8>(entry, E_FLAGS) & ENTRY_TAG;
    const type = load<u32>(row, R_TYPE);
    if (type == TYPE_STRING) {
      store<u32>(entry, KIND_STRING | (flags << 8), E_KIND);
      store<u32>(entry, <u32>start, E_TEXT);
      store<u32>(entry, <u32>(end - start), E_LENGTH);
    } else {
      const bits = bitsOf(type, start, end);
      if (flags) {
        store<u64>(plan, bits, PLAN_VALUE);
        return at;
      }
      store<u32>(entry, type == TYPE_INT ? KIND_INT : type == TYPE_FLOAT ? KIND_FLOAT : KIND_BOOL, E_KIND);
      store<u32>(entry, 0, E_TEXT);
      store<u32>(entry, 0, E_LENGTH);
      store<u64>(entry, bits, E_NUMBER);
    }
  }
  return count;
}

/**
 * Returns whether the byte is a visible ASCII character (a code above the space). White space cannot contain
 * such a byte, so trimming stops there. Any other byte may be part of a white space character.
 */
// @ts-ignore: decorator
@inline
function isVisible(byte: u32): bool {
  return byte - 0x21 < 0x5f;
}

/**
 * Returns whether the value of the field comes from the group in the given row of the plan (the table of
 * captures). When several groups have the same name, the value comes from the last one that took part in the
 * match; when none took part, the last group decides.
 */
function decides(plan: usize, row: usize, slots: usize): bool {
  let next = load<u32>(row, R_NEXT);
  const isLast = !next;
  while (next) {
    const other = rowAt(plan, next);
    if (tookPart(other, slots)) return false;
    next = load<u32>(other, R_NEXT);
  }
  if (tookPart(row, slots)) return true;
  if (!isLast) return false;
  let previous = load<u32>(row, R_PREVIOUS);
  while (previous) {
    const other = rowAt(plan, previous);
    if (tookPart(other, slots)) return false;
    previous = load<u32>(other, R_PREVIOUS);
  }
  return true;
}

// @ts-ignore: decorator
@inline
function rowAt(plan: usize, at: u32): usize {
  return plan + PLAN_ROWS + <usize>(at - 1) * ROW_SIZE;
}

// @ts-ignore: decorator
@inline
function tookPart(row: usize, slots: usize): bool {
  return load<i32>(slots + (<usize>load<u32>(row, R_GROUP) << 3)) >= 0;
}

// @ts-ignore: decorator
@inline
function bitsOf(type: u32, start: usize, end: usize): u64 {
  if (type == TYPE_INT) return <u64>integerOf(start, end);
  return type == TYPE_FLOAT ? floatOf(start, end) : <u64>boolOf(start, end);
}
