// Writes one value to a point: a text that lies in the batch's memory, or a float.

import { reserveEntries } from "../tape/batch";
import { ENTRY_TAG, E_FLAGS, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KIND_FLOAT, KIND_STRING } from "../tape/layout";
import { forgetLine } from "../tape/line";
import { entryFor, entryOf } from "./point-index";

/** Writes a text as the value of a key. A key that is a tag of the point stays a tag. */
export function putText(batch: usize, point: usize, serial: u32, key: u32, text: usize, length: u32): void {
  const entry = entryToWrite(batch, point, serial, key);
  store<u32>(entry, KIND_STRING | ((<u32>load<u8>(entry, E_FLAGS) & ENTRY_TAG) << 8), E_KIND);
  store<u32>(entry, <u32>text, E_TEXT);
  store<u32>(entry, length, E_LENGTH);
}

/** Writes a float to a key. Returns false, and writes nothing, when the key is a tag. */
export function putFloat(batch: usize, point: usize, serial: u32, key: u32, value: f64): bool {
  const entry = entryToWrite(batch, point, serial, key);
  if (<u32>load<u8>(entry, E_FLAGS) & ENTRY_TAG) return false;
  store<u32>(entry, KIND_FLOAT, E_KIND);
  store<u32>(entry, 0, E_TEXT);
  store<u32>(entry, 0, E_LENGTH);
  store<f64>(entry, value, E_NUMBER);
  return true;
}

function entryToWrite(batch: usize, point: usize, serial: u32, key: u32): usize {
  const entry = entryOf(batch, serial, key);
  if (entry) {
    // `forgetLine` records that the content of the point differs from the content of its line. This is needed when a
    // value changes, but not when an entry is added.
    forgetLine(point);
    return entry;
  }
  reserveEntries(batch, 1);
  return entryFor(batch, point, serial, key);
}
