// Encodes points as simple JSON (docs/reference/points.md#simple-json). The members of tags and fields are sorted by
// key; values that JSON cannot express are left out.

import { hasFiniteElements, isFinite64 } from "../tape/finite";
import {
  ELEMENT_SHIFT, ENTRY_ESCAPED, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KIND_ARRAY, KIND_BINARY, KIND_BOOL, KIND_FLOAT,
  KIND_INT, KIND_NIL, KIND_STRING, KIND_UINT, P_NAME, P_NAME_LENGTH, P_TIME,
} from "../tape/layout";
import { putBase64 } from "./base64";
import { count, entryInOrder, gather, tags } from "./entries";
import { putJsonKey } from "./keys";
import { putInt, putIntEntry, putJsonFloat, putJsonFloatEntry, putUint, putUintEntry } from "./numbers";
import { put, putWord, room } from "./output";
import { putJson } from "./text";

export function putJsonPoint(batch: usize, point: usize): void {
  gather(batch, point, true);
  room();
  putWord(0x7573_6165_6d22_7b, 7); // First of two calls that write `{"measurement":`: adds `{"measu`
  putWord(0x3a22_746e_656d_6572, 8); // Second of two calls that write `{"measurement":`: adds `rement":`
  putString(load<u32>(point, P_NAME), load<u32>(point, P_NAME_LENGTH), false);
  if (tags) {
    putWord(0x2273_6761_7422_2c, 7); // First of two calls that write `,"tags":`: adds `,"tags"`
    put(0x3a);
    putMembers(batch, 0, tags);
  }
  putWord(0x7364_6c65_6966_222c, 8); // First of two calls that write `,"fields":`: adds `,"fields`
  putWord(0x3a22, 2); // Second of two calls that write `,"fields":`: adds `":`
  putMembers(batch, tags, count);
  const time = load<i64>(point, P_TIME);
  if (time) {
    putWord(0x3a_2265_6d69_7422_2c, 8); // Adds `,"time":` to the JSON text
    putInt(time);
  }
  put(0x7d);
}

function putMembers(batch: usize, from: u32, to: u32): void {
  let separator: u32 = 0x7b;
  for (let i = from; i < to; i++) {
    const entry = entryInOrder(i);
    const kind = <u32>load<u8>(entry, E_KIND);
    if (kind == KIND_NIL) continue;
    if (kind == KIND_FLOAT && !isFinite64(load<u64>(entry, E_NUMBER))) continue;
    if (kind == KIND_ARRAY && !hasFiniteElements(entry)) continue;
    room();
    put(separator);
    separator = 0x2c;
    put(0x22);
    putJsonKey(batch, load<u32>(entry, E_KEY));
    putWord(0x3a22, 2); // Adds `":` to the JSON text
    putValue(entry, kind);
  }
  if (separator == 0x7b) put(0x7b);
  put(0x7d);
}

function putValue(entry: usize, kind: u32): void {
  switch (kind) {
    case KIND_INT:
      putIntEntry(entry);
      break;
    case KIND_UINT:
      putUintEntry(entry);
      break;
    case KIND_FLOAT:
      putJsonFloatEntry(entry);
      break;
    case KIND_STRING:
      putString(load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH), (<u32>load<u8>(entry, E_FLAGS) & ENTRY_ESCAPED) != 0);
      break;
    case KIND_BOOL:
      putJsonBool(load<u32>(entry, E_NUMBER));
      break;
    case KIND_BINARY:
      putBinary(load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH));
      break;
    default:
      putArray(entry);
  }
}

export function putString(text: usize, length: u32, isEscaped: bool): void {
  put(0x22);
  putJson(text, length, isEscaped);
  put(0x22);
}

export function putJsonBool(value: u32): void {
  if (value) putWord(0x65757274, 4); // Adds `true` to the JSON text
  else putWord(0x65736c6166, 5); // Adds `false` to the JSON text
}

export function putBinary(bytes: usize, length: u32): void {
  put(0x22);
  putBase64(bytes, length);
  put(0x22);
}

function putArray(entry: usize): void {
  const kind = load<u32>(entry, E_NUMBER);
  let element = <usize>load<u32>(entry, E_TEXT);
  const end = element + (<usize>load<u32>(entry, E_LENGTH) << ELEMENT_SHIFT);
  put(0x5b);
  for (const first = element; element < end; element += 8) {
    room();
    if (element != first) put(0x2c);
    if (kind == KIND_INT) putInt(load<i64>(element));
    else if (kind == KIND_UINT) putUint(load<u64>(element));
    else if (kind == KIND_FLOAT) putJsonFloat(load<f64>(element));
    else if (kind == KIND_BOOL) putJsonBool(load<u32>(element));
    else if (kind == KIND_BINARY) putBinary(load<u32>(element), load<u32>(element, 4));
    else putString(load<u32>(element), load<u32>(element, 4), false);
  }
  put(0x5d);
}
