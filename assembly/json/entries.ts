// Writes the fields and tags of one element of a JSON body to the tape (decoded entries in linear memory), for both
// formats: simple JSON and PBJSON (the JSON form of the protobuf message for points). The functions of this file return
// `false` when the text is not JSON. When an element is valid JSON of a form that they do not know, they set a mark on
// the point (see scan.ts), and JavaScript reads the element.

import { hasNewlineOrTail } from "../correct/text";
import { numberBits, numberFlags } from "../number/scan";
import { pushEntry } from "../tape/batch";
import { keyAt, serial } from "../tape/keys";
import {
  ENTRY_TAG, E_KEY, E_NUMBER, E_TEXT, KIND_BINARY, KIND_BOOL, KIND_FLOAT, KIND_NIL, KIND_STRING, KIND_UINT, K_FLAGS, K_LINE,
} from "../tape/layout";
import { pushTag } from "../tape/scan-memory";
import { dropsStrings, dropsUint, maxFieldValue, maxTagValue } from "../tape/settings";
import { forgetTraits, setDescription, setMetricType, setUnit, writeTraits } from "../tape/traits";
import { cachedKey } from "./key-cache";
import { metricTypeOf } from "./metric-types";
import { isFloat, isUint, isWhole } from "./numbers";
import { at, length, next, numberAt, readNumber, readString, readWord, skipValue, step, take, text } from "./text";
import { BEGINNING, NO_JSON, NOTHING, readUsualEntry, usualHasValue, usualIsTag, usualKey, usualKeyLength } from "./usual-entry";
import {
  flags, forgetValue, isValueLetter, kind, markForJavaScript, needsCorrection, needsJavaScript, number, readList, readValue, resetNeedsJavaScript,
  value, valueLength,
} from "./values";

// State of the element (the JSON object of one point) that is being read. `attention`: whether the point breaks a rule
// (such as a length limit), so that the point must be corrected. `tagFlags` and `fieldFlags`: the bitwise OR of the
// flags of all keys of tags, and of fields, that were read so far.
export let attention: bool = false;
/** Whether a key occurs more than once in the PBJSON element (the JSON object of one point). */
export let hasRepeats: bool = false;
export let tagFlags: u32 = 0;
export let fieldFlags: u32 = 0;
/** Number of tags read so far in the PBJSON list, which holds both fields and tags. */
export let tagsOnTape: u32 = 0;

export function forgetEntries(): void {
  resetNeedsJavaScript();
  attention = hasRepeats = false;
  tagFlags = fieldFlags = tagsOnTape = 0;
}

/**
 * Returns the id of a key of the body in the batch's key table. In simple JSON, when one object has two members
 * with this key, the function marks the point, so that JavaScript reads the point instead.
 */
function keyOf(batch: usize, key: usize, keyLength: u32, isTag: bool, isMember: bool): u32 {
  const id = cachedKey(batch, key, keyLength);
  const record = keyAt(batch, id);
  if (!keyLength) attention = true;
  if (load<u32>(record, K_LINE) == serial) {
    if (isMember) markForJavaScript();
    else hasRepeats = attention = true;
  }
  store<u32>(record, serial, K_LINE);
  const flags = load<u32>(record, K_FLAGS);
  if (isTag) tagFlags |= flags;
  else fieldFlags |= flags;
  return id;
}

/** Reads the JSON object that holds the fields of a point in simple JSON. */
export function readFields(batch: usize): bool {
  step();
  if (next() == 0x7d) {
    step();
    return true;
  }
  for (;;) {
    if (!readString(batch)) return false;
    const key = keyOf(batch, text, length, false, true);
    if (!take(0x3a)) return false;
    if (!readField(batch, key, next())) return false;
    const c = next();
    step();
    if (c == 0x7d) return true;
    if (c != 0x2c) return false;
  }
  return false;
}

// @ts-ignore: decorator
@inline
function put(batch: usize, key: u32, kind: u32, p: usize, size: u32, number: u64): usize {
  const entry = pushEntry(batch);
  store<u64>(entry, <u64>key | (<u64>kind << 32), E_KEY);
  store<u64>(entry, <u64>p | (<u64>size << 32), E_TEXT);
  store<u64>(entry, number, E_NUMBER);
  return entry;
}

function readField(batch: usize, key: u32, c: u32): bool {
  if (c == 0x22) {
    if (!readString(batch)) return false;
    if (dropsStrings || length > maxFieldValue) attention = true;
    put(batch, key, KIND_STRING, text, length, 0);
    return true;
  }
  if (c == 0x2d || c - 0x30 < 10) {
    if (!readNumber()) return false;
    if (!isFloat()) markForJavaScript();
    put(batch, key, KIND_FLOAT | (numberFlags << 8), numberAt, <u32>(at - numberAt), numberBits);
    return true;
  }
  if (c == 0x74 || c == 0x66) {
    const p = at;
    if (!readWord()) return false;
    put(batch, key, KIND_BOOL, p, <u32>(at - p), <u64>(c == 0x74));
    return true;
  }
  if (c == 0x5b) {
    if (!readList(batch, 4)) return false;
  } else {
    forgetValue();
    if (!skipValue(3)) return false;
  }
  if (kind == KIND_NIL) attention = true;
  put(batch, key, kind, value, valueLength, number);
  return true;
}

/**
 * Reads the object that contains the tags of a point in simple JSON. In memory, the entries of the tags follow
 * those of the fields.
 */
export function readTags(batch: usize): bool {
  step();
  if (next() == 0x7d) {
    step();
    return true;
  }
  for (;;) {
    if (!readString(batch)) return false;
    const key = keyOf(batch, text, length, true, true);
    if (!take(0x3a)) return false;
    const first = next();
    if (first == 0x22) {
      if (!readString(batch)) return false;
      checkTag();
      putTag(key, text, length);
    } else if (first == 0x6e) {
      if (!readWord()) return false;
      putTag(key, at, 0);
    } else {
      markForJavaScript();
      if (!skipValue(3)) return false;
    }
    const c = next();
    step();
    if (c == 0x7d) return true;
    if (c != 0x2c) return false;
  }
  return false;
}

// @ts-ignore: decorator
@inline
function putTag(key: u32, p: usize, size: u32): void {
  const entry = pushTag();
  store<u64>(entry, <u64>key | (<u64>(KIND_STRING | (ENTRY_TAG << 8)) << 32), E_KEY);
  store<u64>(entry, <u64>p | (<u64>size << 32), E_TEXT);
}

function checkTag(): void {
  // A tag value must be corrected when it has a newline or ends in a backslash. In JSON both are possible only as
  // escapes, so a string without escapes needs no search for them. The code recognizes such a string by its
  // address: a string with escapes was copied, but this one still lies in the body, directly before its closing
  // quote, which is the last byte that was read.
  if (length > maxTagValue || (text + length + 1 != at && hasNewlineOrTail(text, length))) attention = true;
}

/** Reads the JSON list that holds the fields and tags of a point in PBJSON. */
export function readEntries(batch: usize): bool {
  step();
  if (next() == 0x5d) {
    step();
    return true;
  }
  for (;;) {
    if (next() == 0x7b && !needsJavaScript) {
      if (!readEntry(batch)) return false;
    } else {
      markForJavaScript();
      if (!skipValue(3)) return false;
    }
    const c = next();
    step();
    if (c == 0x5d) return true;
    if (c != 0x2c) return false;
  }
  return false;
}

// One bit for each member of a PBJSON entry, to record which members were seen.
const KEY: u32 = 1;
const IS_TAG: u32 = 2;
const UNIT: u32 = 4;
const DESCRIPTION: u32 = 8;
const VALUE: u32 = 16;
const TYPE: u32 = 32;

function memberOf(p: usize, length: u32): u32 {
  if (length == 1) return isValueLetter(load<u8>(p)) ? VALUE : 0;
  if (length == 3) return load<u8>(p) == 0x6b && load<u16>(p, 1) == 0x7965 ? KEY : 0;
  if (length == 4) {
    const word = load<u32>(p);
    return word == 0x74696e75 ? UNIT : word == 0x65707974 ? TYPE : 0;
  }
  if (length == 6) return load<u32>(p) == 0x745f7369 && load<u16>(p, 4) == 0x6761 ? IS_TAG : 0;
  if (length != 11) return 0;
  return load<u64>(p) == 0x7470697263736564 && load<u32>(p, 7) == 0x6e6f6974 ? DESCRIPTION : 0;
}

function readEntry(batch: usize): bool {
  let seen: u32 = 0;
  let key = at;
  let keyLength: u32 = 0;
  let isTag = false;
  forgetTraits();
  forgetValue();
  const usual = readUsualEntry(batch, 4);
  if (usual == NO_JSON) return false;
  let isOpen = usual == BEGINNING;
  if (usual == NOTHING) {
    step();
    if (next() != 0x7d) isOpen = true;
    else step();
  } else {
    seen = usualHasValue ? KEY | VALUE : KEY;
    key = usualKey;
    keyLength = usualKeyLength;
    isTag = usualIsTag;
  }
  // When `readUsualEntry` has read a part of the PBJSON entry, the next byte must be a comma or the closing brace of
  // the entry.
  let isBehind = usual == BEGINNING;
  while (isOpen) {
    if (isBehind) {
      const behind = next();
      step();
      if (behind == 0x7d) break;
      if (behind != 0x2c) return false;
    }
    isBehind = true;
    if (!readString(batch)) return false;
    const member = memberOf(text, length);
    const letter = <u32>load<u8>(text);
    if (!take(0x3a)) return false;
    const c = next();
    if (!member || seen & member || needsJavaScript) {
      markForJavaScript();
      if (!skipValue(4)) return false;
    } else if (c == 0x6e) {
      // A member of the PBJSON entry whose value is null counts as absent.
      if (!readWord()) return false;
    } else {
      seen |= member;
      if (member == VALUE) {
        if (!readValue(batch, letter, c, 4)) return false;
      } else if (member == IS_TAG) {
        isTag = c == 0x74;
        if (!isTag && c != 0x66) markForJavaScript();
        if (!skipValue(4)) return false;
      } else if (member == TYPE) {
        if (!readType(batch, c)) return false;
      } else if (c != 0x22) {
        markForJavaScript();
        if (!skipValue(4)) return false;
      } else {
        if (!readString(batch)) return false;
        if (member == KEY) {
          key = text;
          keyLength = length;
        } else if (member == UNIT) setUnit(text, length);
        else setDescription(text, length);
      }
    }
  }
  if (isTag && kind != KIND_STRING) markForJavaScript();
  if (needsJavaScript) return true;
  const id = keyOf(batch, key, keyLength, isTag, false);
  const entry = put(batch, id, kind | ((flags | (isTag ? ENTRY_TAG : 0)) << 8), value, valueLength, number);
  if (isTag) tagsOnTape++;
  if (isForCorrection(isTag)) attention = true;
  writeTraits(batch, entry);
  return true;
}

/**
 * Returns whether the value that was read last breaks a rule for tags (`isTag` is true) or for fields, so that the
 * point has to be corrected.
 */
// @ts-ignore: decorator
@inline
function isForCorrection(isTag: bool): bool {
  if (isTag) return valueLength > maxTagValue || hasNewlineOrTail(value, valueLength);
  if (kind == KIND_STRING || kind == KIND_BINARY) return dropsStrings || valueLength > maxFieldValue;
  return kind == KIND_NIL || needsCorrection || (kind == KIND_UINT && dropsUint);
}

/** Reads the metric type of a field, which PBJSON gives as a name or a number. */
function readType(batch: usize, c: u32): bool {
  if (c == 0x22) {
    if (!readString(batch)) return false;
    const found = metricTypeOf(text, length);
    if (found < 0) markForJavaScript();
    else setMetricType(<u32>found);
    return true;
  }
  if (c - 0x30 >= 10) {
    markForJavaScript();
    return skipValue(4);
  }
  if (!readNumber()) return false;
  if (!isWhole() || !isUint(numberAt, at) || numberBits > 0x7fffffff) markForJavaScript();
  else setMetricType(<u32>numberBits);
  return true;
}
