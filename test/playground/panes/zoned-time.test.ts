// Times in a time zone: as text, in input fields, as labels of axes, when the clocks change, and the search for a zone.

import { describe, expect, it } from "vitest";
import {
  fieldText,
  fieldTime,
  offsetName,
  spanText,
  tickSteps,
  tickTexts,
  timeTicks,
  zonedMsText,
  zonedTimeText,
  zoneOf,
  zonesLike,
} from "../../../playground/src/panes/time/zoned-time.ts";

const at = (iso: string) => Date.parse(iso);
const iso = (ms: number) => new Date(ms).toISOString().replace(":00.000Z", "Z");
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

describe("a time in a zone", () => {
  it.each([
    ["2025-11-21T10:00:00Z", "UTC", "2025-11-21 10:00:00", "UTC"],
    ["2025-11-21T10:00:00.5Z", "Europe/Berlin", "2025-11-21 11:00:00.500", "UTC+1"],
    ["2025-07-01T23:30:00Z", "Europe/Berlin", "2025-07-02 01:30:00", "UTC+2"],
    ["2025-01-01T00:00:00Z", "America/St_Johns", "2024-12-31 20:30:00", "UTC-3:30"],
    ["2025-01-01T00:00:00Z", "Asia/Kathmandu", "2025-01-01 05:45:00", "UTC+5:45"],
    ["2025-01-01T00:00:00Z", "Pacific/Kiritimati", "2025-01-01 14:00:00", "UTC+14"],
    ["2025-01-01T00:00:00Z", "No/Where", "2025-01-01 00:00:00", "UTC"],
    // In Berlin, the clocks show 02:30 twice on October 26. On Lord Howe Island, the clocks go back by only half an
    // hour.
    ["2025-10-26T00:30:00Z", "Europe/Berlin", "2025-10-26 02:30:00 +02:00", "UTC+2"],
    ["2025-10-26T01:30:00Z", "Europe/Berlin", "2025-10-26 02:30:00 +01:00", "UTC+1"],
    ["2025-10-26T02:00:00Z", "Europe/Berlin", "2025-10-26 03:00:00", "UTC+1"],
    ["2025-04-05T14:45:00Z", "Australia/Lord_Howe", "2025-04-06 01:45:00 +11:00", "UTC+11"],
    ["2025-04-05T15:15:00Z", "Australia/Lord_Howe", "2025-04-06 01:45:00 +10:30", "UTC+10:30"],
  ])("%s in %s is %s", (time, name, text, offset) => {
    expect([zonedMsText(at(time), zoneOf(name)), offsetName(at(time), zoneOf(name))]).toEqual([text, offset]);
  });

  it("keeps nanoseconds, and shows a time beyond the range of dates in nanoseconds", () => {
    const zone = zoneOf("Asia/Shanghai");
    expect(zonedTimeText(1_763_719_200_123_456_789n, zone)).toBe("2025-11-21 18:00:00.123456789");
    expect(zonedTimeText(2n ** 80n, zone)).toBe(`${2n ** 80n} ns`);
  });

  it.each([
    ["2025-11-21T22:30:00Z", "2025-11-21T23:30:00Z", "UTC", "2025-11-21 22:30:00 – 23:30:00"],
    ["2025-11-21T22:30:00Z", "2025-11-21T23:30:00Z", "Europe/Berlin", "2025-11-21 23:30:00 – 2025-11-22 00:30:00"],
    ["2025-10-26T00:30:00Z", "2025-10-26T01:30:00Z", "Europe/Berlin", "2025-10-26 02:30:00 +02:00 – 02:30:00 +01:00"],
  ])("is shown as a range from %s to %s in %s", (from, to, name, text) => {
    expect(spanText(at(from), at(to), zoneOf(name))).toBe(text);
  });
});

describe("a field for a time", () => {
  it.each([
    ["2025-11-21T11:00:00", "Europe/Berlin", "from", "2025-11-21T10:00Z", ""],
    ["2025-11-21T11:00", "America/New_York", "to", "2025-11-21T16:00Z", ""],
    // In these zones, the clocks show this time twice on this day. As the start of a range (`from`), the time stands
    // for the first of the two moments; as the end of a range (`to`), for the second one.
    ["2025-10-26T02:30:00", "Europe/Berlin", "from", "2025-10-26T00:30Z", "twice that day; this is UTC+2"],
    ["2025-10-26T02:30:00", "Europe/Berlin", "to", "2025-10-26T01:30Z", "twice that day; this is UTC+1"],
    ["2025-11-02T01:30:00", "America/New_York", "from", "2025-11-02T05:30Z", "twice that day; this is UTC-4"],
    ["2025-11-02T01:30:00", "America/New_York", "to", "2025-11-02T06:30Z", "twice that day; this is UTC-5"],
    // In these zones, the clocks skip this time on this day. A skipped time stands for the moment at which the clocks
    // go forward.
    ["2025-03-30T02:30:00", "Europe/Berlin", "from", "2025-03-30T01:00Z", "skip 02:30:00 that day; 03:00 is taken"],
    ["2025-03-09T02:30:00", "America/New_York", "to", "2025-03-09T07:00Z", "skip 02:30:00 that day; 03:00 is taken"],
    ["2011-12-30T12:00:00", "Pacific/Apia", "from", "2011-12-30T10:00Z", "skip 12:00:00 that day; 00:00 is taken"],
  ] as const)("%s in %s as %s is %s", (text, name, side, time, note) => {
    const read = fieldTime(text, zoneOf(name), side)!;
    expect(iso(read.ms)).toBe(time);
    expect(read.note).toContain(note);
    if (note === "") expect(read.note).toBe("");
  });

  it("is read back as the same time, at every half hour around the changes of the clocks", () => {
    const wrong: string[] = [];
    for (const name of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana", "UTC"])
      for (const start of ["2025-03-07T00:00Z", "2025-10-24T00:00Z", "2025-04-04T00:00Z", "2025-11-01T00:00Z"])
        for (let ms = at(start); ms < at(start) + 4 * day; ms += 30 * minute) {
          const text = fieldText(ms, zoneOf(name));
          const times = (["from", "to"] as const).map((side) => fieldTime(text, zoneOf(name), side)!.ms);
          if (!times.includes(ms)) wrong.push(`${name} ${text}`);
        }
    expect(wrong).toEqual([]);
  });

  it.each(["", "soon", "2025-13-01T00:00"])("that has %j has no time", (text) => {
    expect(fieldTime(text, zoneOf("UTC"), "from")).toBeNull();
  });
});

describe("the marks of a time axis", () => {
  it.each<[string, string, string, number, readonly string[]]>([
    // On a day with 25 hours, an axis shows the repeated hour twice.
    [
      "Europe/Berlin",
      "2025-10-25T23:00Z",
      "2025-10-26T03:00Z",
      hour,
      ["01:00\n2025-10-26", "02:00", "02:00\nUTC+1", "03:00", "04:00"],
    ],
    // On a day with 23 hours, an axis does not show the skipped hour.
    ["Europe/Berlin", "2025-03-30T00:00Z", "2025-03-30T02:00Z", hour, ["01:00\n2025-03-30", "03:00\nUTC+2", "04:00"]],
    // The clocks change within this range. The labels after the change must still be at whole multiples of 6 hours of
    // local time.
    [
      "Europe/Berlin",
      "2025-10-25T22:00Z",
      "2025-10-26T18:00Z",
      6 * hour,
      ["00:00\n2025-10-26", "06:00\nUTC+1", "12:00", "18:00"],
    ],
    [
      "America/New_York",
      "2025-11-01T04:00Z",
      "2025-11-04T05:00Z",
      day,
      ["2025-11-01", "2025-11-02", "2025-11-03", "2025-11-04"],
    ],
    ["Asia/Kathmandu", "2025-01-01T00:00Z", "2025-01-01T01:00Z", 30 * minute, ["06:00\n2025-01-01", "06:30"]],
    // When the clocks skip midnight, the day begins at the first moment after the skipped time.
    ["Africa/Cairo", "2025-04-24T00:00Z", "2025-04-26T00:00Z", day, ["2025-04-25", "2025-04-26"]],
    // When a zone skips a whole day, the axis has no label for this day.
    ["Pacific/Apia", "2011-12-29T00:00Z", "2012-01-01T00:00Z", day, ["2011-12-29", "2011-12-31", "2012-01-01"]],
    ["Europe/Berlin", "2025-11-20T00:00Z", "2025-12-05T00:00Z", 7 * day, ["2025-11-24", "2025-12-01"]],
    ["Europe/Berlin", "2025-01-15T00:00Z", "2025-04-15T00:00Z", 30 * day, ["2025-02-01", "2025-03-01", "2025-04-01"]],
    ["UTC", "2024-06-01T00:00Z", "2031-01-01T00:00Z", 5 * 365 * day, ["2025-01-01", "2030-01-01"]],
    [
      "UTC",
      "1970-01-01T00:00:00Z",
      "1970-01-01T00:00:01Z",
      500,
      ["00:00:00.000\n1970-01-01", "00:00:00.500", "00:00:01.000"],
    ],
    ["UTC", "1970-01-01T23:59:59Z", "1970-01-02T00:00:00Z", 1000, ["23:59:59\n1970-01-01", "00:00:00\n1970-01-02"]],
  ])("of %s from %s to %s", (name, from, to, step, texts) => {
    const zone = zoneOf(name);
    expect(tickTexts(timeTicks(at(from), at(to), step, zone), zone)).toEqual(texts);
  });

  it("ascend within the range, for every step and many zones", () => {
    const wrong: string[] = [];
    for (const name of ["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Tehran", "Antarctica/Troll", "Pacific/Apia"])
      for (const step of tickSteps)
        for (const start of ["2011-12-28T00:00Z", "2025-03-28T11:17Z", "2018-11-02T00:00Z"]) {
          const [from, to] = [at(start), at(start) + Math.min(40 * step, 400 * 365 * day)];
          const ticks = timeTicks(from, to, step, zoneOf(name));
          const isRight = ticks.every((ms, index) => ms >= from && ms <= to && (index === 0 || ms > ticks[index - 1]!));
          const count = (to - from) / step;
          if (!isRight || ticks.length < count * 0.9 - 2 || ticks.length > count * 1.1 + 2)
            wrong.push(`${name} ${step} ${start} ${ticks.length}`);
        }
    expect(wrong).toEqual([]);
  });

  it("are none for an empty range or a step of 0", () => {
    expect([timeTicks(5, 1, 1, zoneOf("UTC")), timeTicks(0, 10, 0, zoneOf("UTC"))]).toEqual([[], []]);
  });
});

describe("the search for a zone", () => {
  const names = ["America/Argentina/Buenos_Aires", "America/New_York", "Asia/Shanghai", "Europe/Berlin"];

  it.each([
    ["", names],
    ["berlin", ["Europe/Berlin"]],
    ["new york", ["America/New_York"]],
    ["buenos_aires", ["America/Argentina/Buenos_Aires"]],
    ["america new", ["America/New_York"]],
    // The search shows zones first if a part of their name begins with the searched text.
    ["a", ["America/Argentina/Buenos_Aires", "America/New_York", "Asia/Shanghai"]],
    ["n", ["America/New_York", "America/Argentina/Buenos_Aires", "Asia/Shanghai", "Europe/Berlin"]],
    ["mars", []],
  ])("for %j", (text, found) => {
    expect(zonesLike(text, names)).toEqual(found);
  });
});
