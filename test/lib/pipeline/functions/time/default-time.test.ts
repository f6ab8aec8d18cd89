// Times whose meaning depends on the time zone argument, or on the current time.

import { describe, expect, it } from "vitest";
import { compileScripts } from "../../../../../lib/pipeline/compile/scripts.ts";
import { Point } from "../../../../../lib/point/point.ts";
import { Key } from "../../../../../lib/point/view.ts";

/** Returns the time in seconds since 1970 that `default_time` makes of a string. */
function secondsOf(text: string, zone: string, now = "2023-11-14T22:13:20Z"): number | string {
  const call = zone === "" ? "default_time(t)" : `default_time(t, "${zone}")`;
  const { scripts } = compileScripts({ "a.p": call });
  const nowNs = BigInt(Date.parse(now)) * 1_000_000n;
  const point = new Point("n", nowNs);
  point.setField(new Key("t"), text);
  const host = { now: () => nowNs, random: () => 0, timeZone: "UTC" };
  expect(scripts.get("a.p")!.run(point, { category: "metric", host }).error).toBeNull();
  return point.has(new Key("pl_msg")) ? String(point.get(new Key("pl_msg"))) : Number(point.get(new Key("t"))) / 1e9;
}

describe("a zone abbreviation in the text, with the time zone argument", () => {
  it.each<[text: string, zone: string, seconds: number]>([
    ["Tue Dec  2 11:55:34 CST 2021", "+8", 1638417334],
    ["Tue Dec  2 11:55:34 JST 2021", "+9", 1638413734],
    ["Tue Dec  2 11:55:34 PST 2021", "-8", 1638474934],
    ["Tue Dec  2 11:55:34 IST 2021", "+5:30", 1638426334],
    ["Tue Dec  2 11:55:34 MST 2021", "+8", 1638417334],
    ["Tue Dec  2 11:55:34 UTC 2021", "+8", 1638446134],
    ["Tue Dec  2 11:55:34 CST 2021", "Asia/Shanghai", 1638417334],
    ["Tue Dec  2 11:55:34 PST 2021", "Asia/Shanghai", 1638446134],
    // For times in the formats of RFC 822, 850 and 1123, default_time knows only the zone abbreviations that the given
    // time zone uses. It reads any other abbreviation as UTC.
    ["02 Jan 06 15:04 MST", "Asia/Tokyo", 1136214240],
    ["Monday, 02-Jan-06 15:04:05 MST", "Asia/Tokyo", 1136214245],
    ["Mon, 02 Jan 2006 15:04:05 MST", "Asia/Tokyo", 1136214245],
    ["Mon, 02 Jan 2006 15:04:05 MST", "+9", 1136214245],
    ["Mon, 02 Jan 2006 15:04:05 JST", "Asia/Tokyo", 1136181845],
    ["Mon, 02 Jan 2006 15:04:05 JST", "+9", 1136181845],
    ["Mon, 02 Jan 2006 15:04:05 MST", "America/Denver", 1136239445],
    // For times in all other formats, default_time ignores a zone abbreviation at the end.
    ["2012-09-17 10:11:12 PST", "Asia/Tokyo", 1347844272],
  ])("%s with %s", (text, zone, seconds) => {
    expect(secondsOf(text, zone)).toBe(seconds);
  });
});

describe("a time without a year", () => {
  it.each<[text: string, now: string, time: string]>([
    ["Dec 31 23:59:59", "2026-01-01T00:00:05Z", "2025-12-31T23:59:59Z"],
    ["Jan  1 00:00:03", "2026-01-01T00:00:05Z", "2026-01-01T00:00:03Z"],
    ["Jan  1 00:00:03", "2025-12-31T23:59:50Z", "2026-01-01T00:00:03Z"],
    ["Jan  1 23:59:50", "2025-12-31T23:59:50Z", "2026-01-01T23:59:50Z"],
    ["Jan  1 23:59:51", "2025-12-31T23:59:50Z", "2025-01-01T23:59:51Z"],
    ["Jul  1 00:00:00", "2026-06-30T12:00:00Z", "2026-07-01T00:00:00Z"],
    ["Jul  3 00:00:00", "2026-06-30T12:00:00Z", "2025-07-03T00:00:00Z"],
    ["31 Dec 23:59:59.500", "2026-01-01T00:00:05Z", "2025-12-31T23:59:59.5Z"],
    ["Feb 29 12:00:00", "2026-03-01T00:00:00Z", "2024-02-29T12:00:00Z"],
    ["Wed Dec 31 23:59:59", "2026-01-01T00:00:05Z", "2025-12-31T23:59:59Z"],
  ])("%s at the current time %s is %s", (text, now, time) => {
    expect(secondsOf(text, "UTC", now)).toBe(Date.parse(time) / 1000);
  });

  it("gets its year from the current date in the given time zone", () => {
    expect(secondsOf("Jan  1 07:59:59", "+8", "2025-12-31T23:59:00Z")).toBe(Date.parse("2025-12-31T23:59:59Z") / 1000);
  });

  it("fails for a day that no year has", () => {
    expect(secondsOf("Feb 30 12:00:00", "UTC")).toBe(
      'time convert failed: parsing time "Feb 30 12:00:00": day out of range',
    );
  });
});
