// Code that OTLP logs, spans and metrics share: the tags of a resource and scope, and the sink that collects the points
// of a request.

import type { Rejected } from "../../ingest/write-request.ts";
import type { KeyValue, Resource, Scope } from "./messages.ts";
import type { PointText } from "./point-text.ts";
import { OtlpError } from "./shape.ts";
import { textOf } from "./values.ts";

/** Names of resource attributes that get a shorter name as a tag, each with the tag's key. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ["service.version", "version"],
  ["host.name", "host"],
  ["deployment.environment", "env"],
  ["deployment.environment.name", "env"],
]);

/**
 * The tags of a resource (the sender of OTLP data) and a scope (a library in it). They are computed once for all
 * records of the scope.
 */
export interface Sender {
  /** Value of the resource attribute `service.name`; empty when there is none. */
  readonly service: string;
  readonly scopeName: string;
  /** Attributes of the resource as tags, without `service.name`. */
  readonly resource: readonly (readonly [key: string, value: string])[];
  readonly scope: readonly (readonly [key: string, value: string])[];
}

export function senderOf(resource: Resource | undefined, scope: Scope | undefined): Sender {
  const own = textsOf(resource?.attributes);
  const service = own.get("service.name") ?? "";
  own.delete("service.name");
  const ofScope = textsOf(scope?.attributes);
  return {
    service,
    scopeName: scope?.name ?? "",
    resource: Array.from(own, ([key, value]) => [shortNames.get(key) ?? key, value] as const),
    scope: [["scope_name", scope?.name ?? ""], ["scope_version", scope?.version ?? ""], ...ofScope],
  };
}

/**
 * Returns the attributes with their values as strings. Leaves out empty keys and values. Keeps the first of several
 * values with the same key.
 */
function textsOf(attributes: readonly KeyValue[] = []): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { key = "", value } of attributes) {
    const text = textOf(value) ?? "";
    if (key !== "" && text !== "" && !texts.has(key)) texts.set(key, text);
  }
  return texts;
}

/**
 * Adds the attributes of the resource and scope to a point as tags. An attribute that is too long for a tag becomes a
 * field.
 */
export function addSender(point: PointText, { resource, scope }: Sender): void {
  for (const [key, value] of resource) point.tagOrField(key, value, "resource");
  for (const [key, value] of scope) point.tagOrField(key, value, "scope");
}

/** Collects the points of one OTLP request, and counts the records that cannot become points. */
export interface PointSink {
  add(point: string): void;
  /** Counts a record that cannot become a point, for the given reason. Does nothing when the reason is undefined. */
  reject(reason: string | undefined): void;
}

export interface Gathered {
  /** The collected points as PBJSON. */
  readonly points: Uint8Array;
  readonly rejected: Rejected | undefined;
}

const chunkChars = 256 * 1024;

/**
 * Returns a sink that collects points. `maxBytes` limits the bytes of the points, since a small body can expand to very
 * many points; beyond the limit, the sink throws OtlpTooLarge.
 */
export function createSink(maxBytes: number): PointSink & { end(): Gathered } {
  const encoder = new TextEncoder();
  const chunks: Uint8Array[] = [];
  const reasons = new Map<string, number>();
  let text = "[";
  let bytes = 0;
  const flush = () => {
    const chunk = encoder.encode(text);
    text = "";
    bytes += chunk.length;
    if (bytes > maxBytes) throw new OtlpTooLarge(`its points take more than ${maxBytes} bytes; send less at once`);
    chunks.push(chunk);
  };
  return {
    add: (point) => {
      text += bytes === 0 && text === "[" ? point : `,${point}`;
      if (text.length > chunkChars) flush();
    },
    reject: (reason) => {
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    },
    end: () => {
      text += "]";
      flush();
      const all = [...reasons];
      const rejected =
        all.length === 0
          ? undefined
          : {
              count: all.reduce((sum, [, count]) => sum + count, 0),
              reason: all.map(([reason, count]) => `${count}: ${reason}`).join("; "),
            };
      return { points: joined(chunks, bytes), rejected };
    },
  };
}

/** Thrown when the points of an OTLP request exceed the limit of bytes. */
export class OtlpTooLarge extends OtlpError {}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
