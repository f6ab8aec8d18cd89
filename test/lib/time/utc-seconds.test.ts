// The arithmetic of dates, compared with JavaScript's Date.

import fc from "fast-check";
import { expect, it } from "vitest";
import { daysInMonth, utcSeconds } from "../../../lib/time/zone.ts";

function byDate(year: number, month: number, day: number, hour: number, minute: number, second: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  return date.getTime() / 1000;
}

it("utcSeconds() returns the seconds of any date, and carries parts that are out of range", () => {
  const part = fc.integer({ min: -100, max: 100 });
  fc.assert(
    fc.property(fc.integer({ min: -9999, max: 9999 }), part, part, part, part, part, (...date) => {
      expect(utcSeconds(...date)).toBe(byDate(...date));
    }),
    { numRuns: 2000 },
  );
});

it.each<[date: Parameters<typeof utcSeconds>, seconds: number]>([
  [[1970, 1, 1, 0, 0, 0], 0],
  [[2000, 2, 29, 12, 0, 0], 951_825_600],
  [[1900, 3, 0, 0, 0, 0], -2_203_977_600],
  [[0, 1, 1, 0, 0, 0], -62_167_219_200],
  [[2024, 13, 1, 0, 0, 0], 1_735_689_600],
  [[275_760, 9, 13, 0, 0, 0], 8.64e12],
  [[275_760, 9, 13, 0, 0, 1], Number.NaN],
  [[1e300, 1, 1, 0, 0, 0], Number.NaN],
])("utcSeconds() returns the seconds of %j", (date, seconds) => {
  expect(utcSeconds(...date)).toBe(seconds);
});

it("daysInMonth() returns the days of every month of four centuries", () => {
  for (let year = 1999; year < 2400; year++)
    for (let month = 1; month <= 12; month++)
      expect(daysInMonth(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
});
