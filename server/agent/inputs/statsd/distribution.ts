// The values of a timing, a histogram or a distribution in one interval. The values themselves are not stored, so
// memory does not grow with their number: sum and deviation are updated with each value, and percentiles are computed
// from counts in buckets, with an error of at most 1 %.

import { BucketCounts, middleOf } from "../../../telemetry/buckets.ts";

export class Distribution {
  private weight = 0;
  private total = 0;
  private mean = 0;
  /** Sum of the squared differences from the mean, by Welford's method. */
  private squares = 0;
  private lowest = Number.POSITIVE_INFINITY;
  private highest = Number.NEGATIVE_INFINITY;
  private readonly positive = new BucketCounts();
  /**
   * Counts of the negative values in buckets. The absolute value decides the bucket. Undefined until a negative
   * value is added.
   */
  private negative: BucketCounts | undefined;

  /** Adds a value that stands for `weight` equal values, because the sender may send only some of its values. */
  add(value: number, weight: number): void {
    this.weight += weight;
    this.total += weight * value;
    const difference = value - this.mean;
    this.mean += (weight / this.weight) * difference;
    this.squares += weight * difference * (value - this.mean);
    this.lowest = Math.min(this.lowest, value);
    this.highest = Math.max(this.highest, value);
    if (value < 0) {
      this.negative ??= new BucketCounts();
      this.negative.addValue(-value, weight);
    } else this.positive.addValue(value, weight);
  }

  /** Number of bytes that the counts in the buckets take. */
  get byteLength(): number {
    return this.positive.byteLength + (this.negative?.byteLength ?? 0);
  }

  /** Returns the number of values, rounded to a whole number, and the other figures (such as sum and mean). */
  summary(): { readonly count: number; readonly figures: readonly (readonly [name: string, value: number])[] } {
    return {
      count: Math.min(Math.round(this.weight), Number.MAX_SAFE_INTEGER),
      figures: [
        ["sum", this.total],
        ["mean", this.mean],
        ["lower", this.lowest],
        ["upper", this.highest],
        ["stddev", Math.sqrt(Math.max(0, this.squares / this.weight))],
      ],
    };
  }

  /**
   * Returns the percentile for each of the given percentages: the value that this percentage of all values does not
   * exceed. The error is at most 1 %.
   */
  percentiles(percentages: readonly number[]): number[] {
    const buckets = [
      ...(this.negative?.entries() ?? []).map(([bucket, count]) => [-middleOf(bucket), count] as const),
      ...this.positive.entries().map(([bucket, count]) => [middleOf(bucket), count] as const),
    ].sort(([a], [b]) => a - b);
    return percentages.map((percentage) => {
      // The percentile lies in the first bucket at which the sum of the weights, from the lowest bucket on, reaches
      // `wanted`. Rounding errors can make such a sum a little too small, so `wanted` is made a little smaller, too.
      const wanted = (percentage / 100) * this.weight - 1e-9 * this.weight;
      let passed = 0;
      for (const [middle, count] of buckets) {
        passed += count;
        if (passed >= wanted) return Math.min(Math.max(middle, this.lowest), this.highest);
      }
      return this.highest;
    });
  }
}
