// Buckets of histograms as counts of the values up to a bound, as Prometheus has them: each holds those of all before it.

import type { Buckets, ExponentialPoint } from "./messages.ts";

export interface UpTo {
  /** Included; the last one is Infinity. */
  readonly bound: number;
  readonly count: bigint;
}

/** `counts`: of the buckets between the bounds, one more than these. */
export function cumulativeBuckets(bounds: readonly number[], counts: readonly bigint[]): UpTo[] {
  let count = 0n;
  return counts.map((each, at) => ({ bound: bounds[at] ?? Infinity, count: (count += each) }));
}

/**
 * Bucket i of the positive range holds the values in (b^i, b^(i+1)] with b = 2^(2^-scale), the negative range is its mirror
 * image, and between both are those that count as zero. Buckets without values are left out. Undefined when a bound is no
 * number.
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
  // Bounds that are the same number are one bucket.
  const upTo = new Map<number, bigint>();
  for (const each of all) upTo.set(each.bound, (count += each.count));
  upTo.set(Infinity, count);
  return Array.from(upTo, ([bound, count]) => ({ bound, count }));
}

function filled({ offset = 0, bucketCounts = [] }: Buckets): { readonly index: number; readonly count: bigint }[] {
  return bucketCounts.flatMap((count, at) => (count > 0n ? [{ index: offset + at, count }] : []));
}
