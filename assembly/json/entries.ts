// The fields and tags of an element of a JSON body, as simple JSON and as PBJSON write them, onto the tape. `false` says that the text is no
// JSON; what is JSON but nothing that is read here makes the point odd (see scan.ts).

import { hasNewlineOrTail } from "../correct/text";
import { isBase64 } from "../line-protocol/values";
import { pushTag, serial } from "../line-protocol/line";
import { dropsStrings, dropsUint, maxFieldValue, maxTagValue } from "../line-protocol/settings";
import { numberBits, numberFlags } from "../number/scan";
import { heapTake, pushEntry } from "../tape/batch";
import { internKey, keyAt } from "../tape/keys";
import { unpack } from "../tape/unpack";
import {
  ENTRY_SOURCE, ENTRY_TAG, ENTRY_TRAITS, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, E_TRAITS, KIND_BINARY, KIND_BOOL, KIND_FLOAT,
  KIND_INT, KIND_NIL, KIND_STRING, KIND_UINT, K_FLAGS, K_LINE, TRAITS_SIZE, T_DESCRIPTION, T_DESCRIPTION_LENGTH, T_TYPE, T_UNIT,
  T_UNIT_LENGTH,
} from "../tape/layout";
import { isFloat, isInt, isUint } from "./numbers";
import { at, length, next, numberAt, readNumber, readString, readWord, skipValue, step, take, text } from "./text";

// What the entries of the point told so far.
export let isOdd: bool = false;
export let attention: bool = false;
export let hasTraits: bool = false;
export let tagFlags: u32 = 0;
export let fieldFlags: u32 = 0;
/** Tags among the fields, as PBJSON has them. */
export let tagsOnTape: u32 = 0;

export function forgetEntries(): void {
  isOdd = attention = hasTraits = false;
  tagFlags = fieldFlags = tagsOnTape = 0;
}

/** Id of the key; an empty one, and one that the point has already, make it odd. */
function keyOf(batch: usize, key: usize, keyLength: u32, isTag: bool): u32 {
  const id = internKey(batch, key, keyLength);
  const record = keyAt(batch, id);
  if (!keyLength || load<u32>(record, K_LINE) == serial) isOdd = true;
  store<u32>(record, serial, K_LINE);
  const flags = load<u32>(record, K_FLAGS);
  if (isTag) tagFlags |= flags;
  else fieldFlags |= flags;
  return id;
}

/** The object of fields of simple JSON. */
export function readFields(batch: usize): bool {
  step();
  if (next() == 0x7d) {
    step();
    return true;
  }
  for (;;) {
    if (!readString(batch)) return false;
    const key = keyOf(batch, text, length, false);
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
    if (!isFloat()) isOdd = true;
    put(batch, key, KIND_FLOAT | (numberFlags << 8), numberAt, <u32>(at - numberAt), numberBits);
    return true;
  }
  if (c == 0x74 || c == 0x66) {
    const p = at;
    if (!readWord()) return false;
    put(batch, key, KIND_BOOL, p, <u32>(at - p), <u64>(c == 0x74));
    return true;
  }
  isOdd = true;
  return skipValue(3);
}

/** The object of tags of simple JSON. They follow the fields on the tape. */
export function readTags(batch: usize): bool {
  step();
  if (next() == 0x7d) {
    step();
    return true;
  }
  for (;;) {
    if (!readString(batch)) return false;
    const key = keyOf(batch, text, length, true);
    if (!take(0x3a)) return false;
    if (next() == 0x22) {
      if (!readString(batch)) return false;
      checkTag();
      const entry = pushTag();
      store<u64>(entry, <u64>key | (<u64>(KIND_STRING | (ENTRY_TAG << 8)) << 32), E_KEY);
      store<u64>(entry, <u64>text | (<u64>length << 32), E_TEXT);
    } else {
      isOdd = true;
      if (!skipValue(3)) return false;
    }
    const c = next();
    step();
    if (c == 0x7d) return true;
    if (c != 0x2c) return false;
  }
  return false;
}

function checkTag(): void {
  if (length > maxTagValue || hasNewlineOrTail(text, length)) attention = true;
}

/** The list of fields and tags of PBJSON. */
export function readEntries(batch: usize): bool {
  step();
  if (next() == 0x5d) {
    step();
    return true;
  }
  for (;;) {
    if (next() == 0x7b && !isOdd) {
      if (!readEntry(batch)) return false;
    } else {
      isOdd = true;
      if (!skipValue(3)) return false;
    }
    const c = next();
    step();
    if (c == 0x5d) return true;
    if (c != 0x2c) return false;
  }
  return false;
}

// Members of an entry that were seen.
const KEY: u32 = 1;
const IS_TAG: u32 = 2;
const UNIT: u32 = 4;
const DESCRIPTION: u32 = 8;
const VALUE: u32 = 16;

function memberOf(p: usize, length: u32): u32 {
  const letter = <u32>load<u8>(p);
  if (length == 1) return letter >= 0x61 ? VALUE : 0;
  if (length == 3) return letter == 0x6b && load<u16>(p, 1) == 0x7965 ? KEY : 0;
  if (length == 4) return load<u32>(p) == 0x74696e75 ? UNIT : 0;
  if (length == 6) return load<u32>(p) == 0x745f7369 && load<u16>(p, 4) == 0x6761 ? IS_TAG : 0;
  if (length != 11) return 0;
  return load<u64>(p) == 0x7470697263736564 && load<u32>(p, 7) == 0x6e6f6974 ? DESCRIPTION : 0;
}

// The value of the entry being read.
let kind: u32 = 0;
let flags: u32 = 0;
let value: usize = 0;
let valueLength: u32 = 0;
let number: u64 = 0;

function readEntry(batch: usize): bool {
  let seen: u32 = 0;
  let key: usize = 0;
  let keyLength: u32 = 0;
  let isTag = false;
  let unit: usize = 0;
  let unitLength: u32 = 0;
  let description: usize = 0;
  let descriptionLength: u32 = 0;
  kind = KIND_NIL;
  flags = 0;
  step();
  if (next() == 0x7d) {
    step();
    isOdd = true;
    return true;
  }
  for (;;) {
    if (!readString(batch)) return false;
    const member = memberOf(text, length);
    const letter = <u32>load<u8>(text);
    if (!take(0x3a)) return false;
    const c = next();
    if (!member || seen & member || isOdd) {
      isOdd = true;
      if (!skipValue(4)) return false;
    } else if (member == VALUE) {
      if (!readValue(batch, letter, c)) return false;
    } else if (member == IS_TAG) {
      isTag = c == 0x74;
      if (!isTag && c != 0x66) isOdd = true;
      if (!skipValue(4)) return false;
    } else if (c != 0x22) {
      isOdd = true;
      if (!skipValue(4)) return false;
    } else {
      if (!readString(batch)) return false;
      if (member == KEY) {
        key = text;
        keyLength = length;
      } else if (member == UNIT) {
        unit = text;
        unitLength = length;
      } else {
        description = text;
        descriptionLength = length;
      }
    }
    seen |= member;
    const behind = next();
    step();
    if (behind == 0x7d) break;
    if (behind != 0x2c) return false;
  }
  if (isOdd || kind == KIND_NIL || (isTag && kind != KIND_STRING) || !keyLength) {
    isOdd = true;
    return true;
  }
  const id = keyOf(batch, key, keyLength, isTag);
  const entry = put(batch, id, kind | ((flags | (isTag ? ENTRY_TAG : 0)) << 8), value, valueLength, number);
  if (isTag) {
    tagsOnTape++;
    if (valueLength > maxTagValue || hasNewlineOrTail(value, valueLength)) attention = true;
  } else if (kind == KIND_STRING) {
    if (dropsStrings || valueLength > maxFieldValue) attention = true;
  } else if (kind == KIND_BINARY) {
    unpack(batch, entry);
    if (dropsStrings || load<u32>(entry, E_LENGTH) > maxFieldValue) isOdd = true;
  } else if (kind == KIND_UINT && dropsUint) attention = true;
  if (!unitLength && !descriptionLength) return true;
  hasTraits = true;
  const traits = heapTake(batch, TRAITS_SIZE);
  store<u32>(traits, 0, T_TYPE);
  store<u32>(traits, <u32>unit, T_UNIT);
  store<u32>(traits, unitLength, T_UNIT_LENGTH);
  store<u32>(traits, <u32>description, T_DESCRIPTION);
  store<u32>(traits, descriptionLength, T_DESCRIPTION_LENGTH);
  store<u32>(entry, <u32>traits, E_TRAITS);
  store<u8>(entry, load<u8>(entry, E_FLAGS) | <u8>ENTRY_TRAITS, E_FLAGS);
  return true;
}

/** The value of the member `letter`, whose first byte is `c`. */
function readValue(batch: usize, letter: u32, c: u32): bool {
  if (letter == 0x62 && (c == 0x74 || c == 0x66)) {
    kind = KIND_BOOL;
    value = at;
    if (!readWord()) return false;
    valueLength = <u32>(at - value);
    number = <u64>(c == 0x74);
    return true;
  }
  const isNumber = c == 0x2d || c - 0x30 < 10;
  if (isNumber ? letter != 0x69 && letter != 0x75 && letter != 0x66 : c != 0x22 || letter == 0x66) {
    // Lists, metric types, null: read by JavaScript.
    isOdd = true;
    return skipValue(4);
  }
  if (isNumber) {
    if (!readNumber()) return false;
    value = numberAt;
    valueLength = <u32>(at - numberAt);
  } else {
    if (!readString(batch)) return false;
    value = text;
    valueLength = length;
  }
  number = 0;
  const stop = value + valueLength;
  if (letter == 0x73) kind = KIND_STRING;
  else if (letter == 0x64) {
    kind = KIND_BINARY;
    flags = ENTRY_SOURCE;
    if (!isBase64(value, stop)) isOdd = true;
  } else if (letter == 0x66) {
    kind = KIND_FLOAT;
    if (!isFloat()) isOdd = true;
    flags = numberFlags;
    number = numberBits;
  } else if (letter == 0x69 || letter == 0x75) {
    kind = letter == 0x69 ? KIND_INT : KIND_UINT;
    if (!(letter == 0x69 ? isInt(value, stop) : isUint(value, stop))) isOdd = true;
    number = numberBits;
  } else isOdd = true;
  return true;
}
