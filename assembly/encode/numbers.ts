// Writes the numbers of entries as text. A number that was not changed after it was read, and that the body spells as
// this encoder would, is copied.

import { printFloat, printInt, printUint } from "../number/print";
import { ENTRY_CANONICAL, E_FLAGS, E_LENGTH, E_NUMBER, E_TEXT } from "../tape/layout";
import { out, setOut } from "./output";

// @ts-ignore: decorator
@inline
function isCanonical(entry: usize): bool {
  return (<u32>load<u8>(entry, E_FLAGS) & ENTRY_CANONICAL) != 0;
}

/** Copies the number's text from the body; it has at most 20 bytes. */
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

/** Writes the float without an exponent. The value is finite. */
export function putPlainFloat(value: f64): void {
  setOut(printFloat(out, value, true));
}

/** Writes the float as JavaScript does. The value is finite. */
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
  // Below 1e-6 the text in the body has no exponent, but JSON needs one.
  if (isCanonical(entry) && (value == 0 || abs(value) >= 1e-6)) copySource(entry);
  else putJsonFloat(value);
}
