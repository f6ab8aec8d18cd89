// Checks whether floats are finite. A field cannot have the value infinity or NaN.

import { ELEMENT_SHIFT, E_LENGTH, E_NUMBER, E_TEXT, KIND_FLOAT } from "./layout";

/** Returns whether the double with the given bits is a finite number. */
// @ts-ignore: decorator
@inline
export function isFinite64(bits: u64): bool {
  return (bits & 0x7ff0000000000000) != 0x7ff0000000000000;
}

/** Returns whether all elements of an entry's packed array are finite. */
export function hasFiniteElements(entry: usize): bool {
  if (load<u32>(entry, E_NUMBER) != KIND_FLOAT) return true;
  let element = <usize>load<u32>(entry, E_TEXT);
  for (const end = element + (<usize>load<u32>(entry, E_LENGTH) << ELEMENT_SHIFT); element < end; element += 8) {
    if (!isFinite64(load<u64>(element))) return false;
  }
  return true;
}
