// Conversion of times to nanoseconds and back: exact to the nanosecond, also at the ends of the allowed range and
// before 1970.

import fc from "fast-check";
import { expect, it } from "vitest";
import { dateOf, nanosecondsOf, timeText } from "../../../lib/easy/time.ts";

const most = 9223372036854775806n;
const anyTime = fc.bigInt({ min: -most, max: most });

it.each<[bigint, number]>([
  [0n, 0],
  [-1n, -1],
  [999_999n, 0],
  [1_000_000n, 1],
  [1_700_000_000_000_000_000n, 1_700_000_000_000],
  [1_699_999_999_999_999_999n, 1_699_999_999_999],
  [most, 9_223_372_036_854],
  [-most, -9_223_372_036_855],
])("%s ns is the Date %s", (ns, ms) => {
  expect(dateOf(ns).getTime()).toBe(ms);
});

it("rounds any time down to the Date of its millisecond", () => {
  fc.assert(
    fc.property(anyTime, (ns) => {
      const ms = ns / 1_000_000n - (ns % 1_000_000n < 0n ? 1n : 0n);
      expect(BigInt(dateOf(ns).getTime())).toBe(ms);
    }),
  );
});

it("reads any time back from its text", () => {
  fc.assert(
    fc.property(anyTime, (ns) => {
      expect(nanosecondsOf("test", () => "time", timeText(ns))).toBe(ns);
    }),
  );
});

it.each(["2023", "2023-11-14", "2023-11-14T22:13:20", "2023-13-14T22:13:20Z", "", "now", "5"])(
  "%j is refused as a time",
  (text) => {
    expect(() => nanosecondsOf("test", () => "time", text)).toThrow(/^test: time must be a Date, .*; got "/);
  },
);
