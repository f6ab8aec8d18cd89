// The metric type, the unit and the description of a field. A scanner collects them in these variables while it reads
// the field, and then writes them to the field's entry.

import { heapTake } from "./batch";
import {
  ENTRY_TRAITS, E_FLAGS, E_TRAITS, TRAITS_SIZE, T_DESCRIPTION, T_DESCRIPTION_LENGTH, T_TYPE, T_UNIT, T_UNIT_LENGTH,
} from "./layout";

/**
 * Whether the field that is being read has a metric type, unit or description. Only then do the other variables of this
 * file describe this field.
 */
let isSet: bool = false;
let type: u32 = 0;
let unit: usize = 0;
let unitLength: u32 = 0;
let description: usize = 0;
let descriptionLength: u32 = 0;

/**
 * Forgets the traits (metric type, unit, description) of the previous field. Changes only one variable, because most
 * fields have no traits.
 */
// @ts-ignore: decorator
@inline
export function forgetTraits(): void {
  isSet = false;
}

function begin(): void {
  if (isSet) return;
  isSet = true;
  type = unitLength = descriptionLength = 0;
}

/** Sets the metric type of the field that is being read; 0 means that it has none. */
export function setMetricType(number: u32): void {
  begin();
  type = number;
}

export function setUnit(p: usize, length: u32): void {
  begin();
  unit = p;
  unitLength = length;
}

export function setDescription(p: usize, length: u32): void {
  begin();
  description = p;
  descriptionLength = length;
}

/**
 * Writes the traits (metric type, unit, description) to the entry of their field, when at least one of them is not
 * empty.
 */
// @ts-ignore: decorator
@inline
export function writeTraits(batch: usize, entry: usize): void {
  if (isSet && (type || unitLength || descriptionLength)) putTraits(batch, entry);
}

function putTraits(batch: usize, entry: usize): void {
  const traits = heapTake(batch, TRAITS_SIZE);
  store<u32>(traits, type, T_TYPE);
  store<u32>(traits, <u32>unit, T_UNIT);
  store<u32>(traits, unitLength, T_UNIT_LENGTH);
  store<u32>(traits, <u32>description, T_DESCRIPTION);
  store<u32>(traits, descriptionLength, T_DESCRIPTION_LENGTH);
  store<u32>(entry, <u32>traits, E_TRAITS);
  store<u8>(entry, load<u8>(entry, E_FLAGS) | <u8>ENTRY_TRAITS, E_FLAGS);
}
