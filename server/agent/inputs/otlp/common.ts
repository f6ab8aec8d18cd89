// The tags that OTLP logs, spans and metrics get from their resource and scope.

import type { PointText } from "../pbjson/point-text.ts";
import type { KeyValue, Resource, Scope } from "./messages.ts";
import { textOf } from "./values.ts";

/**
 * Maps names of resource attributes to tag keys. These attributes become tags whose keys are shorter than the
 * names of the attributes.
 */
const shortNames: ReadonlyMap<string, string> = new Map([
  ["service.version", "version"],
  ["host.name", "host"],
  ["deployment.environment", "env"],
  ["deployment.environment.name", "env"],
]);

/**
 * The tags of a resource (the program that sends OTLP data) and of a scope (a library in this program). The tags
 * are computed once for all records of the scope.
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
