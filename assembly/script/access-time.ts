// Converts times given as text to nanoseconds, when the text alone says which time it is: `10/Oct/2000:13:55:36 -0700`
// of access logs, `2006-01-02T15:04:05.000Z` with `Z` or an offset, and the number of seconds, milliseconds,
// microseconds or nanoseconds since 1970 (docs/reference/function-rules.md#time-text).

/** Result of the last successful `readTime`, in nanoseconds since 1970. */
export let timeRead: i64 = 0;

const SLASH: u32 = 0x2f;
const COLON: u32 = 0x3a;
const DASH: u32 = 0x2d;
const PLUS: u32 = 0x2b;
const SPACE: u32 = 0x20;

/** First and last year that are accepted. Every time in these years, in nanoseconds since 1970, fits 64 bits. */
const FIRST_YEAR: u32 = 1700;
const LAST_YEAR: u32 = 2200;

/**
 * Result for a text that does not begin with two digits. It is greater than every number that this file accepts.
 * So range checks refuse it, even when it is only one half of a year.
 */
const NO_NUMBER: u32 = 100000;

/** Returns the number that two decimal digits spell; NO_NUMBER when they are not digits. */
// @ts-ignore: decorator
@inline
function two(p: usize): u32 {
  const tens = <u32>load<u8>(p) - 0x30;
  const ones = <u32>load<u8>(p, 1) - 0x30;
  return tens <= 9 && ones <= 9 ? tens * 10 + ones : NO_NUMBER;
}

/** Returns the month (1 to 12) that three letters name, 0 for other letters. */
function monthOf(p: usize): u32 {
  const letters = load<u32>(p) & 0xffffff;
  const word = letters | 0x202020;
  // Setting bit 0x20 converts a capital letter to a small one, but also converts some other characters to letters. So
  // this loop refuses characters that are not letters.
  for (let shift = 0; shift < 24; shift += 8) if (((word >> shift) & 0xff) - 0x61 > 25 || ((letters >> shift) & 0x40) == 0) return 0;
  switch (word) {
    case 0x6e616a: return 1;
    case 0x626566: return 2;
    case 0x72616d: return 3;
    case 0x727061: return 4;
    case 0x79616d: return 5;
    case 0x6e756a: return 6;
    case 0x6c756a: return 7;
    case 0x677561: return 8;
    case 0x706573: return 9;
    case 0x74636f: return 10;
    case 0x766f6e: return 11;
    case 0x636564: return 12;
    default: return 0;
  }
}

function daysIn(year: u32, month: u32): u32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/**
 * Returns the days from 1970 to a date in the Gregorian calendar. The computation uses years that begin in March, so
 * that a leap day is at the end.
 */
function daysSinceEpoch(year: u32, month: u32, day: u32): i32 {
  const shifted = month <= 2 ? year - 1 : year;
  const shapesEpoch = shifted / 400;
  const ofEra = shifted - shapesEpoch * 400;
  const ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return <i32>(shapesEpoch * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear) - 719468;
}

/** Smallest number of seconds since 1970 that is not read here; JavaScript reads such times. */
const MOST_SECONDS: u64 = 4102444800;

/** Reads a number of seconds (10 digits), milliseconds (13), microseconds (16) or nanoseconds (19) since 1970. */
function epochTime(p: usize, length: u32): bool {
  let value: u64 = 0;
  for (let at: usize = 0; at < length; at++) {
    const digit = <u32>load<u8>(p + at) - 0x30;
    if (digit > 9) return false;
    if (at == 10 && value >= MOST_SECONDS) return false;
    value = value * 10 + digit;
  }
  for (let digits = length; digits < 19; digits += 3) value *= 1000;
  timeRead = value;
  return value < MOST_SECONDS * 1000000000;
}

/**
 * Parses a time with a time zone or a number since 1970, and stores it in `timeRead`. Returns false when the text has
 * another format or the time is out of range.
 */
export function readTime(p: usize, length: u32): bool {
  if (length % 3 == 1 && length >= 10 && length <= 19 && epochTime(p, length)) return true;
  return length == 26 && load<u8>(p, 2) == SLASH ? accessTime(p) : length >= SHORTEST_ISO && isoTime(p, p + length);
}

function accessTime(p: usize): bool {
  if (load<u8>(p, 6) != SLASH || load<u8>(p, 11) != COLON) return false;
  if (load<u8>(p, 14) != COLON || load<u8>(p, 17) != COLON || load<u8>(p, 20) != 0x20) return false;
  const month = monthOf(p + 3);
  const sign = <u32>load<u8>(p, 21);
  const offset = offsetOf(sign, p + 22, p + 24);
  if (offset == NO_OFFSET || !readLocal(two(p + 7) * 100 + two(p + 9), month, two(p), p + 12)) return false;
  timeRead = (localSeconds - offset) * 1000000000;
  return true;
}

/** Length of the shortest time that `isoTime` reads, such as `2006-01-02T15:04:05Z`. */
const SHORTEST_ISO: u32 = 20;

/**
 * Parses a time such as `2006-01-02T15:04:05.000+08:00`. The date may have slashes, and a blank may stand in place of
 * the `T`. The fraction has up to nine digits.
 */
function isoTime(p: usize, end: usize): bool {
  const separator = <u32>load<u8>(p, 4);
  if ((separator != DASH && separator != SLASH) || load<u8>(p, 7) != separator) return false;
  const middle = <u32>load<u8>(p, 10);
  if ((middle != 0x54 && middle != SPACE) || load<u8>(p, 13) != COLON || load<u8>(p, 16) != COLON) return false;
  let rest = p + 19;
  let nanoseconds: u32 = 0;
  if (load<u8>(rest) == 0x2e || load<u8>(rest) == 0x2c) {
    let scale: u32 = 100000000;
    let digit: u32 = 0;
    for (rest++; rest < end && scale && (digit = <u32>load<u8>(rest) - 0x30) <= 9; rest++, scale /= 10) nanoseconds += digit * scale;
    if (rest == p + 20) return false;
  }
  let offset: i32 = NO_OFFSET;
  const sign = <u32>load<u8>(rest);
  if (rest + 1 == end && sign == 0x5a) offset = 0;
  else if (rest + 5 == end) offset = offsetOf(sign, rest + 1, rest + 3);
  else if (rest + 6 == end && load<u8>(rest, 3) == COLON) offset = offsetOf(sign, rest + 1, rest + 4);
  if (offset == NO_OFFSET) return false;
  if (!readLocal(two(p) * 100 + two(p + 2), two(p + 5), two(p + 8), p + 11)) return false;
  timeRead = (localSeconds - offset) * 1000000000 + nanoseconds;
  return true;
}

const NO_OFFSET: i32 = 0x7fffffff;

/**
 * Returns the seconds that a time zone is east of UTC; its offset has at most 14 hours. Returns NO_OFFSET when
 * the offset is not valid.
 */
// @ts-ignore: decorator
@inline
function offsetOf(sign: u32, hoursAt: usize, minutesAt: usize): i32 {
  if (sign != PLUS && sign != DASH) return NO_OFFSET;
  const hours = two(hoursAt);
  const minutes = two(minutesAt);
  const seconds = <i32>(hours * 3600 + minutes * 60);
  if (minutes > 59 || hours > 14 || seconds > 14 * 3600) return NO_OFFSET;
  return sign == DASH ? -seconds : seconds;
}

/**
 * Result of the last successful `readLocal`: the seconds since 1970 of a local time, computed as if it were in
 * UTC.
 */
let localSeconds: i64 = 0;

/**
 * Reads the time of day, such as `15:04:05`, at `p`. Stores in `localSeconds` the seconds from 1970 to this time
 * on the given date. Returns false when the time of day or the date is not valid.
 */
// @ts-ignore: decorator
@inline
function readLocal(year: u32, month: u32, day: u32, p: usize): bool {
  if (year < FIRST_YEAR || year > LAST_YEAR || month - 1 > 11 || !day || day > daysIn(year, month)) return false;
  const hour = two(p);
  const minute = two(p + 3);
  const second = two(p + 6);
  if (hour > 23 || minute > 59 || second > 59) return false;
  localSeconds = <i64>daysSinceEpoch(year, month, day) * 86400 + <i64>(hour * 3600 + minute * 60 + second);
  return true;
}
