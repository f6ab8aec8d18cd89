// Encodes a run of points of a batch as bytes. The host starts the encoder, encodes one run after the other (of one
// batch or of several), and finishes. Chunks of the output go to the host when they are full.

import { B_POINTS, POINT_SIZE, P_LINE_LENGTH } from "../tape/layout";
import { copyLines, putWithAdded } from "./came-lines";
import { forgetOrder, startEntries, stopEntries } from "./entries";
import { putJsonPoint } from "./json";
import { putLine } from "./line-protocol";
import { startTexts, stopTexts } from "./measured-texts";
import { messageCounts, messageSize } from "./one-walk";
import { flush, position, put, startOutput, stopOutput } from "./output";
import { putPbjsonPoint, setWarned } from "./pbjson";
import { putProtobufPoint } from "./protobuf/protobuf";
import { setCounting } from "./rare-fields";
import { sizeOf } from "./size";

const LINE_PROTOCOL: u32 = 0;
const JSON: u32 = 1;
const PBJSON: u32 = 2;
const PROTOBUF: u32 = 3;
/** Line protocol that keeps the lines of a body unchanged where it can. */
const CAME_LINES: u32 = 4;
/** Flag added to a form: points are written without their warnings. */
const NO_WARNINGS: u32 = 8;

let form: u32 = 0;
let copies: bool = false;
/** Unit of the times of line protocol, in nanoseconds. */
let timeUnit: i64 = 1;
/** Number of points written so far. */
let written: u32 = 0;
/** Whether the last point of protobuf was written in one walk, which leaves its sizes in one-walk.ts. */
let isOneWalk: bool = false;

export function startEncoding(as: u32, unit: i64): void {
  setWarned((as & NO_WARNINGS) == 0);
  form = as & ~NO_WARNINGS;
  copies = form == CAME_LINES;
  if (copies) form = LINE_PROTOCOL;
  timeUnit = unit;
  written = 0;
  startOutput();
  startEntries();
  startTexts();
  if (form == JSON || form == PBJSON) put(0x5b);
}

/** Writes points `from` to `to` (exclusive) of a batch; leaves out points that the form cannot express. */
export function encodePoints(batch: usize, from: u32, to: u32): void {
  forgetOrder();
  setCounting(false);
  const points = <usize>load<u32>(batch, B_POINTS);
  const end = points + <usize>to * POINT_SIZE;
  for (let point = points + <usize>from * POINT_SIZE; point < end; ) {
    const left = copied(point, end);
    if (left == point) {
      putPoint(batch, point);
      point += POINT_SIZE;
    } else point = left;
  }
}

/** Copies the lines of points when the form allows this. Returns the first point that was not copied. */
// @ts-ignore: decorator
@inline
function copied(point: usize, end: usize): usize {
  if (!copies || timeUnit != 1) return point;
  const left = copyLines(point, end, written > 0);
  written += <u32>((left - point) / POINT_SIZE);
  return left;
}

/**
 * Does the same as `encodePoints`, and writes two u32 for each point to `marks`: the bytes that the point takes,
 * without the separators between points (0 when it was left out), and its size for the batch limit. With `sizes` 0 that
 * size is an estimate, with 1 the length of its protobuf message, with 2 it is not computed.
 */
export function encodeMarked(batch: usize, from: u32, to: u32, marks: usize, sizes: u32): void {
  forgetOrder();
  setCounting(sizes == 0);
  const points = <usize>load<u32>(batch, B_POINTS);
  const end = points + <usize>to * POINT_SIZE;
  for (let point = points + <usize>from * POINT_SIZE; point < end; point += POINT_SIZE) {
    for (const left = copied(point, end); point < left; point += POINT_SIZE) {
      store<u32>(marks, load<u32>(point, P_LINE_LENGTH));
      store<u32>(marks, sizes == 2 ? 0 : sizeOfWritten(batch, point, sizes == 1), 4);
      marks += 8;
    }
    if (point == end) return;
    const before = position();
    const between: u32 = form == PROTOBUF || !written ? 0 : 1;
    const isWritten = putPoint(batch, point);
    store<u32>(marks, isWritten ? position() - before - between : 0);
    store<u32>(marks, sizes == 2 ? 0 : sizeOfWritten(batch, point, sizes == 1), 4);
    marks += 8;
  }
}

/** Returns the size of the point written last, for the batch limit. */
// @ts-ignore: decorator
@inline
function sizeOfWritten(batch: usize, point: usize, exact: bool): u32 {
  if (form != PROTOBUF || !isOneWalk) return sizeOf(batch, point, exact);
  return exact ? messageSize : messageCounts;
}

/** Writes a point, with the separator before it. Returns false when the form cannot express the point. */
function putPoint(batch: usize, point: usize): bool {
  if (form == LINE_PROTOCOL) {
    const isNext = written > 0;
    if (!(copies && putWithAdded(batch, point, timeUnit, isNext)) && !putLine(batch, point, timeUnit, isNext)) return false;
  } else {
    if (form != PROTOBUF && written) put(0x2c);
    if (form == JSON) putJsonPoint(batch, point);
    else if (form == PBJSON) putPbjsonPoint(batch, point);
    else isOneWalk = putProtobufPoint(batch, point);
  }
  written++;
  return true;
}

/** Flushes the rest of the output and returns how many points were written. */
export function finishEncoding(): u32 {
  if (form == JSON || form == PBJSON) put(0x5d);
  flush();
  return written;
}

/** Frees the encoder's memory, after the end or after a failure of the host. */
export function stopEncoding(): void {
  stopOutput();
  stopEntries();
  stopTexts();
}
