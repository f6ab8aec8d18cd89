// Finishes a point after its script has ended without an error (docs/reference/language.md#after-the-script): replaces
// the status of a log by its standard name, and turns the value of the key `time` into the time of the point.
// lib/pipeline/runtime/after-run.ts does the same for points in JavaScript.

import { heapTake, reserveEntries } from "../tape/batch";
import {
  B_KEYS, ENTRY_DEAD, ENTRY_ESCAPED, ENTRY_TAG, E_FLAGS, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KEY_SHIFT, KIND_INT, KIND_NIL, KIND_STRING, K_LINE, P_TIME,
} from "../tape/layout";
import { forgetLine } from "../tape/line";
import { unescapeEntry } from "../tape/unescape";
import { entryFor, entryOf } from "./point-index";

/** Bits of the result of `finishPoint`: the work on the point that JavaScript still has to do. */
const STATUS: u32 = 1;
const TIME: u32 = 2;

const UNKNOWN = memory.data<u8>([0x75, 0x6e, 0x6b, 0x6e, 0x6f, 0x77, 0x6e]);
const EMERG = memory.data<u8>([0x65, 0x6d, 0x65, 0x72, 0x67]);
const ALERT = memory.data<u8>([0x61, 0x6c, 0x65, 0x72, 0x74]);
const CRITICAL = memory.data<u8>([0x63, 0x72, 0x69, 0x74, 0x69, 0x63, 0x61, 0x6c]);
const ERROR = memory.data<u8>([0x65, 0x72, 0x72, 0x6f, 0x72]);
const WARNING = memory.data<u8>([0x77, 0x61, 0x72, 0x6e, 0x69, 0x6e, 0x67]);
const NOTICE = memory.data<u8>([0x6e, 0x6f, 0x74, 0x69, 0x63, 0x65]);
const DEBUG = memory.data<u8>([0x64, 0x65, 0x62, 0x75, 0x67]);
const INFO = memory.data<u8>([0x69, 0x6e, 0x66, 0x6f]);
const OK = memory.data<u8>([0x4f, 0x4b]);

/**
 * Finishes a point. `status` and `time` are the ids of the keys with these names. When `status` is -1, the
 * function does not change the status of the log. Returns bits for the work that JavaScript still has to do.
 */
export function finishPoint(batch: usize, point: usize, serial: u32, status: i32, time: u32): u32 {
  let left: u32 = 0;
  if (status >= 0) {
    const entry = entryOf(batch, serial, status);
    if (!entry) {
      reserveEntries(batch, 1);
      put(point, entryFor(batch, point, serial, status), UNKNOWN, 7);
    } else if (!mapStatus(batch, point, entry)) left = STATUS;
  }
  const record = <usize>load<u32>(batch, B_KEYS) + (<usize>time << KEY_SHIFT);
  if (load<u32>(record, K_LINE) == serial) {
    const entry = entryOf(batch, serial, time);
    if (load<u8>(entry, E_KIND) != KIND_INT) return left | TIME;
    const value = load<i64>(entry, E_NUMBER);
    if (value) store<i64>(point, value, P_TIME);
    store<u8>(entry, <u32>load<u8>(entry, E_FLAGS) | ENTRY_DEAD, E_FLAGS);
    forgetLine(point);
    store<u32>(record, 0, K_LINE);
  }
  return left;
}

function put(point: usize, entry: usize, text: usize, length: u32): void {
  forgetLine(point);
  store<u32>(entry, KIND_STRING | ((<u32>load<u8>(entry, E_FLAGS) & ENTRY_TAG) << 8), E_KIND);
  store<u32>(entry, <u32>text, E_TEXT);
  store<u32>(entry, length, E_LENGTH);
}

/**
 * Replaces the status of a log by its standard name. Returns false when the value is neither nil nor an ASCII string.
 */
function mapStatus(batch: usize, point: usize, entry: usize): bool {
  if (load<u8>(entry, E_KIND) == KIND_NIL) {
    put(point, entry, UNKNOWN, 7);
    return true;
  }
  if (load<u8>(entry, E_KIND) != KIND_STRING) return false;
  if (<u32>load<u8>(entry, E_FLAGS) & ENTRY_ESCAPED) unescapeEntry(batch, entry);
  const text = <usize>load<u32>(entry, E_TEXT);
  const length = load<u32>(entry, E_LENGTH);
  let hasCapitals = false;
  for (let i: usize = 0; i < length; i++) {
    const c = <u32>load<u8>(text + i);
    if (c >= 0x80) return false;
    hasCapitals = hasCapitals || c - 0x41 < 26;
  }
  if (length == 0) put(point, entry, UNKNOWN, 7);
  else if (length == 1 && mapLetter(point, entry, <u32>load<u8>(text) | 0x20)) return true;
  else if (length == 2 && (load<u16>(text) | 0x2020) == 0x6b6f) {
    if (load<u16>(text) != 0x4b4f) put(point, entry, OK, 2);
  } else if (length == 4 && (load<u32>(text) | 0x20202020) == 0x6e726177) put(point, entry, WARNING, 7);
  else if (length == 5 && (load<u32>(text) | 0x20202020) == 0x63617274 && (load<u8>(text, 4) | 0x20) == 0x65) put(point, entry, DEBUG, 5);
  else if (length == 7 && isVerbose(text)) put(point, entry, DEBUG, 5);
  else if (hasCapitals) lower(batch, point, entry, text, length);
  return true;
}

/**
 * Returns whether the string of seven letters is `verbose`, in upper or lower case. Compares the letters 1 to 4
 * and the letters 4 to 7, so the letter in the middle is compared twice.
 */
function isVerbose(text: usize): bool {
  return (load<u32>(text) | 0x20202020) == 0x62726576 && (load<u32>(text, 3) | 0x20202020) == 0x65736f62;
}

function lower(batch: usize, point: usize, entry: usize, text: usize, length: u32): void {
  const copy = heapTake(batch, length);
  for (let i: usize = 0; i < length; i++) {
    const c = <u32>load<u8>(text + i);
    store<u8>(copy + i, c - 0x41 < 26 ? c | 0x20 : c);
  }
  put(point, entry, copy, length);
}

/**
 * Replaces a log status that is a single letter by the status for which the letter stands. Returns false for an unknown
 * letter.
 */
function mapLetter(point: usize, entry: usize, letter: u32): bool {
  switch (letter) {
    case 0x66: put(point, entry, EMERG, 5); return true;
    case 0x61: put(point, entry, ALERT, 5); return true;
    case 0x63: put(point, entry, CRITICAL, 8); return true;
    case 0x65: put(point, entry, ERROR, 5); return true;
    case 0x77: put(point, entry, WARNING, 7); return true;
    case 0x6e: put(point, entry, NOTICE, 6); return true;
    case 0x69: put(point, entry, INFO, 4); return true;
    case 0x64: put(point, entry, DEBUG, 5); return true;
    case 0x6f:
    case 0x73: put(point, entry, OK, 2); return true;
    default: return false;
  }
}
