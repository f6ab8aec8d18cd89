// Writes the most frequent fields as protobuf Field messages shorter than 128 bytes: a key with a number, a boolean or
// a string without escapes. Each length in such a message takes one byte, so the fields need not be measured before
// they are written.

import {
  ENTRY_CANONICAL, ENTRY_DUPLICATE, ENTRY_TAG, E_KEY, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KEY_SHIFT, KIND_BOOL, KIND_FLOAT, KIND_INT,
  KIND_STRING, KIND_UINT, K_LENGTH, K_TEXT,
} from "../tape/layout";
import { AROUND } from "./estimate";
import { copyShortAt } from "./output";
import { IS_TAG } from "./protobuf/fields";
import { varintAt } from "./protobuf/varint";

/**
 * Greatest length in bytes of the key of a number. With a key of this length, the Field message is still shorter
 * than 128 bytes, even when it has the member `is_tag`.
 */
const MOST_KEY: u32 = 112;

const TAG: u32 = ENTRY_TAG << 8;
/**
 * Flags of an entry that do not change how the entry's value is written. They are shifted by 8 bits, because the
 * flags are in the byte after the entry's type.
 */
const IDLE: u32 = (ENTRY_TAG | ENTRY_DUPLICATE | ENTRY_CANONICAL) << 8;

/**
 * Number of bytes that the last written field adds to the size of its point. The sizes of points count towards the size
 * limit of an output body.
 */
export let plainCounts: u32 = 0;

/**
 * Writes the field of an entry at `o` and returns the address after the field; 0 when the field is not one of the
 * frequent types. `keys` is the address of the batch's key table.
 */
// @ts-ignore: decorator
@inline
export function plainFieldAt(o: usize, keys: usize, entry: usize): usize {
  const sort = <u32>load<u16>(entry, E_KIND);
  const key = keys + (<usize>load<u32>(entry, E_KEY) << KEY_SHIFT);
  const keyLength = load<u32>(key, K_LENGTH);
  let behind: usize = 0;
  if (keyLength - 1 < MOST_KEY) {
    // The bytes of a Field message are written in this order: protobuf tag and length of the message, protobuf tag and
    // length of the key, the key, is_tag, the value.
    copyShortAt(o + 4, load<u32>(key, K_TEXT), keyLength);
    let value = o + 4 + keyLength;
    store<u16>(value, IS_TAG);
    value += (sort & TAG) >> 7;
    let counts: u32 = 8;
    switch (sort & ~IDLE) {
      case KIND_FLOAT:
        store<u8>(value, 0x21);
        store<u64>(value, load<u64>(entry, E_NUMBER), 1);
        behind = value + 9;
        break;
      case KIND_STRING: {
        const length = load<u32>(entry, E_LENGTH);
        if (<u32>(value - o) + length > 127) break;
        store<u16>(value, 0x5a | (length << 8));
        copyShortAt(value + 2, load<u32>(entry, E_TEXT), length);
        behind = value + 2 + length;
        counts = length;
        break;
      }
      case KIND_INT:
      case KIND_UINT:
        store<u8>(value, 0x08 + ((sort & 3) << 3));
        behind = varintAt(value + 1, load<u64>(entry, E_NUMBER));
        break;
      case KIND_BOOL:
        store<u16>(value, 0x28 | (load<u32>(entry, E_NUMBER) << 8));
        behind = value + 2;
        counts = 1;
    }
    if (behind) store<u32>(o, 0x0a0012 | (<u32>(behind - o - 2) << 8) | (keyLength << 24));
    plainCounts = keyLength + AROUND + counts;
  }
  return behind;
}
