// Computes the time range of a query and the width of its buckets (docs/reference/query.md#time). Times are in
// milliseconds since 1970. The start and the end of a range belong to it.

import { fixedZone, localToInstant, namedZone, UTC, type Zone } from "../../time/zone.ts";
import type { Interval, TimePoint } from "../syntax/ast.ts";
import { goDuration } from "../syntax/duration-text.ts";
import { DqlError } from "../syntax/errors.ts";
import { reasonText } from "../syntax/reasons.ts";
import type { BucketWidth } from "./buckets.ts";

export type Milliseconds = number;

export interface TimeRange {
  readonly start: Milliseconds;
  readonly end: Milliseconds;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** Number of time buckets into which the time range is divided when the interval is `auto`. */
const autoPoints = 360;
/**
 * Bucket widths in milliseconds. With the request member `align_time`, the width of the buckets is rounded up to one of
 * these.
 */
const presetsMs = [
  ...[1, 10, 50, 100, 500],
  ...[1, 5, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 5, 10, 30].map((minutes) => minutes * 60_000),
  ...[1, 6, 12].map((hours) => hours * hourMs),
  ...[1, 7, 30].map((days) => days * dayMs),
];

/** Returns the time zone that tz() names: an IANA name, or hours east of UTC. Throws DqlError for an unknown zone. */
export function zoneOf(text: string): Zone {
  const hours = /^[+-]?[0-9]+$/.test(text) ? Number(text) : undefined;
  if (hours !== undefined && hours >= -12 && hours <= 14) return fixedZone(hours * 3600);
  const zone = hours === undefined ? namedZone(text) : null;
  if (zone === null) throw new DqlError(reasonText("unknownZone", text));
  return zone;
}

export function momentOf(point: TimePoint, now: Milliseconds, zone: Zone): Milliseconds {
  if ("ago" in point) return now - Number(point.ago / 1_000_000n);
  if ("ts" in point) return timestampMs(point.ts);
  if ("date" in point) return dateMs(point.date, point.time);
  if (point.word === "now") return now;
  const offset = zone.offsetAt(Math.floor(now / 1000)) * 1000;
  const midnight = Math.floor((now + offset) / dayMs) * dayMs - (point.word === "yesterday" ? dayMs : 0);
  return localToInstant(zone, midnight / 1000) * 1000;
}

/**
 * Converts a Unix time to milliseconds. The number of its digits decides its unit: seconds up to 11 digits,
 * milliseconds up to 14, microseconds up to 17, and nanoseconds for more digits.
 */
function timestampMs(digits: string): Milliseconds {
  if (digits.length <= 11) return Number(digits) * 1000;
  if (digits.length <= 14) return Number(digits);
  return Number(BigInt(digits) / (digits.length <= 17 ? 1_000n : 1_000_000n));
}

function dateMs(date: string, time: string | null): Milliseconds {
  const text = `${date}T${time ?? "00:00:00"}.000Z`;
  const ms = Date.parse(text);
  // Date.parse() accepts February 30 as a day in March, so the result is compared with the input.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== text) {
    throw new DqlError(reasonText("badTime", time === null ? date : `${date} ${time}`));
  }
  return ms;
}

/** Throws DqlError for a time range that is empty or longer than `max`. */
export function checkRange({ start, end }: TimeRange, max: { readonly ns: bigint }): void {
  if (start >= end) throw new DqlError(reasonText("emptyRange"));
  if (BigInt(end - start) * 1_000_000n > max.ns) throw new DqlError(reasonText("rangeTooLong", goDuration(max.ns)));
}

export interface Steps {
  readonly interval: Interval | null;
  /**
   * Bucket width in seconds, from the request member `interval`. It is ignored when it would make more than 720
   * buckets.
   */
  readonly seconds: number | null;
  readonly maxPoints: number | null;
  /**
   * Number of time buckets, which takes precedence over `seconds` and `maxPoints`. Null when the request gives no such
   * number, so that `seconds` or `maxPoints` decides the width of the buckets.
   */
  readonly buckets: number | null;
  readonly align: boolean;
}

/** Returns the width of a time bucket; `ms` is 0 when the query has no buckets. */
export function bucketWidth(
  { interval, seconds, maxPoints, buckets, align }: Steps,
  { start, end }: TimeRange,
): BucketWidth {
  const span = end - start;
  const written = interval === null ? 0 : writtenMs(interval, span);
  let width = written;
  if (seconds !== null && seconds > 0 && span / (seconds * 1000) <= 720) width = seconds * 1000;
  if (buckets !== null) width = Math.max(1, Math.ceil(span / buckets));
  if (width === 0) return { ms: 0, months: 0 };
  if (maxPoints !== null && Math.ceil(span / width) > maxPoints) width = Math.max(1, Math.ceil(span / maxPoints));
  const months = interval !== null && "months" in interval && width === written ? interval.months : 0;
  const ms = align && months === 0 ? (presetsMs.find((preset) => preset >= width) ?? presetsMs.at(-1)!) : width;
  return { ms, months };
}

function writtenMs(interval: Interval, span: Milliseconds): Milliseconds {
  if ("auto" in interval) return Math.max(1, Math.ceil(span / (interval.points || autoPoints)));
  if ("months" in interval) return (Math.floor(interval.months / 12) * 365 + (interval.months % 12) * 30) * dayMs;
  return Math.max(1, "ns" in interval ? Math.ceil(Number(interval.ns) / 1e6) : interval.seconds * 1000);
}

export const defaultZone: Zone = UTC;
