// Parses the times of syslog messages from bytes: RFC 3339 times, as in RFC 5424, and the times of RFC 3164, to which
// devices may add a year, fractions of a second, or a time zone.

import { localToInstant, UTC, utcSeconds, type Zone } from "../../../../lib/time/index.ts";

/** A parsed time. The caller passes this object to the functions of this file, which set its members. */
export interface ScannedTime {
  /** The parsed time in seconds since 1970; undefined when no time was found. */
  seconds: number | undefined;
  /** Fraction of a second in the parsed time, in nanoseconds from 0 to 999,999,999. */
  nanos: number;
  /** Offset in bytes of the first byte after the parsed time. */
  end: number;
}

/** The current time and the time zone, which are used for times without a year or without a zone. */
export interface TimeContext {
  /** Returns the current time in seconds since 1970. */
  now(): number;
  readonly zone: Zone;
}

const monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/**
 * Maps each month's name to the month's number from 1 to 12. Each key is a number made of the three bytes of the
 * name's first three letters in lower case, such as `jan`.
 */
const months: ReadonlyMap<number, number> = new Map(
  monthNames.map((name, at) => [(name.charCodeAt(0) << 16) | (name.charCodeAt(1) << 8) | name.charCodeAt(2), at + 1]),
);
const monthDays = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const daySeconds = 86_400;
const space = 0x20;
const [zero, colon, dot, comma, dash, plus, slash] = [0x30, 0x3a, 0x2e, 0x2c, 0x2d, 0x2b, 0x2f];

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= zero && byte <= 0x39;
}

/**
 * Parses a decimal number of `count` digits at the offset `at` of the message. Returns -1 when one of these bytes is
 * not a digit.
 */
function digits(bytes: Uint8Array, at: number, count: number, to: number): number {
  if (at + count > to) return -1;
  let value = 0;
  for (let each = at; each < at + count; each++) {
    const digit = bytes[each]! - zero;
    if (digit < 0 || digit > 9) return -1;
    value = 10 * value + digit;
  }
  return value;
}

/**
 * Parses the digits of a fraction of a second from the offset `at` on, and sets `time.nanos`. Returns the offset after
 * the digits.
 */
function fraction(bytes: Uint8Array, at: number, to: number, time: ScannedTime): number {
  let end = at;
  let scale = 100_000_000;
  let nanos = 0;
  for (; end < to && isDigit(bytes[end]); end++) {
    nanos += Math.floor(scale) * (bytes[end]! - zero);
    scale = scale >= 10 ? scale / 10 : 0;
  }
  time.nanos = nanos;
  return end;
}

function isClock(hour: number, minute: number, second: number): boolean {
  // A leap second (60) is accepted and becomes the first second of the next minute.
  return hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59 && second >= 0 && second <= 60;
}

function isDate(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= monthDays[month - 1]!;
}

/**
 * Parses an RFC 3339 time such as `2003-10-11T22:14:15.003Z`. The zone may be missing, since some devices do not write
 * it.
 */
export function scanIsoTime(bytes: Uint8Array, at: number, to: number, time: ScannedTime, context: TimeContext): void {
  time.seconds = undefined;
  const separator = bytes[at + 4];
  if (to - at < 19 || (separator !== dash && separator !== slash) || bytes[at + 7] !== separator) return;
  const [year, month, day] = [digits(bytes, at, 4, to), digits(bytes, at + 5, 2, to), digits(bytes, at + 8, 2, to)];
  const between = bytes[at + 10]! | 0x20;
  if (year < 0 || !isDate(month, day) || (between !== 0x74 && between !== space)) return;
  const clock = clockSeconds(bytes, at + 11, to);
  if (clock < 0) return;
  let end = at + 19;
  time.nanos = 0;
  if (end < to && (bytes[end] === dot || bytes[end] === comma)) end = fraction(bytes, end + 1, to, time);
  const local = utcSeconds(year, month, day, 0, 0, 0) + clock;
  const sign = end < to ? bytes[end] : undefined;
  if (sign !== undefined && (sign | 0x20) === 0x7a) {
    time.seconds = local;
    time.end = end + 1;
    return;
  }
  if (sign === plus || sign === dash) {
    const hours = digits(bytes, end + 1, 2, to);
    const hasColon = bytes[end + 3] === colon;
    const minutes = digits(bytes, end + (hasColon ? 4 : 3), 2, to);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return;
    time.seconds = local - (sign === dash ? -1 : 1) * (3600 * hours + 60 * minutes);
    time.end = end + (hasColon ? 6 : 5);
    return;
  }
  time.seconds = localToInstant(context.zone, local);
  time.end = end;
}

/** Parses `hh:mm:ss`. Returns the number of seconds since midnight; -1 when the bytes are no such time. */
function clockSeconds(bytes: Uint8Array, at: number, to: number): number {
  const [hour, minute, second] = [digits(bytes, at, 2, to), digits(bytes, at + 3, 2, to), digits(bytes, at + 6, 2, to)];
  if (bytes[at + 2] !== colon || bytes[at + 5] !== colon || !isClock(hour, minute, second)) return -1;
  return 3600 * hour + 60 * minute + second;
}

/**
 * Parses an RFC 3164 time: `Oct 11 22:14:15`, also `*Oct 11 2003 22:14:15.003`, `2003 Oct 11 22:14:15` and `Oct 11
 * 22:14:15 CET 2003`. For a time without a year, uses the latest year in which the time is at most a month in the
 * future.
 */
export function scanBsdTime(
  bytes: Uint8Array,
  from: number,
  to: number,
  time: ScannedTime,
  context: TimeContext,
): void {
  time.seconds = undefined;
  // Cisco devices write a star before the time when their clock is not synchronized, and a dot when the synchronization
  // was lost.
  let at = bytes[from] === 0x2a || bytes[from] === dot ? from + 1 : from;
  let year = -1;
  if (isDigit(bytes[at])) {
    year = digits(bytes, at, 4, to);
    if (year < 0 || bytes[at + 4] !== space) return;
    at += 5;
  }
  if (to - at < 14) return;
  const name = ((bytes[at]! | 0x20) << 16) | ((bytes[at + 1]! | 0x20) << 8) | (bytes[at + 2]! | 0x20);
  const month = months.get(name);
  if (month === undefined || bytes[at + 3] !== space) return;
  at += 4;
  while (bytes[at] === space && at < to) at++;
  const isLong = isDigit(bytes[at + 1]);
  const day = digits(bytes, at, isLong ? 2 : 1, to);
  at += isLong ? 2 : 1;
  if (!isDate(month, day) || bytes[at] !== space) return;
  at++;
  if (year < 0 && bytes[at + 4] === space && digits(bytes, at, 4, to) >= 0) {
    year = digits(bytes, at, 4, to);
    at += 5;
  }
  const clock = clockSeconds(bytes, at, to);
  if (clock < 0) return;
  at += 8;
  time.nanos = 0;
  if (at + 1 < to && (bytes[at] === dot || bytes[at] === comma) && isDigit(bytes[at + 1]))
    at = fraction(bytes, at + 1, to, time);
  const zone = year < 0 ? scanZoneAndYear(bytes, at, to) : undefined;
  if (zone !== undefined) {
    year = zone.year;
    at = zone.end;
  }
  const inZone = zone?.isUtc === true ? UTC : context.zone;
  time.seconds =
    year >= 0
      ? localToInstant(inZone, utcSeconds(year, month, day, 0, 0, 0) + clock)
      : nearest(month, day, clock, inZone, context.now());
  time.end = at;
}

/**
 * Parses a year after the time, with or without the name of a zone before it: ` CET 2003` or ` 2003`. A space, a colon
 * or the end of the message must follow.
 */
function scanZoneAndYear(
  bytes: Uint8Array,
  from: number,
  to: number,
): { readonly year: number; readonly end: number; readonly isUtc: boolean } | undefined {
  if (bytes[from] !== space) return undefined;
  let at = from + 1;
  let isUtc = false;
  const start = at;
  while (at < to && bytes[at]! >= 0x41 && bytes[at]! <= 0x5a && at - start < 5) at++;
  if (at > start) {
    if (at - start < 2 || bytes[at] !== space) return undefined;
    const word = String.fromCharCode(...bytes.subarray(start, at));
    isUtc = word === "UTC" || word === "GMT";
    at++;
  }
  const year = digits(bytes, at, 4, to);
  const after = bytes[at + 4];
  if (year < 1970 || (at + 4 < to && after !== space && after !== colon)) return undefined;
  return { year, end: at + 4, isUtc };
}

/**
 * Returns the seconds since 1970 of a date without a year, in the latest year in which the date is at most a month
 * after now.
 */
function nearest(month: number, day: number, clock: number, zone: Zone, now: number): number {
  const year = new Date(now * 1000).getUTCFullYear();
  let best = Number.NaN;
  for (const each of [year + 1, year, year - 1, year - 2, year - 3, year - 4]) {
    if (month === 2 && day === 29 && !isLeap(each)) continue;
    best = localToInstant(zone, utcSeconds(each, month, day, 0, 0, 0) + clock);
    if (best <= now + 31 * daySeconds) return best;
  }
  return best;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
