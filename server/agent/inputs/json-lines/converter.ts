// Converts JSON lines to points in PBJSON (the JSON form of the agent's protobuf points). When a line cannot become a
// point, the other lines are still stored.

import type { CategoryName } from "../../../../lib/point/index.ts";
import { JsonSyntaxError, type JsonValue, readJson } from "../../../../lib/text/index.ts";
import { TooManyPoints } from "../../engine.ts";
import { ConversionError, type ConvertedPoints, type Converter } from "../../ingest/converter.ts";
import type { Conversion } from "../../ingest/write-request.ts";
import { reasonNotToParse } from "../pbjson/json-extent.ts";
import { addObject, type ObjectForm, refusedOfLogs } from "../pbjson/json-log.ts";
import { linesOf } from "../pbjson/lines.ts";
import { timeMembers } from "../pbjson/log-members.ts";
import { PointText } from "../pbjson/point-text.ts";
import { createSink } from "../pbjson/sink.ts";

export interface JsonLinesConversion extends Conversion {
  readonly converter: "json_lines";
  readonly category: CategoryName;
  /** Measurement of points whose JSON line names no measurement. */
  readonly measurement: string;
  /** Largest allowed size in bytes of the points that are made from one request. */
  readonly maxPointBytes: number;
}

export const jsonLinesConverter: Converter<JsonLinesConversion> = {
  name: "json_lines",
  convert,
  refusal: { code: "agent.invalidJsonPoint", prefix: "" },
};

/** Largest number of failed lines that the answer to a write names. */
const mostNamed = 3;

function convert(body: Uint8Array, conversion: JsonLinesConversion, maxPoints: number): ConvertedPoints {
  const reason = reasonNotToParse(body);
  if (reason !== undefined) throw new ConversionError(reason);
  const sink = createSink(conversion.maxPointBytes);
  const named: string[] = [];
  let count = 0;
  for (const { text, number } of linesOf(body)) {
    const point = pointOf(text, conversion);
    if (point instanceof ConversionError) {
      count++;
      if (named.length < mostNamed) named.push(`line ${number}: ${point.message}`);
      continue;
    }
    if (maxPoints > 0 && sink.points === maxPoints) throw new TooManyPoints(maxPoints);
    sink.add(point);
  }
  const { points } = sink.end();
  if (count === 0) return { points };
  const more = count > named.length ? [`${count - named.length} more`] : [];
  return { points, rejected: { count, reason: [...named, ...more].join("; ") } };
}

/**
 * Returns the point of a line as PBJSON text (the JSON form of the agent's protobuf points), or the reason why the line
 * cannot become a point.
 */
function pointOf(text: string, { category, measurement }: JsonLinesConversion): string | ConversionError {
  const value = parsed(text);
  if (value instanceof JsonSyntaxError) return new ConversionError(value.message);
  if (!(value instanceof Map)) return new ConversionError("an object is expected");
  const own = value.get("measurement") ?? null;
  if (own !== null && (typeof own !== "string" || own === "")) return new ConversionError("measurement must be a text");
  const tags = value.get("tags") ?? null;
  if (tags !== null && !(tags instanceof Map)) return new ConversionError("tags must be an object");
  value.delete("measurement");
  const form = category === "logging" ? logForm : otherForm;
  const point = new PointText(own ?? measurement, category !== "metric", form.isLog ? refusedOfLogs : []);
  const { time = 0n, badTime } = addObject(point, value, text, form);
  if (badTime !== undefined) return new ConversionError(`${badTime} holds no time`);
  return point.hasField ? point.end(time) : new ConversionError("a point needs a field");
}

function parsed(text: string): JsonValue | JsonSyntaxError {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
}

const logForm: ObjectForm = {
  isLog: true,
  timeMembers,
  tags: new Map(),
  tagObjects: ["tags"],
  origin: "fields",
};
const otherForm: ObjectForm = { ...logForm, isLog: false };
