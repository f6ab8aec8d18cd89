// Writes a point as protobuf in one walk over its entries. Each field is written to its final address, and its length
// is filled in as soon as it is known. The length of the whole point is written last, into as many bytes as the length
// of the previous point took. The walk gives up on a point that is too long, because the output chunk might be flushed
// before the point's length is known. The walk also adds up the size of the point that counts towards the size limit of
// an output body, as estimate.ts does.

import { B_ENTRIES, B_KEYS, ENTRY_SHIFT, E_LINK, P_COUNT, P_FIRST, P_MORE, P_NAME, P_NAME_LENGTH, P_TIME } from "../tape/layout";
import { warningsCount } from "./estimate";
import { copyAt, limit, out, setOut } from "./output";
import { warningsOf } from "./pbjson";
import { plainCounts, plainFieldAt } from "./plain-fields";
import { putWarnings, warningsSize } from "./protobuf/warnings";
import { fieldAt, fieldCounts } from "./rare-fields";
import { lengthAt, varintAt, varintSize } from "./protobuf/varint";

/**
 * Limit in bytes for the length of a point's protobuf message. When the fields before the last one exceed it,
 * the message is not finished in one walk over the entries: the point is measured and then written again.
 */
export const MOST: u32 = 32768;

/** Number of bytes that the length of the previous point took as a varint. */
let lengthBytes: u32 = 1;

// Length in bytes of the protobuf message that was written last. The second variable is the size of this point
// that counts towards the size limit of an output body; it is only set when the caller asked for it.
export let messageSize: u32 = 0;
export let messageCounts: u32 = 0;

/**
 * Writes the point. Returns false when the point is too long; the caller then has to set `out` (the address of the next
 * output byte) back to the start of the point. The output chunk must have room for one entry.
 */
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
    let behind = plainFieldAt(o, keys, entry);
    if (behind) counts += plainCounts;
    else {
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
