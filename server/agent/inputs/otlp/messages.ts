// Declares the protobuf messages of OTLP 1.x (opentelemetry-proto: common, resource, trace, logs, metrics), but only
// the fields from which points are made.

import { each, type Field, list, message, messages, one, type Read, type Shape, shape } from "./shape.ts";

/** The value of an attribute or the body of a log record. At most one of the members is set. */
export interface AnyValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: bigint;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values?: readonly AnyValue[] };
  readonly kvlistValue?: { readonly values?: readonly KeyValue[] };
  readonly bytesValue?: Uint8Array;
}

export interface KeyValue {
  readonly key?: string;
  readonly value?: AnyValue;
}

const anyValue: Shape = shape({
  stringValue: one(1, "text"),
  boolValue: one(2, "bool"),
  intValue: one(3, "int64"),
  doubleValue: one(4, "double"),
  arrayValue: within(5, () => arrayValue),
  kvlistValue: within(6, () => keyValueList),
  bytesValue: one(7, "bytes"),
});
const value: Field<AnyValue> = within(2, () => anyValue);
const keyValue: Shape<{ key: Field<string>; value: Field<AnyValue> }> = shape({ key: one(1, "text"), value });
const arrayValue = shape({ values: { ...within<readonly AnyValue[]>(1, () => anyValue), many: "list" } });
const keyValueList = shape({ values: messages(1, keyValue) });

/** Declares a field whose value is a message that is declared later in this file, or that contains itself. */
function within<T>(number: number, of: () => Shape): Field<T> {
  return { number, kind: "message", many: "one", of };
}

const resource = shape({ attributes: messages(1, keyValue) });

const scope = shape({ name: one(1, "text"), version: one(2, "text"), attributes: messages(3, keyValue) });

const event = shape({
  timeUnixNano: one(1, "fixed64"),
  name: one(2, "text"),
  attributes: messages(3, keyValue),
  droppedAttributesCount: one(4, "enum"),
});

const link = shape({
  traceId: one(1, "id"),
  spanId: one(2, "id"),
  traceState: one(3, "text"),
  attributes: messages(4, keyValue),
  droppedAttributesCount: one(5, "enum"),
});

const span = shape({
  traceId: one(1, "id"),
  spanId: one(2, "id"),
  traceState: one(3, "text"),
  parentSpanId: one(4, "id"),
  name: one(5, "text"),
  kind: one(6, "enum"),
  startTimeUnixNano: one(7, "fixed64"),
  endTimeUnixNano: one(8, "fixed64"),
  attributes: messages(9, keyValue),
  droppedAttributesCount: one(10, "enum"),
  events: messages(11, event),
  droppedEventsCount: one(12, "enum"),
  links: messages(13, link),
  droppedLinksCount: one(14, "enum"),
  status: message(15, shape({ message: one(2, "text"), code: one(3, "enum") })),
});

const logRecord = shape({
  timeUnixNano: one(1, "fixed64"),
  severityNumber: one(2, "enum"),
  severityText: one(3, "text"),
  body: within<AnyValue>(5, () => anyValue),
  attributes: messages(6, keyValue),
  droppedAttributesCount: one(7, "enum"),
  traceId: one(9, "id"),
  spanId: one(10, "id"),
  observedTimeUnixNano: one(11, "fixed64"),
  eventName: one(12, "text"),
});

const numberPoint = shape({
  timeUnixNano: one(3, "fixed64"),
  asDouble: one(4, "double"),
  asInt: one(6, "sfixed64"),
  attributes: messages(7, keyValue),
  flags: one(8, "enum"),
});

const histogramPoint = shape({
  timeUnixNano: one(3, "fixed64"),
  count: one(4, "fixed64"),
  sum: one(5, "double"),
  bucketCounts: list(6, "fixed64"),
  explicitBounds: list(7, "double"),
  attributes: messages(9, keyValue),
  flags: one(10, "enum"),
  min: one(11, "double"),
  max: one(12, "double"),
});

const buckets = shape({ offset: one(1, "sint32"), bucketCounts: list(2, "uint64") });

const exponentialPoint = shape({
  attributes: messages(1, keyValue),
  timeUnixNano: one(3, "fixed64"),
  count: one(4, "fixed64"),
  sum: one(5, "double"),
  scale: one(6, "sint32"),
  zeroCount: one(7, "fixed64"),
  positive: message(8, buckets),
  negative: message(9, buckets),
  flags: one(10, "enum"),
  min: one(12, "double"),
  max: one(13, "double"),
  zeroThreshold: one(14, "double"),
});

const summaryPoint = shape({
  timeUnixNano: one(3, "fixed64"),
  count: one(4, "fixed64"),
  sum: one(5, "double"),
  quantileValues: messages(6, shape({ quantile: one(1, "double"), value: one(2, "double") })),
  attributes: messages(7, keyValue),
  flags: one(8, "enum"),
});

const metric = shape({
  name: one(1, "text"),
  unit: one(3, "text"),
  gauge: message(5, shape({ dataPoints: each(1, numberPoint) })),
  sum: message(
    7,
    shape({ dataPoints: each(1, numberPoint), aggregationTemporality: one(2, "enum"), isMonotonic: one(3, "bool") }),
  ),
  histogram: message(9, shape({ dataPoints: each(1, histogramPoint), aggregationTemporality: one(2, "enum") })),
  exponentialHistogram: message(
    10,
    shape({ dataPoints: each(1, exponentialPoint), aggregationTemporality: one(2, "enum") }),
  ),
  summary: message(11, shape({ dataPoints: each(1, summaryPoint) })),
});

export const tracesRequest = shape({
  resourceSpans: each(
    1,
    shape({
      resource: message(1, resource),
      scopeSpans: each(2, shape({ scope: message(1, scope), spans: each(2, span) })),
    }),
  ),
});

export const logsRequest = shape({
  resourceLogs: each(
    1,
    shape({
      resource: message(1, resource),
      scopeLogs: each(2, shape({ scope: message(1, scope), logRecords: each(2, logRecord) })),
    }),
  ),
});

export const metricsRequest = shape({
  resourceMetrics: each(
    1,
    shape({
      resource: message(1, resource),
      scopeMetrics: each(2, shape({ scope: message(1, scope), metrics: each(2, metric) })),
    }),
  ),
});

export type Resource = Read<typeof resource>;
export type Scope = Read<typeof scope>;
export type Span = Read<typeof span>;
export type SpanEvent = Read<typeof event>;
export type LogRecord = Read<typeof logRecord>;
export type Metric = Read<typeof metric>;
export type NumberPoint = Read<typeof numberPoint>;
export type HistogramPoint = Read<typeof histogramPoint>;
export type ExponentialPoint = Read<typeof exponentialPoint>;
export type Buckets = Read<typeof buckets>;
export type SummaryPoint = Read<typeof summaryPoint>;
