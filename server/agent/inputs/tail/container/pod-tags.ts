// Reads the namespace, the pod and the container from the path of a log file, as the kubelet writes it.

import type { ExtraTag } from "../../../ingest/write-request.ts";

/** Matches `/var/log/pods/NAMESPACE_POD_UID/CONTAINER/0.log`, and a rotated file such as `0.log.20240102-030405.gz`. */
const podFile = /\/pods\/([^/_]+)_([^/_]+)_[0-9a-fA-F-]{32,36}\/([^/]+)\/\d+\.log[^/]*$/;
/** Matches `/var/log/containers/POD_NAMESPACE_CONTAINER-ID.log`. */
const containerFile = /\/containers\/([^/_]+)_([^/_]+)_([^/]+)-[0-9a-f]{64}\.log[^/]*$/;

/** Returns the tags `namespace`, `pod` and `container`; an empty list when the path has another form. */
export function podTags(path: string): readonly ExtraTag[] {
  const [, namespace, pod, container] = podFile.exec(path) ?? [];
  if (namespace !== undefined) return tags(namespace, pod!, container!);
  const [, podName, podNamespace, containerName] = containerFile.exec(path) ?? [];
  return podName === undefined ? [] : tags(podNamespace!, podName, containerName!);
}

function tags(namespace: string, pod: string, container: string): readonly ExtraTag[] {
  return [
    ["namespace", namespace],
    ["pod", pod],
    ["container", container],
  ];
}
