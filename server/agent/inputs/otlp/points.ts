// Converts an OTLP request to points in PBJSON (the JSON form of the agent's protobuf points).

import { createSink, type Gathered } from "../pbjson/sink.ts";
import { addLogs } from "./logs.ts";
import { logsRequest, metricsRequest, tracesRequest } from "./messages.ts";
import { addMetrics } from "./metrics.ts";
import { readOtlpJson } from "./read-json.ts";
import { readProtobuf } from "./read-protobuf.ts";
import type { Read, Shape } from "./shape.ts";
import { addSpans } from "./spans.ts";

export type Signal = "traces" | "metrics" | "logs";
export type OtlpEncoding = "protobuf" | "json";

/** Returns the points of an OTLP request. `maxBytes`: largest size of the points in bytes. Throws ConversionError. */
export function otlpPoints(body: Uint8Array, signal: Signal, encoding: OtlpEncoding, maxBytes: number): Gathered {
  const sink = createSink(maxBytes);
  const read = <S extends Shape>(shape: S): Read<S> =>
    encoding === "json" ? readOtlpJson(body, shape) : readProtobuf(body, shape);
  if (signal === "traces") addSpans(read(tracesRequest), sink);
  else if (signal === "logs") addLogs(read(logsRequest), sink);
  else addMetrics(read(metricsRequest), sink);
  return sink.end();
}
