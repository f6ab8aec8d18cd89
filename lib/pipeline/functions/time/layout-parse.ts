// Reads times from text by a layout that is written as Go's reference date, Mon Jan 2 15:04:05 2006 -0700
// (docs/reference/functions.md#default_time_with_fmt).

import { daysInMonth, fixedZone, localToInstant, utcSeconds, type Zone } from "../../../time/zone.ts";
import { ELEMENT } from "./date-layout.ts";

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

interface Fields {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
  half: "" | "am" | "pm";
  offset: number | undefined;
}

interface Element {
  readonly source: string;
  set(fields: Fields, text: string): void;
}

function number(part: "year" | "month" | "day" | "hour" | "minute" | "second", source: string): Element {
  return {
    source,
    set: (fields, text) => {
      fields[part] = Number(text);
    },
  };
}

const NAME_OF_MONTH: Element = {
  source: "[A-Za-z]{3}",
  set: (fields, text) => {
    fields.month = MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1;
  },
};
const IGNORED = (source: string): Element => ({ source, set: () => {} });

function offset(source: string): Element {
  return {
    source,
    set: (fields, text) => {
      const digits = text.replace(/[^0-9]/g, "").padEnd(6, "0");
      const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60 + Number(digits.slice(4));
      fields.offset = text.startsWith("-") ? -seconds : seconds;
    },
  };
}

const FRACTION: Element = {
  source: "(?:[.,]\\d+)",
  set: (fields, text) => {
    fields.nanosecond = Number(text.slice(1, 10).padEnd(9, "0"));
  },
};

const ELEMENTS: Readonly<Record<string, Element>> = {
  "2006": number("year", "\\d{4}"),
  "06": {
    source: "\\d{2}",
    set: (fields, text) => {
      fields.year = Number(text) + (Number(text) < 69 ? 2000 : 1900);
    },
  },
  January: {
    source: "(?:January|February|March|April|May|June|July|August|September|October|November|December)",
    set: NAME_OF_MONTH.set,
  },
  Jan: NAME_OF_MONTH,
  "01": number("month", "\\d{2}"),
  "1": number("month", "\\d{1,2}"),
  "02": number("day", "\\d{2}"),
  "2": number("day", "\\d{1,2}"),
  _2: number("day", " ?\\d{1,2}"),
  "15": number("hour", "\\d{1,2}"),
  "03": number("hour", "\\d{2}"),
  "3": number("hour", "\\d{1,2}"),
  "04": number("minute", "\\d{2}"),
  "4": number("minute", "\\d{1,2}"),
  "05": number("second", "\\d{2}"),
  "5": number("second", "\\d{1,2}"),
  PM: {
    source: "[AP]M",
    set: (fields, text) => {
      fields.half = text === "AM" ? "am" : "pm";
    },
  },
  pm: {
    source: "[ap]m",
    set: (fields, text) => {
      fields.half = text === "am" ? "am" : "pm";
    },
  },
  Monday: IGNORED("(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"),
  Mon: IGNORED("(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"),
  MST: {
    source: "(?:[A-Z]{3,4}|[+-]\\d{2}(?:\\d{2})?)",
    set: (fields, text) => {
      if (text === "UTC") fields.offset = 0;
    },
  },
  "-07": offset("[+-]\\d{2}"),
  "-0700": offset("[+-]\\d{4}"),
  "-07:00": offset("[+-]\\d{2}:\\d{2}"),
  Z07: offset("(?:Z|[+-]\\d{2})"),
  Z0700: offset("(?:Z|[+-]\\d{4})"),
  "Z07:00": offset("(?:Z|[+-]\\d{2}:\\d{2})"),
};

/**
 * Returns a reader for a layout. The reader returns nanoseconds since 1970 for texts of this layout, and undefined for
 * all other texts.
 */
export function layoutReader(layout: string): (text: string, zone: Zone) => bigint | undefined {
  const elements: Element[] = [];
  let source = "";
  let copied = 0;
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&").replace(/ +/g, " +");
  const add = (element: Element, suffix = "") => {
    source += `(${element.source})${suffix}`;
    elements.push(element);
  };
  for (const match of layout.matchAll(ELEMENT)) {
    const element = /^[.,]/.test(match[0]) ? FRACTION : ELEMENTS[match[0]];
    if (element === undefined) continue;
    source += literal(layout.slice(copied, match.index));
    copied = match.index + match[0].length;
    // A fraction of the seconds is accepted in the text even when the layout has no fraction.
    const stated = /^[.,][09]/.test(layout.slice(copied));
    add(element, element === FRACTION && match[0][1] === "9" ? "?" : "");
    if ((match[0] === "05" || match[0] === "5") && !stated) add(FRACTION, "?");
  }
  const expression = new RegExp(`^${source}${literal(layout.slice(copied))}$`, "i");
  return (text, zone) => {
    const match = expression.exec(text);
    if (match === null) return undefined;
    const fields: Fields = {
      year: 0,
      month: 1,
      day: 1,
      hour: 0,
      minute: 0,
      second: 0,
      nanosecond: 0,
      half: "",
      offset: undefined,
    };
    elements.forEach((element, index) => {
      const part = match[index + 1];
      if (part !== undefined) element.set(fields, part);
    });
    return instant(fields, zone);
  };
}

function instant(f: Fields, zone: Zone): bigint | undefined {
  if (f.half === "pm" && f.hour < 12) f.hour += 12;
  if (f.half === "am" && f.hour === 12) f.hour = 0;
  const lastDay = daysInMonth(f.year, f.month);
  if (f.month < 1 || f.month > 12 || f.day < 1 || f.day > lastDay) return undefined;
  if (f.hour > 23 || f.minute > 59 || f.second > 59) return undefined;
  const local = utcSeconds(f.year, f.month, f.day, f.hour, f.minute, f.second);
  const seconds = localToInstant(f.offset === undefined ? zone : fixedZone(f.offset), local);
  const result = BigInt(seconds) * 1_000_000_000n + BigInt(f.nanosecond);
  return BigInt.asIntN(64, result) === result ? result : undefined;
}
