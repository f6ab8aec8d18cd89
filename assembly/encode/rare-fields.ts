// Writes a field of the rarer types for a protobuf point that is written in one walk over its entries. Strings that are
// long or have escapes are written directly to the output; other values are measured first, as in protobuf/fields.ts.

import { keyAt } from "../tape/keys";
import {
  ENTRY_DEAD, ENTRY_ESCAPED, ENTRY_SOURCE, ENTRY_TAG, ENTRY_TRAITS, E_FLAGS, E_KEY, E_KIND, E_LENGTH, E_TEXT, KIND_ARRAY, KIND_STRING,
  K_LENGTH, K_TEXT,
} from "../tape/layout";
import { unescape } from "../text/unescape";
import { AROUND, countsOf } from "./estimate";
import { nextTexts } from "./measured-texts";
import { copyAt, out, put, setOut } from "./output";
import { fieldSize, IS_TAG, putField, textSize } from "./protobuf/fields";
import { unpack } from "./unpack";
import { lengthAt, putVarint, varintSize } from "./protobuf/varint";

/**
 * Limit in bytes for the fields that this file writes; longer fields are refused. For a string that is written
 * directly, the limit applies to the string with its escapes, and not to the Field message around the string. For every
 * other field, the limit applies to the whole Field message.
 */
const MOST: u32 = 16384;
/**
 * Largest number of elements of an array whose protobuf message has at most MOST bytes: each element takes at least 4
 * bytes.
 */
const MOST_ELEMENTS: u32 = MOST >> 2;

/**
 * Whether the caller needs the sizes of points, which count towards the size limit of an output body. For an array,
 * computing the size needs a second loop over the elements.
 */
let isCounting: bool = false;
/**
 * Number of bytes that the last written field adds to the size of its point. The sizes of points count towards the size
 * limit of an output body.
 */
export let fieldCounts: u32 = 0;

export function setCounting(isAsked: bool): void {
  isCounting = isAsked;
}

/**
 * Writes the entry as a protobuf field, which begins at the address `o`, and returns the address after the
 * field. Returns 0 in two cases: when the field is too long, and when its length must be computed before it is
 * written and the field would end after the address `stop`.
 */
export function fieldAt(o: usize, stop: usize, batch: usize, entry: usize): usize {
  const flags = <u32>load<u8>(entry, E_FLAGS);
  fieldCounts = 0;
  if (flags & ENTRY_DEAD) return o;
  if (flags & ENTRY_SOURCE) unpack(batch, entry);
  const kind = <u32>load<u8>(entry, E_KIND);
  if (load<u32>(entry, E_LENGTH) > (kind == KIND_ARRAY ? MOST_ELEMENTS : MOST)) return 0;
  if (kind == KIND_STRING && !(flags & ENTRY_TRAITS)) {
    const behind = textAt(o, keyAt(batch, load<u32>(entry, E_KEY)), entry, flags & ENTRY_TAG);
    if (behind) return behind;
  }
  nextTexts();
  const size = fieldSize(batch, entry);
  if (size > MOST || o + textSize(size) > stop) return 0;
  setOut(o);
  put(0x12);
  putVarint(size);
  putField(batch, entry);
  if (isCounting) fieldCounts = countsOf(batch, entry);
  return out;
}

/**
 * Writes a field with a string. Two lengths, written as varints, precede the string: the length of the field's
 * message and the length of the string. For each varint the function reserves as many bytes as the string with
 * its escapes would need. It returns 0 when a length without the escapes needs fewer bytes than were reserved,
 * and when the key is empty or too long. The field may end after the address `stop`, because the memory after it
 * has room for one field.
 */
function textAt(o: usize, key: usize, entry: usize, isTag: u32): usize {
  const keyLength = load<u32>(key, K_LENGTH);
  const length = load<u32>(entry, E_LENGTH);
  if (keyLength - 1 > 126) return 0;
  const lengthBytes = varintSize(length);
  const before = keyLength + (isTag << 1) + 3 + lengthBytes;
  const sizeBytes = varintSize(before + length);
  const message = o + 1 + sizeBytes;
  const value = message + before;
  store<u8>(o, 0x12);
  store<u16>(message, 0x0a | (keyLength << 8));
  copyAt(message + 2, load<u32>(key, K_TEXT), keyLength);
  if (isTag) store<u16>(message + 2 + keyLength, IS_TAG);
  store<u8>(value - lengthBytes - 1, 0x5a);
  const text = <usize>load<u32>(entry, E_TEXT);
  let clean = length;
  if (<u32>load<u8>(entry, E_FLAGS) & ENTRY_ESCAPED) clean = <u32>(unescape(text, text + length, text + length, value) - value);
  else copyAt(value, text, length);
  if (varintSize(clean) != lengthBytes || varintSize(before + clean) != sizeBytes) return 0;
  lengthAt(o + 1, before + clean, sizeBytes);
  lengthAt(value - lengthBytes, clean, lengthBytes);
  fieldCounts = keyLength + AROUND + clean;
  return value + clean;
}
