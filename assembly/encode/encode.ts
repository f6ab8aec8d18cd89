// Encodes consecutive points of a batch as bytes. JavaScript starts the encoder, encodes one range of points after the
// other (of one batch or of several), and finishes. Each full chunk of output is passed to JavaScript.

import { B_POINTS, POINT_SIZE, P_LINE_LENGTH } from "../tape/layout";
import { copyLines, putWithAdded } from "./source-lines";
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
/** Number of an output format: line protocol in which lines of the body are copied unchanged where possible. */
const CAME_LINES: u32 = 4;
/** Flag that is added to the number of an output format when points are to be written without their warnings. */
const NO_WARNINGS: u32 = 8;

let form: u32 = 0;
let copies: bool = false;
/** Unit of times in line protocol, in nanoseconds. */
let timeUnit: i64 = 1;
/** Number of points that the encoder has written so far. */
let written: u32 = 0;
/**
 * Whether the last protobuf point was written in one walk over its entries. When this is true, one-walk.ts has the
 * sizes of the point; otherwise the point was measured before.
 */
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

/** Writes points `from` to `to` (exclusive) of a batch. Leaves out points that the output format cannot express. */
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

/**
 * Copies the lines of points from the body, when the output format allows it and the points are unchanged. Returns the
 * address of the first point that was not copied.
 */
// @ts-ignore: decorator
@inline
function copied(point: usize, end: usize): usize {
  if (!copies || timeUnit != 1) return point;
  const left = copyLines(point, end, written > 0);
  written += <u32>((left - point) / POINT_SIZE);
  return left;
}

/**
 * Does the same as `encodePoints`, and writes two u32 for each point to `marks`. The first is the number of bytes that
 * the point takes, without the separators between points (0 when it was left out). The second is the size with which
 * the point counts towards the size limit of an output body: an estimate when `sizes` is 0, the length of the point's
 * protobuf message when `sizes` is 1, and 0 when `sizes` is 2.
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

/**
 * Returns the size in bytes of the point that was written last. This size counts towards the size limit of an
 * output body.
 */
// @ts-ignore: decorator
@inline
function sizeOfWritten(batch: usize, point: usize, exact: bool): u32 {
  if (form != PROTOBUF || !isOneWalk) return sizeOf(batch, point, exact);
  return exact ? messageSize : messageCounts;
}

/** Writes a point, preceded by a separator if needed. Returns false when the output format cannot express the point. */
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

/** Passes the remaining output to JavaScript and returns how many points were written. */
export function finishEncoding(): u32 {
  if (form == JSON || form == PBJSON) put(0x5d);
  flush();
  return written;
}

/**
 * Frees the encoder's memory. JavaScript calls this function when the encoding is complete, or when an error in
 * JavaScript stops the encoding.
 */
export function stopEncoding(): void {
  stopOutput();
  stopEntries();
  stopTexts();
}
