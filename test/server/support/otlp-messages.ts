// Encodes OTLP messages like real senders: with the library protobufjs and the published definitions of
// opentelemetry-proto 1.x, reduced to their fields.

import protobuf from "protobufjs";

const { root } = protobuf.parse(`syntax = "proto3";
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
  ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7; } }
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message KeyValue { string key = 1; AnyValue value = 2; }
message Scope { string name = 1; string version = 2; repeated KeyValue attributes = 3; uint32 dropped_attributes_count = 4; }
message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }

message Traces { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
message ScopeSpans { Scope scope = 1; repeated Span spans = 2; string schema_url = 3; }
message Span { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; bytes parent_span_id = 4; string name = 5;
  uint32 kind = 6; fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  uint32 dropped_attributes_count = 10; repeated Event events = 11; uint32 dropped_events_count = 12; repeated Link links = 13;
  uint32 dropped_links_count = 14; Status status = 15; fixed32 flags = 16; }
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Link { bytes trace_id = 1; bytes span_id = 2; string trace_state = 3; repeated KeyValue attributes = 4; fixed32 flags = 6; }
message Status { string message = 2; uint32 code = 3; }

message Logs { repeated ResourceLogs resource_logs = 1; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; string schema_url = 3; }
message ScopeLogs { Scope scope = 1; repeated LogRecord log_records = 2; string schema_url = 3; }
message LogRecord { fixed64 time_unix_nano = 1; uint32 severity_number = 2; string severity_text = 3; AnyValue body = 5;
  repeated KeyValue attributes = 6; uint32 dropped_attributes_count = 7; fixed32 flags = 8; bytes trace_id = 9; bytes span_id = 10;
  fixed64 observed_time_unix_nano = 11; string event_name = 12; }

message Metrics { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; string schema_url = 3; }
message ScopeMetrics { Scope scope = 1; repeated Metric metrics = 2; string schema_url = 3; }
message Metric { string name = 1; string description = 2; string unit = 3; Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9;
  ExponentialHistogram exponential_histogram = 10; Summary summary = 11; }
message Gauge { repeated NumberDataPoint data_points = 1; }
message Sum { repeated NumberDataPoint data_points = 1; uint32 aggregation_temporality = 2; bool is_monotonic = 3; }
message Histogram { repeated HistogramDataPoint data_points = 1; uint32 aggregation_temporality = 2; }
message ExponentialHistogram { repeated ExponentialHistogramDataPoint data_points = 1; uint32 aggregation_temporality = 2; }
message Summary { repeated SummaryDataPoint data_points = 1; }
message Exemplar { fixed64 time_unix_nano = 2; double as_double = 3; bytes span_id = 4; bytes trace_id = 5; }
message NumberDataPoint { repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  oneof value { double as_double = 4; sfixed64 as_int = 6; } repeated Exemplar exemplars = 5; uint32 flags = 8; }
message HistogramDataPoint { repeated KeyValue attributes = 9; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  fixed64 count = 4; optional double sum = 5; repeated fixed64 bucket_counts = 6; repeated double explicit_bounds = 7;
  repeated Exemplar exemplars = 8; uint32 flags = 10; optional double min = 11; optional double max = 12; }
message ExponentialHistogramDataPoint { repeated KeyValue attributes = 1; fixed64 start_time_unix_nano = 2;
  fixed64 time_unix_nano = 3; fixed64 count = 4; optional double sum = 5; sint32 scale = 6; fixed64 zero_count = 7;
  Buckets positive = 8; Buckets negative = 9; uint32 flags = 10; repeated Exemplar exemplars = 11; optional double min = 12;
  optional double max = 13; double zero_threshold = 14; }
message Buckets { sint32 offset = 1; repeated uint64 bucket_counts = 2; }
message SummaryDataPoint { repeated KeyValue attributes = 7; fixed64 start_time_unix_nano = 2; fixed64 time_unix_nano = 3;
  fixed64 count = 4; double sum = 5; repeated ValueAtQuantile quantile_values = 6; uint32 flags = 8; }
message ValueAtQuantile { double quantile = 1; double value = 2; }

message Response { PartialSuccess partial_success = 1; }
message PartialSuccess { int64 rejected = 1; string error_message = 2; }
message RpcStatus { int32 code = 1; string message = 2; }`);

export type Signal = "traces" | "logs" | "metrics";

const requests = { traces: "Traces", logs: "Logs", metrics: "Metrics" } as const;

/**
 * Encodes a request as protobuf. The request is given as in OTLP's JSON, in which ids are strings; in protobuf they are
 * bytes.
 */
export function encodeRequest(signal: Signal, request: object): Uint8Array {
  const type = root.lookupType(requests[signal]);
  return type.encode(type.fromObject(withIds(request) as object)).finish();
}

export function decodeAnswer(kind: "Response" | "RpcStatus", bytes: Uint8Array): unknown {
  const type = root.lookupType(kind);
  return type.toObject(type.decode(bytes), { longs: String });
}

function withIds(value: unknown, name = ""): unknown {
  if (typeof value === "string" && /^(?:traceId|spanId|parentSpanId)$/.test(name)) return Buffer.from(value, "hex");
  if (Array.isArray(value)) return value.map((each) => withIds(each));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withIds(each, key)]));
}

/** Returns OTLP attributes with values that are strings, numbers, booleans, or bigints (sent as integers). */
export function attributes(values: Readonly<Record<string, string | number | boolean | bigint>>): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));
}

export function anyValue(value: string | number | boolean | bigint): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return typeof value === "bigint" ? { intValue: String(value) } : { doubleValue: value };
}
