// Runs statements of a script that need no JavaScript: they read and write entries of a point with fixed keys and
// strings. One call runs several statements. When the module cannot handle the values of a statement, JavaScript runs
// this one statement.

import { numberBits, readInt } from "../number/scan";
import { heapTake, reserveEntries } from "../tape/batch";
import { sameBytes } from "../tape/keys";
import {
  B_KEYS, ENTRY_DEAD, ENTRY_ESCAPED, ENTRY_TAG, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KEY_SHIFT,
  KIND_FLOAT, KIND_INT, KIND_STRING, K_ENTRY, K_LINE,
} from "../tape/layout";
import { forgetLine } from "../tape/line";
import { unescapeEntry } from "../tape/unescape";
import { readTime, timeRead } from "./access-time";
import { addKept, copyMember, forgetKept, forgetMembers, isMap, kept, LEFT, memberIn, memberOf } from "./copy-member";
import {
  ADD_TEXT, CAST_INT, COPY_MEMBER, DROP, GROUP_BETWEEN, GROUP_IN, LONGEST_CASED, LOWERCASE, NULLIF, OPERATION_SIZE,
  O_CODE, O_HIGH, O_INNER, O_INNER_LENGTH, O_KEY, O_LENGTH, O_LOW, O_TARGET, O_TEXT, O_TEXTS, O_TEXT_COUNT, PLAN_COUNT,
  PLAN_KEPT, PLAN_MAP, PLAN_OPERATIONS, PLAN_STEPS, RENAME, TAG_TEXT, TEXT_SIZE, T_LENGTH, UPPERCASE,
} from "./layout";
import { entryFor, entryOf } from "./point-index";

/**
 * Runs the operations until `limit` steps are used; each operation takes one step before it begins. Returns the index
 * of the operation that JavaScript has to run, or the number of operations when all have run.
 */
export function runOperations(batch: usize, point: usize, serial: u32, plan: usize, limit: i32): u32 {
  const count = load<u32>(plan, PLAN_COUNT);
  reserveEntries(batch, count);
  forgetKept();
  forgetMembers();
  let left = limit;
  let at: u32 = 0;
  for (; at < count && left > 0; at++) {
    const operation = plan + PLAN_OPERATIONS + <usize>at * OPERATION_SIZE;
    const code = load<u32>(operation, O_CODE);
    const key = load<u32>(operation, O_KEY);
    const entry = entryOf(batch, serial, key);
    if (entry) forgetLine(point);
    if (code == ADD_TEXT || code == TAG_TEXT) {
      writeText(batch, point, serial, key, operation, code == TAG_TEXT);
    } else if (code == COPY_MEMBER) {
      const steps = copy(batch, point, serial, key, load<u32>(plan, PLAN_MAP), operation);
      if (steps == LEFT) break;
      left -= steps;
    } else if (entry) {
      if (code == NULLIF) {
        if (!isText(batch, entry)) break;
        const length = load<u32>(entry, E_LENGTH);
        left -= <i32>(length >> 6);
        if (length == load<u32>(operation, O_LENGTH) && sameBytes(load<u32>(entry, E_TEXT), load<u32>(operation, O_TEXT), length)) {
          drop(batch, entry, key);
        }
      } else if (code == CAST_INT) {
        if (!castInt(batch, entry)) break;
      } else if (code == GROUP_BETWEEN) {
        const kind = <u32>load<u8>(entry, E_KIND);
        if (kind != KIND_INT && kind != KIND_FLOAT) break;
        const number = kind == KIND_INT ? <f64>load<i64>(entry, E_NUMBER) : load<f64>(entry, E_NUMBER);
        if (load<f64>(operation, O_LOW) <= number && number <= load<f64>(operation, O_HIGH)) {
          writeText(batch, point, serial, load<u32>(operation, O_TARGET), operation, false);
        }
      } else if (code == LOWERCASE || code == UPPERCASE) {
        if (!isText(batch, entry) || !changeCase(batch, entry, code == LOWERCASE ? 0x41 : 0x61)) break;
        left -= <i32>(load<u32>(entry, E_LENGTH) >> 6);
      } else if (code == GROUP_IN) {
        if (!isText(batch, entry)) break;
        left -= <i32>((load<u32>(entry, E_LENGTH) >> 6) + (load<u32>(operation, O_TEXT_COUNT) >> 6));
        if (isOneOf(entry, operation)) writeText(batch, point, serial, load<u32>(operation, O_TARGET), operation, false);
      } else if (code == DROP) drop(batch, entry, key);
      else if (code == RENAME) rename(batch, serial, entry, key, load<u32>(operation, O_TARGET));
      else if (!convertTime(batch, entry)) break;
    }
    left--;
  }
  store<u32>(plan, limit - left, PLAN_STEPS);
  store<u32>(plan, kept, PLAN_KEPT);
  return at;
}

/**
 * Runs a COPY_MEMBER operation. Every operation takes one step. The function returns how many steps the copy
 * takes in addition, or LEFT when JavaScript has to run the operation.
 */
function copy(batch: usize, point: usize, serial: u32, key: u32, map: usize, operation: usize): i32 {
  if (!map) return LEFT;
  let record = memberIn(map, load<u32>(operation, O_TEXT), load<u32>(operation, O_LENGTH));
  const inner = <usize>load<u32>(operation, O_INNER);
  if (record && inner) {
    if (!isMap(record)) return LEFT;
    record = memberOf(record, inner, load<u32>(operation, O_INNER_LENGTH));
  }
  return copyMember(batch, point, serial, key, record);
}

// @ts-ignore: decorator
@inline
function recordOf(batch: usize, key: u32): usize {
  return <usize>load<u32>(batch, B_KEYS) + (<usize>key << KEY_SHIFT);
}

/** Returns whether the entry is a string, and resolves the escapes of the string. */
// @ts-ignore: decorator
@inline
function isText(batch: usize, entry: usize): bool {
  if (load<u8>(entry, E_KIND) != KIND_STRING) return false;
  if (<u32>load<u8>(entry, E_FLAGS) & ENTRY_ESCAPED) unescapeEntry(batch, entry);
  return true;
}

// @ts-ignore: decorator
@inline
function writeText(batch: usize, point: usize, serial: u32, key: u32, operation: usize, asTag: bool): void {
  const entry = entryFor(batch, point, serial, key);
  const tag = asTag ? ENTRY_TAG : <u32>load<u8>(entry, E_FLAGS) & ENTRY_TAG;
  store<u32>(entry, KIND_STRING | (tag << 8), E_KIND);
  store<u32>(entry, load<u32>(operation, O_TEXT), E_TEXT);
  store<u32>(entry, load<u32>(operation, O_LENGTH), E_LENGTH);
}

/**
 * Turns the letters of an ASCII string to the other case: the 26 letters from `first`, which is `A` or `a`, change. The
 * changed string is a copy, because a JSON document may use the bytes of the old one. Returns false for a string that
 * is long or not ASCII.
 */
function changeCase(batch: usize, entry: usize, first: u32): bool {
  const text = <usize>load<u32>(entry, E_TEXT);
  const length = load<u32>(entry, E_LENGTH);
  if (length > LONGEST_CASED) return false;
  let changes = false;
  for (let i: usize = 0; i < length; i++) {
    const c = <u32>load<u8>(text + i);
    if (c >= 0x80) return false;
    changes = changes || c - first < 26;
  }
  // JavaScript always writes a new text and counts its bytes, so the bytes count here, too.
  addKept(length);
  if (!changes) return true;
  const copy = heapTake(batch, length);
  for (let i: usize = 0; i < length; i++) {
    const c = <u32>load<u8>(text + i);
    store<u8>(copy + i, c - first < 26 ? c ^ 0x20 : c);
  }
  store<u32>(entry, <u32>copy, E_TEXT);
  return true;
}

/** Returns whether the entry's string is one of the texts of a GROUP_IN operation. */
function isOneOf(entry: usize, operation: usize): bool {
  const text = <usize>load<u32>(entry, E_TEXT);
  const length = load<u32>(entry, E_LENGTH);
  let place = <usize>load<u32>(operation, O_TEXTS);
  for (const end = place + <usize>load<u32>(operation, O_TEXT_COUNT) * TEXT_SIZE; place < end; place += TEXT_SIZE) {
    if (load<u32>(place, T_LENGTH) == length && sameBytes(text, load<u32>(place), length)) return true;
  }
  return false;
}

function drop(batch: usize, entry: usize, key: u32): void {
  store<u8>(entry, <u32>load<u8>(entry, E_FLAGS) | ENTRY_DEAD, E_FLAGS);
  store<u32>(recordOf(batch, key), 0, K_LINE);
}

function rename(batch: usize, serial: u32, entry: usize, from: u32, to: u32): void {
  const other = entryOf(batch, serial, to);
  if (other == entry) return;
  if (other) store<u8>(other, <u32>load<u8>(other, E_FLAGS) | ENTRY_DEAD, E_FLAGS);
  const old = recordOf(batch, from);
  const record = recordOf(batch, to);
  store<u32>(entry, to, E_KEY);
  store<u32>(record, serial, K_LINE);
  store<u32>(record, load<u32>(old, K_ENTRY), K_ENTRY);
  store<u32>(old, 0, K_LINE);
}

// @ts-ignore: decorator
@inline
function putInt(entry: usize, value: i64): void {
  store<u32>(entry, KIND_INT, E_KIND);
  store<u32>(entry, 0, E_TEXT);
  store<u32>(entry, 0, E_LENGTH);
  store<i64>(entry, value, E_NUMBER);
}

/**
 * Casts a field to an int. An int keeps its value, and a string of up to 18 digits with an optional sign is
 * converted. Returns false for other values, and for tags.
 */
function castInt(batch: usize, entry: usize): bool {
  if (<u32>load<u8>(entry, E_FLAGS) & ENTRY_TAG) return false;
  if (load<u8>(entry, E_KIND) == KIND_INT) {
    putInt(entry, load<i64>(entry, E_NUMBER));
    return true;
  }
  if (!isText(batch, entry)) return false;
  let p = <usize>load<u32>(entry, E_TEXT);
  const end = p + load<u32>(entry, E_LENGTH);
  const sign = <u32>load<u8>(p);
  if (p < end && sign == 0x2b) p++;
  const first = p < end && sign == 0x2d ? p + 1 : p;
  if (first == end || end - first > 18) return false;
  for (let digit = first; digit < end; digit++) if (<u32>load<u8>(digit) - 0x30 > 9) return false;
  if (!readInt(p, end)) return false;
  putInt(entry, numberBits);
  return true;
}

function convertTime(batch: usize, entry: usize): bool {
  if (<u32>load<u8>(entry, E_FLAGS) & ENTRY_TAG) return false;
  if (!isText(batch, entry) || !readTime(load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH))) return false;
  putInt(entry, timeRead);
  return true;
}
