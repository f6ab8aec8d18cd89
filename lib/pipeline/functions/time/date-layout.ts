// Prints times by layouts that are written as Go's reference date, Mon Jan 2 15:04:05 2006 -0700, and splits such
// layouts into elements. Also prints the placeholders of the function `datetime` (docs/reference/functions.md).

import { abbreviationAt, offsetText, type Zone } from "../../../time/zone.ts";

const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** A moment as year, month, day and time of day in a time zone. */
export interface LocalTime {
  readonly seconds: bigint;
  readonly nanosecond: number;
  readonly offset: number;
  readonly abbreviation: string;
  readonly year: number;
  /** Month of the year, 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Day of the week; 0 is Sunday. */
  readonly weekday: number;
  /** Day of the year; January 1 is 1. */
  readonly yearDay: number;
}

/**
 * Returns the parts of a time in a time zone.
 *
 * @example
 * localTime(1_700_000_000_000_000_000n, { name: "UTC", offsetAt: () => 0 }).weekday; // 2, a Tuesday
 */
export function localTime(nanoseconds: bigint, zone: Zone): LocalTime {
  const nanosecond = Number(((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n);
  const seconds = (nanoseconds - BigInt(nanosecond)) / 1_000_000_000n;
  const instant = Number(seconds);
  const offset = zone.offsetAt(instant);
  const date = new Date((instant + offset) * 1000);
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return {
    seconds,
    nanosecond,
    offset,
    abbreviation: abbreviationAt(zone, instant),
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    weekday: date.getUTCDay(),
    yearDay: Math.round((date.getTime() - start.getTime()) / 86_400_000) + 1,
  };
}

const two = (value: number) => String(value).padStart(2, "0");
const spaced = (value: number) => String(value).padStart(2, " ");
const hour12 = (hour: number) => hour % 12 || 12;

const LAYOUTS: Readonly<Record<string, string>> = {
  "ANSI-C": "Mon Jan _2 15:04:05 2006",
  ANSIC: "Mon Jan _2 15:04:05 2006",
  UnixDate: "Mon Jan _2 15:04:05 MST 2006",
  RubyDate: "Mon Jan 02 15:04:05 -0700 2006",
  RFC822: "02 Jan 06 15:04 MST",
  RFC822Z: "02 Jan 06 15:04 -0700",
  RFC850: "Monday, 02-Jan-06 15:04:05 MST",
  RFC1123: "Mon, 02 Jan 2006 15:04:05 MST",
  RFC1123Z: "Mon, 02 Jan 2006 15:04:05 -0700",
  RFC3339: "2006-01-02T15:04:05Z07:00",
  RFC3339Nano: "2006-01-02T15:04:05.999999999Z07:00",
  Kitchen: "3:04PM",
  Stamp: "Jan _2 15:04:05",
  StampMilli: "Jan _2 15:04:05.000",
  StampMicro: "Jan _2 15:04:05.000000",
  StampNano: "Jan _2 15:04:05.000000000",
};

/** The elements of layouts (such as `2006` or `Jan`), longest first. */
export const ELEMENT =
  /January|Jan|Monday|Mon|MST|2006|__2|_2|002|01|02|03|04|05|06|15|PM|pm|Z07:00:00|Z070000|Z07:00|Z0700|Z07|-07:00:00|-070000|-07:00|-0700|-07|[.,](?:0+|9+)(?!\d)|1|2|3|4|5/g;

function printElement(element: string, t: LocalTime): string {
  if (/^[.,]/.test(element)) {
    const digits = String(t.nanosecond)
      .padStart(9, "0")
      .slice(0, element.length - 1);
    if (element[1] === "0") return element[0] + digits;
    const short = digits.replace(/0+$/, "");
    return short === "" ? "" : element[0] + short;
  }
  if (element.startsWith("Z") && t.offset === 0) return "Z";
  switch (element) {
    case "January":
      return MONTHS[t.month - 1] as string;
    case "Jan":
      return (MONTHS[t.month - 1] as string).slice(0, 3);
    case "Monday":
      return DAYS[t.weekday] as string;
    case "Mon":
      return (DAYS[t.weekday] as string).slice(0, 3);
    case "MST":
      return t.abbreviation;
    case "2006":
      return yearText(t.year);
    case "06":
      return two(((t.year % 100) + 100) % 100);
    case "01":
      return two(t.month);
    case "1":
      return String(t.month);
    case "02":
      return two(t.day);
    case "_2":
      return spaced(t.day);
    case "2":
      return String(t.day);
    case "002":
      return String(t.yearDay).padStart(3, "0");
    case "__2":
      return String(t.yearDay).padStart(3, " ");
    case "15":
      return two(t.hour);
    case "03":
      return two(hour12(t.hour));
    case "3":
      return String(hour12(t.hour));
    case "04":
      return two(t.minute);
    case "4":
      return String(t.minute);
    case "05":
      return two(t.second);
    case "5":
      return String(t.second);
    case "PM":
      return t.hour < 12 ? "AM" : "PM";
    case "pm":
      return t.hour < 12 ? "am" : "pm";
  }
  if (element.endsWith("07")) return offsetText(t.offset, "").slice(0, 3);
  return offsetText(t.offset, element.includes(":") ? ":" : "");
}

function yearText(year: number): string {
  return year < 0 ? `-${String(-year).padStart(4, "0")}` : String(year).padStart(4, "0");
}

export const layoutNames: readonly string[] = Object.keys(LAYOUTS);

/** Returns whether the format is the name of a known layout or has a placeholder. */
export function isDateFormat(format: string): boolean {
  return Object.hasOwn(LAYOUTS, format) || format.includes("%");
}

/** Returns the function that prints times in a format: a named layout, or else a pattern with placeholders. */
export function datePrinter(format: string): (t: LocalTime) => string {
  const layout = Object.hasOwn(LAYOUTS, format) ? LAYOUTS[format] : undefined;
  if (layout !== undefined) return layoutPrinter(layout);
  return (t) => printPattern(format, t);
}

/** Placeholders of `datetime` (such as `%Y`), each with the layout element that has the same meaning. */
const SAME_IN_LAYOUT: Readonly<Record<string, string>> = {
  Y: "2006",
  y: "06",
  m: "01",
  B: "January",
  b: "Jan",
  h: "Jan",
  d: "02",
  e: "_2",
  A: "Monday",
  a: "Mon",
  j: "002",
  H: "15",
  k: "15",
  I: "03",
  l: "3",
  M: "04",
  S: "05",
  f: "000000",
  p: "PM",
  P: "pm",
  z: "-0700",
  Z: "MST",
  n: "\n",
  t: "\t",
  "%": "%",
};

/** Converts a pattern of placeholders to a layout. Times that the pattern prints can be read by this layout. */
export function layoutOfPattern(pattern: string): string {
  return pattern.replace(/%[-_0^#]*([A-Za-z%])/g, (whole, letter: string) => {
    const composite = Object.hasOwn(COMPOSITES, letter) ? COMPOSITES[letter] : undefined;
    if (composite !== undefined) return layoutOfPattern(composite);
    return (Object.hasOwn(SAME_IN_LAYOUT, letter) ? SAME_IN_LAYOUT[letter] : undefined) ?? whole;
  });
}

/**
 * Returns the function that prints times by a layout, which is written as Go's reference date.
 *
 * @example
 * const time = localTime(1_700_000_000_000_000_000n, { name: "UTC", offsetAt: () => 0 });
 * layoutPrinter("2006-01-02 15:04:05")(time); // "2023-11-14 22:13:20"
 */
export function layoutPrinter(layout: string): (t: LocalTime) => string {
  return (t) => layout.replace(ELEMENT, (element) => printElement(element, t));
}

const COMPOSITES: Readonly<Record<string, string>> = {
  F: "%Y-%m-%d",
  T: "%H:%M:%S",
  X: "%H:%M:%S",
  R: "%H:%M",
  r: "%I:%M:%S %p",
  D: "%m/%d/%y",
  x: "%m/%d/%y",
  v: "%e-%b-%Y",
  "+": "%a %b %e %H:%M:%S %Z %Y",
};

/**
 * One part of a pattern with placeholders such as `%Y`: literal text, or a number with its default padding and width.
 */
type Piece = string | readonly [value: number | bigint, pad: "0" | " ", width: number];

/**
 * Maps the letter of each placeholder of a date to the function that prints it. Placeholders that are short
 * forms for several other placeholders are in COMPOSITES.
 */
const PIECES: Readonly<Record<string, (t: LocalTime) => Piece>> = {
  Y: (t) => [t.year, "0", 4],
  C: (t) => [Math.floor(t.year / 100), "0", 2],
  c: (t) => [Math.floor(t.year / 100), "0", 2],
  y: (t) => [((t.year % 100) + 100) % 100, "0", 2],
  m: (t) => [t.month, "0", 2],
  B: (t) => MONTHS[t.month - 1] as string,
  b: (t) => (MONTHS[t.month - 1] as string).slice(0, 3),
  h: (t) => (MONTHS[t.month - 1] as string).slice(0, 3),
  d: (t) => [t.day, "0", 2],
  e: (t) => [t.day, " ", 2],
  A: (t) => DAYS[t.weekday] as string,
  a: (t) => (DAYS[t.weekday] as string).slice(0, 3),
  u: (t) => [t.weekday || 7, "0", 1],
  w: (t) => [t.weekday, "0", 1],
  j: (t) => [t.yearDay, "0", 3],
  H: (t) => [t.hour, "0", 2],
  k: (t) => [t.hour, " ", 2],
  I: (t) => [hour12(t.hour), "0", 2],
  l: (t) => [hour12(t.hour), " ", 2],
  M: (t) => [t.minute, "0", 2],
  S: (t) => [t.second, "0", 2],
  f: (t) => [Math.floor(t.nanosecond / 1000), "0", 6],
  p: (t) => (t.hour < 12 ? "AM" : "PM"),
  P: (t) => (t.hour < 12 ? "am" : "pm"),
  s: (t) => [t.seconds, "0", 1],
  z: (t) => offsetText(t.offset, ""),
  ":z": (t) => offsetText(t.offset, ":"),
  "::z": (t) => `${offsetText(t.offset, ":")}:${two(Math.abs(t.offset) % 60)}`,
  ":::z": (t) => (t.offset % 3600 === 0 ? offsetText(t.offset, "").slice(0, 3) : offsetText(t.offset, ":")),
  Z: (t) => t.abbreviation,
  G: (t) => [isoWeek(t).year, "0", 4],
  g: (t) => [isoWeek(t).year % 100, "0", 2],
  V: (t) => [isoWeek(t).week, "0", 2],
  U: (t) => [Math.floor((t.yearDay + 6 - t.weekday) / 7), "0", 2],
  W: (t) => [Math.floor((t.yearDay + 6 - ((t.weekday + 6) % 7)) / 7), "0", 2],
  n: () => "\n",
  t: () => "\t",
  "%": () => "%",
};

/** Returns the text that a placeholder of a date prints; undefined when `datetime` does not know the placeholder. */
function piece(letter: string, t: LocalTime): Piece | undefined {
  const print = Object.hasOwn(PIECES, letter) ? PIECES[letter] : undefined;
  if (print !== undefined) return print(t);
  const composite = Object.hasOwn(COMPOSITES, letter) ? COMPOSITES[letter] : undefined;
  return composite === undefined ? undefined : printPattern(composite, t);
}

function isoWeek(t: LocalTime): { year: number; week: number } {
  // In ISO 8601, a week belongs to the year in which its Thursday lies.
  const thursday = new Date(Date.UTC(2000, 0, 1));
  thursday.setUTCFullYear(t.year, t.month - 1, t.day + 4 - (t.weekday || 7));
  const start = new Date(thursday);
  start.setUTCMonth(0, 1);
  const day = Math.round((thursday.getTime() - start.getTime()) / 86_400_000);
  return { year: thursday.getUTCFullYear(), week: Math.floor(day / 7) + 1 };
}

const MAX_WIDTH = 1024;

function printPattern(pattern: string, t: LocalTime): string {
  return pattern.replace(
    /%([-_0^#]*)(\d*)(:{1,3}z|[A-Za-z+%])/g,
    (whole, flags: string, width: string, letter: string) => {
      const found = piece(letter, t);
      if (found === undefined) return whole;
      let text: string;
      let pad = " ";
      let least = width === "" ? 0 : Math.min(Number(width), MAX_WIDTH);
      if (typeof found === "string") text = found;
      else {
        pad = found[1];
        if (width === "") least = found[2];
        text = String(found[0]);
      }
      for (const flag of flags) {
        if (flag === "-") least = 0;
        else if (flag === "_") pad = " ";
        else if (flag === "0") pad = "0";
        else if (flag === "^") text = text.toUpperCase();
        else text = swapCase(text);
      }
      return text.padStart(least, pad);
    },
  );
}

function swapCase(text: string): string {
  return text.replace(/[A-Za-z]/g, (c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()));
}
