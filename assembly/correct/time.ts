// Converts the integer time in a body to the time of a point (docs/reference/points.md#time). lib/point/precision.ts
// has the same limits for each unit of time; it converts times that JavaScript reads.

import { receiveTime, timeUnit } from "../tape/settings";

const MAX_TIME: i64 = 9223372036854775806;

/** The time that the last call of `timeOf` computed, in nanoseconds since 1970. */
export let pointTime: i64 = 0;

/**
 * Sets `pointTime` to the time in nanoseconds that the integer `written` stands for (docs/reference/points.md#time).
 * Returns false when the time is out of range.
 */
export function timeOf(written: i64): bool {
  if (written <= 0) {
    pointTime = receiveTime;
    return true;
  }
  let unit = timeUnit;
  if (!unit) unit = written < 10000000000 ? 1000000000 : written < 10000000000000 ? 1000000 : written < 10000000000000000 ? 1000 : 1;
  if (unit == 1) {
    pointTime = written;
    return written <= MAX_TIME;
  }
  if (written > MAX_TIME / unit) return false;
  pointTime = written * unit;
  return true;
}
