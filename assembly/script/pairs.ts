// Implements kv_split (docs/reference/functions.md#kv_split.1): splits a text into pairs of key and value. Each
// separator must be a single byte. The values become entries of the point that are slices of the text.

import { reserveEntries } from "../tape/batch";
import { sameBytes } from "../tape/keys";
import { ENTRY_TAG, E_FLAGS, E_KIND, E_LENGTH, E_TEXT, KIND_STRING } from "../tape/layout";
import { forgetLine } from "../tape/line";
import { entryFor } from "./point-index";

// The layout of a plan, which describes one call of kv_split. Its members are the separator of pairs; the
// separator of key and value; the address of the set of characters that are trimmed around keys; the address of
// the set for values; the number of rows; and the rows, one for each wanted key. A set has 256 bytes; its
// address is 0 when nothing is trimmed. lib/pipeline/functions/text/split-bytes.ts writes the plan.
const PLAN_FIELDS: usize = 0;
const PLAN_VALUES: usize = 4;
const PLAN_TRIM_KEY: usize = 8;
const PLAN_TRIM_VALUE: usize = 12;
const PLAN_COUNT: usize = 16;
const PLAN_ROWS: usize = 20;
const ROW_SIZE: usize = 24;
/** Address and length of a wanted key, as it is written in the split text. */
const R_NAME: usize = 0;
const R_LENGTH: usize = 4;
/** Id of the key under which the value is stored in the point. */
const R_KEY: usize = 8;
/**
 * Address of the last value that was found in the current text for the wanted key of this row; 0 when no value
 * was found yet.
 */
const R_VALUE: usize = 12;
/** Length in bytes of the last value that was found in the current text for the wanted key of this row. */
const R_VALUE_LENGTH: usize = 16;
/**
 * Element of a list that is spread over all rows; it has nothing to do with the key of this row. The list says
 * in which order the wanted keys were found in the text: element i is the number of the row whose key was found
 * as the i-th.
 */
const R_ORDER: usize = 20;

/** Splits the text and writes the values of the wanted keys to the point. Returns how many keys were found. */
export function splitPairs(batch: usize, point: usize, serial: u32, plan: usize, text: usize, length: u32): u32 {
  const field = load<u32>(plan, PLAN_FIELDS);
  const fields = i8x16.splat(<i8>field);
  const values = i8x16.splat(<i8>load<u32>(plan, PLAN_VALUES));
  const end = text + length;
  let found: u32 = 0;
  let from = text;
  let middle: usize = 0;
  for (let block = text; block < end; block += 16) {
    const bytes = v128.load(block);
    let mask = i8x16.bitmask(v128.or(i8x16.eq(bytes, fields), i8x16.eq(bytes, values)));
    for (; mask; mask &= mask - 1) {
      const at = block + ctz(mask);
      if (at >= end) break;
      if (<u32>load<u8>(at) == field) {
        if (middle > from) found = take(plan, from, middle, at, found);
        from = at + 1;
        middle = 0;
      } else if (!middle) middle = at;
    }
  }
  if (middle > from) found = take(plan, from, middle, end, found);
  reserveEntries(batch, found);
  if (found) forgetLine(point);
  for (let i: u32 = 0; i < found; i++) {
    const row = rowAt(plan, load<u32>(rowAt(plan, i), R_ORDER));
    const entry = entryFor(batch, point, serial, load<u32>(row, R_KEY));
    store<u32>(entry, KIND_STRING | ((<u32>load<u8>(entry, E_FLAGS) & ENTRY_TAG) << 8), E_KIND);
    store<u32>(entry, load<u32>(row, R_VALUE), E_TEXT);
    store<u32>(entry, load<u32>(row, R_VALUE_LENGTH), E_LENGTH);
    store<u32>(row, 0, R_VALUE);
  }
  return found;
}

// @ts-ignore: decorator
@inline
function rowAt(plan: usize, index: u32): usize {
  return plan + PLAN_ROWS + <usize>index * ROW_SIZE;
}

/** Stores the value of a pair if its key is wanted. Returns how many keys were found so far. */
function take(plan: usize, from: usize, middle: usize, end: usize, found: u32): u32 {
  const trimKey = <usize>load<u32>(plan, PLAN_TRIM_KEY);
  let stop = middle;
  if (trimKey) {
    from = skip(trimKey, from, stop);
    stop = skipBack(trimKey, from, stop);
  }
  const length = <u32>(stop - from);
  if (!length) return found;
  const count = load<u32>(plan, PLAN_COUNT);
  for (let i: u32 = 0; i < count; i++) {
    const row = rowAt(plan, i);
    if (load<u32>(row, R_LENGTH) != length || !sameBytes(load<u32>(row, R_NAME), from, length)) continue;
    const trimValue = <usize>load<u32>(plan, PLAN_TRIM_VALUE);
    let value = middle + 1;
    if (trimValue) {
      value = skip(trimValue, value, end);
      end = skipBack(trimValue, value, end);
    }
    if (!load<u32>(row, R_VALUE)) store<u32>(rowAt(plan, found++), i, R_ORDER);
    store<u32>(row, <u32>value, R_VALUE);
    store<u32>(row, <u32>(end - value), R_VALUE_LENGTH);
    return found;
  }
  return found;
}

function skip(set: usize, p: usize, end: usize): usize {
  while (p < end && load<u8>(set + <usize>load<u8>(p))) p++;
  return p;
}

function skipBack(set: usize, start: usize, p: usize): usize {
  while (p > start && load<u8>(set + <usize>load<u8>(p - 1))) p--;
  return p;
}
