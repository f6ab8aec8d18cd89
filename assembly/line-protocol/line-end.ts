// Reads the end of a line, which follows the last field: the time and the newline.

import { pointTime, timeOf } from "../correct/time";
import { figuresAt, stopsAt, valueOf, wholeBefore } from "../number/digits";
import { receiveTime, timeUnit } from "../tape/settings";

// Results of `readLineEnd`: the time of the point in nanoseconds; whether this time is the last token of the line; and
// the address at which the line ends, before its newline.
export let lineTime: i64 = 0;
export let isTimed: bool = false;
export let lineStop: usize = 0;

/** Number of nanoseconds by which a time grows when the third of its 19 digits grows by 1. */
const HEAD: i64 = 10000000000000000;

// The first three of the 19 digits of the last time in nanoseconds, as text and as a value. They change only
// about every four months, so times are compared with the stored digits instead of converting these digits
// again. The digits are not stored for times that begin with 000 (their unit may not be nanoseconds) or with
// more than 921 (they may exceed 64 bits).
let timeHead: u32 = 0xffffffff;
let timeHeadValue: i64 = 0;

/** Remembers the first three digits of a time in nanoseconds that was read digit by digit. */
function takeTimeHead(head: u32, time: i64): void {
  const value = time / HEAD;
  if (value < 1 || value > 921) return;
  timeHead = head;
  timeHeadValue = value * HEAD;
}

/** Returns whether the byte ends the fields: a space, or a newline with or without a carriage return. */
// @ts-ignore: decorator
@inline
export function endsFields(c: u32): bool {
  return c == 0x20 || c == 0x0a || c == 0x0d;
}

/**
 * Reads the end of a line. `p` is the address after the byte `c`, which ended the last field. Returns the address after
 * the newline; 0 when the exact parser (exact.ts) has to read the line.
 */
// @ts-ignore: decorator
@inline
export function readLineEnd(p: usize, c: u32, end: usize): usize {
  lineTime = receiveTime;
  isTimed = false;
  if (c == 0x20) {
    const head = load<u32>(p) & 0xffffff;
    if (!((head ^ timeHead) | stopsAt(p + 3) | <u32>(load<u8>(p, 19) - 0x30 < 10))) {
      // A time of 19 digits is in nanoseconds. In a larger unit, a time with so many digits would be out of range.
      if (<u64>timeUnit > 1) return 0;
      lineTime = timeHeadValue + valueOf(figuresAt(p + 3));
      p += 19;
      isTimed = true;
    } else {
      let length = min(<u32>ctz(stopsAt(p)), 16);
      if (!length) return 0;
      const lead = load<u8>(p);
      let sent: i64 = wholeBefore(p + length, length);
      p += length;
      for (let figure = <u32>load<u8>(p) - 0x30; figure < 10; figure = <u32>load<u8>(p) - 0x30) {
        sent = sent * 10 + figure;
        length++;
        p++;
      }
      // A time of 19 digits that is not below 2^63 is out of range, as is a time with more digits.
      if (length > 19 || <u64>sent >= <u64>i64.MAX_VALUE) return 0;
      if (length == 19) takeTimeHead(head, sent);
      if (!timeOf(sent)) return 0;
      lineTime = pointTime;
      isTimed = pointTime == sent && lead != 0x30;
    }
    c = load<u8>(p++);
  }
  lineStop = min(p - 1, end);
  if (c == 0x0a) return p;
  if (c != 0x0d || p >= end || load<u8>(p) != 0x0a) return 0;
  return p + 1;
}
