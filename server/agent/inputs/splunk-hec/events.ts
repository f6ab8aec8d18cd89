// Converts the events of a Splunk request to logs in PBJSON (the JSON form of the agent's protobuf points). A request
// is stored completely or not at all: the first invalid event causes the refusal of the request, and the answer
// contains the number of that event.

import { type JsonObject, JsonSyntaxError, type JsonValue, readJson } from "../../../../lib/text/index.ts";
import { safeJson } from "../../../http/errors.ts";
import { TooManyPoints } from "../../engine.ts";
import type { ConvertedPoints } from "../../ingest/converter.ts";
import { reasonNotToParse } from "../pbjson/json-extent.ts";
import { addObject, type ObjectForm, refusedOfLogs } from "../pbjson/json-log.ts";
import { ObjectsError, objectsOf } from "../pbjson/json-objects.ts";
import { entryOfJson, textOfJson } from "../pbjson/json-values.ts";
import { linesOf } from "../pbjson/lines.ts";
import { timeOf } from "../pbjson/log-members.ts";
import { PointText } from "../pbjson/point-text.ts";
import { createSink, type PointSink } from "../pbjson/sink.ts";
import type { HecConversion } from "./converter.ts";
import { hecAnswers } from "./splunk-hec.ts";

/**
 * Members of an event that tell where the event comes from. For an event without these members, the values in the URL
 * of the request are used.
 */
export interface EventOrigin {
  readonly host: string;
  readonly source: string;
  readonly sourcetype: string;
  readonly index: string;
}

type Answer = (typeof hecAnswers)[keyof typeof hecAnswers];

/** Thrown when an event of a Splunk request is invalid. */
class EventError extends Error {
  readonly answer: Answer;
  constructor(answer: Answer, message: string) {
    super(message);
    this.answer = answer;
  }
}

/**
 * Converts the body of a request to points. When the request is refused, the result has no points, and its member
 * `reply` is the body of the answer.
 */
export function convertEvents(body: Uint8Array, conversion: HecConversion, maxPoints: number): ConvertedPoints {
  const sink = createSink(conversion.maxPointBytes);
  try {
    if (conversion.isRaw) addLines(body, conversion, sink, maxPoints);
    else addEvents(body, conversion, sink, maxPoints);
  } catch (error) {
    const refused = asEventError(error);
    if (refused === undefined) throw error;
    const answer = { ...refused.answer, "invalid-event-number": sink.points, message: refused.message };
    return { points: noPoints, reply: new TextEncoder().encode(safeJson(answer)) };
  }
  return { points: sink.end().points };
}

const noPoints = new TextEncoder().encode("[]");

function asEventError(error: unknown): EventError | undefined {
  if (error instanceof EventError) return error;
  if (error instanceof JsonSyntaxError || error instanceof ObjectsError) {
    return new EventError(hecAnswers.invalidData, error.message);
  }
  return undefined;
}

function addEvents(body: Uint8Array, { origin }: HecConversion, sink: PointSink, maxPoints: number): void {
  const reason = reasonNotToParse(body);
  if (reason !== undefined) throw new EventError(hecAnswers.invalidData, reason);
  for (const raw of objectsOf(new TextDecoder().decode(body))) {
    if (maxPoints > 0 && sink.points === maxPoints) throw new TooManyPoints(maxPoints);
    sink.add(pointOfEvent(readJson(raw) as JsonObject, origin));
  }
}

function addLines(body: Uint8Array, { origin }: HecConversion, sink: PointSink, maxPoints: number): void {
  for (const { text } of linesOf(body)) {
    if (maxPoints > 0 && sink.points === maxPoints) throw new TooManyPoints(maxPoints);
    const point = pointFrom(origin);
    point.field("message", { text });
    sink.add(point.end(0n));
  }
}

/** Starts the point of an event: sets its measurement, and adds tags for host, source and index. */
function pointFrom({ host, source, sourcetype, index }: EventOrigin): PointText {
  const point = new PointText(sourcetype || source || "splunk_hec", true, refusedOfLogs);
  point.tag("host", host);
  point.tag("splunk_source", source);
  point.tag("splunk_index", index);
  return point;
}

const eventForm: ObjectForm = { isLog: true, timeMembers: [], tags: new Map(), tagObjects: [], origin: "event" };

/** Returns the point that is made of a Splunk event. Throws EventError. */
function pointOfEvent(event: JsonObject, usual: EventOrigin): string {
  const value = event.get("event") ?? null;
  if (value === null) throw new EventError(hecAnswers.noEvent, "an event needs a member event");
  if (value === "") throw new EventError(hecAnswers.blankEvent, "the member event is empty");
  const own = (name: keyof EventOrigin) => textOfJson(event.get(name) ?? null) || usual[name];
  const point = pointFrom({
    host: own("host"),
    source: own("source"),
    sourcetype: own("sourcetype"),
    index: own("index"),
  });
  addFields(point, event.get("fields") ?? null);
  if (value instanceof Map) addObject(point, value, textOfJson(value), eventForm);
  else point.field("message", { text: textOfJson(value) });
  return point.end(timeOfEvent(event.get("time") ?? null));
}

/** Adds the indexed fields of an event to the point: strings become tags, other values become fields. */
function addFields(point: PointText, fields: JsonValue): void {
  if (fields === null) return;
  if (!(fields instanceof Map)) throw new EventError(hecAnswers.wrongFields, "the member fields must be an object");
  for (const [name, value] of fields) {
    if (value === null) continue;
    if (typeof value === "string") point.tagOrField(name, value, "fields");
    else point.field(name, entryOfJson(value), "fields");
  }
}

function timeOfEvent(value: JsonValue): bigint {
  if (value === null || value === "") return 0n;
  const time = timeOf(value);
  if (time === undefined) throw new EventError(hecAnswers.invalidData, "the member time holds no time");
  return time;
}
