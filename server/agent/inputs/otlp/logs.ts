// Converts OTLP log records to points of the category `logging` (docs/reference/otlp.md).

import { mappedStatus } from "../../../../lib/pipeline/index.ts";
import { isTime, PointText } from "../pbjson/point-text.ts";
import type { PointSink } from "../pbjson/sink.ts";
import { addSender, type Sender, senderOf } from "./common.ts";
import { isId } from "./ids.ts";
import type { LogRecord, logsRequest } from "./messages.ts";
import type { Read } from "./shape.ts";
import { entryOf, textOf } from "./values.ts";

/** Keys that a point of the category `logging` may not have (docs/reference/points.md#corrections). */
const refused = ["source", "date"];

export function addLogs({ resourceLogs = [] }: Read<typeof logsRequest>, sink: PointSink): void {
  for (const { resource, scopeLogs = [] } of resourceLogs) {
    for (const { scope, logRecords = [] } of scopeLogs) {
      const sender = senderOf(resource, scope);
      for (const record of logRecords) sink.reject(addLog(record, sender, sink));
    }
  }
}

/**
 * Adds the point of a log record to the sink (which collects the points of a request). Returns the reason when the
 * record cannot become a point.
 */
function addLog(record: LogRecord, sender: Sender, sink: PointSink): string | undefined {
  const time = record.timeUnixNano || record.observedTimeUnixNano || 0n;
  if (!isTime(time)) return "the time is out of range";
  const { severityText = "", traceId = "", spanId = "", eventName = "", droppedAttributesCount = 0 } = record;
  const point = new PointText(sender.service || sender.scopeName || "otel", true, refused);
  const status = statusOf(record.severityNumber ?? 0, severityText);
  point.field("message", { text: textOf(record.body) ?? "" });
  if (status !== "") point.field("status", { text: status });
  if (severityText !== "" && severityText.toLowerCase() !== status)
    point.field("severity_text", { text: severityText });
  if (isId(traceId, 32)) point.field("trace_id", { text: traceId });
  if (isId(spanId, 16)) point.field("span_id", { text: spanId });
  if (eventName !== "") point.field("event_name", { text: eventName });
  if (droppedAttributesCount > 0) point.field("dropped_attributes_count", { json: `"i":"${droppedAttributesCount}"` });
  for (const { key = "", value } of record.attributes ?? []) point.field(key, entryOf(value), "attributes");
  point.tagOrField("service", sender.service, "resource");
  addSender(point, sender);
  sink.add(point.end(time));
  return undefined;
}

/**
 * Statuses of logs for ranges of OTLP severity numbers. `upTo` is the last number of a range; all numbers of the
 * range have the same status.
 */
const statuses: readonly (readonly [upTo: number, status: string])[] = [
  [8, "debug"],
  [12, "info"],
  [16, "warning"],
  [20, "error"],
  [24, "critical"],
];

/** Returns the status for the severity of a log record; an empty string when the record has no severity. */
function statusOf(severity: number, text: string): string {
  const known = severity > 0 ? statuses.find(([upTo]) => severity <= upTo)?.[1] : undefined;
  return known ?? (text === "" ? "" : mappedStatus(text));
}
