// Converts the buckets of OTLP histograms to cumulative buckets, as Prometheus has them: each bucket counts all values
// up to its bound.

import type { Buckets, ExponentialPoint } from "./messages.ts";

export interface UpTo {
  /** Inclusive upper bound of a cumulative bucket; Infinity for the last bucket. */
  readonly bound: number;
  readonly count: bigint;
}

/**
 * Returns the cumulative buckets of an OTLP histogram with explicit bounds. `counts` has one entry more than `bounds`,
 * for the values above the last bound.
 */
export function cumulativeBuckets(bounds: readonly number[], counts: readonly bigint[]): UpTo[] {
  let count = 0n;
  return counts.map((each, at) => ({ bound: bounds[at] ?? Infinity, count: (count += each) }));
}

/**
 * Returns the cumulative buckets of an exponential histogram; undefined when a bound is NaN. Bucket i of the positive
 * range holds the values in (b^i, b^(i+1)] with b = 2^(2^-scale). The negative range is the mirror image of the
 * positive one, and the values counted as zero lie between these ranges. Empty buckets are left out.
 */
export function exponentialBuckets(point: ExponentialPoint): UpTo[] | undefined {
  const { scale = 0, zeroCount = 0n, zeroThreshold = 0, positive = {}, negative = {} } = point;
  const power = 2 ** -scale;
  const negatives = filled(negative).map(({ index, count }) => ({ bound: -(2 ** (index * power)), count }));
  const positives = filled(positive).map(({ index, count }) => ({ bound: 2 ** ((index + 1) * power), count }));
  const zero = zeroCount > 0n ? [{ bound: zeroThreshold, count: zeroCount }] : [];
  const all = [...negatives.reverse(), ...zero, ...positives];
  if (all.some(({ bound }) => Number.isNaN(bound))) return undefined;
  let count = 0n;
  // Maps the upper bound of each bucket to the bucket's cumulative count. Buckets whose bounds round to the same
  // number are merged.
  const upTo = new Map<number, bigint>();
  for (const each of all) upTo.set(each.bound, (count += each.count));
  upTo.set(Infinity, count);
  return Array.from(upTo, ([bound, count]) => ({ bound, count }));
}

function filled({ offset = 0, bucketCounts = [] }: Buckets): { readonly index: number; readonly count: bigint }[] {
  return bucketCounts.flatMap((count, at) => (count > 0n ? [{ index: offset + at, count }] : []));
}
