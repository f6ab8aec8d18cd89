// Converts the time of access logs, `10/Oct/2000:13:55:36 -0700`, to nanoseconds
// (docs/reference/function-rules.md#time-text).

/** Result of the last successful `accessTime`, in nanoseconds since 1970. */
export let timeRead: i64 = 0;

const SLASH: u32 = 0x2f;
const COLON: u32 = 0x3a;

/** First and last year that are accepted. All times between them, in nanoseconds, fit 64 bits. */
const FIRST_YEAR: u32 = 1700;
const LAST_YEAR: u32 = 2200;

/** Returns the number that two decimal digits spell; 1000 or more when they are not digits. */
// @ts-ignore: decorator
@inline
function two(p: usize): u32 {
  const tens = <u32>load<u8>(p) - 0x30;
  const ones = <u32>load<u8>(p, 1) - 0x30;
  return tens <= 9 && ones <= 9 ? tens * 10 + ones : 1000;
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

/**
 * Parses the time of an access log and stores it in `timeRead`. Returns false when the text has another format or the
 * time is out of range.
 */
export function accessTime(p: usize, length: u32): bool {
  if (length != 26 || load<u8>(p, 2) != SLASH || load<u8>(p, 6) != SLASH || load<u8>(p, 11) != COLON) return false;
  if (load<u8>(p, 14) != COLON || load<u8>(p, 17) != COLON || load<u8>(p, 20) != 0x20) return false;
  const year = two(p + 7) * 100 + two(p + 9);
  const month = monthOf(p + 3);
  const day = two(p);
  if (!month || year < FIRST_YEAR || year > LAST_YEAR || !day || day > daysIn(year, month)) return false;
  const hour = two(p + 12);
  const minute = two(p + 15);
  const second = two(p + 18);
  const sign = <u32>load<u8>(p, 21);
  const hours = two(p + 22);
  const minutes = two(p + 24);
  if (hour > 23 || minute > 59 || second > 59 || hours > 14 || minutes > 59 || (sign != 0x2b && sign != 0x2d)) return false;
  const offset = <i32>(hours * 3600 + minutes * 60);
  if (offset > 14 * 3600) return false;
  const seconds =
    <i64>daysSinceEpoch(year, month, day) * 86400 + <i64>(hour * 3600 + minute * 60 + second) - (sign == 0x2d ? -offset : offset);
  timeRead = seconds * 1000000000;
  return true;
}
