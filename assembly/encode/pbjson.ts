// Encodes points as PBJSON (docs/reference/points.md#pbjson): entries in the order in which they lie in memory, every
// value with its type.

import { ARRAY_EMPTY, ARRAY_OPEN, arrayOpen } from "../tape/array-type";
import { isFinite64 } from "../tape/finite";
import {
  B_WARNINGS, ELEMENT_SHIFT, ENTRY_ESCAPED, ENTRY_TAG, ENTRY_TRAITS, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, E_TRAITS,
  KIND_BINARY, KIND_BOOL, KIND_FLOAT, KIND_INT, KIND_NIL, KIND_STRING, KIND_UINT, POINT_REQUIRED, POINT_WARNED, P_FLAGS, P_NAME,
  P_NAME_LENGTH, P_TIME, P_WARNINGS, T_DESCRIPTION, T_DESCRIPTION_LENGTH, T_TYPE, T_UNIT, T_UNIT_LENGTH, WARNING_SIZE, W_MESSAGE,
  W_MESSAGE_LENGTH, W_TYPE, W_TYPE_LENGTH,
} from "../tape/layout";
import { count, entryAt, gather } from "./entries";
import { putBinary, putJsonBool, putString } from "./json";
import { putJsonKey } from "./keys";
import { putInt, putIntEntry, putJsonFloat, putJsonFloatEntry, putUint, putUintEntry } from "./numbers";
import { out, put, putBytes, putWord, room, setOut } from "./output";

/**
 * Host function that writes a metric type as JSON (its name or its number) to the address `to`, and returns the length
 * in bytes.
 */
// @ts-ignore: decorator
@external("host", "writeMetricType")
declare function hostWriteMetricType(type: i32, to: usize): u32;

export function putPbjsonPoint(batch: usize, point: usize): void {
  gather(batch, point, false);
  room();
  putWord(0x3a_2265_6d61_6e22_7b, 8); // Adds `{"name":` to the JSON text
  putString(load<u32>(point, P_NAME), load<u32>(point, P_NAME_LENGTH), false);
  putWord(0x7364_6c65_6966_222c, 8); // First of two calls that write `,"fields":[`: adds `,"fields`
  putWord(0x5b_3a22, 3); // Second of two calls that write `,"fields":[`: adds `":[`
  for (let i: u32 = 0; i < count; i++) {
    if (i) put(0x2c);
    putEntry(batch, entryAt(i));
  }
  room();
  putWord(0x2265_6d69_7422_2c5d, 8); // First of two calls that write `],"time":"`: adds `],"time"`
  putWord(0x223a, 2); // Second of two calls that write `],"time":"`: adds `:"`
  putInt(load<i64>(point, P_TIME));
  put(0x22);
  const warnings = warningsOf(batch, point);
  if (warnings) putWarnings(warnings);
  put(0x7d);
}

/** Whether the encoder writes the warnings of the points; when false, it leaves the warnings out. */
let isWarned: bool = true;

export function setWarned(warned: bool): void {
  isWarned = warned;
}

/** Returns the address of the point's list of warnings; 0 when the point has none, or when warnings are not written. */
export function warningsOf(batch: usize, point: usize): usize {
  if (!isWarned) return 0;
  const flags = load<u32>(point, P_FLAGS);
  if (flags & POINT_WARNED) return load<u32>(point, P_WARNINGS);
  return flags & POINT_REQUIRED ? <usize>load<u32>(batch, B_WARNINGS) : 0;
}

function putWarnings(list: usize): void {
  const total = load<u32>(list);
  if (!total) return;
  putWord(0x736e_7261_7722_2c, 7); // First of two calls that write `,"warns":[`: adds `,"warns`
  putWord(0x5b_3a22, 3); // Second of two calls that write `,"warns":[`: adds `":[`
  for (let i: u32 = 0; i < total; i++) {
    const warning = list + 4 + <usize>i * WARNING_SIZE;
    room();
    if (i) put(0x2c);
    putWord(0x3a_2265_7079_7422_7b, 8); // Adds `{"type":` to the JSON text
    putString(load<u32>(warning, W_TYPE), load<u32>(warning, W_TYPE_LENGTH), false);
    putWord(0x6761_7373_656d_222c, 8); // First of two calls that write `,"message":`: adds `,"messag`
    putWord(0x3a_2265, 3); // Second of two calls that write `,"message":`: adds `e":`
    putString(load<u32>(warning, W_MESSAGE), load<u32>(warning, W_MESSAGE_LENGTH), false);
    put(0x7d);
  }
  put(0x5d);
}

function putEntry(batch: usize, entry: usize): void {
  room();
  putWord(0x223a2279656b227b, 8); // Adds `{"key":"` to the JSON text
  putJsonKey(batch, load<u32>(entry, E_KEY));
  const flags = <u32>load<u8>(entry, E_FLAGS);
  switch (<u32>load<u8>(entry, E_KIND)) {
    case KIND_NIL:
      put(0x22);
      break;
    case KIND_FLOAT:
      putWord(0x3a2266222c22, 6); // Adds `","f":` to the JSON text
      if (isFinite64(load<u64>(entry, E_NUMBER))) putJsonFloatEntry(entry);
      else putNotFinite(load<f64>(entry, E_NUMBER));
      break;
    case KIND_INT:
      putWord(0x223a2269222c22, 7); // Adds `","i":"` to the JSON text
      putIntEntry(entry);
      put(0x22);
      break;
    case KIND_UINT:
      putWord(0x223a2275222c22, 7); // Adds `","u":"` to the JSON text
      putUintEntry(entry);
      put(0x22);
      break;
    case KIND_STRING:
      putWord(0x3a2273222c22, 6); // Adds `","s":` to the JSON text
      putString(load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH), (flags & ENTRY_ESCAPED) != 0);
      break;
    case KIND_BOOL:
      putWord(0x3a2262222c22, 6); // Adds `","b":` to the JSON text
      putJsonBool(load<u32>(entry, E_NUMBER));
      break;
    case KIND_BINARY:
      putWord(0x3a2264222c22, 6); // Adds `","d":` to the JSON text
      putBinary(load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH));
      break;
    default:
      putWord(0x3a2261222c22, 6); // Adds `","a":` to the JSON text
      putArray(entry);
  }
  if (flags & ENTRY_TAG) {
    putWord(0x6761745f7369222c, 8); // First of two calls that write `,"is_tag":true`: adds `,"is_tag`
    putWord(0x657572743a22, 6); // Second of two calls that write `,"is_tag":true`: adds `":true`
  }
  if (flags & ENTRY_TRAITS) putTraits(load<u32>(entry, E_TRAITS));
  put(0x7d);
}

function putNotFinite(value: f64): void {
  if (value != value) return putWord(0x224e614e22, 5); // Adds `"NaN"` to the JSON text
  put(0x22);
  if (value < 0) put(0x2d);
  putWord(0x7974696e69666e49, 8); // Adds `Infinity` to the JSON text
  put(0x22);
}

function putArray(entry: usize): void {
  const kind = load<u32>(entry, E_NUMBER);
  let element = <usize>load<u32>(entry, E_TEXT);
  const end = element + (<usize>load<u32>(entry, E_LENGTH) << ELEMENT_SHIFT);
  if (element == end) {
    putBytes(arrayOpen, ARRAY_EMPTY);
    put(0x7d);
    return;
  }
  putBytes(arrayOpen, ARRAY_OPEN);
  for (const first = element; element < end; element += 8) {
    room();
    if (element != first) put(0x2c);
    putElement(element, kind);
    put(0x7d);
  }
  putWord(0x7d5d, 2); // Adds `]}` to the JSON text
}

function putElement(element: usize, kind: u32): void {
  if (kind == KIND_INT) {
    putWord(0x22_3a22_6922_7b, 6); // Adds `{"i":"` to the JSON text
    putInt(load<i64>(element));
    put(0x22);
  } else if (kind == KIND_UINT) {
    putWord(0x22_3a22_7522_7b, 6); // Adds `{"u":"` to the JSON text
    putUint(load<u64>(element));
    put(0x22);
  } else if (kind == KIND_FLOAT) {
    putWord(0x3a22_6622_7b, 5); // Adds `{"f":` to the JSON text
    if (isFinite64(load<u64>(element))) putJsonFloat(load<f64>(element));
    else putNotFinite(load<f64>(element));
  } else if (kind == KIND_BOOL) {
    putWord(0x3a22_6222_7b, 5); // Adds `{"b":` to the JSON text
    putJsonBool(load<u32>(element));
  } else if (kind == KIND_BINARY) {
    putWord(0x3a22_6422_7b, 5); // Adds `{"d":` to the JSON text
    putBinary(load<u32>(element), load<u32>(element, 4));
  } else {
    putWord(0x3a22_7322_7b, 5); // Adds `{"s":` to the JSON text
    putString(load<u32>(element), load<u32>(element, 4), false);
  }
}

function putTraits(traits: usize): void {
  const type = load<i32>(traits, T_TYPE);
  if (type) {
    putWord(0x3a_2265_7079_7422_2c, 8); // Adds `,"type":` to the JSON text
    setOut(out + hostWriteMetricType(type, out));
  }
  const unit = load<u32>(traits, T_UNIT_LENGTH);
  if (unit) {
    putWord(0x3a_2274_696e_7522_2c, 8); // Adds `,"unit":` to the JSON text
    putString(load<u32>(traits, T_UNIT), unit, false);
  }
  const description = load<u32>(traits, T_DESCRIPTION_LENGTH);
  if (description) {
    putWord(0x697263736564222c, 8); // First of two calls that write `,"description":`: adds `,"descri`
    putWord(0x3a226e6f697470, 7); // Second of two calls that write `,"description":`: adds `ption":`
    putString(load<u32>(traits, T_DESCRIPTION), description, false);
  }
}
