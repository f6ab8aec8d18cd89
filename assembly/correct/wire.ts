// Corrects faults that points in JSON and protobuf can have, but points in line protocol cannot: a measurement
// that is empty or has newlines, and a key that occurs more than once in a list. These corrections run before
// all others, so that their notes (records of corrections) come first.

import { keyAt, nextSerial } from "../tape/keys";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_POINT_COUNT, ENTRY_DEAD, ENTRY_SHIFT, E_FLAGS, E_KEY, K_ENTRY, K_LINE,
} from "../tape/layout";
import { DIRTY_NAME, note, SAME_KEY } from "./notes";
import { isTag } from "./point";
import { changedLength, changedText, hasNewlineOrTail, withoutNewlines } from "./text";

/** The measurement that the last call of `cleanName` corrected: its address and length. */
export let name: usize = 0;
export let nameLength: u32 = 0;

/**
 * Corrects the measurement `text` of the point that is being decoded: removes backslashes at its end, and replaces its
 * newlines. Returns whether the measurement was changed.
 */
export function cleanName(batch: usize, text: usize, length: u32): bool {
  name = text;
  nameLength = length;
  if (!hasNewlineOrTail(text, length)) return false;
  note(batch, load<u32>(batch, B_POINT_COUNT), DIRTY_NAME, 0, 0, text, length);
  withoutNewlines(batch, text, length);
  name = changedText;
  nameLength = changedLength;
  return true;
}

/**
 * Removes repeated keys from the point that is being decoded, whose entries begin at index `first`. Of several
 * entries with the same key, keeps the last tag; if none of them is a tag, keeps the last field. Moves the kept
 * entry to the position of the first entry with this key.
 */
export function dropRepeats(batch: usize, first: u32): void {
  const mark = nextSerial();
  const entries = <usize>load<u32>(batch, B_ENTRIES);
  const count = load<u32>(batch, B_ENTRY_COUNT);
  for (let i = first; i < count; i++) {
    const entry = entries + (<usize>i << ENTRY_SHIFT);
    const id = load<u32>(entry, E_KEY);
    const key = keyAt(batch, id);
    if (load<u32>(key, K_LINE) != mark) {
      store<u32>(key, mark, K_LINE);
      store<u32>(key, i, K_ENTRY);
      continue;
    }
    note(batch, load<u32>(batch, B_POINT_COUNT), SAME_KEY, id);
    const kept = entries + (<usize>load<u32>(key, K_ENTRY) << ENTRY_SHIFT);
    if (isTag(entry) || !isTag(kept)) {
      v128.store(kept, v128.load(entry));
      v128.store(kept, v128.load(entry, 16), 16);
    }
    store<u8>(entry, load<u8>(entry, E_FLAGS) | <u8>ENTRY_DEAD, E_FLAGS);
  }
}
