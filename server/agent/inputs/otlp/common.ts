// What logs, spans and metrics have in common: the tags of who sent them, and the points that go out.

import type { Rejected } from "../../ingest/write-request.ts";
import type { KeyValue, Resource, Scope } from "./messages.ts";
import type { PointText } from "./point-text.ts";
import { OtlpError } from "./shape.ts";
import { textOf } from "./values.ts";

/** Resource attributes that have a shorter name in points. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ["service.version", "version"],
  ["host.name", "host"],
  ["deployment.environment", "env"],
  ["deployment.environment.name", "env"],
]);

/** Of a resource and a scope, made ready once for all that is below them. */
export interface Sender {
  /** Empty when it does not say. */
  readonly service: string;
  readonly scopeName: string;
  /** Without the service. */
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

/** What is empty is left out, and of two with one key the first counts: each is one more tag of every point. */
function textsOf(attributes: readonly KeyValue[] = []): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { key = "", value } of attributes) {
    const text = textOf(value) ?? "";
    if (key !== "" && text !== "" && !texts.has(key)) texts.set(key, text);
  }
  return texts;
}

/** As tags; what is too long for a tag as a field. */
export function addSender(point: PointText, { resource, scope }: Sender): void {
  for (const [key, value] of resource) point.tagOrField(key, value, "resource");
  for (const [key, value] of scope) point.tagOrField(key, value, "scope");
}

/** Points of one request, with what was not made one. */
export interface PointSink {
  add(point: string): void;
  /** Without a reason nothing happens. */
  reject(reason: string | undefined): void;
}

export interface Gathered {
  /** PBJSON. */
  readonly points: Uint8Array;
  readonly rejected: Rejected | undefined;
}

const chunkChars = 256 * 1024;

/** `maxBytes`: a small body may stand for very many points; beyond it OtlpTooLarge is thrown. */
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

/** The points of a request are too many to be held. */
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
