// Times as callers write them: a Date, a number of milliseconds, a bigint of nanoseconds, or the text that `toJSON`
// writes. Points hold nanoseconds since 1970-01-01 UTC.

import { isTimeInRange } from "../point/precision.ts";
import { refuse } from "../text/argument.ts";

/**
 * A time: a `Date`, a number of milliseconds since 1970 (as `Date.now()` returns it), a bigint of nanoseconds since
 * 1970, or a string such as `2026-01-31T12:00:00.000000001Z`.
 */
export type Time = Date | number | bigint | string;

const expected = "a Date, a number of milliseconds, a bigint of nanoseconds, or a string such as 2026-01-31T12:00:00Z";

/**
 * Returns a time in nanoseconds since 1970. Throws a TypeError for what is no time, and for a time that a point cannot
 * hold; the error names `call` and `argument`.
 */
export function nanosecondsOf(call: string, argument: () => string, time: unknown): bigint {
  const nanoseconds = toNanoseconds(time);
  if (nanoseconds === undefined) refuse(call, argument(), expected, time);
  if (!isTimeInRange(nanoseconds)) refuse(call, argument(), "a time from 1677 to 2262", time);
  return nanoseconds;
}

function toNanoseconds(time: unknown): bigint | undefined {
  switch (typeof time) {
    case "bigint":
      return time;
    case "number":
      return fromMilliseconds(time);
    case "string":
      return fromText(time);
    default:
      return time instanceof Date ? fromMilliseconds(time.getTime()) : undefined;
  }
}

/** Keeps the fraction of a number of milliseconds, such as `performance.timeOrigin + performance.now()` has. */
function fromMilliseconds(ms: number): bigint | undefined {
  if (!Number.isFinite(ms)) return undefined;
  const whole = Math.floor(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1e6));
}

/** RFC 3339: a date, a time with a fraction of up to nine digits, and a zone. */
const timePattern = /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;

function fromText(text: string): bigint | undefined {
  const [, seconds, fraction = "", zone] = timePattern.exec(text) ?? [];
  if (seconds === undefined || zone === undefined) return undefined;
  const ms = Date.parse(`${seconds.toUpperCase().replace(" ", "T")}${zone.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

/** One time as a 64-bit integer and as its two halves, to divide it without making a bigint. */
const time = new BigInt64Array(1);
const halves = new Int32Array(time.buffer);

/**
 * Returns the time of a point as a Date, which cuts off microseconds and nanoseconds.
 *
 * 2^32 ns are 4294 ms and 967,296 ns. So the high half gives 4294 ms each, and all products stay below 2^53.
 */
export function dateOf(nanoseconds: bigint): Date {
  time[0] = nanoseconds;
  const high = halves[1]!;
  const rest = high * 967_296 + (halves[0]! >>> 0);
  return new Date(high * 4294 + Math.floor(rest / 1e6));
}

/**
 * Returns the time as exact text: three digits after the point for whole milliseconds, else nine.
 *
 * @example
 * timeText(1n); // "1970-01-01T00:00:00.000000001Z"
 */
export function timeText(nanoseconds: bigint): string {
  const text = dateOf(nanoseconds).toISOString();
  const rest = ((nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return rest === 0n ? text : `${text.slice(0, -1)}${String(rest).padStart(6, "0")}Z`;
}
