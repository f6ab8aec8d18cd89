// Converts the data points of OTLP metrics to points of the category `metric` (docs/reference/otlp.md). The name of the
// metric becomes the field key; the attributes become tags.

import { type EntryValue, isTime, PointText } from "../pbjson/point-text.ts";
import type { PointSink } from "../pbjson/sink.ts";
import { type Sender, senderOf } from "./common.ts";
import { cumulativeBuckets, exponentialBuckets, type UpTo } from "./histograms.ts";
import type {
  ExponentialPoint,
  HistogramPoint,
  KeyValue,
  Metric,
  metricsRequest,
  NumberPoint,
  SummaryPoint,
} from "./messages.ts";
import type { Read } from "./shape.ts";
import { floatJson, textOf } from "./values.ts";

/** The measurement of all points that are made of OTLP metrics. */
const measurement = "otel_service";

/** Flag that marks an OTLP data point as having no value (FLAG_NO_RECORDED_VALUE). */
const noRecordedValue = 1;

export function addMetrics({ resourceMetrics = [] }: Read<typeof metricsRequest>, sink: PointSink): void {
  for (const { resource, scopeMetrics = [] } of resourceMetrics) {
    for (const { scope, metrics = [] } of scopeMetrics) {
      const sender = senderOf(resource, scope);
      for (const metric of metrics) addMetric(metric, sender, sink);
    }
  }
}

/** The name and the tags of a metric, and the sender of its data. All data points of the metric share them. */
interface Series {
  readonly name: string;
  readonly sender: Sender;
  /** Tags that describe an OTLP metric, such as its unit and its type. */
  readonly tags: readonly (readonly [key: string, value: string])[];
  readonly sink: PointSink;
}

/** The members that the data points of every type of OTLP metric have. */
interface DataPoint {
  readonly timeUnixNano?: bigint;
  readonly attributes?: readonly KeyValue[];
  readonly flags?: number;
}

function addMetric(metric: Metric, sender: Sender, sink: PointSink): void {
  const { gauge, sum, histogram, exponentialHistogram, summary } = metric;
  const series = (type: string, temporality?: number, isMonotonic?: boolean): Series => ({
    name: metric.name ?? "",
    sender,
    sink,
    tags: [
      ["unit", metric.unit ?? ""],
      ["metric_type", type],
      ["temporality", temporality === 1 ? "delta" : temporality === 2 ? "cumulative" : ""],
      ["is_monotonic", isMonotonic === undefined ? "" : String(isMonotonic)],
    ],
  });
  if (gauge !== undefined) each(series("gauge"), gauge.dataPoints, addNumber);
  if (sum !== undefined) {
    each(series("sum", sum.aggregationTemporality, sum.isMonotonic ?? false), sum.dataPoints, addNumber);
  }
  if (histogram !== undefined) {
    each(series("histogram", histogram.aggregationTemporality), histogram.dataPoints, addHistogram);
  }
  if (exponentialHistogram !== undefined) {
    const its = series("exponential_histogram", exponentialHistogram.aggregationTemporality);
    each(its, exponentialHistogram.dataPoints, addExponential);
  }
  if (summary !== undefined) each(series("summary"), summary.dataPoints, addSummary);
}

/**
 * Calls `add` for each data point of a metric. When `add` returns a reason why the data point cannot become a point,
 * the sink (which collects the points of a request) counts the data point as rejected.
 */
function each<P extends DataPoint>(
  series: Series,
  points: Iterable<P> = [],
  add: (series: Series, point: P) => string | undefined,
): void {
  for (const point of points) {
    if (((point.flags ?? 0) & noRecordedValue) !== 0) continue;
    if (series.name === "") series.sink.reject("the metric has no name");
    else if (!isTime(point.timeUnixNano ?? 0n)) series.sink.reject("the time is out of range");
    else series.sink.reject(add(series, point));
  }
}

type FieldsOf = readonly (readonly [key: string, value: EntryValue | undefined])[];

/**
 * Adds one point to the sink (which collects the points of a request). Returns false, and adds nothing, when the tags
 * of the point are too long.
 */
function put(
  series: Series,
  { attributes = [], timeUnixNano = 0n }: DataPoint,
  fields: FieldsOf,
  more: Series["tags"] = [],
): boolean {
  const { sink, sender } = series;
  const point = new PointText(measurement, false);
  for (const [key, value] of fields) point.field(key, value);
  for (const [key, value] of [...more, ...series.tags]) point.tag(key, value);
  for (const { key = "", value } of attributes) point.tag(key, textOf(value) ?? "", "attributes");
  point.tag("service", sender.service, "resource");
  for (const [key, value] of sender.resource) point.tag(key, value, "resource");
  for (const [key, value] of sender.scope) point.tag(key, value, "scope");
  if (point.hasTooManyTags) return false;
  sink.add(point.end(timeUnixNano));
  return true;
}

const tooManyTags = "the attributes are too long for tags";

function addNumber(series: Series, point: NumberPoint): string | undefined {
  const { asInt, asDouble } = point;
  if (asInt === undefined && asDouble === undefined) return "a data point without a value";
  if (asInt === undefined && Number.isNaN(asDouble)) return "NaN is no value";
  const value = asInt === undefined ? floatOf(asDouble) : { json: `"i":"${asInt}"` };
  return put(series, point, [[series.name, value]]) ? undefined : tooManyTags;
}

function addHistogram(series: Series, point: HistogramPoint): string | undefined {
  const { bucketCounts = [], explicitBounds = [] } = point;
  const hasBuckets = bucketCounts.length > 0;
  if (hasBuckets && bucketCounts.length !== explicitBounds.length + 1) {
    return "a histogram must have one bucket more than bounds";
  }
  if (explicitBounds.some((bound, at) => !(bound > (explicitBounds[at - 1] ?? -Infinity)))) {
    return "the bounds of a histogram must ascend";
  }
  return addDistribution(series, point, hasBuckets ? cumulativeBuckets(explicitBounds, bucketCounts) : []);
}

function addExponential(series: Series, point: ExponentialPoint): string | undefined {
  const all = exponentialBuckets(point);
  if (all === undefined) return "the buckets of an exponential histogram are out of range";
  return addDistribution(series, point, all);
}

/**
 * Adds the points of a histogram: one with the sum, the count, the minimum and the maximum, and for each bucket one
 * with the number of values up to the bucket's bound.
 */
function addDistribution(
  series: Series,
  point: HistogramPoint | ExponentialPoint,
  buckets: readonly UpTo[],
): string | undefined {
  const { name } = series;
  const isKept = put(series, point, [
    [`${name}_count`, countOf(point.count ?? 0n)],
    [`${name}_sum`, floatOf(point.sum)],
    [`${name}_min`, floatOf(point.min)],
    [`${name}_max`, floatOf(point.max)],
  ]);
  if (!isKept) return tooManyTags;
  for (const { bound, count } of buckets)
    put(series, point, [[`${name}_bucket`, countOf(count)]], [["le", boundText(bound)]]);
  return undefined;
}

function addSummary(series: Series, point: SummaryPoint): string | undefined {
  const { name } = series;
  const isKept = put(series, point, [
    [`${name}_count`, countOf(point.count ?? 0n)],
    [`${name}_sum`, floatOf(point.sum ?? 0)],
  ]);
  if (!isKept) return tooManyTags;
  for (const { quantile = 0, value = 0 } of point.quantileValues ?? []) {
    const field = floatOf(value);
    if (field !== undefined) put(series, point, [[name, field]], [["quantile", String(quantile)]]);
  }
  return undefined;
}

const maxInt = (1n << 63n) - 1n;

function countOf(count: bigint): EntryValue {
  return { json: count > maxInt ? `"u":"${count}"` : `"i":"${count}"` };
}

/** Returns a floating-point number as the value of a point's field; undefined for NaN. */
function floatOf(value: number | undefined): EntryValue | undefined {
  if (value === undefined || Number.isNaN(value)) return undefined;
  return { json: Number.isFinite(value) ? floatJson(value) : `"f":"${value}"` };
}

function boundText(bound: number): string {
  return bound === Infinity ? "+Inf" : String(bound);
}
