// Implements the setting `[io] auto_timestamp_correction`: a point whose time differs from now by more than two hours
// gets the current time. A field keeps the original time (docs/reference/agent.md#the-way-of-a-point).

import { Key, type PointSeries } from "../engine.ts";

const farNs = 2n * 3600n * 1_000_000_000n;
const originalTime = new Key("__orig_time");

/**
 * Sets the time of each point that differs too much from `now` to `now` (nanoseconds since 1970). Returns the number of
 * changed points.
 */
export function correctTimes(points: PointSeries, now: bigint): number {
  let corrected = 0;
  for (let at = 0; at < points.length; at++) {
    const point = points.at(at);
    const { time } = point;
    if (time >= now - farNs && time <= now + farNs) continue;
    point.setField(originalTime, time);
    point.time = now;
    corrected++;
  }
  return corrected;
}
