// Converts the bodies of log streams to encoded points. JSON logs become points in PBJSON (the JSON form of the agent's
// protobuf points). Lines of text and records of a log router (Firelens) become points in the agent's simpler JSON
// format.

import type { Converter } from "../../ingest/converter.ts";
import type { Conversion } from "../../ingest/write-request.ts";
import { jsonLogs } from "./json-logs.ts";
import { logsAsJson } from "./log-stream.ts";

export interface LogConversion extends Conversion {
  readonly converter: "logs";
  readonly kind: "lines" | "json" | "firelens";
  /** Measurement of the points that are made of the logs. */
  readonly measurement: string;
}

export const logConverter: Converter<LogConversion> = {
  name: "logs",
  convert: (body, { kind, measurement }, maxPoints) => ({
    points: kind === "json" ? jsonLogs(body, measurement) : logsAsJson(body, kind, measurement, maxPoints),
  }),
  refusal: { code: "agent.invalidJsonPoint", prefix: "" },
};
