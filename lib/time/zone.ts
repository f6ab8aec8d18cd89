// Time zones, given as an IANA name or a fixed offset, with conversion to and from local time
// (docs/reference/function-rules.md#time-text). The rules of the zones come from JavaScript's Intl.

import { zoneAbbreviation } from "./zone-names.ts";

export interface Zone {
  readonly name: string;
  /**
   * Returns the UTC offset of the zone at a moment, in seconds; it is positive east of UTC. The moment is given in
   * seconds since 1970.
   */
  offsetAt(seconds: number): number;
}

/**
 * Three-letter names that the ICU library (inside Intl) accepts although they are not in the tz database. Millrace
 * refuses them.
 */
const NOT_IANA = new Set(
  "ACT AET AGT ART AST BET BST CAT CNT CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST".split(" "),
);

export function fixedZone(offset: number, name = offsetText(offset, ":")): Zone {
  return { name, offsetAt: () => offset };
}

/** Returns whether a zone was given as a fixed offset, such as `+8`. */
export function isGivenOffset(zone: Zone): boolean {
  return zone.name.startsWith("+") || zone.name.startsWith("-");
}

export const UTC: Zone = fixedZone(0, "UTC");

/** Returns a UTC offset as text, such as `+08:00`. */
export function offsetText(offset: number, separator: string): string {
  const minutes = Math.floor(Math.abs(offset) / 60);
  const two = (value: number) => String(value).padStart(2, "0");
  return (offset < 0 ? "-" : "+") + two(Math.floor(minutes / 60)) + separator + two(minutes % 60);
}

/**
 * Parses a UTC offset of up to 14 hours and returns its seconds: `+8`, `-08`, `+8:30`, `+08:30`, `+0830`. Returns
 * undefined for any other text.
 */
export function parseOffset(text: string): number | undefined {
  const match = /^([+-])(?:(\d{1,2})(?::(\d\d))?|(\d\d)(\d\d))$/.exec(text);
  if (match === null) return undefined;
  const seconds = Number(match[2] ?? match[4]) * 3600 + Number(match[3] ?? match[5] ?? 0) * 60;
  if (seconds > 14 * 3600 || Number(match[3] ?? match[5] ?? 0) > 59) return undefined;
  return match[1] === "-" ? -seconds : seconds;
}

const zones = new Map<string, Zone | null>();

/** Returns the zone with an IANA name, which is case-sensitive; null when the name is unknown. */
export function namedZone(name: string): Zone | null {
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = name === "UTC" ? UTC : makeZone(name);
    zones.set(name, zone);
  }
  return zone;
}

function makeZone(name: string): Zone | null {
  if (!/^[A-Z]/.test(name) || NOT_IANA.has(name)) return null;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return null;
  }
  // Intl accepts names in any case. A name that differs from Intl's canonical name only in case is refused.
  const canonical = format.resolvedOptions().timeZone;
  if (canonical !== name && canonical.toLowerCase() === name.toLowerCase()) return null;
  // UTC offsets change only at full quarters of an hour, so one offset is cached for each quarter.
  const known = new Map<number, number>();
  return {
    name,
    offsetAt(seconds) {
      const quarter = Math.floor(seconds / 900);
      let offset = known.get(quarter);
      if (offset === undefined) {
        offset = readOffset(format, quarter * 900);
        if (known.size > 1000) known.clear();
        known.set(quarter, offset);
      }
      return offset;
    },
  };
}

function readOffset(format: Intl.DateTimeFormat, seconds: number): number {
  const part: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(seconds * 1000)) part[type] = value;
  const year = Number(part.year);
  const local = utcSeconds(
    part.era === "BC" ? 1 - year : year,
    Number(part.month),
    Number(part.day),
    Number(part.hour),
    Number(part.minute),
    Number(part.second),
  );
  return local - seconds;
}

/** The latest moment that a JavaScript Date can hold, in seconds since 1970. */
const MOST_SECONDS = 8.64e12;

/**
 * Returns the seconds since 1970 of a date and time in the proleptic Gregorian calendar. A part beyond its range
 * carries over: month 13 is January of the next year. Returns NaN for a time that no Date can hold.
 */
export function utcSeconds(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  // Years are counted from March, so that the leap day is the last day of a year. This computation is faster than
  // making a Date for each time that a script converts.
  const months = year * 12 + month - 3;
  const fromMarch = Math.floor(months / 12);
  const era = Math.floor(fromMarch / 400);
  const yearOfEra = fromMarch - era * 400;
  const dayOfYear = Math.floor((153 * (months - fromMarch * 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const seconds = ((era * 146_097 + dayOfEra - 719_468) * 24 + hour) * 3600 + minute * 60 + second;
  return Math.abs(seconds) <= MOST_SECONDS ? seconds : Number.NaN;
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the number of days of a month from 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : monthDays[month - 1]!;
}

/**
 * Returns the moment at which the clocks of the zone show a local time. When the local time occurs twice, this is the
 * first moment. A local time that the clocks skip is converted with the offset before the skip.
 */
export function localToInstant(zone: Zone, local: number): number {
  const offset = zone.offsetAt(local);
  const instant = local - offset;
  const there = zone.offsetAt(instant);
  return there === offset ? instant : local - there;
}

/** Returns the abbreviation that the zone uses at a moment, or else its offset in digits: `EST`, `+0530`, `-03`. */
export function abbreviationAt(zone: Zone, seconds: number): string {
  const offset = zone.offsetAt(seconds);
  if (zone === UTC) return "UTC";
  const name = zoneAbbreviation(zone.name, offset);
  if (name !== undefined) return name;
  return offset % 3600 === 0 ? offsetText(offset, "").slice(0, 3) : offsetText(offset, "");
}

/** Returns whether a text names a time zone, by an IANA name or a fixed offset. */
export function isTimeZone(text: string): boolean {
  return zoneArgument(text, "UTC") !== null;
}

/**
 * Returns the zone for the zone argument of the functions `default_time` and `parse_date`; null when the zone is
 * unknown.
 */
export function zoneArgument(text: string, host: string): Zone | null {
  if (text === "" || text === "Local") return namedZone(host) ?? UTC;
  if (text.startsWith("+") || text.startsWith("-")) {
    const offset = parseOffset(text);
    return offset === undefined ? null : fixedZone(offset);
  }
  return namedZone(text === "CST" ? "Asia/Shanghai" : text);
}
