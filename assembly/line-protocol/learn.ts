// Makes a shape of a line: a record of its keys and their order. Later lines with the same keys are read by this
// shape.

import { internKey, keyAt, nextSerial } from "../tape/keys";
import { ENTRY_SHIFT, ENTRY_TAG, E_KEY, E_LINK, E_NUMBER, KIND_STRING, K_HASH, K_LINE } from "../tape/layout";
import { pushTag, setTagCount, shapes, tagCount, tags } from "../tape/scan-memory";
import { stopOfToken, stringEnd } from "./search";
import {
  closeSlots, L_ENTRY, L_HASH, L_PLACE, MAX_KEY, newShape, tailLengthOf, SLOT, S_FIELDS, S_FOLLOWER, S_QUOTED, S_SCAN, S_SLOTS, S_TAGS, writeText,
} from "./shapes";
import { sortTags, writtenKey } from "./tags";

let fieldCount: u32 = 0;
let tailLength: u32 = 0;

/**
 * Makes a shape (the record of a line's keys) for the line at `line`. `named` is the hash of its measurement, and `p`
 * the address where the measurement ends. Returns 0 when no shape can be made for the line.
 */
export function learn(batch: usize, named: u32, line: usize, p: usize, end: usize): u32 {
  const nameLength = <u32>(p - line);
  tailLength = tailLengthOf(nameLength);
  if (!walk(batch, p, end)) return 0;
  const fields = fieldCount;
  const tagsOfLine = tagCount - fields;
  const room = tagCount;
  const shape = newShape(named, room, tailLength);
  if (!shape) return 0;
  const at = shapes + shape;
  let slot = at + S_SLOTS;
  let tail = slot + <usize>(room + 1) * SLOT;
  writeText(at, line, nameLength, tagsOfLine ? 0x2c : 0x20, tail);
  tail += tailLengthOf(nameLength);
  store<u32>(at, tagsOfLine, S_TAGS);
  store<u32>(at, fields, S_FIELDS);
  store<u32>(at, 0, S_FOLLOWER);
  store<u32>(at, 0, S_SCAN);
  let isQuoted = false;
  for (let i: u32 = 0; i < room; i++) {
    const key = load<u64>(tags + (<usize>i << ENTRY_SHIFT), E_NUMBER);
    const length = <u32>(key >> 32);
    writeText(slot, <usize>(key & 0xffffffff), length, 0x3d, tail);
    tail += tailLengthOf(length);
    isQuoted = isQuoted || (i >= tagsOfLine && hasQuote(<usize>(key & 0xffffffff), length));
    store<u64>(slot, i < tagsOfLine ? <u64>(KIND_STRING | (ENTRY_TAG << 8)) << 32 : 0, L_ENTRY);
    store<u32>(slot, load<u32>(keyAt(batch, load<u32>(tags + (<usize>i << ENTRY_SHIFT), E_KEY)), K_HASH), L_HASH);
    slot += SLOT;
  }
  closeSlots(slot);
  store<u32>(at, isQuoted ? 1 : 0, S_QUOTED);
  // Among the decoded entries, the tags come after the fields, sorted by key.
  setTagCount(tagsOfLine);
  for (let i: u32 = 0; i < tagsOfLine; i++) store<u32>(tags + (<usize>i << ENTRY_SHIFT), i, E_LINK);
  sortTags();
  for (let rank: u32 = 0; rank < tagsOfLine; rank++) {
    const i = <usize>load<u32>(tags + (<usize>rank << ENTRY_SHIFT), E_LINK);
    store<u32>(at + S_SLOTS + i * SLOT, (fields + rank) << <u32>ENTRY_SHIFT, L_PLACE);
  }
  return shape;
}

function hasQuote(p: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) if (load<u8>(p + i) == 0x22) return true;
  return false;
}

/**
 * Lists the keys of the line in `tags`: first the tags, then the fields. Returns false when a key occurs twice, or when
 * only the exact parser (exact.ts) can read the line.
 */
function walk(batch: usize, p: usize, end: usize): bool {
  const serial = nextSerial();
  setTagCount(0);
  fieldCount = 0;
  while (load<u8>(p) == 0x2c) {
    const stop = stopOfToken(++p);
    if (!take(batch, p, stop, serial)) return false;
    p = stopOfToken(stop + 1);
  }
  if (load<u8>(p++) != 0x20 || load<u8>(p) == 0x09 || load<u8>(p) == 0) return false;
  for (;;) {
    const stop = stopOfToken(p);
    if (<u32>(stop - p) > MAX_KEY || !take(batch, p, stop, serial)) return false;
    fieldCount++;
    p = stop + 1;
    if (load<u8>(p) == 0x22) {
      p = stringEnd(p + 1, end) + 1;
      if (p > end) return false;
    } else p = stopOfToken(p);
    const c = load<u8>(p);
    if (c == 0x20 || c == 0x0a || c == 0x0d) return true;
    if (c != 0x2c) return false;
    p++;
  }
  return false;
}

function take(batch: usize, p: usize, stop: usize, serial: u32): bool {
  if (stop == p || load<u8>(stop) != 0x3d) return false;
  const key = internKey(batch, p, <u32>(stop - p));
  const record = keyAt(batch, key);
  if (load<u32>(record, K_LINE) == serial) return false;
  store<u32>(record, serial, K_LINE);
  const entry = pushTag();
  store<u32>(entry, key, E_KEY);
  store<u64>(entry, writtenKey(p, stop - p), E_NUMBER);
  tailLength += tailLengthOf(<u32>(stop - p));
  return true;
}
