// A point as protobuf in one walk over its entries: each field is written where it goes, its length when it is known, and the point's own length
// last, in the room that the point before needed for its own. A point that goes beyond a bound, so that the chunk might have to leave before the
// length is known, is given up.
//
// The walk also adds up what the point counts for in a batch, as size.ts does.

import {
  B_ENTRIES, B_KEYS, ENTRY_CANONICAL, ENTRY_DUPLICATE, ENTRY_SHIFT, ENTRY_TAG, E_KEY, E_KIND, E_LENGTH, E_LINK, E_NUMBER, E_TEXT, KEY_SHIFT,
  KIND_BOOL, KIND_FLOAT, KIND_INT, KIND_STRING, KIND_UINT, K_LENGTH, K_TEXT, P_COUNT, P_FIRST, P_MORE, P_NAME, P_NAME_LENGTH, P_TIME,
} from "../tape/layout";
import { copyAt, copyShortAt, limit, out, setOut } from "./output";
import { warningsOf } from "./pbjson";
import { IS_TAG } from "./protobuf-fields";
import { putWarnings, warningsSize } from "./protobuf-warnings";
import { fieldAt, fieldCounts } from "./rare-fields";
import { AROUND, warningsCount } from "./size";
import { lengthAt, varintAt, varintSize } from "./varint";

/** Longest message of a point, but for its last fields; so much is written in vain at most. */
export const MOST: u32 = 32768;
/** Longest key with which the message of a number, even of a tag, is shorter than 128 bytes. */
const MOST_KEY: u32 = 112;

/** Bytes of the length of the last point. */
let lengthBytes: u32 = 1;

// Of the point written last: length of its message, and, when that was asked for, what it counts for in a batch.
export let messageSize: u32 = 0;
export let messageCounts: u32 = 0;

const TAG: u32 = ENTRY_TAG << 8;
/** Flags behind the kind of an entry that do not say how its value is written. */
const IDLE: u32 = (ENTRY_TAG | ENTRY_DUPLICATE | ENTRY_CANONICAL) << 8;

/** Writes the point; false when it is too long: `out` must be set back then. There is room for an entry. */
export function putInOneWalk(batch: usize, point: usize): bool {
  const start = out;
  const stop = min(limit, start + MOST);
  const message = start + 1 + lengthBytes;
  const nameLength = load<u32>(point, P_NAME_LENGTH);
  let counts = nameLength;
  let o = message;
  if (nameLength) {
    if (nameLength > MOST || o + nameLength > stop) return false;
    store<u8>(o, 0x0a);
    o = varintAt(o + 1, nameLength);
    copyAt(o, load<u32>(point, P_NAME), nameLength);
    o += nameLength;
  }
  const entries = <usize>load<u32>(batch, B_ENTRIES);
  const keys = <usize>load<u32>(batch, B_KEYS);
  let entry = entries + (<usize>load<u32>(point, P_FIRST) << ENTRY_SHIFT);
  let left = load<u32>(point, P_COUNT);
  let link = load<u32>(point, P_MORE);
  for (; ; entry += 1 << ENTRY_SHIFT) {
    if (!left) {
      if (!link) break;
      entry = entries + (<usize>(link - 1) << ENTRY_SHIFT);
      link = load<u32>(entry, E_LINK);
    } else left--;
    if (o > stop) return false;
    const sort = <u32>load<u16>(entry, E_KIND);
    const key = keys + (<usize>load<u32>(entry, E_KEY) << KEY_SHIFT);
    const keyLength = load<u32>(key, K_LENGTH);
    let behind: usize = 0;
    if (keyLength - 1 < MOST_KEY) {
      // Tag and length of the message, tag and length of the key, the key, is_tag, the value.
      copyShortAt(o + 4, load<u32>(key, K_TEXT), keyLength);
      let value = o + 4 + keyLength;
      store<u16>(value, IS_TAG);
      value += (sort & TAG) >> 7;
      switch (sort & ~IDLE) {
        case KIND_FLOAT:
          store<u8>(value, 0x21);
          store<u64>(value, load<u64>(entry, E_NUMBER), 1);
          behind = value + 9;
          counts += 8;
          break;
        case KIND_STRING: {
          const length = load<u32>(entry, E_LENGTH);
          if (<u32>(value - o) + length > 127) break;
          store<u16>(value, 0x5a | (length << 8));
          copyShortAt(value + 2, load<u32>(entry, E_TEXT), length);
          behind = value + 2 + length;
          counts += length;
          break;
        }
        case KIND_INT:
        case KIND_UINT:
          store<u8>(value, 0x08 + ((sort & 3) << 3));
          behind = varintAt(value + 1, load<u64>(entry, E_NUMBER));
          counts += 8;
          break;
        case KIND_BOOL:
          store<u16>(value, 0x28 | (load<u32>(entry, E_NUMBER) << 8));
          behind = value + 2;
          counts++;
      }
    }
    if (behind) {
      store<u32>(o, 0x0a0012 | (<u32>(behind - o - 2) << 8) | (keyLength << 24));
      counts += keyLength + AROUND;
    } else {
      behind = fieldAt(o, stop, batch, entry);
      if (!behind) return false;
      counts += fieldCounts;
    }
    o = behind;
  }
  const time = load<i64>(point, P_TIME);
  if (time) {
    store<u8>(o, 0x18);
    o = varintAt(o + 1, time);
  }
  const warnings = warningsOf(batch, point);
  if (warnings) {
    const size = warningsSize(warnings);
    if (size > MOST || o + size > stop) return false;
    setOut(o);
    putWarnings(warnings);
    o = out;
    counts += warningsCount(warnings);
  }
  const size = <u32>(o - message);
  const bytes = varintSize(size);
  if (bytes != lengthBytes) {
    memory.copy(start + 1 + bytes, message, size);
    o = start + 1 + bytes + size;
    lengthBytes = bytes;
  }
  store<u8>(start, 0x0a);
  lengthAt(start + 1, size, bytes);
  setOut(o);
  messageSize = size;
  messageCounts = counts;
  return true;
}
