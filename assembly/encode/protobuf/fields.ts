// Encodes one protobuf Field message (docs/reference/points.md#protobuf) of any type and length. In protobuf a length
// precedes its content, so an entry is measured before it is written.

import { ARRAY_TYPE, arrayType } from "../../tape/array-type";
import { keyAt } from "../../tape/keys";
import {
  ELEMENT_SHIFT, ENTRY_ESCAPED, ENTRY_TAG, ENTRY_TRAITS, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, E_TRAITS,
  KIND_BINARY, KIND_BOOL, KIND_FLOAT, KIND_INT, KIND_NIL, KIND_STRING, KIND_UINT, K_LENGTH, K_TEXT, T_DESCRIPTION,
  T_DESCRIPTION_LENGTH, T_TYPE, T_UNIT, T_UNIT_LENGTH,
} from "../../tape/layout";
import { measureText, putMeasured } from "../measured-texts";
import { out, put, putBytes, room, setOut } from "../output";
import { putVarint, varintSize } from "./varint";

/** The two bytes of the protobuf field `is_tag: true`. */
export const IS_TAG: u32 = 0x0140;

/**
 * Returns the size of a protobuf field with a string or bytes: protobuf tag (field number and wire type), length,
 * content.
 */
// @ts-ignore: decorator
@inline
export function textSize(length: u32): u32 {
  return 1 + varintSize(length) + length;
}

// @ts-ignore: decorator
@inline
export function optionalSize(length: u32): u32 {
  return length ? textSize(length) : 0;
}

function putText(tag: u32, text: usize, length: u32): void {
  put(tag);
  putVarint(length);
  putBytes(text, length);
}

// @ts-ignore: decorator
@inline
export function putOptional(tag: u32, text: usize, length: u32): void {
  if (length) putText(tag, text, length);
}

/**
 * Returns the encoded length of an entry's Field message in bytes. The entry's value must have been parsed from the
 * body already. When the value is a string with escapes, its length without the escapes is computed first.
 */
export function fieldSize(batch: usize, entry: usize): u32 {
  const flags = <u32>load<u8>(entry, E_FLAGS);
  let size = optionalSize(load<u32>(keyAt(batch, load<u32>(entry, E_KEY)), K_LENGTH)) + (flags & ENTRY_TAG ? 2 : 0);
  switch (<u32>load<u8>(entry, E_KIND)) {
    case KIND_NIL:
      break;
    case KIND_INT:
    case KIND_UINT:
      size += 1 + varintSize(load<u64>(entry, E_NUMBER));
      break;
    case KIND_FLOAT:
      size += 9;
      break;
    case KIND_BOOL:
      size += 2;
      break;
    case KIND_STRING:
      size += textSize(flags & ENTRY_ESCAPED ? measureText(entry) : load<u32>(entry, E_LENGTH));
      break;
    case KIND_BINARY:
      size += textSize(load<u32>(entry, E_LENGTH));
      break;
    default:
      size += textSize(anySize(entry));
  }
  if (flags & ENTRY_TRAITS) {
    const traits = <usize>load<u32>(entry, E_TRAITS);
    const type = load<i32>(traits, T_TYPE);
    if (type) size += 1 + varintSize(<i64>type);
    size += optionalSize(load<u32>(traits, T_UNIT_LENGTH)) + optionalSize(load<u32>(traits, T_DESCRIPTION_LENGTH));
  }
  return size;
}

/**
 * Writes the members key, is_tag, type, unit, description and value of the Field message for an entry. `fieldSize` must
 * have measured the entry before.
 */
export function putField(batch: usize, entry: usize): void {
  const key = keyAt(batch, load<u32>(entry, E_KEY));
  const flags = <u32>load<u8>(entry, E_FLAGS);
  putOptional(0x0a, load<u32>(key, K_TEXT), load<u32>(key, K_LENGTH));
  if (flags & ENTRY_TAG) {
    store<u16>(out, IS_TAG);
    setOut(out + 2);
  }
  if (flags & ENTRY_TRAITS) putTraits(load<u32>(entry, E_TRAITS));
  switch (<u32>load<u8>(entry, E_KIND)) {
    case KIND_NIL:
      break;
    case KIND_INT:
      put(0x10);
      putVarint(load<u64>(entry, E_NUMBER));
      break;
    case KIND_UINT:
      put(0x18);
      putVarint(load<u64>(entry, E_NUMBER));
      break;
    case KIND_FLOAT:
      put(0x21);
      putDouble(load<u64>(entry, E_NUMBER));
      break;
    case KIND_BOOL:
      put(0x28);
      put(load<u32>(entry, E_NUMBER));
      break;
    case KIND_STRING:
      if (flags & ENTRY_ESCAPED) {
        put(0x5a);
        putVarint(load<u32>(entry, E_NUMBER));
        putMeasured(entry);
      } else putText(0x5a, load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH));
      break;
    case KIND_BINARY:
      putText(0x32, load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH));
      break;
    default:
      putAny(entry);
  }
}

function putDouble(bits: u64): void {
  store<u64>(out, bits);
  setOut(out + 8);
}

function putTraits(traits: usize): void {
  const type = load<i32>(traits, T_TYPE);
  if (type) {
    put(0x48);
    putVarint(<i64>type);
  }
  putOptional(0x52, load<u32>(traits, T_UNIT), load<u32>(traits, T_UNIT_LENGTH));
  putOptional(0x62, load<u32>(traits, T_DESCRIPTION), load<u32>(traits, T_DESCRIPTION_LENGTH));
}

/** Returns the length of the protobuf message Any that contains an entry's array. */
function anySize(entry: usize): u32 {
  return textSize(ARRAY_TYPE) + optionalSize(arraySize(entry));
}

export function arraySize(entry: usize): u32 {
  const kind = load<u32>(entry, E_NUMBER);
  let element = <usize>load<u32>(entry, E_TEXT);
  let size: u32 = 0;
  for (const end = element + (<usize>load<u32>(entry, E_LENGTH) << ELEMENT_SHIFT); element < end; element += 8) {
    size += textSize(elementSize(element, kind));
  }
  return size;
}

function elementSize(element: usize, kind: u32): u32 {
  if (kind == KIND_INT || kind == KIND_UINT) return 1 + varintSize(load<u64>(element));
  if (kind == KIND_FLOAT) return 9;
  return kind == KIND_BOOL ? 2 : textSize(load<u32>(element, 4));
}

function putAny(entry: usize): void {
  const size = arraySize(entry);
  put(0x3a);
  putVarint(textSize(ARRAY_TYPE) + optionalSize(size));
  putText(0x0a, arrayType, ARRAY_TYPE);
  if (!size) return;
  put(0x12);
  putVarint(size);
  const kind = load<u32>(entry, E_NUMBER);
  let element = <usize>load<u32>(entry, E_TEXT);
  for (const end = element + (<usize>load<u32>(entry, E_LENGTH) << ELEMENT_SHIFT); element < end; element += 8) {
    room();
    put(0x0a);
    putVarint(elementSize(element, kind));
    if (kind == KIND_INT || kind == KIND_UINT) {
      put(kind == KIND_INT ? 0x08 : 0x10);
      putVarint(load<u64>(element));
    } else if (kind == KIND_FLOAT) {
      put(0x19);
      putDouble(load<u64>(element));
    } else if (kind == KIND_BOOL) {
      put(0x20);
      put(load<u32>(element));
    } else putText(kind == KIND_BINARY ? 0x2a : 0x32, load<u32>(element), load<u32>(element, 4));
  }
}
