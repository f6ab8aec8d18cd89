// Adds up the samples of each series (a name, its tags and its type) during an interval, then writes a point for each
// series. Counters, sets and timings start anew with each interval. Gauges stay until they get no sample for some time.

import { createHash } from "node:crypto";
import type { LineBody } from "../delivery/line-body.ts";
import { putKey } from "../syslog/write-message.ts";
import { Distribution } from "./distribution.ts";
import type { Kind, ParsedLine, Sample } from "./parse-line.ts";

export interface AggregatorLimits {
  /** Largest number of series (a name, its tags and its type) that the aggregator may hold. */
  readonly maxSeries: number;
  /**
   * Largest number of bytes that all series (a name, its tags and its type) together may take. This number includes the
   * keys of the series, the values of sets and the buckets of timings.
   */
  readonly maxBytes: number;
}

export interface FlushOptions {
  readonly percentages: readonly number[];
  /** Time in milliseconds after which a gauge that got no new sample is removed. */
  readonly gaugeTtlMs: number;
  /** Time that the written points get, in nanoseconds since 1970. */
  readonly now: bigint;
  /** The current time in milliseconds, on a monotonic clock. */
  readonly at: number;
}

interface Series {
  readonly kind: Kind;
  /** The sum of a counter's samples, or the current value of a gauge. */
  value: number;
  /** Time at which the gauge was last set, in milliseconds, on a monotonic clock. */
  setAt: number;
  readonly members: Set<string> | undefined;
  readonly distribution: Distribution | undefined;
}

/** Estimated memory in bytes of a series (without its key), and of a value in a set (without its text). */
const [seriesBytes, memberBytes] = [256, 64];
/** Largest length of a text that a set stores as it is. For a longer text it stores a digest. */
const longestMember = 32;

export class Aggregator {
  /**
   * The series by their keys. The key of a series consists of the type, the name and the sorted tags, separated by line
   * feeds.
   */
  private readonly all = new Map<string, Series>();
  private bytes = 0;

  /** Number of series (a name, its tags and its type) that the aggregator holds now. */
  get series(): number {
    return this.all.size;
  }

  /**
   * Adds the samples of a line. Returns the number of samples that were dropped because of the limits on the number and
   * the memory of series.
   */
  add(line: ParsedLine, limits: AggregatorLimits, at: number): number {
    let dropped = 0;
    for (const sample of line.samples) if (!this.addSample(line, sample, limits, at)) dropped++;
    return dropped;
  }

  private addSample(line: ParsedLine, sample: Sample, limits: AggregatorLimits, at: number): boolean {
    const { kind, value, rate, isDelta, text } = sample;
    const series = this.find(keyOf(line, kind), kind, limits);
    if (series === undefined) return false;
    if (kind === "counter") series.value += value / rate;
    else if (kind === "gauge") {
      series.value = isDelta ? series.value + value : value;
      series.setAt = at;
    } else {
      const { members, distribution } = series;
      if (this.bytes >= limits.maxBytes) return false;
      if (members !== undefined) {
        const member = memberOf(text);
        if (members.has(member)) return true;
        members.add(member);
        this.bytes += memberBytes + member.length;
      } else if (distribution !== undefined) {
        const before = distribution.byteLength;
        distribution.add(value, 1 / rate);
        this.bytes += distribution.byteLength - before;
      }
    }
    return true;
  }

  /**
   * Returns the series with the given key, and creates it if there is none; undefined when the limits allow no further
   * series.
   */
  private find(key: string, kind: Kind, { maxSeries, maxBytes }: AggregatorLimits): Series | undefined {
    const known = this.all.get(key);
    if (known !== undefined) return known;
    const bytes = seriesBytes + key.length;
    if (this.all.size >= maxSeries || this.bytes + bytes > maxBytes) return undefined;
    const isDistribution = kind === "timing" || kind === "histogram" || kind === "distribution";
    const series: Series = {
      kind,
      value: 0,
      setAt: 0,
      members: kind === "set" ? new Set() : undefined,
      distribution: isDistribution ? new Distribution() : undefined,
    };
    this.all.set(copied(key), series);
    this.bytes += bytes + (series.distribution?.byteLength ?? 0);
    return series;
  }

  /**
   * Writes a line for each series, then removes all series except gauges. Gauges that got no sample for too long are
   * removed without a line. Returns the number of lines.
   */
  flush(body: LineBody, options: FlushOptions): number {
    const { gaugeTtlMs, at } = options;
    let bytes = 0;
    let lines = 0;
    for (const [key, series] of this.all) {
      const isGauge = series.kind === "gauge";
      const isOver = isGauge && at - series.setAt > gaugeTtlMs;
      if (!isOver) {
        writeSeries(body, key, series, options);
        lines++;
      }
      if (isGauge && !isOver) bytes += seriesBytes + key.length;
      else this.all.delete(key);
    }
    this.bytes = bytes;
    return lines;
  }
}

function keyOf({ name, tags }: ParsedLine, kind: Kind): string {
  let key = `${kind}\n${name}`;
  if (tags.size === 0) return key;
  for (const tag of [...tags.keys()].sort()) key += `\n${tag}\n${tags.get(tag)}`;
  return key;
}

/** Copies a text that is a part of a line. Without the copy, JavaScript would keep the whole line in memory. */
const copied = (text: string) => Buffer.from(text, "latin1").toString("latin1");

function memberOf(text: string): string {
  return text.length <= longestMember
    ? copied(text)
    : `#${createHash("sha256").update(text, "latin1").digest("base64")}`;
}

function writeSeries(body: LineBody, key: string, series: Series, { percentages, now }: FlushOptions): void {
  const [kind, name, ...tags] = key.split("\n");
  body.startLine();
  putText(body, name!);
  for (let at = 0; at < tags.length; at += 2) {
    body.putAscii(",");
    putText(body, tags[at]!);
    body.putAscii("=");
    putText(body, tags[at + 1]!);
  }
  // When the sender has set a tag `metric_type` itself, the tag of the sender is kept.
  if (!tags.some((tag, at) => at % 2 === 0 && tag === "metric_type")) body.putAscii(`,metric_type=${kind}`);
  body.putAscii(` ${fieldsOf(series, percentages)} ${now}`);
  body.endLine();
}

function fieldsOf({ value, members, distribution }: Series, percentages: readonly number[]): string {
  if (members !== undefined) return `count=${members.size}i`;
  if (distribution === undefined) return `value=${finite(value)}`;
  const { count, figures } = distribution.summary();
  const values = distribution.percentiles(percentages);
  return [
    `count=${count}i`,
    ...figures.map(([name, figure]) => `${name}=${finite(figure)}`),
    ...percentages.map((percentage, at) => `p${String(percentage).replace(".", "_")}=${finite(values[at]!)}`),
  ].join(",");
}

/** Returns the number, limited to the finite range, because sums may exceed the largest number; 0 for NaN. */
const finite = (value: number) =>
  Number.isNaN(value) ? 0 : Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);

/** Writes a measurement, a key or a tag value to the body. Each character of `text` stands for one byte. */
function putText(body: LineBody, text: string): void {
  const bytes = Buffer.from(text, "latin1");
  putKey(body, bytes, { from: 0, to: bytes.length });
}
