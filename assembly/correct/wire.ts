// What JSON and protobuf can say and no line can: a measurement with newlines or none, and a key more than once in a list. Put right before the
// point is closed, so that its notes come before those of correctPoint.

import { keyAt, nextSerial } from "../tape/keys";
import {
  B_ENTRIES, B_ENTRY_COUNT, B_POINT_COUNT, ENTRY_DEAD, ENTRY_SHIFT, E_FLAGS, E_KEY, K_ENTRY, K_LINE,
} from "../tape/layout";
import { DIRTY_NAME, note, SAME_KEY } from "./notes";
import { isTag } from "./point";
import { hasNewlineOrTail, madeLength, madeText, withoutNewlines } from "./text";

/** The measurement as it is to be, after `cleanName`. */
export let name: usize = 0;
export let nameLength: u32 = 0;

/** Takes backslashes at the end of the measurement of the next point away, and newlines out of it; whether there were any. */
export function cleanName(batch: usize, text: usize, length: u32): bool {
  name = text;
  nameLength = length;
  if (!hasNewlineOrTail(text, length)) return false;
  note(batch, load<u32>(batch, B_POINT_COUNT), DIRTY_NAME, 0, 0, text, length);
  withoutNewlines(batch, text, length);
  name = madeText;
  nameLength = madeLength;
  return true;
}

/** Leaves one entry for each key of the next point, whose entries begin at `first`, at the place of its first: a tag, else the last. */
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
