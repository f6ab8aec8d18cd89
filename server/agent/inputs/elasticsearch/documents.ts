// How documents that Beats, Fluent Bit and Logstash send become logs: which members are tags, and the measurement.

import type { ObjectForm } from "../pbjson/json-log.ts";

/** Keys of tags by the dotted names of members (Elastic Common Schema, and Fluent Bit's filter for Kubernetes). */
const tags: ReadonlyMap<string, string> = new Map([
  ["host", "host"],
  ["host.name", "host"],
  ["service.name", "service"],
  ["service.environment", "env"],
  ["log.file.path", "filename"],
  ["container.name", "container_name"],
  ["kubernetes.namespace", "namespace"],
  ["kubernetes.namespace_name", "namespace"],
  ["kubernetes.pod.name", "pod_name"],
  ["kubernetes.pod_name", "pod_name"],
  ["kubernetes.container.name", "container_name"],
  ["kubernetes.container_name", "container_name"],
  ["kubernetes.node.name", "node_name"],
  ["kubernetes.host", "node_name"],
]);

export const documentForm: ObjectForm = {
  isLog: true,
  timeMembers: ["@timestamp", "timestamp"],
  tags,
  tagObjects: ["labels", "kubernetes.labels"],
  origin: "document",
};

/**
 * Returns the measurement for an index: its name without a date and a number at its end, which change from day to day
 * (`filebeat-8.17.0-2026.01.31-000001` is `filebeat-8.17.0`).
 */
export function measurementOf(index: string): string {
  const name = index.replace(/^\.ds-/, "").replace(/[-_.]\d{4}[-_.]\d{2}(?:[-_.]\d{2})?(?:-\d{6})?$/, "");
  return name === "" ? "elasticsearch" : name;
}
