// Copies members of a map to keys of the point: for the script call `add_key(key, map["name"])`, and for loops
// in which every iteration only makes such a copy. The map lies in an indexed JSON document
// (assembly/json/document.ts). Values that are seldom copied are left to JavaScript.

import { unescapeJson } from "../json/document";
import { writeJson } from "../json/write";
import {
  ESCAPED, KIND_MASK, LIST, MAP, NULL, NUMBER, PLAIN, R_KEY, R_KEY_LENGTH, R_KIND, R_LENGTH, R_NEXT, R_SIZE, R_VALUE,
  TRUE, UTF8,
} from "../json/records";
import { reserveEntries } from "../tape/batch";
import { sameBytes } from "../tape/keys";
import {
  B_KEYS, ENTRY_TAG, E_FLAGS, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KEY_SHIFT, KIND_BOOL, KIND_FLOAT, KIND_NIL, KIND_STRING, K_LENGTH,
} from "../tape/layout";
import { forgetLine } from "../tape/line";
import {
  COPIED_COUNT, COPIED_KEPT, COPIED_NAMES, COPIED_STORED, MARK_SHORT, MARK_STOP, MARK_STORED,
} from "./layout";
import { entryFor, entryOf } from "./point-index";

/**
 * Length in bytes from which JavaScript copies a string that is not all ASCII. The number of a string's characters
 * decides how many steps of the script's budget a copy takes, but this file knows only the number of bytes.
 */
const LONG_UTF8: u32 = 64;
/**
 * Largest list or map that this file copies: the number of values in it, counting the list or map itself.
 * Copying a larger one takes more steps of the script's budget than writing its JSON text, so JavaScript copies
 * it.
 */
const MOST_INSIDE: u32 = 16;
/** Length in bytes from which reading a name or a string takes steps of the script's budget. */
const LONG_TEXT: u32 = 64;
/** Result of `copyMember`: JavaScript has to copy the member. */
export const LEFT: i32 = -1;

/** Number of bytes of new text that was written for points since the last call of `forgetKept`. */
export let kept: u32 = 0;

/** Adds to the number of bytes of new text. */
export function addKept(bytes: u32): void {
  kept += bytes;
}

export function forgetKept(): void {
  kept = 0;
}

// A table that finds the members of one map by a hash of their names. Each place of the table belongs to one
// hash. Its content is the address of the member's record, or 0 when no member has this hash, or SEVERAL when
// more than one member has this hash.
const PLACES: usize = 64;
const table = memory.data(256, 16);
const SEVERAL: u32 = 1;
/** Address of the map whose members are in the table; 0 when the table is empty. */
let listed: usize = 0;

// @ts-ignore: decorator
@inline
function placeOf(name: usize, length: u32): usize {
  const end = name + length;
  return length ? table + (((length * 5 + <u32>load<u8>(name) * 3 + <u32>load<u8>(end - 1)) & <u32>(PLACES - 1)) << 2) : table;
}

/**
 * Forgets the table of members. The caller must do this before `memberIn` when another map may have been written
 * to the same memory.
 */
export function forgetMembers(): void {
  listed = 0;
}

function list(map: usize): void {
  for (let at: usize = 0; at < PLACES << 2; at += 16) v128.store(table + at, i64x2.splat(0));
  const end = <usize>load<u32>(map, R_NEXT);
  for (let record = map + R_SIZE; record < end; record = <usize>load<u32>(record, R_NEXT)) {
    const place = placeOf(load<u32>(record, R_KEY), load<u32>(record, R_KEY_LENGTH));
    store<u32>(place, load<u32>(place) ? SEVERAL : <u32>record);
  }
  listed = map;
}

/** Does the same as `memberOf`, but is faster for a map in which several members are looked up. */
export function memberIn(map: usize, name: usize, length: u32): usize {
  if (listed != map) list(map);
  const record = <usize>load<u32>(placeOf(name, length));
  if (record == SEVERAL) return memberOf(map, name, length);
  return record && load<u32>(record, R_KEY_LENGTH) == length && sameBytes(load<u32>(record, R_KEY), name, length) ? record : 0;
}

/** Returns the address of the record of the last member with a name; 0 when there is none. */
export function memberOf(map: usize, name: usize, length: u32): usize {
  let found: usize = 0;
  const end = <usize>load<u32>(map, R_NEXT);
  for (let record = map + R_SIZE; record < end; record = <usize>load<u32>(record, R_NEXT)) {
    if (load<u32>(record, R_KEY_LENGTH) == length && sameBytes(load<u32>(record, R_KEY), name, length)) found = record;
  }
  return found;
}

export function isMap(record: usize): bool {
  return (load<u32>(record, R_KIND) & KIND_MASK) == MAP;
}

/**
 * Writes the JSON value with the given record to a key of the point; writes nil when `record` is 0. Returns the
 * number of steps that reading the value takes from the script's budget, or LEFT when JavaScript has to copy the
 * value.
 */
export function copyMember(batch: usize, point: usize, serial: u32, key: u32, record: usize): i32 {
  let kind = record ? load<u32>(record, R_KIND) & KIND_MASK : NULL;
  let steps: u32 = 0;
  if (kind >= LIST) {
    const units = load<u32>(record, R_NEXT) - <u32>record > MOST_INSIDE * <u32>R_SIZE ? 0 : writeJson(batch, record);
    if (!units) return LEFT;
    steps = units >> 3;
  } else if (kind >= PLAIN + ESCAPED) {
    unescapeJson(batch, record);
    kind -= ESCAPED;
  }
  const length = kind >= PLAIN ? load<u32>(record, R_LENGTH) : 0;
  if (kind == UTF8 && length >= LONG_UTF8) return LEFT;
  const known = entryOf(batch, serial, key);
  const tag = known ? <u32>load<u8>(known, E_FLAGS) & ENTRY_TAG : 0;
  // The value of a tag is always a string. JavaScript has to convert any other value to a string.
  if (tag && (kind < PLAIN || kind >= LIST)) return LEFT;
  const entry = known ? known : entryFor(batch, point, serial, key);
  store<u32>(entry, kindOf(kind) | (tag << 8), E_KIND);
  store<u32>(entry, kind >= PLAIN ? load<u32>(record, R_VALUE) : 0, E_TEXT);
  store<u32>(entry, length, E_LENGTH);
  if (kind == NUMBER) store<u64>(entry, load<u64>(record, R_VALUE), E_NUMBER);
  else if (kind < NUMBER) store<u64>(entry, kind == TRUE ? 1 : 0, E_NUMBER);
  if (kind < LIST) return <i32>(length >> 6);
  kept += length;
  return <i32>steps;
}

/**
 * Copies members of a map to the keys of the same names. `records` holds the address of the record of each member, and
 * `keys` the id of its name. `marks` has a byte for each key with an id below `markCount` (layout.ts). The work stops at
 * the first member that JavaScript has to handle.
 *
 * Returns two numbers in one: bits 0 to 7 hold the number of members before the stop, at most MOST_MEMBERS, and the
 * higher bits hold the number of steps that it takes to read the values of the copied ones. Writes further numbers to
 * the words from `counts` on (COPIED_KEPT and its neighbours in layout.ts).
 */
export function copyMembers(
  batch: usize, point: usize, serial: u32, records: usize, keys: usize, count: u32, marks: usize, markCount: u32, counts: usize,
): u32 {
  reserveEntries(batch, count);
  forgetKept();
  let steps: u32 = 0;
  let names: u32 = 0;
  let copied: u32 = 0;
  let at: u32 = 0;
  for (; at < count; at++) {
    const key = load<u32>(keys + (<usize>at << 2));
    const record = <usize>load<u32>(records + (<usize>at << 2));
    const mark = key < markCount ? <u32>load<u8>(marks + key) : 0;
    if (mark) {
      if (mark == MARK_STOP || (mark & MARK_SHORT && !isShortScalar(record))) break;
      store<u32>(counts + (<usize>(mark / MARK_STORED - 1) << 2), at + 1, COPIED_STORED);
      continue;
    }
    const name = load<u32>(<usize>load<u32>(batch, B_KEYS) + (<usize>key << KEY_SHIFT), K_LENGTH);
    if (name >= LONG_TEXT) break;
    if (entryOf(batch, serial, key)) forgetLine(point);
    const taken = copyMember(batch, point, serial, key, record);
    if (taken == LEFT) break;
    steps += taken;
    names += name;
    copied++;
  }
  store<u32>(counts, kept, COPIED_KEPT);
  store<u32>(counts, names, COPIED_NAMES);
  store<u32>(counts, copied, COPIED_COUNT);
  return (steps << 8) | at;
}

/** Returns whether a value is neither a list nor a map, and reading it takes no steps of the script's budget. */
function isShortScalar(record: usize): bool {
  const kind = load<u32>(record, R_KIND) & KIND_MASK;
  return kind < PLAIN || (kind < LIST && load<u32>(record, R_LENGTH) < LONG_TEXT);
}

// @ts-ignore: decorator
@inline
function kindOf(kind: u32): u32 {
  if (kind >= PLAIN) return KIND_STRING;
  return kind == NUMBER ? KIND_FLOAT : kind == NULL ? KIND_NIL : KIND_BOOL;
}
