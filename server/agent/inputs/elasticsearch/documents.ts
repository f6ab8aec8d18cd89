// Defines how documents of Beats, Fluent Bit and Logstash become logs: which members become tags, and which measurement
// a log has.

import type { ObjectForm } from "../pbjson/json-log.ts";

/**
 * The members of documents that become tags: for the dotted name of each member, the key of the tag. The names come
 * from the Elastic Common Schema and from Fluent Bit's filter for Kubernetes.
 */
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
 * Returns the measurement for an index: the name of the index without a date and a counter at its end, since these
 * change from day to day (`filebeat-8.17.0-2026.01.31-000001` becomes `filebeat-8.17.0`).
 */
export function measurementOf(index: string): string {
  const name = index.replace(/^\.ds-/, "").replace(/[-_.]\d{4}[-_.]\d{2}(?:[-_.]\d{2})?(?:-\d{6})?$/, "");
  return name === "" ? "elasticsearch" : name;
}
