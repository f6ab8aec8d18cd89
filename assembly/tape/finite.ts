// Which floats are finite: infinities and NaN are no value of a field.

import { ELEMENT_SHIFT, E_LENGTH, E_NUMBER, E_TEXT, KIND_FLOAT } from "./layout";

/** Is the double of these bits a finite number? */
// @ts-ignore: decorator
@inline
export function isFinite64(bits: u64): bool {
  return (bits & 0x7ff0000000000000) != 0x7ff0000000000000;
}

/** Are all elements of a packed array finite? */
export function hasFiniteElements(entry: usize): bool {
  if (load<u32>(entry, E_NUMBER) != KIND_FLOAT) return true;
  let element = <usize>load<u32>(entry, E_TEXT);
  for (const end = element + (<usize>load<u32>(entry, E_LENGTH) << ELEMENT_SHIFT); element < end; element += 8) {
    if (!isFinite64(load<u64>(element))) return false;
  }
  return true;
}
