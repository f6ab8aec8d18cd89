// Adapts a shape (the remembered keys of a line) to the current batch. A shape is made from one body but used
// for many bodies, and each batch has its own key ids. So the first line of a body that is read by the shape is
// used to find the texts of its keys, and to store the batch's key ids in the shape.

import { hash, internHashed, keyAt } from "../tape/keys";
import { ENTRY_SHIFT, E_KEY, E_KIND, E_TEXT, KEY_REQUIRED, KIND_STRING, K_FLAGS } from "../tape/layout";
import { fieldKeyFaults, maxFields, maxMeasurement, maxTags, requiredKey, tagKeyFaults } from "../tape/settings";
import {
  L_ENTRY, L_HASH, L_PLACE, scan, SLOT, S_ATTENTION, S_FIELDS, S_INCOMPLETE, S_NAME, S_SCAN, S_SLOTS, S_TAGS, T_ADVANCE,
} from "./shapes";

/**
 * Stores the batch's key ids in the shape (remembered keys of a line), and in the entries of the line at `line`, the
 * first line of the body that was read with this shape.
 */
export function nameKeys(batch: usize, shape: usize, line: usize, nameLength: u32, entries: usize): void {
  const tagCount = load<u32>(shape, S_TAGS);
  const fieldCount = load<u32>(shape, S_FIELDS);
  let tagFlags: u32 = 0;
  let fieldFlags: u32 = 0;
  let slot = shape + S_SLOTS;
  for (let i: u32 = 0; i < tagCount; i++, slot += SLOT) {
    const entry = entries + load<u32>(slot, L_PLACE);
    const length = load<u32>(slot, T_ADVANCE) - 1;
    const key = load<u32>(entry, E_TEXT) - length - 1;
    tagFlags |= nameKey(batch, slot, entry, key, length, hash(key, length));
  }
  for (let i: u32 = 0; i < fieldCount; i++, slot += SLOT) {
    const entry = entries + (<usize>i << ENTRY_SHIFT);
    const length = load<u32>(slot, T_ADVANCE) - 1;
    // The text of a field's value begins after `=`, or after `="` for a string. So the key begins `length` + 1 bytes
    // before a value, and one more byte before a string.
    const key = load<u32>(entry, E_TEXT) - length - 1 - <u32>(load<u8>(entry, E_KIND) == KIND_STRING);
    fieldFlags |= nameKey(batch, slot, entry, key, length, load<u32>(slot, L_HASH));
  }
  const hasFaults =
    (tagFlags & tagKeyFaults) | (fieldFlags & fieldKeyFaults) || fieldCount > maxFields || tagCount > maxTags || nameLength > maxMeasurement;
  store<u32>(shape, <u32>line, S_NAME);
  store<u32>(shape, hasFaults ? 1 : 0, S_ATTENTION);
  store<u32>(shape, requiredKey >= 0 && !((tagFlags | fieldFlags) & KEY_REQUIRED) ? 1 : 0, S_INCOMPLETE);
  store<u32>(shape, scan, S_SCAN);
}

/**
 * Finds or adds the key at `text` in the batch's key table, stores its id in the entry and in the slot (the key's
 * record in the shape), and returns the key's flags.
 */
// @ts-ignore: decorator
@inline
function nameKey(batch: usize, slot: usize, entry: usize, text: usize, length: u32, hash: u32): u32 {
  const key = internHashed(batch, text, length, hash);
  store<u32>(slot, key, L_ENTRY);
  store<u32>(entry, key, E_KEY);
  return load<u32>(keyAt(batch, key), K_FLAGS);
}
