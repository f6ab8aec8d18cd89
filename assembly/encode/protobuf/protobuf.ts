// Encodes one PBPoint message of the list in a protobuf body (docs/reference/points.md#protobuf). Most points are
// written in one walk over their entries (one-walk.ts). A point that is long, or that may not fit the output chunk, is
// measured first, because in protobuf a length precedes its content.

import { B_KEYS, P_NAME, P_NAME_LENGTH, P_TIME } from "../../tape/layout";
import { count, entryAt, gather, numberAt, setNumberAt } from "../entries";
import { nextTexts } from "../measured-texts";
import { MOST, putInOneWalk } from "../one-walk";
import { limit, out, put, room, setOut } from "../output";
import { warningsOf } from "../pbjson";
import { plainFieldAt } from "../plain-fields";
import { fieldSize, optionalSize, putField, putOptional, textSize } from "./fields";
import { putWarnings, warningsSize } from "./warnings";
import { putVarint, varintSize } from "./varint";

/**
 * After a point that was too long to be written in one walk over its entries, this number of points is measured before
 * they are written, because long points often follow each other.
 */
const NOT_TRIED: u32 = 15;
/** Number of the next points that are measured before they are written, without trying one walk over their entries. */
let notTried: u32 = 0;

/**
 * Writes a point. Returns true when the point was written in one walk over its entries; one-walk.ts then has its sizes.
 */
export function putProtobufPoint(batch: usize, point: usize): bool {
  room();
  if (notTried) notTried--;
  else {
    const start = out;
    if (putInOneWalk(batch, point)) return true;
    setOut(start);
    // The point could not be written in one walk over its entries. Near the end of the output chunk this can happen
    // to a short point, too. Elsewhere in the chunk it happens only to a long point, so the next points are probably
    // long, too.
    if (start + MOST <= limit) notTried = NOT_TRIED;
  }
  putMeasured(batch, point);
  return false;
}

/**
 * Returns the length of the PBPoint message of the point whose entries were listed last. Also stores the length of the
 * Field message of each entry.
 */
export function protobufSize(batch: usize, point: usize): u32 {
  nextTexts();
  const time = load<i64>(point, P_TIME);
  let size = optionalSize(load<u32>(point, P_NAME_LENGTH));
  for (let i: u32 = 0; i < count; i++) {
    const entrySize = fieldSize(batch, entryAt(i));
    setNumberAt(i, entrySize);
    size += textSize(entrySize);
  }
  if (time) size += 1 + varintSize(time);
  const warnings = warningsOf(batch, point);
  return warnings ? size + warningsSize(warnings) : size;
}

function putMeasured(batch: usize, point: usize): void {
  gather(batch, point, false);
  const time = load<i64>(point, P_TIME);
  const size = protobufSize(batch, point);
  put(0x0a);
  putVarint(size);
  putOptional(0x0a, load<u32>(point, P_NAME), load<u32>(point, P_NAME_LENGTH));
  const keys = <usize>load<u32>(batch, B_KEYS);
  for (let i: u32 = 0; i < count; i++) {
    room();
    const behind = plainFieldAt(out, keys, entryAt(i));
    if (behind) {
      setOut(behind);
      continue;
    }
    put(0x12);
    putVarint(numberAt(i));
    putField(batch, entryAt(i));
  }
  if (time) {
    put(0x18);
    putVarint(time);
  }
  const warnings = warningsOf(batch, point);
  if (warnings) putWarnings(warnings);
}
