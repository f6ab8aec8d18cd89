// Reads times in the most frequent formats directly from bytes: `2006-01-02T15:04:05.000Z` (also with a blank,
// slashes, an offset or no zone), and `Jan _2 15:04:05` as in syslog. time-text.ts reads all formats, and returns
// the same results for these. For times with a zone and for numbers since 1970, the WebAssembly module is tried
// before this file (assembly/script/access-time.ts).

import { Cursor } from "../../../point/batch/cursor.ts";
import { addressAt, isTagAt, isTextAt, lengthAt, setIntAt } from "../../../point/batch/in-place.ts";
import type { Key, PointView } from "../../../point/view.ts";
import { daysInMonth, localToInstant, utcSeconds, type Zone } from "../../../time/zone.ts";

/** The result of the last successful call of `read`. One shared object avoids an allocation for each time. */
const readTime = { seconds: 0, nanoseconds: 0 };

/**
 * Reads the time in `bytes[start, start + length)`. Returns false when the text has another format or the time is out
 * of range. `zone` is the zone of times that name no zone, and `now` decides the year of times that name no year.
 */
function read(bytes: Uint8Array, start: number, length: number, zone: Zone, now: () => bigint): boolean {
  if (length === syslogLength) return readSyslog(bytes, start, zone, now);
  return length >= 19 && readIso(bytes, start, start + length, zone);
}

const slash = 0x2f;
const colon = 0x3a;
const dash = 0x2d;
const plus = 0x2b;
const space = 0x20;

/** Converts two digits to a number; returns a number below 0 when a character is not a digit. */
function two(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - 0x30;
  const ones = bytes[at + 1]! - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1000;
}

/**
 * Range of years that this file accepts. For times in these years, the nanoseconds fit in 64 bits, and doubles convert
 * seconds to nanoseconds without rounding.
 */
const firstYear = 1850;
const lastYear = 2100;

/**
 * Reads a time of day such as `15:04:05` at offset `at`. Returns the seconds since 1970 of this time on the given date,
 * in UTC; NaN when the date or the time of day is not valid.
 */
function secondsOf(bytes: Uint8Array, at: number, year: number, month: number, date: number): number {
  const hour = two(bytes, at);
  const minute = two(bytes, at + 3);
  const second = two(bytes, at + 6);
  if (bytes[at + 2] !== colon || bytes[at + 5] !== colon) return Number.NaN;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return Number.NaN;
  if (year < firstYear || year > lastYear || month < 1 || month > 12 || date < 1 || date > daysInMonth(year, month))
    return Number.NaN;
  return utcSeconds(year, month, date, hour, minute, second);
}

/** Returns the seconds east of UTC for an offset of `+hh` hours and `mm` minutes; NaN when the offset is not valid. */
function offsetOf(bytes: Uint8Array, sign: number, hoursAt: number, minutesAt: number): number {
  const hours = two(bytes, hoursAt);
  const minutes = two(bytes, minutesAt);
  const seconds = hours * 3600 + minutes * 60;
  if ((sign !== plus && sign !== dash) || hours < 0 || minutes < 0 || minutes > 59 || seconds > 14 * 3600)
    return Number.NaN;
  return sign === dash ? -seconds : seconds;
}

/** Reads a time such as `2006-01-02 15:04:05`, with or without a fraction, an offset or `Z`. */
function readIso(bytes: Uint8Array, at: number, end: number, zone: Zone): boolean {
  const separator = bytes[at + 4]!;
  if ((separator !== dash && separator !== slash) || bytes[at + 7] !== separator) return false;
  if (bytes[at + 10] !== space && bytes[at + 10] !== 0x54) return false;
  const year = two(bytes, at) * 100 + two(bytes, at + 2);
  const local = secondsOf(bytes, at + 11, year, two(bytes, at + 5), two(bytes, at + 8));
  let rest = at + 19;
  let nanoseconds = 0;
  if (rest < end && (bytes[rest] === 0x2e || bytes[rest] === 0x2c)) {
    const first = ++rest;
    let scale = 100_000_000;
    for (let digit = 0; rest < end && (digit = bytes[rest]! - 0x30) >= 0 && digit <= 9; rest++) {
      nanoseconds += digit * scale;
      scale /= 10;
    }
    if (rest === first || rest - first > 9) return false;
  }
  let seconds = Number.NaN;
  if (Number.isNaN(local)) return false;
  if (rest === end) seconds = localToInstant(zone, local);
  else if (rest + 1 === end && bytes[rest] === 0x5a) seconds = local;
  else if (rest + 5 === end) seconds = local - offsetOf(bytes, bytes[rest]!, rest + 1, rest + 3);
  else if (rest + 6 === end && bytes[rest + 3] === colon)
    seconds = local - offsetOf(bytes, bytes[rest]!, rest + 1, rest + 4);
  if (Number.isNaN(seconds)) return false;
  readTime.seconds = seconds;
  readTime.nanoseconds = nanoseconds;
  return true;
}

/** Length in bytes of a time such as `Jan _2 15:04:05`. */
const syslogLength = 15;
/** The first three letters of each month's name, stored as one number of three bytes. */
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].map(
  (name) => (name.charCodeAt(0) << 16) | (name.charCodeAt(1) << 8) | name.charCodeAt(2),
);

/**
 * The last reading of the clock, and two values that are computed from it. The values are kept, because most
 * clocks change only once in a millisecond, and many points are read in this time. `lastYear` is the last year
 * that is tried for a time without a year: in every zone, all times of later years are more than a day after
 * now.
 */
const clock = { nanoseconds: 0n, seconds: 0, lastYear: 1970 };

function lookAtClock(now: () => bigint): void {
  const nanoseconds = now();
  if (nanoseconds === clock.nanoseconds) return;
  clock.nanoseconds = nanoseconds;
  clock.seconds = Number(nanoseconds / 1_000_000_000n);
  // A time may be at most one day after now, and the local time of a zone is at most one day ahead of UTC.
  // Therefore two days are added to the current time.
  clock.lastYear = new Date((clock.seconds + 2 * 86_400) * 1000).getUTCFullYear();
}

/**
 * Reads a time such as `Jan _2 15:04:05`. The text contains no year. The function chooses the latest year for
 * which the time is at most a day after now.
 */
function readSyslog(bytes: Uint8Array, at: number, zone: Zone, now: () => bigint): boolean {
  const name = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
  const month = months.indexOf(name | 0x202020) + 1;
  if (month === 0 || bytes[at + 3] !== space || bytes[at + 6] !== space) return false;
  const date = bytes[at + 4] === space ? bytes[at + 5]! - 0x30 : two(bytes, at + 4);
  lookAtClock(now);
  // The loop goes back nine years, because the last February 29 may be as long as eight years ago.
  for (let year = clock.lastYear; year >= clock.lastYear - 9; year--) {
    const local = secondsOf(bytes, at + 7, year, month, date);
    if (Number.isNaN(local)) continue;
    const seconds = localToInstant(zone, local);
    if (seconds > clock.seconds + 86_400) continue;
    readTime.seconds = seconds;
    readTime.nanoseconds = 0;
    return true;
  }
  return false;
}

/**
 * Replaces the time text in a key of the point by nanoseconds, when the text has a frequent format. Works on the
 * WebAssembly memory. Returns false when the caller must convert the text.
 */
export function convertInPlace(point: PointView, key: Key, zone: Zone, now: () => bigint): boolean {
  if (!(point instanceof Cursor)) return false;
  const at = point.at(key);
  if (at < 0) return true;
  if (isTagAt(point, at) || !isTextAt(point, at)) return false;
  const length = lengthAt(point, at);
  if (length > 40 || !read(point.batch.module.u8, addressAt(point, at), length, zone, now)) return false;
  // The seconds are multiplied by a billion in two factors, 1953125 and 512. The product with 1953125 is exact in a
  // double, and the product with 512 is a shift.
  const units = readTime.seconds * 1953125;
  let high = Math.floor(units / 0x800000);
  let low = (units - high * 0x800000) * 512 + readTime.nanoseconds;
  if (low >= 0x100000000) {
    low -= 0x100000000;
    high++;
  }
  setIntAt(point, at, low, high);
  return true;
}
