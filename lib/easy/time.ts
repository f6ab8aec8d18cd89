// Converts times that callers give: a Date, a number of milliseconds, a bigint of nanoseconds, or a string as `toJSON`
// writes it. The result is nanoseconds since 1970-01-01 UTC, the unit of points.

import { isTimeInRange } from "../point/precision.ts";
import { refuse } from "../text/argument.ts";

/**
 * A time: a `Date`, a number of milliseconds since 1970 (as `Date.now()` returns it), a bigint of nanoseconds since
 * 1970, or a string such as `2026-01-31T12:00:00.000000001Z`.
 */
export type Time = Date | number | bigint | string;

const expected = "a Date, a number of milliseconds, a bigint of nanoseconds, or a string such as 2026-01-31T12:00:00Z";

/**
 * Converts a time to nanoseconds since 1970. Throws a TypeError when the value is not a time or is outside of the years
 * 1677 to 2262; the error names the function `call` and the argument.
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

/**
 * Converts milliseconds to nanoseconds. The number may have a fraction, as `performance.timeOrigin + performance.now()`
 * has.
 */
function fromMilliseconds(ms: number): bigint | undefined {
  if (!Number.isFinite(ms)) return undefined;
  const whole = Math.floor(ms);
  return BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1e6));
}

/** A time of RFC 3339: a date, a time of day with at most nine digits of a fraction, and a zone. */
const timePattern = /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;

function fromText(text: string): bigint | undefined {
  const [, seconds, fraction = "", zone] = timePattern.exec(text) ?? [];
  if (seconds === undefined || zone === undefined) return undefined;
  const ms = Date.parse(`${seconds.toUpperCase().replace(" ", "T")}${zone.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

/** Memory for one 64-bit time in nanoseconds. Its two 32-bit halves can be divided without making a bigint. */
const time = new BigInt64Array(1);
const halves = new Int32Array(time.buffer);

/**
 * Returns the time of a point as a Date, cut to whole milliseconds.
 *
 * The high 32 bits of the time count units of 2^32 ns, and one unit is 4294 ms plus 967,296 ns. The time is split into
 * these two parts because all products then stay below 2^53, where a double is exact.
 */
export function dateOf(nanoseconds: bigint): Date {
  time[0] = nanoseconds;
  const high = halves[1]!;
  const rest = high * 967_296 + (halves[0]! >>> 0);
  return new Date(high * 4294 + Math.floor(rest / 1e6));
}

/**
 * Returns the time as text, exactly: with three digits after the point for whole milliseconds, otherwise with nine.
 *
 * @example
 * timeText(1n); // "1970-01-01T00:00:00.000000001Z"
 */
export function timeText(nanoseconds: bigint): string {
  const text = dateOf(nanoseconds).toISOString();
  const rest = ((nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return rest === 0n ? text : `${text.slice(0, -1)}${String(rest).padStart(6, "0")}Z`;
}
