// Converts time text to nanoseconds (docs/reference/function-rules.md#time-text): fixed formats, plain digits, and
// dates, times and zones in free order.

import {
  daysInMonth,
  fixedZone,
  isGivenOffset,
  localToInstant,
  parseOffset,
  UTC,
  utcSeconds,
  type Zone,
} from "../../../time/zone.ts";
import { isAbbreviationOf, zoneAbbreviation } from "../../../time/zone-names.ts";

export class TimeFailure extends Error {}

const MONTHS = "january february march april may june july august september october november december".split(" ");
const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const YEAR = "'?(\\d{4}|\\d{2})(?![\\d:])";
const DAY = "(\\d{1,2})";

type Part = "y" | "m" | "M" | "d";

/**
 * A date format at the start of the text: its regular expression, and for each capture group the part of the
 * date (such as the year) that the group matches.
 */
interface DateForm {
  readonly expression: RegExp;
  readonly groups: readonly Part[];
  /** Matches the text that is allowed between a date and a time of day. */
  readonly gap: RegExp;
}

const SPACE_OR_T = /^(?: +|T)(?=\d)/;
const SPACES = /^,?(?: +at)? +(?=\d)/i;
const NONE = /^$/;

function form(source: string, groups: string, gap = SPACE_OR_T): DateForm {
  return { expression: new RegExp(`^${source}`, "i"), groups: [...groups] as Part[], gap };
}

const FORMS: readonly DateForm[] = [
  form("(\\d{4})年(\\d\\d)月(\\d\\d)日", "ymd"),
  form(`(\\d{4})-${DAY}-${DAY}(?!\\d)`, "ymd"),
  form(`(\\d{4})-${MONTH}-${DAY}(?!\\d)`, "yMd"),
  form(`${DAY}-${MONTH}-${YEAR}`, "dMy"),
  form(`(\\d{4})/${DAY}/${DAY}(?!\\d)`, "ymd"),
  form(`${DAY}/${DAY}/${YEAR}`, "mdy"),
  form(`(\\d{4}):${DAY}:${DAY}(?!\\d)`, "ymd"),
  form(`${DAY}:${DAY}:(\\d{4})(?!\\d)`, "mdy"),
  form(`(\\d{4})\\.${DAY}\\.${DAY}(?!\\d)`, "ymd"),
  form(`${DAY}\\.${DAY}\\.${YEAR}`, "mdy"),
  form(`${DAY}(?:st|nd|rd|th)? +${MONTH},? +${YEAR}`, "dMy", SPACES),
  form(`${MONTH} +${DAY}(?:st|nd|rd|th)?,? +${YEAR}`, "Mdy", SPACES),
  form("(\\d{4})[-/.](\\d{1,2})$", "ym", NONE),
];

/** The format `Nov 4 13:22:09 2017`, with a zone before the year or without a year. */
const MONTH_DAY = new RegExp(`^${MONTH} +${DAY}(?:st|nd|rd|th)?,? +(?=\\d{1,2}:)`, "i");
const YEAR_AT_END = / +'?(\d{4})$/;
const WEEKDAY =
  /^(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?),? +/i;
const TIME = /^(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:[.,](\d+))?)?)?(?: *([ap]m)(?![a-z]))?/i;

interface DateTime {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
}

/** Returns nanoseconds since 1970; throws TimeFailure. Dates without a year get their year from `now` (ns). */
export function parseTime(text: string, zone: Zone, now: () => bigint): bigint {
  const instant = fixedForm(text, zone, now) ?? (/^\d+$/.test(text) ? digits(text, zone) : freeForm(text, zone, now));
  if (BigInt.asIntN(64, instant) !== instant) throw new TimeFailure("time out of range");
  return instant;
}

function at(date: DateTime, zone: Zone, text: string): bigint {
  const part = partOutOfRange(date);
  if (part !== null) throw new TimeFailure(`parsing time "${text}": ${part} out of range`);
  return BigInt(secondsOf(date, zone)) * 1_000_000_000n + BigInt(date.nanosecond);
}

function partOutOfRange({ year, month, day, hour, minute, second }: DateTime): keyof DateTime | null {
  if (!(month >= 1 && month <= 12)) return "month";
  if (!(day >= 1 && day <= daysInMonth(year, month))) return "day";
  if (!(hour < 24)) return "hour";
  if (!(minute < 60)) return "minute";
  return second < 60 ? null : "second";
}

function secondsOf({ year, month, day, hour, minute, second }: DateTime, zone: Zone): number {
  return localToInstant(zone, utcSeconds(year, month, day, hour, minute, second));
}

const DAY_SECONDS = 86_400;
const DAY_NS = 86_400_000_000_000n;
/**
 * Number of previous years that are tried for a date without a year. Eight years are enough, because the last February
 * 29 is at most eight years ago.
 */
const YEARS_BACK = 8;

/** Returns the moment of a date without a year: the latest such moment that is at most a day after now. */
function withoutYear(date: DateTime, zone: Zone, now: bigint, text: string): bigint {
  const nowSeconds = Number(now / 1_000_000_000n);
  const current = new Date(nowSeconds * 1000).getUTCFullYear();
  for (let year = current + 1; year >= current - YEARS_BACK; year--) {
    const dated = { ...date, year };
    // Most dates that are too far in the future are skipped by this comparison in seconds, which is fast. The
    // comparison of nanoseconds that follows is exact, but takes more time.
    if (date.day > daysInMonth(year, date.month) || secondsOf(dated, zone) - nowSeconds > DAY_SECONDS + 1) continue;
    const instant = at(dated, zone, text);
    if (instant - now <= DAY_NS) return instant;
  }
  return at({ ...date, year: current }, zone, text);
}

/**
 * Returns the full year for a year that may have only two digits. Years of two digits from 69 to 99 lie in the
 * twentieth century.
 */
function fullYear(text: string): number {
  const year = Number(text);
  return text.length > 2 ? year : year + (year < 69 ? 2000 : 1900);
}

function monthNumber(text: string): number {
  return MONTHS.findIndex((month) => month.startsWith(text.slice(0, 3).toLowerCase())) + 1;
}

function nanoseconds(fraction: string | undefined): number {
  return Number((fraction ?? "").slice(0, 9).padEnd(9, "0"));
}

/**
 * Reads those formats of docs/reference/function-rules.md#time-text whose parts have a fixed order, such as
 * `060102 15:04:05` (a year of two digits) and `2006/01/02 - 15:04:05` (a dash before the time).
 */
function fixedForm(text: string, zone: Zone, now: () => bigint): bigint | undefined {
  const access = /^(\d\d)\/([A-Za-z]{3})\/(\d{4}):(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))? +([+-]\d{4})$/.exec(text);
  if (access !== null) {
    const [, day, month, years, hour, minute, second, fraction, offset] = access as unknown as string[];
    const own = parseOffset(offset as string);
    const date = parts([years, monthNumber(month as string), day, hour, minute, second], fraction);
    if (own !== undefined && date.month > 0) return at(date, fixedZone(own), text);
  }
  const yearless = /^(\d\d) +([A-Za-z]{3}) +(\d{1,2}):(\d\d):(\d\d)[.,](\d{3})$/.exec(text);
  if (yearless !== null) {
    const [, day, month, hour, minute, second, fraction] = yearless as unknown as string[];
    const date = parts([0, monthNumber(month as string), day, hour, minute, second], fraction);
    if (date.month > 0) return withoutYear(date, zone, now(), text);
  }
  const short = /^(\d\d)(\d\d)(\d\d) +(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?$/.exec(text);
  if (short !== null) {
    const [, years, month, day, hour, minute, second, fraction] = short as unknown as string[];
    return at(parts([fullYear(years as string), month, day, hour, minute, second], fraction), zone, text);
  }
  const dashed = /^(\d{4})\/(\d\d)\/(\d\d) +- +(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?$/.exec(text);
  if (dashed !== null) {
    const [, years, month, day, hour, minute, second, fraction] = dashed as unknown as string[];
    return at(parts([years, month, day, hour, minute, second], fraction), zone, text);
  }
  return undefined;
}

function parts(numbers: readonly (string | number | undefined)[], fraction: string | undefined): DateTime {
  const [year, month, day, hour, minute, second] = numbers.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { year, month, day, hour, minute, second, nanosecond: nanoseconds(fraction) };
}

function digits(text: string, zone: Zone): bigint {
  switch (text.length) {
    case 19:
      return BigInt(text);
    case 16:
      return BigInt(text) * 1_000n;
    case 13:
      return BigInt(text) * 1_000_000n;
    case 10:
      return BigInt(text) * 1_000_000_000n;
    case 14:
    case 8:
    case 4: {
      const two = (from: number, absent: number) => (text.length > from ? Number(text.slice(from, from + 2)) : absent);
      return at(parts([text.slice(0, 4), two(4, 1), two(6, 1), two(8, 0), two(10, 0), two(12, 0)], ""), zone, text);
    }
    case 1:
    case 2:
    case 3:
      throw new TimeFailure(`unrecognized format, too short ${text}`);
    default:
      throw unknown(text);
  }
}

function unknown(text: string): TimeFailure {
  return new TimeFailure(`Could not find format for "${text}"`);
}

function freeForm(text: string, zone: Zone, now: () => bigint): bigint {
  const seconds = /^(\d{10})\.(\d+)$/.exec(text);
  if (seconds !== null) return BigInt(seconds[1] as string) * 1_000_000_000n + BigInt(nanoseconds(seconds[2]));
  const date: DateTime = { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, nanosecond: 0 };
  const rest = text.replace(WEEKDAY, "");
  const monthDay = MONTH_DAY.exec(rest);
  if (monthDay !== null) {
    date.month = monthNumber(monthDay[1] as string);
    date.day = Number(monthDay[2]);
    const after = rest.slice(monthDay[0].length);
    const atEnd = YEAR_AT_END.exec(after);
    if (atEnd === null) {
      const its = timeAndZone(text, after, date, zone, false);
      return withoutYear(date, its, now(), text);
    }
    date.year = Number(atEnd[1]);
    return at(date, timeAndZone(text, after.slice(0, atEnd.index), date, zone, true), text);
  }
  for (const { expression, groups, gap } of FORMS) {
    const match = expression.exec(rest);
    if (match === null) continue;
    groups.forEach((part, index) => {
      setPart(date, part, match[index + 1] as string);
    });
    let after = rest.slice(match[0].length);
    if (after === "" || after === ",") return at(date, zone, text);
    const separator = gap.exec(after);
    if (separator === null) continue;
    after = after.slice(separator[0].length);
    return at(date, timeAndZone(text, after, date, zone, false), text);
  }
  throw unknown(text);
}

function setPart(date: DateTime, part: Part, text: string): void {
  if (part === "y") date.year = fullYear(text);
  else if (part === "d") date.day = Number(text);
  else date.month = part === "M" ? monthNumber(text) : Number(text);
}

/**
 * Adds the time of day that was found in the text to the date, and returns the zone that follows the time. `more` says
 * whether text follows the zone, as in `13:22:09 MST 2017`.
 */
function timeAndZone(text: string, rest: string, date: DateTime, zone: Zone, more: boolean): Zone {
  const time = TIME.exec(rest);
  if (time === null) throw unknown(text);
  date.hour = Number(time[1]);
  date.minute = Number(time[2] ?? 0);
  date.second = Number(time[3] ?? 0);
  date.nanosecond = nanoseconds(time[4]);
  const half = time[5]?.toLowerCase();
  if (half === "am" && date.hour === 12) date.hour = 0;
  if (half === "pm" && date.hour < 12) date.hour += 12;
  const behind = rest.slice(time[0].length);
  const named = RFC.test(text) ? abbreviated(behind.trim(), zone, date) : zoneInText(behind, zone, date, more);
  if (named === null) throw unknown(text);
  return named;
}

/**
 * Matches times of RFC 822, 850 and 1123 with a zone abbreviation: `02 Jan 06 15:04 MST`, `Mon, 02 Jan 2006 15:04:05
 * MST`.
 */
const RFC =
  /^(?:\d\d [a-z]{3} \d\d \d\d:\d\d|[a-z]+, (?:\d\d-[a-z]{3}-\d\d|\d{1,2} [a-z]{3} \d{4}) \d\d:\d\d:\d\d) [a-z]{2,5}$/i;

/**
 * Returns the zone with the UTC offset of an abbreviation such as `CEST`, when the given zone uses this abbreviation;
 * UTC for any other abbreviation.
 */
function abbreviated(name: string, zone: Zone, date: DateTime): Zone {
  if (isGivenOffset(zone)) return isAbbreviationOf(name, zone.offsetAt(0)) ? zone : UTC;
  const local = utcSeconds(date.year, date.month, date.day, date.hour, date.minute, date.second);
  for (const at of [zone.offsetAt(local), zone.offsetAt(local - 43200), zone.offsetAt(local + 43200)])
    if (zoneAbbreviation(zone.name, at) === name) return fixedZone(at);
  return UTC;
}

/**
 * Returns the zone that follows a time of day (docs/reference/function-rules.md#time-text). Returns null when the text
 * after the time is not a zone.
 */
function zoneInText(rest: string, zone: Zone, date: DateTime, more: boolean): Zone | null {
  if (rest === "") return zone;
  if (/^ *Z$/.test(rest)) return UTC;
  const offset = /^ *(?:[A-Za-z]{3,5})?([+-]\d{1,2}(?::?\d\d)?)(?: +.*)?$/.exec(rest);
  if (offset !== null) {
    const text = offset[1] as string;
    const seconds = parseOffset(/^[+-]\d{3}$/.test(text) ? `${text[0]}0${text.slice(1)}` : text);
    return seconds === undefined ? null : fixedZone(seconds);
  }
  if (/^ +(?:\(.*\)|m=[+-].*)$/.test(rest)) return zone;
  const word = /^ +([A-Za-z]{2,5})( +.*)?$/.exec(rest);
  if (word === null) return null;
  const name = word[1] as string;
  if (name === "UTC" || name === "GMT") return UTC;
  if (word[2] === undefined && !more) return zone;
  // A numeric offset already determines the zone, so an abbreviation beside it is ignored.
  return isGivenOffset(zone) ? zone : abbreviated(name, zone, date);
}
