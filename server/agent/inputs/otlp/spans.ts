// Converts OTLP spans to points of the category `tracing` (docs/reference/otlp.md).

import { isTime, PointText } from "../pbjson/point-text.ts";
import type { PointSink } from "../pbjson/sink.ts";
import { addSender, type Sender, senderOf } from "./common.ts";
import { isId } from "./ids.ts";
import type { Span, SpanEvent, tracesRequest } from "./messages.ts";
import type { Read } from "./shape.ts";
import { attributesJson, entryOf, textOf } from "./values.ts";

export function addSpans({ resourceSpans = [] }: Read<typeof tracesRequest>, sink: PointSink): void {
  for (const { resource, scopeSpans = [] } of resourceSpans) {
    for (const { scope, spans = [] } of scopeSpans) {
      const sender = senderOf(resource, scope);
      for (const span of spans) sink.reject(addSpan(span, sender, sink));
    }
  }
}

/** The measurement of all points that are made of spans. */
const measurement = "opentelemetry";

/** Names of the OTLP span kinds (SpanKind), by number. */
const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"];

/** Number of the OTLP status STATUS_CODE_ERROR, which marks a failed span. */
const failed = 2;

/**
 * Adds the point of a span to the sink (which collects the points of a request). Returns the reason when the span
 * cannot become a point.
 */
function addSpan(span: Span, sender: Sender, sink: PointSink): string | undefined {
  const {
    traceId = "",
    spanId = "",
    parentSpanId = "",
    startTimeUnixNano: start = 0n,
    endTimeUnixNano: end = 0n,
  } = span;
  if (!isId(traceId, 32)) return "the trace id is not 16 bytes that differ from 0";
  if (!isId(spanId, 16)) return "the span id is not 8 bytes that differ from 0";
  if (!isTime(start) || !isTime(end)) return "the time is out of range";
  const isRoot = !isId(parentSpanId, 16);
  const kind = kinds[span.kind ?? 0] ?? "unspecified";
  const name = span.name ?? "";
  const point = new PointText(measurement, true);
  point.tag("service", sender.service || sender.scopeName || "unknown");
  point.tagOrField("operation", name, "");
  point.tag("span_kind", kind);
  point.tag("span_type", typeOf(kind, isRoot));
  point.tag("status", span.status?.code === failed ? "error" : "ok");
  point.field("trace_id", { text: traceId });
  point.field("span_id", { text: spanId });
  // A parent id of "0" marks the point as the first span of its trace.
  point.field("parent_id", { text: isRoot ? "0" : parentSpanId });
  point.field("resource", { text: name });
  point.field("start", microseconds(start));
  point.field("duration", microseconds(end > start ? end - start : 0n));
  if (span.traceState) point.field("trace_state", { text: span.traceState });
  if (span.status?.message) point.field("status_message", { text: span.status.message });
  addException(point, span.events);
  addEvents(point, span);
  for (const { key = "", value } of span.attributes ?? []) point.field(key, entryOf(value), "attributes");
  addSender(point, sender);
  sink.add(point.end(start));
  return undefined;
}

/** Returns the type of a span: `entry` for incoming requests, `exit` for outgoing requests, `local` for all others. */
function typeOf(kind: string, isRoot: boolean): "entry" | "exit" | "local" {
  if (kind === "client" || kind === "producer") return "exit";
  return isRoot || kind === "server" || kind === "consumer" ? "entry" : "local";
}

function microseconds(nanoseconds: bigint): { readonly json: string } {
  return { json: `"i":"${nanoseconds / 1000n}"` };
}

/** Adds the fields of the last exception among the span's events. */
function addException(point: PointText, events: readonly SpanEvent[] = []): void {
  const { attributes = [] } = events.findLast(({ name }) => name === "exception") ?? {};
  for (const [attribute, key] of exceptionKeys) {
    const text = textOf(attributes.find((each) => each.key === attribute)?.value);
    if (text !== undefined) point.field(key, { text });
  }
}

const exceptionKeys = [
  ["exception.type", "error_type"],
  ["exception.message", "error_message"],
  ["exception.stacktrace", "error_stack"],
] as const;

function addEvents(point: PointText, span: Span): void {
  const { events = [], links = [] } = span;
  if (events.length > 0) {
    const all = events.map(
      ({ name = "", timeUnixNano = 0n, attributes }) =>
        `{"name":${JSON.stringify(name)},"time":${timeUnixNano},"attributes":${attributesJson(attributes)}}`,
    );
    point.field("events", { text: `[${all.join(",")}]` });
  }
  if (links.length > 0) {
    const all = links.map(({ traceId = "", spanId = "", attributes }) => {
      const ids = `"trace_id":${JSON.stringify(traceId)},"span_id":${JSON.stringify(spanId)}`;
      return `{${ids},"attributes":${attributesJson(attributes)}}`;
    });
    point.field("links", { text: `[${all.join(",")}]` });
  }
  for (const [key, count = 0] of [
    ["dropped_attributes_count", span.droppedAttributesCount],
    ["dropped_events_count", span.droppedEventsCount],
    ["dropped_links_count", span.droppedLinksCount],
  ] as const) {
    if (count > 0) point.field(key, { json: `"i":"${count}"` });
  }
}
