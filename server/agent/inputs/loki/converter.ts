// Converts Loki pushes to logs in PBJSON (the JSON form of the agent's protobuf points). Labels become tags, structured
// metadata becomes fields, and times stay exact to the nanosecond.

import { mappedStatus } from "../../../../lib/pipeline/index.ts";
import { TooManyPoints } from "../../engine.ts";
import type { ConvertedPoints, Converter } from "../../ingest/converter.ts";
import type { Conversion } from "../../ingest/write-request.ts";
import { refusedOfLogs } from "../pbjson/json-log.ts";
import { isTime, PointText } from "../pbjson/point-text.ts";
import { createSink } from "../pbjson/sink.ts";
import { decompressed } from "../protobuf/snappy.ts";
import { readLokiJson } from "./read-json.ts";
import { readLokiProtobuf } from "./read-protobuf.ts";
import type { Label, LokiEntry, LokiStream } from "./streams.ts";

export interface LokiConversion extends Conversion {
  readonly converter: "loki";
  /** Whether the body of a push is protobuf, compressed as a Snappy block; otherwise the body is JSON. */
  readonly isProtobuf: boolean;
  /** Labels that may name the measurement; the first label with a value is used. */
  readonly sourceLabels: readonly string[];
  /** Largest allowed size in bytes of a decompressed body. */
  readonly maxBytes: number;
  /** Largest allowed size in bytes of the points that are made from one push. */
  readonly maxPointBytes: number;
}

export const lokiConverter: Converter<LokiConversion> = {
  name: "loki",
  convert,
  refusal: { code: "agent.invalidData", prefix: "Loki push: " },
};

function convert(body: Uint8Array, conversion: LokiConversion, maxPoints: number): ConvertedPoints {
  const { isProtobuf, maxBytes, maxPointBytes } = conversion;
  const sink = createSink(maxPointBytes);
  const streams = isProtobuf ? readLokiProtobuf(decompressed(body, maxBytes)) : readLokiJson(body);
  for (const stream of streams) {
    const measurement = measurementOf(stream, conversion);
    for (const entry of stream.entries) {
      if (typeof entry === "string") sink.reject(entry);
      else if (!isTime(entry.time) || entry.time < 0n) sink.reject("the time of an entry is out of range");
      else {
        if (maxPoints > 0 && sink.points === maxPoints) throw new TooManyPoints(maxPoints);
        sink.add(pointOf(measurement, stream.labels, entry));
      }
    }
  }
  const { points, rejected } = sink.end();
  return rejected === undefined ? { points } : { points, rejected };
}

function measurementOf({ labels }: LokiStream, { sourceLabels }: LokiConversion): string {
  for (const name of sourceLabels) {
    const value = labels.find(([key]) => key === name)?.[1] ?? "";
    if (value !== "") return value;
  }
  return "loki";
}

const levelLabels: readonly string[] = ["detected_level", "level", "severity"];

function pointOf(measurement: string, labels: readonly Label[], { time, line, metadata }: LokiEntry): string {
  const point = new PointText(measurement, true, refusedOfLogs);
  point.field("message", { text: line });
  const level = levelOf(metadata) ?? levelOf(labels);
  if (level !== undefined) point.field("status", { text: mappedStatus(level) });
  for (const [name, value] of labels) point.tagOrField(name, value, "labels");
  for (const [name, value] of metadata) point.field(name, { text: value }, "metadata");
  return point.end(time);
}

function levelOf(labels: readonly Label[]): string | undefined {
  for (const [name, value] of labels) if (levelLabels.includes(name) && value !== "") return value;
  return undefined;
}
