// Writes the numbers of entries as decimal text. The text of a number is copied from the body when the number was not
// changed and this encoder would write the same text.

import { printFloat, printInt, printUint } from "../number/print";
import { ENTRY_CANONICAL, E_FLAGS, E_LENGTH, E_NUMBER, E_TEXT } from "../tape/layout";
import { out, setOut } from "./output";

// @ts-ignore: decorator
@inline
function isCanonical(entry: usize): bool {
  return (<u32>load<u8>(entry, E_FLAGS) & ENTRY_CANONICAL) != 0;
}

/** Copies the text of a number, at most 20 bytes, from the body. */
// @ts-ignore: decorator
@inline
function copySource(entry: usize): void {
  const text = <usize>load<u32>(entry, E_TEXT);
  const length = load<u32>(entry, E_LENGTH);
  v128.store(out, v128.load(text));
  if (length > 16) store<u32>(out, load<u32>(text, 16), 16);
  setOut(out + length);
}

export function putInt(value: i64): void {
  setOut(printInt(out, value));
}

export function putUint(value: u64): void {
  setOut(printUint(out, value));
}

/** Writes a finite float without an exponent. */
export function putPlainFloat(value: f64): void {
  setOut(printFloat(out, value, true));
}

/** Writes a finite float as JavaScript prints it, perhaps with an exponent. */
export function putJsonFloat(value: f64): void {
  setOut(printFloat(out, value, false));
}

export function putIntEntry(entry: usize): void {
  if (isCanonical(entry)) copySource(entry);
  else putInt(load<i64>(entry, E_NUMBER));
}

export function putUintEntry(entry: usize): void {
  if (isCanonical(entry)) copySource(entry);
  else putUint(load<u64>(entry, E_NUMBER));
}

export function putPlainFloatEntry(entry: usize): void {
  if (isCanonical(entry)) copySource(entry);
  else putPlainFloat(load<f64>(entry, E_NUMBER));
}

export function putJsonFloatEntry(entry: usize): void {
  const value = load<f64>(entry, E_NUMBER);
  // The text of a float is copied only when it has no exponent. JSON output writes floats below 1e-6 with an exponent,
  // so their texts are not copied.
  if (isCanonical(entry) && (value == 0 || abs(value) >= 1e-6)) copySource(entry);
  else putJsonFloat(value);
}
