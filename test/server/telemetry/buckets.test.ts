import { describe, expect, it } from "vitest";
import { BucketCounts, middleOf } from "../../../server/telemetry/buckets.ts";

/**
 * Returns a pair for each bucket that has a count, in ascending order of the buckets: the value in the middle of the
 * bucket, and the count.
 */
function valuesOf(counts: BucketCounts): readonly (readonly [number, number])[] {
  return counts
    .entries()
    .toSorted(([a], [b]) => a - b)
    .map(([bucket, count]) => [middleOf(bucket), count] as const);
}

describe("BucketCounts", () => {
  it("returns values of every size in order, with an error below 1 %", () => {
    const counts = new BucketCounts();
    const values = Array.from({ length: 400 }, (_, n) => 1.05e-9 * 1.12 ** n);
    for (const value of values.toReversed()) counts.addValue(value);
    const found = valuesOf(counts);
    expect(found).toHaveLength(400);
    for (const [at, [value]] of found.entries()) expect(Math.abs(value / values[at]! - 1)).toBeLessThan(0.01);
  });

  it("counts values of one bucket together", () => {
    const counts = new BucketCounts();
    for (const value of [7, 7.01, 7.02, 250]) counts.addValue(value);
    expect(valuesOf(counts).map(([, count]) => count)).toEqual([3, 1]);
  });

  it.each([0, -1, 1e-10, Number.NaN, Number.NEGATIVE_INFINITY])("counts %d as zero", (value) => {
    const counts = new BucketCounts();
    counts.addValue(value);
    expect(valuesOf(counts)).toEqual([[0, 1]]);
  });

  it("keeps the counts while its table grows", () => {
    const counts = new BucketCounts();
    for (let n = 0; n < 30_000; n++) counts.add(n % 1000, 1);
    expect(counts.entries()).toHaveLength(1000);
    expect(counts.entries().every(([, count]) => count === 30)).toBe(true);
  });
});
