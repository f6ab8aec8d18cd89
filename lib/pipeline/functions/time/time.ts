// Functions that read times from text and write times as text (docs/reference/functions.md). The program that uses the
// library provides the clock and the time zone.

import { Key } from "../../../point/view.ts";
import { integer } from "../../../text/integer.ts";
import { nearestName } from "../../../text/nearest.ts";
import {
  fixedZone,
  localToInstant,
  namedZone,
  parseOffset,
  UTC,
  utcSeconds,
  type Zone,
  zoneArgument,
} from "../../../time/zone.ts";
import { writeKey } from "../../runtime/point-access.ts";
import type { Run } from "../../runtime/run.ts";
import { registerOperation } from "../../runtime/tape-operations.ts";
import { toText } from "../../runtime/to-text.ts";
import { isInt, isText, textOf, VOID } from "../../runtime/value.ts";
import { type Call, type Declaration, declare, type Param } from "../declare.ts";
import { isKeyNode, KEY, literalOr } from "../nodes.ts";
import { toIntLenient } from "../point/conversions.ts";
import { datePrinter, ELEMENT, isDateFormat, layoutNames, layoutOfPattern, localTime } from "./date-layout.ts";
import { layoutReader } from "./layout-parse.ts";
import { convertInPlace } from "./time-bytes.ts";
import { parseTime, TimeFailure } from "./time-text.ts";

const SECOND = 1_000_000_000n;
const PL_MSG = new Key("pl_msg");

function hostZone(run: Run): Zone {
  return namedZone(run.host.timeZone) ?? UTC;
}

function currentTime(run: Run) {
  return localTime(run.host.now(), hostZone(run));
}

const TIMEZONE: Param = {
  name: "timezone",
  type: "str",
  optional: true,
  summary: "a literal: the zone of times that name none, IANA name or offset; the host's when left out",
};

export const defaultTime = declare({
  name: "default_time",
  summary:
    "Turns time text, or a count of seconds to nanoseconds, into nanoseconds. Named `time`, it becomes the point's time.",
  params: [KEY, TIMEZONE],
  style: "positional",
  arity: { min: 1, tooFew: "func default_time Expect at least one arg" },
  examples: [
    {
      script: `add_key(t, _); default_time(t)`,
      input: "2021-01-11T17:43:51.887+0800",
      gives: { t: 1610358231887000000 },
    },
    {
      script: `add_key(t, _); default_time(t, "Asia/Tokyo")`,
      input: "2020-09-13 21:26:40",
      gives: { t: 1600000000000000000 },
    },
  ],
  bind(call) {
    const { key, mayBeVariable, read } = call.key(0);
    const zone =
      call.arg(1) === undefined ? "" : literalOr(call, 1, (kind) => `param key expect StringLiteral, got ${kind}`);
    let its: Zone | null = null;
    let host = "";
    const inPlace = !mayBeVariable && zoneArgument(zone, "UTC") !== null;
    return registerOperation(inPlace ? { code: "readTime", key } : null, (run) => {
      if (run.host.timeZone !== host) {
        host = run.host.timeZone;
        its = zoneArgument(zone, host);
      }
      if (!mayBeVariable && its !== null && convertInPlace(run.point, key, its, run.host.now)) return VOID;
      const value = read(run);
      if (value === undefined) return VOID;
      try {
        const effective = its;
        if (effective === null)
          throw new TimeFailure(/^[+-]/.test(zone) ? `fail to parse timezone ${zone}` : `unknown time zone ${zone}`);
        const time = parseTime(toText(value, run.memory), effective, run.host.now);
        writeKey(run, key, integer(time));
      } catch (error) {
        if (!(error instanceof TimeFailure)) throw error;
        const time = run.point.time;
        writeKey(run, PL_MSG, `time convert failed: ${error.message}`);
        writeKey(run, key, integer(time));
      }
      return VOID;
    });
  },
});

export const defaultTimeWithFmt = declare({
  name: "default_time_with_fmt",
  summary: "Turns time text of a given layout into nanoseconds; other text is left alone.",
  params: [
    { ...KEY },
    {
      name: "layout",
      type: "str",
      summary: "a literal: the time Mon Jan 2 15:04:05 2006 -0700 as the text would write it",
    },
    TIMEZONE,
  ],
  style: "positional",
  arity: { min: 2, tooFew: "func default_time_with_fmt expected more than 2 args" },
  examples: [
    {
      script: `add_key(t, _); default_time_with_fmt(t, "02/Jan/2006:15:04:05 -0700")`,
      input: "06/Jan/2017:16:16:37 +0800",
      gives: { t: 1483690597000000000 },
    },
  ],
  bind(call) {
    const node = call.arg(0);
    if (!isKeyNode(node)) call.fail(`param key expect AttrExpr or Identifier, got ${node?.kind}`, node);
    const { key, read } = call.key(0);
    const literal = (index: number) => literalOr(call, index, (kind) => `param key expect StringLiteral, got ${kind}`);
    const layout = literal(1);
    const parse = layoutReader(layout);
    if (layout.includes("%"))
      call.warn(
        `the layout is the date Mon Jan 2 15:04:05 2006 -0700 as the text would write it, % means nothing in it; did you mean ${JSON.stringify(layoutOfPattern(layout))}?`,
        call.arg(1),
      );
    else if (layout.search(ELEMENT) < 0)
      call.warn("the layout names no part of a date, so no text is a time", call.arg(1));
    const zone = call.arg(2) === undefined ? "" : literal(2);
    return (run) => {
      const value = read(run);
      const effective = zone === "" || zone === "Local" ? hostZone(run) : namedZone(zone);
      if (value === undefined || effective === null) return VOID;
      const time = parse(toText(value, run.memory), effective);
      if (time !== undefined) writeKey(run, key, integer(time));
      return VOID;
    };
  },
});

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ["s", SECOND],
  ["ms", 1_000_000n],
  ["us", 1_000n],
  ["ns", 1n],
]);

export const datetime = declare({
  name: "datetime",
  summary: "Prints a timestamp in a named layout, such as RFC3339, or by placeholders such as %Y-%m-%d.",
  params: [
    KEY,
    { name: "precision", type: "str", summary: "a literal: the timestamp's unit: s, ms, us or ns" },
    { name: "fmt", type: "str", summary: "a literal: the layout's name, or text with placeholders" },
    { name: "tz", type: "str", optional: true, summary: "a literal: the zone; the host's when left out" },
  ],
  style: "named",
  examples: [
    {
      script: `json(_, ts); datetime(ts, "ms", "RFC3339", "UTC")`,
      input: `{"ts": "1610960605000"}`,
      gives: { ts: "2021-01-18T09:03:25Z" },
    },
    {
      script: `add_key(ts, 1136214245); datetime(ts, "s", "%d.%m.%Y %H:%M", "Asia/Tokyo")`,
      input: "x",
      gives: { ts: "03.01.2006 00:04" },
    },
  ],
  bind(call) {
    const { key, read } = call.key(0);
    const literal = (index: number, name: string) =>
      literalOr(call, index, (kind) => `param \`${name}\` expect StringLiteral, got ${kind}`);
    const precision = literal(1, "precision");
    const format = literal(2, "fmt");
    const print = datePrinter(format);
    if (!isDateFormat(format)) {
      const near = nearestName(format, layoutNames);
      const meant = near === undefined ? "a layout's name, or placeholders such as %Y-%m-%d" : `did you mean ${near}?`;
      call.warn(`unknown layout ${format.slice(0, 100)}, its text takes the place of the value; ${meant}`, call.arg(2));
    }
    const tz = call.arg(3) === undefined ? "" : literal(3, "tz");
    const unit = UNITS.get(precision);
    if (unit === undefined) call.warn(`unknown precision ${precision}, taken as ns`, call.arg(1));
    const offset = /^[+-]\d{1,2}:\d\d$/.test(tz) ? parseOffset(tz) : undefined;
    return (run) => {
      const value = read(run);
      if (value === undefined) return VOID;
      const zone =
        offset !== undefined ? fixedZone(offset) : tz === "" || tz === "Local" ? hostZone(run) : namedZone(tz);
      if (zone === null) throw call.runFailure(`unknown time zone ${tz}`, call.arg(2));
      writeKey(run, key, print(localTime(toIntLenient(value) * (unit ?? 1n), zone)));
      return VOID;
    };
  },
});

export const timestamp = declare({
  name: "timestamp",
  summary: "The current time, not the point's.",
  params: [{ name: "precision", type: "str", optional: true, summary: "ns, us, ms or s; ns when left out" }],
  returns: "int",
  style: "named",
  examples: [{ script: `add_key(ok, timestamp("s") > 1600000000)`, input: "x", gives: { ok: true } }],
  bind(call) {
    const precision = call.value(0);
    return (run) => {
      const given = precision(run);
      const unit = isText(given) ? (UNITS.get(textOf(given)) ?? 1n) : 1n;
      return integer(run.host.now() / unit);
    };
  },
});

const MONTH_NAMES = "january february march april may june july august september october november december".split(" ");
/** Index of each parameter of parse_date (year, month, ...) in its list of parameters. */
const [YEAR, MONTH, DAY, HOUR, MINUTE, SECONDS, MILLI, MICRO, NANO, ZONE] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

const part = (name: string, summary: string): Param => ({ name, type: "str", optional: true, summary });

export const parseDate = declare({
  name: "parse_date",
  summary: "Makes nanoseconds of the parts of a date. Missing parts of the date are the current ones.",
  params: [
    KEY,
    part("yy", "year; two digits lie in this century"),
    part("MM", "month, a number or an English name"),
    part("dd", "day of the month"),
    part("hh", "hour"),
    part("mm", "minute"),
    part("ss", "second; 0 when left out"),
    part("ms", "milliseconds"),
    part("us", "microseconds"),
    part("ns", "nanoseconds"),
    part("zone", "IANA name or offset; UTC when left out"),
  ],
  style: "named",
  examples: [
    {
      script: `parse_date(t, "2021", "May", "12", "10", "10", "34", zone="Asia/Shanghai")`,
      input: "x",
      gives: { t: 1620785434000000000 },
    },
  ],
  bind(call) {
    if (call.arg(0) === undefined) call.fail("parameter key is required");
    const { key } = call.key(0);
    const values = Array.from({ length: 11 }, (_, index) => call.value(index));
    const nine = call.args.length === 9 && call.args.every((argument) => argument.kind !== "AssignmentExpr");
    return (run) => {
      /** The arguments of parse_date as strings; an argument that is absent is the empty string. */
      const texts = values.map((value, index) => {
        if (index === 0) return "";
        const given = value(run);
        return isText(given) ? textOf(given) : isInt(given) ? String(given) : "";
      });
      // When parse_date gets exactly nine arguments, the last one is the time zone, unless it can be a number of
      // microseconds.
      let zoneAt: number = ZONE;
      if (nine && !/^\d*$/.test(texts[MICRO] as string)) {
        texts[ZONE] = texts[MICRO] as string;
        texts[MICRO] = "";
        zoneAt = MICRO;
      }
      writeKey(run, key, integer(instantOf(call, run, texts, zoneAt)));
      return VOID;
    };
  },
});

function instantOf(call: Call, run: Run, texts: readonly string[], zoneAt: number): bigint {
  const now = currentTime(run);
  const number = (index: number, absent: number): number => {
    const text = texts[index] as string;
    return /^[+-]?\d+$/.test(text) ? Number(text) : absent;
  };
  const within = (index: number, absent: number, low: number, high: number, what: string): number => {
    const value = number(index, absent);
    if (value < low || value > high) throw call.runFailure(`${what}, got ${value}`, call.arg(index));
    return value;
  };
  let year = number(YEAR, now.year);
  if (year < 0) throw call.runFailure("year should larger than 0", call.arg(YEAR));
  if (year < 100) year += Math.floor(now.year / 100) * 100;
  const month = monthOf(call, texts[MONTH] as string, now.month);
  const day = within(DAY, now.day, 1, 31, "month day should between [1,31]");
  const hour = within(HOUR, now.hour, 0, 23, "hour should between [0,24]");
  const minute = within(MINUTE, now.minute, 0, 59, "minute should between [0,59]");
  const second = within(SECONDS, 0, 0, 59, "second should between [0,59]");
  const zoneText = texts[ZONE] as string;
  const zone = zoneText === "" ? UTC : zoneArgument(zoneText, run.host.timeZone);
  if (zone === null) throw call.runFailure(`unknown timezone ${zoneText}`, call.arg(zoneAt));
  const local = utcSeconds(year, month, day, hour, minute, second);
  if (Number.isNaN(local)) throw call.runFailure("timestamp out of range");
  const fraction = BigInt(number(MILLI, 0)) * 1_000_000n + BigInt(number(MICRO, 0)) * 1_000n + BigInt(number(NANO, 0));
  const result = BigInt(localToInstant(zone, local)) * SECOND + fraction;
  if (BigInt.asIntN(64, result) !== result) throw call.runFailure("timestamp out of range");
  return result;
}

function monthOf(call: Call, text: string, absent: number): number {
  if (text === "" || /^[+-]?\d*\.\d*$/.test(text)) return absent;
  if (/^[+-]?\d+$/.test(text)) {
    const month = Number(text);
    if (month < 1 || month > 12) throw call.runFailure(`month should between [1,12], got ${month},`, call.arg(MONTH));
    return month;
  }
  const lower = text.toLowerCase();
  const index = MONTH_NAMES.findIndex((name) => name === lower || name.slice(0, 3) === lower);
  if (index < 0) throw call.runFailure(`unknown month ${text}`, call.arg(MONTH));
  return index + 1;
}

export const timeFunctions: readonly Declaration[] = [defaultTime, defaultTimeWithFmt, datetime, timestamp, parseDate];
