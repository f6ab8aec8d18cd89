// A run of points of a batch to bytes. The host starts, encodes one run after the other, of one batch or of many, and finishes; chunks of the
// output go to the host as they fill.

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
/** Line protocol in which the lines of a body stand as they came where they can. */
const CAME_LINES: u32 = 4;
/** Added to a form: the points are written without their warnings. */
const NO_WARNINGS: u32 = 8;

let form: u32 = 0;
let copies: bool = false;
/** Nanoseconds in a unit of time, for line protocol. */
let timeUnit: i64 = 1;
/** Points written so far. */
let written: u32 = 0;
/** Whether the last point of protobuf told its sizes when it was written. */
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

/** Writes points `from` to `to` of a batch; those that the form cannot say are left out. */
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

/** Copies points' lines where that is asked for and can be; gives the first point that is left. */
// @ts-ignore: decorator
@inline
function copied(point: usize, end: usize): usize {
  if (!copies || timeUnit != 1) return point;
  const left = copyLines(point, end, written > 0);
  written += <u32>((left - point) / POINT_SIZE);
  return left;
}

/**
 * The same, with two u32 for each point at `marks`: bytes that it got, without what stands between points and 0 when it was left out; and what
 * it counts for in a batch: with `sizes` 0 an estimate, with 1 the length of its protobuf message, with 2 nothing.
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

/** What the point written last counts for. */
// @ts-ignore: decorator
@inline
function sizeOfWritten(batch: usize, point: usize, exact: bool): u32 {
  if (form != PROTOBUF || !isOneWalk) return sizeOf(batch, point, exact);
  return exact ? messageSize : messageCounts;
}

/** Writes a point behind what separates it from the one before; false when the form cannot say it. */
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

/** Hands out the rest and gives how many points were written. */
export function finishEncoding(): u32 {
  if (form == JSON || form == PBJSON) put(0x5d);
  flush();
  return written;
}

/** Gives the memory back, after the end or a failure of the host. */
export function stopEncoding(): void {
  stopOutput();
  stopEntries();
  stopTexts();
}
