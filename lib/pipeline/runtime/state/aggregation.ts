// Aggregation buckets of the functions agg_create and agg_metric (docs/reference/functions.md): a bucket
// collects numbers for each series and returns them as points when a period ends or when enough numbers were
// added. This file has no timer: the program that uses the library asks for the points that are due.

import type { CategoryName } from "../../../point/category.ts";
import { correct } from "../../../point/correct.ts";
import { Point } from "../../../point/point.ts";
import { Float } from "../../../point/value.ts";
import { Key } from "../../../point/view.ts";
import { detachString } from "./detach.ts";
import type { StateLimits } from "./limits.ts";

export type AggregateName = "sum" | "avg" | "max" | "min" | "set";

export const aggregateNames: readonly AggregateName[] = ["sum", "avg", "max", "min", "set"];

/** An aggregated point that a bucket has made. */
export interface Aggregated {
  readonly bucket: string;
  readonly category: CategoryName;
  readonly point: Point;
}

export interface BucketSettings {
  readonly category: CategoryName;
  readonly name: string;
  /**
   * Period in nanoseconds after which the bucket is flushed (returns its aggregated points); 0 or less means no period.
   */
  readonly interval: bigint;
  /**
   * Number of values after which the bucket is flushed (returns its aggregated points); 0 or less means no such limit.
   */
  readonly count: number;
  /**
   * Whether the sums and counts continue after a flush (which returns the aggregated points). Otherwise they start
   * again from 0 at each flush.
   */
  readonly keep: boolean;
  readonly tags: ReadonlyMap<string, string>;
}

export interface Measured {
  readonly by: readonly string[];
  readonly values: readonly string[];
  readonly field: string;
  readonly aggregate: AggregateName;
  readonly value: number;
}

interface Accumulator {
  /**
   * The aggregate of the field, such as sum or max. The first call of `agg_metric` for the field chooses the aggregate.
   */
  readonly aggregate: AggregateName;
  sum: number;
  count: number;
  max: number;
  min: number;
  last: number;
}

interface Series {
  readonly tags: readonly (readonly [string, string])[];
  readonly fields: Map<string, Accumulator>;
}

interface Bucket {
  readonly settings: BucketSettings;
  readonly series: Map<string, Series>;
  /** End of the bucket's current period, in nanoseconds since 1970. */
  due: bigint;
  /** Number of values that the bucket received since its last flush. */
  taken: number;
  bytes: number;
}

const bytesPerSeries = 256;
const bytesPerField = 128;

export class Buckets {
  bytes = 0;
  refused = 0;
  lost = 0;
  private readonly buckets = new Map<string, Bucket>();
  private readonly limits: StateLimits;
  private emitted: Aggregated[] = [];

  constructor(limits: StateLimits) {
    this.limits = limits;
  }

  get size(): number {
    return this.buckets.size;
  }

  get series(): number {
    let count = 0;
    for (const { series } of this.buckets.values()) count += series.size;
    return count;
  }

  /** Makes an aggregation bucket. A bucket that exists already keeps its settings. */
  create(settings: BucketSettings, now: bigint): void {
    const key = keyOf(settings.category, settings.name);
    if (this.buckets.has(key)) return;
    if (this.buckets.size >= this.limits.buckets) {
      this.refused++;
      return;
    }
    this.buckets.set(key, { settings, series: new Map(), due: now + settings.interval, taken: 0, bytes: 0 });
  }

  /** Adds a value to the aggregation bucket with the given name; does nothing when no bucket has this name. */
  add(category: CategoryName, name: string, measured: Measured, now: bigint): void {
    const bucket = this.buckets.get(keyOf(category, name));
    if (bucket === undefined) return;
    const accumulator = this.accumulator(bucket, measured);
    if (accumulator === undefined) return;
    const { value } = measured;
    accumulator.sum += value;
    accumulator.count++;
    accumulator.max = Math.max(accumulator.max, value);
    accumulator.min = Math.min(accumulator.min, value);
    accumulator.last = value;
    bucket.taken++;
    if (bucket.settings.count > 0 && bucket.taken >= bucket.settings.count) this.flush(bucket, now);
  }

  /**
   * Returns the aggregated points of buckets that are full, and of buckets whose period has ended at the time `now`.
   */
  take(now: bigint): Aggregated[] {
    for (const bucket of this.buckets.values()) {
      const { interval } = bucket.settings;
      if (interval <= 0n || now < bucket.due) continue;
      this.flush(bucket, now);
      bucket.due += ((now - bucket.due) / interval + 1n) * interval;
    }
    const { emitted } = this;
    this.emitted = [];
    return emitted;
  }

  /** Returns all values that the buckets still contain, as aggregated points, and removes the buckets. */
  close(now: bigint): Aggregated[] {
    for (const bucket of this.buckets.values()) this.flush(bucket, now);
    this.buckets.clear();
    this.bytes = 0;
    return this.take(now);
  }

  private accumulator(bucket: Bucket, { by, values, field, aggregate }: Measured): Accumulator | undefined {
    const key = JSON.stringify([by, values]);
    let series = bucket.series.get(key);
    if (series === undefined) {
      const bytes = bytesPerSeries + key.length * 4;
      if (bucket.series.size >= this.limits.seriesPerBucket || !this.fits(bytes)) return this.refuse();
      series = { tags: by.map((name, at) => [name, detachString(values[at]!)] as const), fields: new Map() };
      bucket.series.set(key, series);
      this.grow(bucket, bytes);
    }
    let accumulator = series.fields.get(field);
    if (accumulator === undefined) {
      if (!this.fits(bytesPerField)) return this.refuse();
      accumulator = { aggregate, sum: 0, count: 0, max: -Infinity, min: Infinity, last: 0 };
      series.fields.set(field, accumulator);
      this.grow(bucket, bytesPerField);
    }
    return accumulator;
  }

  private fits(bytes: number): boolean {
    return this.bytes + bytes <= this.limits.seriesBytes;
  }

  private refuse(): undefined {
    this.refused++;
    return undefined;
  }

  private grow(bucket: Bucket, bytes: number): void {
    bucket.bytes += bytes;
    this.bytes += bytes;
  }

  private flush(bucket: Bucket, now: bigint): void {
    const { category, name, keep, tags } = bucket.settings;
    for (const series of bucket.series.values()) {
      const point = new Point(name, now);
      for (const [field, accumulator] of series.fields) point.setField(new Key(field), new Float(result(accumulator)));
      for (const [key, value] of [...tags, ...series.tags]) point.setTag(new Key(key), value);
      correct(point, category);
      this.emitted.push({ bucket: name, category, point });
    }
    const over = this.emitted.length - this.limits.emitted;
    if (over > 0) {
      this.emitted.splice(0, over);
      this.lost += over;
    }
    bucket.taken = 0;
    if (keep) return;
    bucket.series.clear();
    this.bytes -= bucket.bytes;
    bucket.bytes = 0;
  }
}

function keyOf(category: CategoryName, name: string): string {
  return `${category}/${name}`;
}

function result({ aggregate, sum, count, max, min, last }: Accumulator): number {
  switch (aggregate) {
    case "sum":
      return sum;
    case "avg":
      return sum / count;
    case "max":
      return max;
    case "min":
      return min;
    case "set":
      return last;
  }
}
