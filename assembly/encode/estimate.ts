// Estimates the size of a point in bytes, for packing points into bodies of limited size. The estimate does not depend
// on how numbers are printed.

import { ARRAY_TYPE } from "../tape/array-type";
import { keyAt } from "../tape/keys";
import {
  ENTRY_ESCAPED, ENTRY_TRAITS, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_TEXT, E_TRAITS, KIND_ARRAY, KIND_BINARY, KIND_BOOL, KIND_NIL, KIND_STRING,
  K_LENGTH, T_DESCRIPTION_LENGTH, T_UNIT_LENGTH, WARNING_SIZE, W_MESSAGE_LENGTH, W_TYPE_LENGTH,
} from "../tape/layout";
import { unescapedLength } from "../text/unescape";
import { arraySize } from "./protobuf/fields";

/** Bytes that the estimate adds to each entry for the syntax around its key and value. */
export const AROUND: u32 = 13;

/** Returns the number of bytes that an entry adds to the estimate. */
export function countsOf(batch: usize, entry: usize): u32 {
  const size = load<u32>(keyAt(batch, load<u32>(entry, E_KEY)), K_LENGTH) + AROUND + valueSize(entry);
  if (!(<u32>load<u8>(entry, E_FLAGS) & ENTRY_TRAITS)) return size;
  const traits = <usize>load<u32>(entry, E_TRAITS);
  return size + load<u32>(traits, T_UNIT_LENGTH) + load<u32>(traits, T_DESCRIPTION_LENGTH);
}

/** Returns the number of bytes that a list of warnings adds to the estimate. */
export function warningsCount(list: usize): u32 {
  const total = load<u32>(list);
  let size: u32 = 0;
  for (let i: u32 = 0; i < total; i++) {
    const warning = list + 4 + <usize>i * WARNING_SIZE;
    size += load<u32>(warning, W_TYPE_LENGTH) + load<u32>(warning, W_MESSAGE_LENGTH);
  }
  return size;
}

function valueSize(entry: usize): u32 {
  const kind = <u32>load<u8>(entry, E_KIND);
  const length = load<u32>(entry, E_LENGTH);
  if (kind == KIND_STRING) return <u32>load<u8>(entry, E_FLAGS) & ENTRY_ESCAPED ? unescapedLength(load<u32>(entry, E_TEXT), length) : length;
  if (kind == KIND_BINARY) return length;
  if (kind == KIND_ARRAY) return ARRAY_TYPE + arraySize(entry);
  return kind == KIND_NIL ? 0 : kind == KIND_BOOL ? 1 : 8;
}
