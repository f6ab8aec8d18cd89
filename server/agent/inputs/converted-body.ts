// Bodies that are no form of points, made one: log streams, Prometheus remote writes, OTLP (docs/reference/agent.md#overview).

import type { ForeignBody, WriteAnswer } from "../write-messages.ts";
import { jsonLogs } from "./log-stream/json-logs.ts";
import { logsAsJson, StreamError } from "./log-stream/log-stream.ts";
import { OtlpTooLarge, type Rejected } from "./otlp/common.ts";
import { otlpPoints } from "./otlp/points.ts";
import { OtlpError } from "./otlp/shape.ts";
import { prometheusPoints } from "./prometheus/points.ts";
import { SnappyError } from "./prometheus/snappy.ts";
import { ProtobufError } from "./protobuf/reader.ts";

export interface ForeignPoints {
  /** In a form of JSON: PBJSON of JSON logs, samples and OTLP, else simple JSON. */
  readonly points: Uint8Array;
  readonly rejected?: Rejected;
}

/** Throws what `foreignRefusal` knows. */
export function foreignPoints(body: Uint8Array, foreign: ForeignBody, maxPoints: number): ForeignPoints {
  switch (foreign.kind) {
    case "prometheus":
      return { points: prometheusPoints(body, foreign.isSnappy, foreign.maxBytes) };
    case "otlp":
      return otlpPoints(body, foreign.signal, foreign.encoding, foreign.maxBytes);
    case "json":
      return { points: jsonLogs(body, foreign.source) };
    default:
      return { points: logsAsJson(body, foreign.kind, foreign.source, maxPoints) };
  }
}

/** The answer to a body that is not what it should be; undefined when the error is another one. */
export function foreignRefusal(error: unknown): WriteAnswer | undefined {
  if (error instanceof StreamError) return { ok: false, code: "agent.invalidJsonPoint", message: error.message };
  if (error instanceof ProtobufError || error instanceof SnappyError) {
    return { ok: false, code: "agent.invalidProtobufPoint", message: `remote write: ${error.message}` };
  }
  if (error instanceof OtlpTooLarge) return { ok: false, code: "agent.bodyTooLarge", message: error.message };
  if (error instanceof OtlpError) return { ok: false, code: "agent.invalidData", message: `OTLP: ${error.message}` };
  return undefined;
}
