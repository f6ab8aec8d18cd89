// Encodes points as line protocol (docs/reference/points.md#writing-line-protocol). A point is left out when line
// protocol cannot express it: when no field can be written, a field has no key, or the time or the series (measurement
// and tags) is out of range.

import { hasFiniteElements, isFinite64 } from "../tape/finite";
import {
  B_KEYS, ELEMENT_SHIFT, ENTRY_ESCAPED, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KIND_ARRAY, KIND_BINARY, KIND_BOOL,
  KIND_FLOAT, KIND_INT, KIND_NIL, KIND_STRING, KIND_UINT, KEY_SHIFT, K_LENGTH, K_TEXT, P_NAME, P_NAME_LENGTH, P_TIME,
} from "../tape/layout";
import { putBase64 } from "./base64";
import { count, entryInOrder, gather, tags } from "./entries";
import { putFieldKey, putTagKey } from "./keys";
import { putInt, putIntEntry, putPlainFloat, putPlainFloatEntry, putUint, putUintEntry } from "./numbers";
import { put, putWord, room } from "./output";
import { putQuotable } from "./text";
import { putMeasurement, putToken } from "./token";

export const MAX_SERIES: u32 = 65535;
export const MAX_TIME: i64 = 9223372036854775806;

/**
 * Writes the line of a point, with its time in units of `unit` nanoseconds; when `isNext` is true, a newline precedes
 * the line. Returns false when line protocol cannot express the point.
 */
export function putLine(batch: usize, point: usize, unit: i64, isNext: bool): bool {
  gather(batch, point, true);
  const time = load<i64>(point, P_TIME);
  if (time > MAX_TIME || time < -MAX_TIME || !canSayFields(batch) || !canSaySeries(batch, point)) return false;
  room();
  if (isNext) put(0x0a);
  putMeasurement(load<u32>(point, P_NAME), load<u32>(point, P_NAME_LENGTH));
  for (let i: u32 = 0; i < tags; i++) {
    const entry = entryInOrder(i);
    const length = load<u32>(entry, E_LENGTH);
    if (!length) continue;
    put(0x2c);
    putTagKey(batch, load<u32>(entry, E_KEY));
    put(0x3d);
    putToken(load<u32>(entry, E_TEXT), length, 0x3d, 0x3d);
  }
  let separator: u32 = 0x20;
  for (let i = tags; i < count; i++) {
    const entry = entryInOrder(i);
    if (!isWritable(entry)) continue;
    put(separator);
    separator = 0x2c;
    putFieldKey(batch, load<u32>(entry, E_KEY));
    put(0x3d);
    putValue(entry);
  }
  put(0x20);
  putInt(unit == 1 ? time : time / unit);
  return true;
}

function putValue(entry: usize): void {
  switch (<u32>load<u8>(entry, E_KIND)) {
    case KIND_INT:
      putIntEntry(entry);
      put(0x69);
      break;
    case KIND_UINT:
      putUintEntry(entry);
      put(0x75);
      break;
    case KIND_FLOAT:
      putPlainFloatEntry(entry);
      break;
    case KIND_STRING:
      put(0x22);
      putQuotable(load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH), (<u32>load<u8>(entry, E_FLAGS) & ENTRY_ESCAPED) != 0);
      put(0x22);
      break;
    case KIND_BOOL:
      putBool(load<u32>(entry, E_NUMBER));
      break;
    case KIND_BINARY:
      putBinary(load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH));
      break;
    default:
      putArray(entry);
  }
}

function putBool(value: u32): void {
  if (value) putWord(0x65757274, 4); // Adds `true` to the line
  else putWord(0x65736c6166, 5); // Adds `false` to the line
}

function putBinary(bytes: usize, length: u32): void {
  put(0x22);
  putBase64(bytes, length);
  putWord(0x6222, 2); // Adds `"b` to the line
}

function putArray(entry: usize): void {
  const kind = load<u32>(entry, E_NUMBER);
  let element = <usize>load<u32>(entry, E_TEXT);
  const end = element + (<usize>load<u32>(entry, E_LENGTH) << ELEMENT_SHIFT);
  let separator: u32 = 0x5b;
  for (; element < end; element += 8) {
    room();
    put(separator);
    separator = 0x2c;
    if (kind == KIND_INT) {
      putInt(load<i64>(element));
      put(0x69);
    } else if (kind == KIND_UINT) {
      putUint(load<u64>(element));
      put(0x75);
    } else if (kind == KIND_FLOAT) putPlainFloat(load<f64>(element));
    else if (kind == KIND_BOOL) putBool(load<u32>(element));
    else if (kind == KIND_BINARY) putBinary(load<u32>(element), load<u32>(element, 4));
    else {
      put(0x22);
      putQuotable(load<u32>(element), load<u32>(element, 4), false);
      put(0x22);
    }
  }
  put(0x5d);
}

/** Returns whether at least one field can be written and every such field has a key. */
function canSayFields(batch: usize): bool {
  const keys = <usize>load<u32>(batch, B_KEYS);
  let any = false;
  for (let i = tags; i < count; i++) {
    const entry = entryInOrder(i);
    if (!isWritable(entry)) continue;
    if (!load<u32>(keys + (<usize>load<u32>(entry, E_KEY) << KEY_SHIFT), K_LENGTH)) return false;
    any = true;
  }
  return any;
}

/**
 * Returns whether line protocol can express the value: it is neither nil nor an empty array, and all of its
 * floats are finite. The code makes no branch for frequent types, because the processor cannot predict the types
 * of fields; it branches only for rare types.
 */
// @ts-ignore: decorator
@inline
function isWritable(entry: usize): bool {
  const kind = <u32>load<u8>(entry, E_KIND);
  const isInfinite = <u32>(kind == KIND_FLOAT) & <u32>!isFinite64(load<u64>(entry, E_NUMBER));
  if (!(<u32>(kind == KIND_NIL) | <u32>(kind == KIND_ARRAY) | isInfinite)) return true;
  return kind == KIND_ARRAY && isWritableArray(entry);
}

function isWritableArray(entry: usize): bool {
  return load<u32>(entry, E_LENGTH) > 0 && hasFiniteElements(entry);
}

/** Returns whether the measurement and the tags, including their escapes, are within the length limit. */
function canSaySeries(batch: usize, point: usize): bool {
  const keys = <usize>load<u32>(batch, B_KEYS);
  let length: u64 = load<u32>(point, P_NAME_LENGTH);
  for (let i: u32 = 0; i < tags; i++) {
    const entry = entryInOrder(i);
    const valueLength = load<u32>(entry, E_LENGTH);
    if (valueLength) length += <u64>load<u32>(keys + (<usize>load<u32>(entry, E_KEY) << KEY_SHIFT), K_LENGTH) + valueLength + 2;
  }
  // Escapes at most double the length of the measurement and tags. So when the length without escapes is at most half
  // of the limit, the escapes need not be counted.
  if (length <= MAX_SERIES >> 1) return true;
  if (length > MAX_SERIES) return false;
  length += escapes(load<u32>(point, P_NAME), load<u32>(point, P_NAME_LENGTH), true);
  for (let i: u32 = 0; i < tags; i++) {
    const entry = entryInOrder(i);
    const valueLength = load<u32>(entry, E_LENGTH);
    if (!valueLength) continue;
    const key = keys + (<usize>load<u32>(entry, E_KEY) << KEY_SHIFT);
    length += escapes(load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH), false) + escapes(load<u32>(entry, E_TEXT), valueLength, false);
  }
  return length <= MAX_SERIES;
}

/** Returns how many backslashes a string gets when it is escaped. */
function escapes(text: usize, length: u32, isMeasurement: bool): u32 {
  let more: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    const c = load<u8>(text + i);
    if (c == 0x2c || c == 0x20) more += isMeasurement && i > 0 && load<u8>(text + i - 1) == 0x5c ? 0 : 1;
    else if (c == 0x3d && !isMeasurement) more++;
  }
  return more;
}
