// Divides a time range into buckets by the calendar of a time zone (docs/reference/query.md#time). The input is
// the width and the range; the output is a list of runs, which are sequences of buckets of equal width. A bucket
// of an hour or more begins at a whole multiple of its width on the zone's clock. A bucket of weeks begins on a
// Monday, and a bucket of months or years on the first of a month. On a day when the clock changes, a bucket of
// one day has 23 or 25 hours.

import { localToInstant, utcSeconds, type Zone } from "../../time/zone.ts";
import type { Milliseconds, TimeRange } from "./time-range.ts";

/** A run: consecutive buckets of one width. The last bucket of a run extends to the start of the next run. */
export interface BucketRun {
  readonly from: Milliseconds;
  readonly width: Milliseconds;
  readonly count: number;
  /**
   * Number of time buckets before the first bucket of this run (consecutive buckets of one width), counted from the
   * start of the query's time range.
   */
  readonly index: number;
}

/**
 * The runs (consecutive buckets of one width) that cover a time range, at least one. The first run begins with the
 * bucket that contains the start of the range.
 */
export type Buckets = readonly BucketRun[];

/**
 * Width of a time bucket: `ms` milliseconds, or `months` calendar months. For calendar months `ms` is only
 * approximate: it counts 30 days for a month and 365 days for a year.
 */
export interface BucketWidth {
  readonly ms: Milliseconds;
  /** Width in calendar months; 0 means that `ms` is the exact width. */
  readonly months: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
/** The time of Monday, January 5, 1970, in milliseconds; weeks are counted from here. */
const mondayMs = 4 * dayMs;
/**
 * The first and the last moment, in milliseconds since 1970, between which clock changes of a time zone are
 * searched: the beginnings of the years 1900 and 2200.
 */
const knownYears = [Date.UTC(1900, 0), Date.UTC(2200, 0)] as const;

export function bucketsOf({ ms, months }: BucketWidth, range: TimeRange, zone: Zone): Buckets {
  if (months > 0) return monthRuns(months, range, zone);
  if (ms < hourMs)
    return [{ from: Math.floor(range.start / ms) * ms, width: ms, count: Number.POSITIVE_INFINITY, index: 0 }];
  return fromStart(clockRuns(ms, range, zone), range.start);
}

/** Returns the start of the time bucket that contains `time`. */
export function bucketOf(time: Milliseconds, buckets: Buckets): Milliseconds {
  const run = runOf(time, buckets);
  return run.from + placeIn(run, time) * run.width;
}

/** Returns the index of the bucket that contains `time`: the number of earlier buckets in the time range. */
export function bucketIndex(time: Milliseconds, buckets: Buckets): number {
  const run = runOf(time, buckets);
  return run.index + placeIn(run, time);
}

/** Returns the start of the bucket with the given index; the first bucket of the range has the index 0. */
export function bucketAt(index: number, buckets: Buckets): Milliseconds {
  const run = buckets.findLast((each) => each.index <= index) ?? buckets[0]!;
  return run.from + (index - run.index) * run.width;
}

/** Returns the number of time buckets that overlap the time range. */
export function bucketCount({ end }: TimeRange, buckets: Buckets): number {
  return bucketIndex(end, buckets) + 1;
}

function placeIn({ from, width, count }: BucketRun, time: Milliseconds): number {
  return Math.min(Math.floor((time - from) / width), count - 1);
}

/**
 * Returns the run of buckets that contains `time`: the last one that begins at or before it. For a time before
 * the range, returns the first run.
 */
function runOf(time: Milliseconds, buckets: Buckets): BucketRun {
  let [low, high] = [0, buckets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (buckets[middle]!.from <= time) low = middle;
    else high = middle - 1;
  }
  return buckets[low]!;
}

function fromStart(runs: Buckets, start: Milliseconds): Buckets {
  const before = bucketIndex(start, runs);
  const first = runOf(start, runs);
  const place = placeIn(first, start);
  const { width, count } = first;
  const later = runs.slice(runs.indexOf(first) + 1).map((run) => ({ ...run, index: run.index - before }));
  return [{ from: first.from + place * width, width, count: count - place, index: 0 }, ...later];
}

interface OffsetPeriod {
  readonly from: Milliseconds;
  /** UTC offset of the zone, in milliseconds; positive east of Greenwich. */
  readonly offset: Milliseconds;
}

function clockRuns(width: Milliseconds, { start, end }: TimeRange, zone: Zone): BucketRun[] {
  const anchor = width % weekMs === 0 ? mondayMs : 0;
  const number = (time: Milliseconds, offset: Milliseconds) => Math.floor((time + offset - anchor) / width);
  const startOf = (count: number, offset: Milliseconds) => count * width + anchor - offset;
  const lower = start - width - 2 * dayMs;
  const periods = offsetPeriods(zone, lower, end);
  const runs: BucketRun[] = [];
  let index = 0;
  const add = (from: Milliseconds, count: number) => {
    runs.push({ from, width, count, index });
    index += count;
  };
  for (const [at, { from, offset }] of periods.entries()) {
    const until = periods[at + 1]?.from ?? Number.POSITIVE_INFINITY;
    if (at === 0) {
      const first = startOf(number(lower, offset), offset);
      add(first, Math.ceil((until - first) / width));
      continue;
    }
    const before = number(from - 1, periods[at - 1]!.offset);
    let next = startOf(Math.ceil((from + offset - anchor) / width), offset);
    // The clocks of the time zone jump over the time at which the bucket would begin, so the bucket begins at the
    // jump.
    if (number(from, offset) > before && next > from) add(from, 1);
    // When the clocks of the time zone are set back, a part of the day occurs twice. An hour that occurs twice gets
    // two buckets, but a day that occurs twice gets one.
    if (width >= dayMs && number(next, offset) <= before) next += width;
    if (next < until) add(next, Math.ceil((until - next) / width));
  }
  return runs;
}

/** Returns the moments between `lower` and `upper` at which the zone's UTC offset changes, each with the new offset. */
function offsetPeriods(zone: Zone, lower: Milliseconds, upper: Milliseconds): OffsetPeriod[] {
  const offsetAt = (time: Milliseconds) => zone.offsetAt(Math.floor(time / 1000)) * 1000;
  const within = (time: Milliseconds) => Math.min(Math.max(time, knownYears[0]), knownYears[1]);
  const quarter = 900_000;
  let time = Math.floor(within(lower) / quarter) * quarter;
  const periods: OffsetPeriod[] = [{ from: lower, offset: offsetAt(time) }];
  for (const last = within(upper); time < last; time += weekMs) {
    const before = offsetAt(time);
    if (offsetAt(time + weekMs) === before) continue;
    // Zones change their offset only at full quarters of an hour, so the binary search looks only at full quarters.
    let [low, high] = [time / quarter, (time + weekMs) / quarter];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle * quarter) === before) low = middle;
      else high = middle;
    }
    periods.push({ from: high * quarter, offset: offsetAt(high * quarter) });
  }
  return periods;
}

function monthRuns(months: number, { start, end }: TimeRange, zone: Zone): BucketRun[] {
  const local = new Date(start + zone.offsetAt(Math.floor(start / 1000)) * 1000);
  const startOf = (month: number) => localToInstant(zone, utcSeconds(0, month + 1, 1, 0, 0, 0)) * 1000;
  const runs: BucketRun[] = [];
  let month = Math.floor((local.getUTCFullYear() * 12 + local.getUTCMonth()) / months) * months;
  for (let from = startOf(month); from <= end; month += months) {
    const next = startOf(month + months);
    runs.push({ from, width: next - from, count: 1, index: runs.length });
    from = next;
  }
  return runs;
}
