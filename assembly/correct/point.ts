// Corrects a point on the tape (decoded points in linear memory) by the rules of its category. The corrections
// have the order of docs/reference/points.md#corrections: first repeated keys, then the measurement, the number
// of tags and fields, every entry (tag or field) one after the other, and last the key that the category
// requires. A removed entry is only marked as dead, so that the other entries keep their addresses.
// lib/point/correct.ts makes the same corrections for points in JavaScript; a test compares the two
// implementations.

import { heapTake, pushEntry } from "../tape/batch";
import { hasFiniteElements, isFinite64 } from "../tape/finite";
import { findKey, internKey, keyAt, nextSerial } from "../tape/keys";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_POINTS, ELEMENT_SHIFT, ENTRY_CANONICAL, ENTRY_DEAD, ENTRY_DUPLICATE, ENTRY_ESCAPED, ENTRY_SHIFT, ENTRY_SOURCE,
  ENTRY_TAG, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_LINK, E_NUMBER, E_TEXT, KEY_DIRTY, KEY_DOT, KEY_REFUSED, KEY_REQUIRED, KIND_ARRAY,
  KIND_BINARY, KIND_FLOAT, KIND_INT, KIND_NIL, KIND_STRING, KIND_UINT, K_DOTLESS, K_FLAGS, K_LENGTH, K_LINE, K_TEXT, POINT_NOTED,
  POINT_REQUIRED, POINT_SIZE, P_COUNT, P_FIRST, P_FLAGS, P_LAST, P_MORE, P_NAME, P_NAME_LENGTH,
} from "../tape/layout";
import { forgetLine } from "../tape/line";
import {
  dropsStrings, dropsUint, maxFieldKey, maxFields, maxFieldValue, maxMeasurement, maxTagKey, maxTags, maxTagValue, replacesDots, requiredKey,
  requiredLength, requiredText,
} from "../tape/settings";
import { cutBase64, decodedLength } from "../text/base64";
import { cutLength } from "../text/utf8";
import {
  EMPTY_KEY, EMPTY_NAME, FIELD_EXISTS_ADJUSTED, FIELD_EXISTS_CUT, FIELD_KEY_DOT, FIELD_KEY_NEWLINE, LARGE_UINT, LONG_FIELD_KEY, LONG_FIELD_VALUE,
  LONG_NAME, LONG_TAG_KEY, LONG_TAG_VALUE, MANY_FIELDS, MANY_TAGS, MINUS_INFINITY, NIL_FIELD, note, NOT_A_NUMBER, PLUS_INFINITY, REFUSED_KEY,
  SAME_KEY, STRING_DROPPED, TAG_EXISTS_ADJUSTED, TAG_EXISTS_CUT, TAG_KEY_DOT, TAG_KEY_NEWLINE, TAG_VALUE_NEWLINE,
} from "./notes";
import { changedLength, changedText, copyWith, hasNewlineOrTail, withoutNewlines } from "./text";

let batch: usize = 0;
let index: u32 = 0;
/**
 * Serial number of the current call of `correctPoint`. During the call, the record of every key that the point
 * has contains this number, so that a key of the point is recognized by its record.
 */
let mark: u32 = 0;

// State of a loop over the entries of a point. The loop visits first the entries that lie next to each other, then the
// overflow chain (a linked list of entries that were added later).
let place: u32 = 0;
let stop: u32 = 0;
let link: u32 = 0;

/** Starts a loop over the entries of a point. Returns the address of the first entry, or 0 when the point has none. */
// @ts-ignore: decorator
@inline
function firstEntry(point: usize): usize {
  place = load<u32>(point, P_FIRST);
  stop = place + load<u32>(point, P_COUNT);
  link = load<u32>(point, P_MORE);
  return nextEntry();
}

// @ts-ignore: decorator
@inline
function nextEntry(): usize {
  return place < stop ? entryAt(place++) : nextLink();
}

function nextLink(): usize {
  if (!link) return 0;
  const entry = entryAt(link - 1);
  link = load<u32>(entry, E_LINK);
  return entry;
}

/**
 * Corrects a point that was changed after it was decoded. Returns true when something was wrong; the newest notes
 * (records of corrections) of the batch then describe the corrections.
 */
export function correctChanged(owner: usize, number: u32): bool {
  batch = owner;
  const point = <usize>load<u32>(batch, B_POINTS) + <usize>number * POINT_SIZE;
  const isWrong = hasFaults(point);
  if (isWrong) correctPoint(batch, number, true);
  return isWrong;
}

function hasFaults(point: usize): bool {
  const nameLength = load<u32>(point, P_NAME_LENGTH);
  if (!nameLength || nameLength > maxMeasurement) return true;
  let tags: u32 = 0;
  let fields: u32 = 0;
  let keys: u32 = 0;
  for (let entry = firstEntry(point); entry; entry = nextEntry()) {
    if (!isLive(entry)) continue;
    const record = keyAt(batch, load<u32>(entry, E_KEY));
    const flags = load<u32>(record, K_FLAGS);
    const keyLength = load<u32>(record, K_LENGTH);
    const length = load<u32>(entry, E_LENGTH);
    const kind = <u32>load<u8>(entry, E_KIND);
    keys |= flags;
    if (!keyLength || flags & (KEY_DIRTY | KEY_REFUSED | (replacesDots ? KEY_DOT : 0))) return true;
    if (isTag(entry)) {
      tags++;
      if (keyLength > maxTagKey || length > maxTagValue || hasNewlineOrTail(load<u32>(entry, E_TEXT), length)) return true;
      continue;
    }
    fields++;
    if (keyLength > maxFieldKey) return true;
    if (kind == KIND_STRING || kind == KIND_BINARY) {
      if (dropsStrings || length > maxFieldValue) return true;
    } else if (kind == KIND_NIL || (kind == KIND_UINT && dropsUint)) return true;
    else if (kind == KIND_FLOAT) {
      if (!isFinite64(load<u64>(entry, E_NUMBER))) return true;
    } else if (kind == KIND_ARRAY && !(<u32>load<u8>(entry, E_FLAGS) & ENTRY_SOURCE)) {
      if (!length || !hasFiniteElements(entry)) return true;
    }
  }
  return tags > maxTags || fields > maxFields || (requiredKey >= 0 && !(keys & KEY_REQUIRED));
}

/** The bytes of `__default`, the measurement of points that are sent without one. */
const DEFAULT_NAME = memory.data<u8>([0x5f, 0x5f, 0x64, 0x65, 0x66, 0x61, 0x75, 0x6c, 0x74]);
const DEFAULT_NAME_LENGTH: u32 = 9;

/**
 * Corrects the point with the index `number`: the last point of the batch, or a point that was changed. `getsRequired`
 * says whether a point without the key that its category requires (such as `status` for `logging`) gets this key.
 */
export function correctPoint(owner: usize, number: u32, getsRequired: bool): void {
  batch = owner;
  index = number;
  mark = nextSerial();
  const point = <usize>load<u32>(batch, B_POINTS) + <usize>number * POINT_SIZE;
  const flags = load<u32>(point, P_FLAGS);
  store<u32>(point, flags | POINT_NOTED, P_FLAGS);
  forgetLine(point);
  if (!(flags & POINT_NOTED)) noteDuplicates(point);
  if (!load<u32>(point, P_NAME_LENGTH)) {
    note(batch, index, EMPTY_NAME, 0);
    store<u32>(point, <u32>DEFAULT_NAME, P_NAME);
    store<u32>(point, DEFAULT_NAME_LENGTH, P_NAME_LENGTH);
  }
  const nameLength = load<u32>(point, P_NAME_LENGTH);
  if (nameLength > maxMeasurement) {
    note(batch, index, LONG_NAME, 0, nameLength);
    store<u32>(point, cutLength(load<u32>(point, P_NAME), nameLength, maxMeasurement), P_NAME_LENGTH);
  }
  limitCount(point, false, maxFields);
  limitCount(point, true, maxTags);
  for (let entry = firstEntry(point); entry; entry = nextEntry()) {
    if (isLive(entry)) store<u32>(keyAt(batch, load<u32>(entry, E_KEY)), mark, K_LINE);
  }
  for (let entry = firstEntry(point); entry; entry = nextEntry()) {
    if (!isLive(entry)) continue;
    if (isTag(entry) ? correctTag(entry) : correctField(entry)) continue;
    kill(entry);
    store<u32>(keyAt(batch, load<u32>(entry, E_KEY)), 0, K_LINE);
  }
  if (requiredKey >= 0 && load<u32>(keyAt(batch, requiredKey), K_LINE) != mark && getsRequired) addRequired(point);
}

function addRequired(point: usize): void {
  store<u32>(point, load<u32>(point, P_FLAGS) | POINT_REQUIRED, P_FLAGS);
  const entry = pushEntry(batch);
  const next = load<u32>(batch, B_ENTRY_COUNT);
  const count = load<u32>(point, P_COUNT) + 1;
  const last = load<u32>(point, P_LAST);
  if (last) {
    store<u32>(entryAt(last - 1), next, E_LINK);
    store<u32>(point, next, P_LAST);
  } else if (load<u32>(point, P_FIRST) + count == next) store<u32>(point, count, P_COUNT);
  else {
    store<u32>(point, next, P_MORE);
    store<u32>(point, next, P_LAST);
  }
  store<u32>(entry, requiredKey, E_KEY);
  store<u8>(entry, KIND_STRING, E_KIND);
  store<u32>(entry, <u32>requiredText, E_TEXT);
  store<u32>(entry, requiredLength, E_LENGTH);
}

function entryAt(at: u32): usize {
  return <usize>load<u32>(batch, B_ENTRIES) + (<usize>at << ENTRY_SHIFT);
}

// @ts-ignore: decorator
@inline
function isLive(entry: usize): bool {
  return !(load<u8>(entry, E_FLAGS) & ENTRY_DEAD);
}

// @ts-ignore: decorator
@inline
export function isTag(entry: usize): bool {
  return (load<u8>(entry, E_FLAGS) & ENTRY_TAG) != 0;
}

function kill(entry: usize): void {
  store<u8>(entry, load<u8>(entry, E_FLAGS) | <u8>ENTRY_DEAD, E_FLAGS);
}

/**
 * Writes a note (record of one correction) for each tag key that occurred several times in the line. When the line was
 * read, the last tag with a key replaced the earlier tags with this key.
 */
function noteDuplicates(point: usize): void {
  for (let entry = firstEntry(point); entry; entry = nextEntry()) {
    if (load<u8>(entry, E_FLAGS) & ENTRY_DUPLICATE) note(batch, index, SAME_KEY, load<u32>(entry, E_KEY));
  }
}

/** Keeps the first `most` tags (or fields) of the point and marks the later ones as dead (removed). */
function limitCount(point: usize, tags: bool, most: u32): void {
  let found: u32 = 0;
  for (let entry = firstEntry(point); entry; entry = nextEntry()) {
    if (isLive(entry) && isTag(entry) == tags && ++found > most) kill(entry);
  }
  if (found > most) note(batch, index, tags ? MANY_TAGS : MANY_FIELDS, 0, found);
}

// The next functions each correct one entry (a tag or field) of a point. They return false when the caller must
// remove the entry.

function correctTag(entry: usize): bool {
  const record = keyAt(batch, load<u32>(entry, E_KEY));
  if (load<u32>(record, K_LENGTH) > maxTagKey && !cutKey(entry, maxTagKey, LONG_TAG_KEY, TAG_EXISTS_CUT)) return false;
  if (!cleanKey(entry, TAG_KEY_NEWLINE, TAG_EXISTS_ADJUSTED)) return false;
  if (!undot(entry, TAG_KEY_DOT, TAG_EXISTS_ADJUSTED)) return false;
  if (isRefused(entry)) return false;
  correctTagValue(entry);
  return true;
}

function correctField(entry: usize): bool {
  const record = keyAt(batch, load<u32>(entry, E_KEY));
  if (load<u32>(record, K_LENGTH) > maxFieldKey && !cutKey(entry, maxFieldKey, LONG_FIELD_KEY, FIELD_EXISTS_CUT)) return false;
  if (!undot(entry, FIELD_KEY_DOT, FIELD_EXISTS_ADJUSTED)) return false;
  if (!cleanKey(entry, FIELD_KEY_NEWLINE, FIELD_EXISTS_ADJUSTED)) return false;
  if (isRefused(entry)) return false;
  return correctFieldValue(entry);
}

function cutKey(entry: usize, most: u32, code: u32, exists: u32): bool {
  const key = load<u32>(entry, E_KEY);
  const record = keyAt(batch, key);
  const length = load<u32>(record, K_LENGTH);
  note(batch, index, code, key, length);
  const text = <usize>load<u32>(record, K_TEXT);
  return rekey(entry, text, cutLength(text, length, most), exists);
}

function cleanKey(entry: usize, code: u32, exists: u32): bool {
  const key = load<u32>(entry, E_KEY);
  const record = keyAt(batch, key);
  if (!(load<u32>(record, K_FLAGS) & KEY_DIRTY)) return true;
  note(batch, index, code, key);
  withoutNewlines(batch, load<u32>(record, K_TEXT), load<u32>(record, K_LENGTH));
  return rekey(entry, changedText, changedLength, exists);
}

function undot(entry: usize, code: u32, exists: u32): bool {
  const key = load<u32>(entry, E_KEY);
  const record = keyAt(batch, key);
  if (!replacesDots || !(load<u32>(record, K_FLAGS) & KEY_DOT)) return true;
  note(batch, index, code, key);
  let dotless = load<u32>(record, K_DOTLESS);
  if (!dotless) {
    // A key with dots usually occurs in every line of a sender. So the key with `_` in place of the dots is made
    // only once for a batch. The record of the original key then stores it for the other lines.
    copyWith(batch, load<u32>(record, K_TEXT), load<u32>(record, K_LENGTH), 0x2e, 0x5f);
    dotless = internKey(batch, changedText, changedLength) + 1;
    store<u32>(keyAt(batch, key), dotless, K_DOTLESS);
  }
  return take(entry, dotless - 1, exists);
}

/**
 * Changes the key of the entry to the given text. Returns false when another entry of the point already has this
 * key; the caller then removes the entry. The text is not copied, so it must stay in memory as long as the
 * batch.
 */
function rekey(entry: usize, text: usize, length: u32, exists: u32): bool {
  const found = findKey(batch, text, length);
  return take(entry, found >= 0 ? <u32>found : internKey(batch, text, length), exists);
}

/**
 * Changes the key of the entry to `key`. When another entry of the point already has this key, returns false,
 * changes nothing, and adds a note with the code `exists`.
 */
function take(entry: usize, key: u32, exists: u32): bool {
  const record = keyAt(batch, key);
  if (load<u32>(record, K_LINE) == mark) {
    note(batch, index, exists, key);
    return false;
  }
  store<u32>(keyAt(batch, load<u32>(entry, E_KEY)), 0, K_LINE);
  store<u32>(record, mark, K_LINE);
  store<u32>(entry, key, E_KEY);
  return true;
}

function isRefused(entry: usize): bool {
  const key = load<u32>(entry, E_KEY);
  const record = keyAt(batch, key);
  if (!load<u32>(record, K_LENGTH)) {
    note(batch, index, EMPTY_KEY, key);
    return true;
  }
  if (!(load<u32>(record, K_FLAGS) & KEY_REFUSED)) return false;
  note(batch, index, REFUSED_KEY, key);
  return true;
}

function correctTagValue(entry: usize): void {
  const text = <usize>load<u32>(entry, E_TEXT);
  const length = load<u32>(entry, E_LENGTH);
  if (hasNewlineOrTail(text, length)) {
    note(batch, index, TAG_VALUE_NEWLINE, 0, 0, text, length);
    withoutNewlines(batch, text, length);
    store<u32>(entry, <u32>changedText, E_TEXT);
    store<u32>(entry, changedLength, E_LENGTH);
  }
  limitText(entry, maxTagValue, LONG_TAG_VALUE);
}

function limitText(entry: usize, most: u32, code: u32): void {
  const length = load<u32>(entry, E_LENGTH);
  if (length <= most) return;
  note(batch, index, code, load<u32>(entry, E_KEY), length);
  store<u32>(entry, cutLength(load<u32>(entry, E_TEXT), length, most), E_LENGTH);
}

function correctFieldValue(entry: usize): bool {
  const key = load<u32>(entry, E_KEY);
  switch (<u32>load<u8>(entry, E_KIND)) {
    case KIND_STRING:
    case KIND_BINARY:
      if (dropsStrings) {
        note(batch, index, STRING_DROPPED, key);
        return false;
      }
      if (load<u8>(entry, E_KIND) == KIND_STRING) limitString(entry);
      else limitBinary(entry);
      return true;
    case KIND_FLOAT:
      if (isFinite64(load<u64>(entry, E_NUMBER))) return true;
      store<u8>(entry, load<u8>(entry, E_FLAGS) & <u8>~ENTRY_CANONICAL, E_FLAGS);
      return makeFinite(entry + E_NUMBER, key);
    case KIND_ARRAY:
      if (<u32>load<u8>(entry, E_FLAGS) & ENTRY_SOURCE) return true;
      if (load<u32>(entry, E_LENGTH)) return hasFiniteElements(entry) || makeElementsFinite(entry, key);
      store<u8>(entry, KIND_NIL, E_KIND);
      note(batch, index, NIL_FIELD, key);
      return true;
    case KIND_NIL:
      note(batch, index, NIL_FIELD, key);
      return true;
    case KIND_UINT: {
      if (!dropsUint) return true;
      const value = load<u64>(entry, E_NUMBER);
      if (value >> 63) {
        note(batch, index, LARGE_UINT, key, value);
        return false;
      }
      store<u8>(entry, KIND_INT, E_KIND);
      return true;
    }
    default:
      return true;
  }
}

/**
 * Replaces an infinity at the address `at` by 2^64 or -2^63, because not every wire format has infinities. Returns
 * false for NaN; the entry must then be removed.
 */
function makeFinite(at: usize, key: u32): bool {
  const value = load<f64>(at);
  if (isNaN(value)) {
    note(batch, index, NOT_A_NUMBER, key);
    return false;
  }
  note(batch, index, value > 0 ? PLUS_INFINITY : MINUS_INFINITY, key);
  store<f64>(at, value > 0 ? 18446744073709551616.0 : -9223372036854775808.0);
  return true;
}

function makeElementsFinite(entry: usize, key: u32): bool {
  let element = <usize>load<u32>(entry, E_TEXT);
  for (const end = element + (<usize>load<u32>(entry, E_LENGTH) << ELEMENT_SHIFT); element < end; element += 8) {
    if (!isFinite64(load<u64>(element)) && !makeFinite(element, key)) return false;
  }
  return true;
}

function limitString(entry: usize): void {
  if (load<u32>(entry, E_LENGTH) > maxFieldValue && load<u8>(entry, E_FLAGS) & ENTRY_ESCAPED) unescapeString(entry);
  limitText(entry, maxFieldValue, LONG_FIELD_VALUE);
}

/** Copies a string to the heap without the escapes `\"` and `\\`, because length limits do not count escapes. */
function unescapeString(entry: usize): void {
  let p = <usize>load<u32>(entry, E_TEXT);
  const length = load<u32>(entry, E_LENGTH);
  const end = p + length;
  const copy = heapTake(batch, length);
  let out = copy;
  while (p < end) {
    let c = load<u8>(p++);
    if (c == 0x5c && p < end && (load<u8>(p) == 0x22 || load<u8>(p) == 0x5c)) c = load<u8>(p++);
    store<u8>(out++, c);
  }
  store<u32>(entry, <u32>copy, E_TEXT);
  store<u32>(entry, <u32>(out - copy), E_LENGTH);
  store<u8>(entry, load<u8>(entry, E_FLAGS) & <u8>~ENTRY_ESCAPED, E_FLAGS);
}

function limitBinary(entry: usize): void {
  if (!(<u32>load<u8>(entry, E_FLAGS) & ENTRY_SOURCE)) return limitBytes(entry);
  const text = <usize>load<u32>(entry, E_TEXT);
  const length = decodedLength(text, load<u32>(entry, E_LENGTH));
  if (length <= maxFieldValue) return;
  note(batch, index, LONG_FIELD_VALUE, load<u32>(entry, E_KEY), length);
  const size = ((maxFieldValue + 2) / 3) << 2;
  const copy = heapTake(batch, size);
  cutBase64(text, copy, maxFieldValue);
  store<u32>(entry, <u32>copy, E_TEXT);
  store<u32>(entry, size, E_LENGTH);
}

/** Cuts a value to its length limit: binary data at any byte, a string only at the end of a character. */
function limitBytes(entry: usize): void {
  const length = load<u32>(entry, E_LENGTH);
  if (length <= maxFieldValue) return;
  note(batch, index, LONG_FIELD_VALUE, load<u32>(entry, E_KEY), length);
  store<u32>(entry, maxFieldValue, E_LENGTH);
}
