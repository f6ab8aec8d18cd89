// Converts times to texts in a time zone, and texts to times. Times are milliseconds since 1970 unless a name says
// otherwise.

import { namedZone, offsetText, UTC, type Zone } from "../../../../lib/time/index.ts";
import { timeText } from "../../state/text.ts";
import { t } from "../../text/translate.ts";

/** Returns the zone of an IANA name; UTC for a name that is unknown. */
export function zoneOf(name: string): Zone {
  return namedZone(name) ?? UTC;
}

function offsetMs(ms: number, zone: Zone): number {
  return zone.offsetAt(Math.floor(ms / 1000)) * 1000;
}

/**
 * Returns the time `ms` shifted by the zone's offset from UTC. The date and time of the result in UTC are therefore the
 * date and time that the clocks of the zone show at `ms`.
 */
function localMs(ms: number, zone: Zone): number {
  return ms + offsetMs(ms, zone);
}

/** Returns the date and the clock time in a zone in the form of ISO 8601, without an offset. */
export function localIso(ms: number, zone: Zone): string {
  return new Date(localMs(ms, zone)).toISOString().slice(0, -1);
}

const day = 86_400_000;

/**
 * Returns every time at which the clocks of a zone show a local time, the earliest first: no time for a local time that
 * the clocks skip, two times for a local time that they show twice.
 */
function timesOf(local: number, zone: Zone): number[] {
  // Clocks change by a day at most. So the offset at the local time is the offset one day before or the offset one day
  // after.
  const offsets = [offsetMs(local - day, zone), offsetMs(local + day, zone)];
  const times = offsets.map((offset) => local - offset).filter((ms) => localMs(ms, zone) === local);
  return [...new Set(times)].sort((a, b) => a - b);
}

/** Returns the offset of a zone from UTC at a time, such as `UTC+2`, `UTC-3:30` or `UTC`. */
export function offsetName(ms: number, zone: Zone): string {
  const seconds = offsetMs(ms, zone) / 1000;
  if (seconds === 0) return "UTC";
  const [hours = "", minutes = ""] = offsetText(seconds, ":").split(":");
  return `UTC${hours[0]}${Number(hours.slice(1))}${minutes === "00" ? "" : `:${minutes}`}`;
}

/** Returns whether the clocks of the zone show the local time of `ms` twice. */
function isRepeated(ms: number, zone: Zone): boolean {
  const own = offsetMs(ms, zone);
  if (own === offsetMs(ms - day, zone) && own === offsetMs(ms + day, zone)) return false;
  return timesOf(ms + own, zone).length > 1;
}

/**
 * Returns nanoseconds since 1970 as text such as `2025-11-21 10:00:00.123` in a zone, with as many digits of the
 * fraction as needed. When the clocks show this local time twice, its offset from UTC follows in the text.
 */
export function zonedTimeText(ns: bigint, zone: Zone): string {
  const ms = Number(ns / 1_000_000n);
  if (zone === UTC || Number.isNaN(new Date(ms + day).getTime()) || Number.isNaN(new Date(ms - day).getTime()))
    return timeText(ns);
  const text = timeText(ns + BigInt(offsetMs(ms, zone)) * 1_000_000n);
  return isRepeated(ms, zone) ? `${text} ${offsetText(offsetMs(ms, zone) / 1000, ":")}` : text;
}

/** Returns milliseconds since 1970 as text in a zone, in the same form as `zonedTimeText`, which takes nanoseconds. */
export function zonedMsText(ms: number, zone: Zone): string {
  return zonedTimeText(BigInt(Math.round(ms)) * 1_000_000n, zone);
}

/** Returns two times as text. The date of the second time is left out when both times are on the same day. */
export function spanText(from: number, to: number, zone: Zone): string {
  const [start, end] = [zonedMsText(from, zone), zonedMsText(to, zone)].map((text) => text.replace(/\.\d+/, ""));
  return `${start} – ${start!.slice(0, 10) === end!.slice(0, 10) ? end!.slice(11) : end}`;
}

/** Returns a time as the value of an input of the type `datetime-local`. */
export function fieldText(ms: number, zone: Zone): string {
  return localIso(ms, zone).slice(0, 19);
}

export interface FieldTime {
  readonly ms: number;
  /** A note for the user when the clocks show the entered time twice or skip it; empty otherwise. */
  readonly note: string;
}

/**
 * Reads the value of an input of the type `datetime-local`; null when the value is no time. When the clocks show the
 * value at two times, the start of a range means the first time and the end of a range the second time, so that the
 * range contains both. When the clocks skip the value, it stands for the moment of the skip.
 */
export function fieldTime(text: string, zone: Zone, side: "from" | "to"): FieldTime | null {
  const local = Date.parse(`${text}Z`);
  if (Number.isNaN(local)) return null;
  const times = timesOf(local, zone);
  const clock = text.slice(11);
  if (times.length === 1) return { ms: times[0]!, note: "" };
  if (times.length > 1) {
    const ms = side === "from" ? times[0]! : times.at(-1)!;
    return {
      ms,
      note: t("The clocks show {clock} twice that day; this is {offset}.", { clock, offset: offsetName(ms, zone) }),
    };
  }
  const ms = skipAt(local, zone);
  return {
    ms,
    note: t("The clocks skip {clock} that day; {taken} is taken.", { clock, taken: localIso(ms, zone).slice(11, 16) }),
  };
}

/** Returns the time at which the clocks of a zone skip a local time. */
function skipAt(local: number, zone: Zone): number {
  let [before, after] = [local - 2 * day, local + 2 * day];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localMs(middle, zone) < local) before = middle;
    else after = middle;
  }
  return after;
}

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const month = 30 * day;
const year = 365 * day;
/**
 * Distances between two ticks of a time axis. Distances of a month or more stand for whole months and years of the
 * calendar.
 */
export const tickSteps: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((each) => each * second),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * minute),
  ...[1, 2, 3, 4, 6, 8, 12].map((each) => each * hour),
  ...[1, 2, 7, 14].map((each) => each * day),
  ...[1, 2, 3, 6].map((each) => each * month),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((each) => each * year),
];

/**
 * Returns the ticks of a time axis: times at which the clocks of the zone show whole multiples of `step`, the distance
 * between two ticks in milliseconds (one of `tickSteps`). Ticks that are a day or more apart are at the beginnings of
 * days, also of days with 23 or 25 hours.
 */
export function timeTicks(from: number, to: number, step: number, zone: Zone): number[] {
  if (!(step > 0) || !(to >= from)) return [];
  return step < day ? clockTicks(from, to, step, zone) : dayTicks(from, to, step, zone);
}

function clockTicks(from: number, to: number, step: number, zone: Zone): number[] {
  const ticks: number[] = [];
  const next = (ms: number, offset: number) => Math.ceil((ms + offset) / step) * step - offset;
  let offset = offsetMs(from, zone);
  for (let at = next(from, offset); at <= to; ) {
    const now = offsetMs(at, zone);
    if (now === offset) {
      ticks.push(at);
      at += step;
      continue;
    }
    // The clocks of the zone changed after the last tick, so the next ticks use the new offset from UTC.
    const last = ticks.at(-1) ?? from - 1;
    offset = now;
    at = next(last + 1, offset);
    while (offsetMs(at, zone) !== offset && at <= to) at += step;
  }
  return ticks;
}

function dayTicks(from: number, to: number, step: number, zone: Zone): number[] {
  const ticks: number[] = [];
  for (let at = firstDay(localMs(from, zone), step); ; at = nextDay(at, step)) {
    // When the clocks skip midnight, the day begins after the skipped time.
    const begin = timesOf(at, zone)[0] ?? skipAt(at, zone);
    if (begin > to) return ticks;
    // When a zone skipped a whole day, this day and the next one begin at the same time. They get one tick.
    if (begin >= from && begin !== ticks.at(-1)) ticks.push(begin);
  }
}

/**
 * Returns the latest tick of the time axis that is not after a local time. `step`, the distance between two
 * ticks, is at least one day. Both the local time and the tick are milliseconds of a time in UTC whose date and
 * clock time are those that the clocks of the zone show.
 */
function firstDay(local: number, step: number): number {
  const date = new Date(local);
  const [years, months] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (step >= year) return yearStart(Math.floor(years / (step / year)) * (step / year));
  if (step >= month) return Date.UTC(years, Math.floor(months / (step / month)) * (step / month));
  // Weeks begin on Monday. The first Monday after the time 0 was 5 January 1970, four days later.
  const shift = step % (7 * day) === 0 ? 4 * day : 0;
  return Math.floor((local - shift) / step) * step + shift;
}

function nextDay(at: number, step: number): number {
  const date = new Date(at);
  if (step >= year) return yearStart(date.getUTCFullYear() + step / year);
  if (step >= month) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step / month);
  return at + step;
}

/** Returns the start of a year in UTC. Does not use `Date.UTC`, which reads the years 0 to 99 as 1900 to 1999. */
function yearStart(years: number): number {
  return new Date(0).setUTCFullYear(years, 0, 1);
}

/**
 * A limit between two kinds of ticks of a time axis. Ticks that are further apart than this are the beginnings
 * of days; other ticks are at most 14 hours apart.
 */
const shortestDay = 18 * hour;

/**
 * Returns the labels of ascending ticks of a time axis in a zone, with as many digits as the distance of the ticks
 * needs. The first label of each day has the date below it, and the first label after a change of the clocks has the
 * new offset below it.
 */
export function tickTexts(ticks: readonly number[], zone: Zone): string[] {
  const step = ticks.length < 2 ? minute : ticks[1]! - ticks[0]!;
  return ticks.map((ms, at) => {
    const iso = localIso(ms, zone);
    const date = iso.slice(0, 10);
    if (step >= shortestDay) return date;
    const clock = iso.slice(11, step >= minute ? 16 : step >= second ? 19 : 23);
    const before = at === 0 ? null : ticks[at - 1]!;
    if (before === null || localIso(before, zone).slice(0, 10) !== date) return `${clock}\n${date}`;
    return offsetMs(before, zone) === offsetMs(ms, zone) ? clock : `${clock}\n${offsetName(ms, zone)}`;
  });
}

/**
 * Returns the zones whose names contain all words of a text. Zones whose name has a part that begins with the text come
 * first.
 */
export function zonesLike(text: string, names: readonly string[]): readonly string[] {
  const plain = (each: string) =>
    each
      .toLowerCase()
      .replace(/[_/\s]+/g, " ")
      .trim();
  const wanted = plain(text);
  if (wanted === "") return names;
  const words = wanted.split(" ");
  const found = names.filter((name) => words.every((word) => plain(name).includes(word)));
  const isStart = (name: string) =>
    plain(name)
      .split(" ")
      .some((part) => part.startsWith(wanted));
  return [...found.filter(isStart), ...found.filter((name) => !isStart(name))];
}
