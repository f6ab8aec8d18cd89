// `[io] auto_timestamp_correction`: points whose time is far from now are taken to be of now; the time they came with stays in a field
// (docs/reference/agent.md#the-way-of-a-point).

import { Key, type PointSeries } from "../engine.ts";

const farNs = 2n * 3600n * 1_000_000_000n;
const originalTime = new Key("__orig_time");

/** Gives the number of points whose time was set to `now`. */
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
