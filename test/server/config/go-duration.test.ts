import { describe, expect, it } from "vitest";
import { durationMs, formatDuration, parseDuration } from "../../../server/config/go-duration.ts";

describe("durations", () => {
  it.each([
    [0n, "0s"],
    [999n, "999ns"],
    [1_500n, "1.5µs"],
    [2_300_000n, "2.3ms"],
    [36_041_516n, "36.041516ms"],
    [1_000_000_000n, "1s"],
    [60_000_000_000n, "1m0s"],
    [2_504_632_183_515n, "41m44.632183515s"],
    [3_600_000_000_000n, "1h0m0s"],
  ])("writes %s ns as Go does", (nanoseconds, text) => {
    expect(formatDuration(nanoseconds)).toBe(text);
  });

  it.each([
    ["30s", 30e9],
    ["1m30s", 90e9],
    ["1.5h", 5400e9],
    ["300ms", 300e6],
    ["0", 0],
    ["-2s", -2e9],
    ["30", undefined],
    ["", undefined],
    ["5 s", undefined],
  ])("reads %s", (text, nanoseconds) => {
    expect(parseDuration(text)).toBe(nanoseconds);
  });

  it("uses the fallback for a text that is no positive duration", () => {
    expect([durationMs("soon", 7), durationMs("-1s", 7), durationMs("2s", 7)]).toEqual([7, 7, 2000]);
  });
});
