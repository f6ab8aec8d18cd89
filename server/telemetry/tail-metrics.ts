// Metrics of the agent about its input `tail`, which reads log files (docs/reference/metrics.md).

import type { metricMakers } from "./metrics.ts";

const source = ["source"] as const;

export function tailMetrics({ counter, gauge }: Pick<ReturnType<typeof metricMakers>, "counter" | "gauge">) {
  return {
    tailFiles: gauge("agent_input_tail_files", "files that are read", source),
    tailUnread: gauge(
      "agent_input_tail_unread_bytes",
      "bytes of these files whose lines are not in the queue yet",
      source,
    ),
    tailUnreadable: gauge("agent_input_tail_unreadable_files", "files and folders that cannot be read", source),
    tailBytes: counter("agent_input_tail_read_bytes_total", "bytes of files whose lines are in the queue", source),
    tailCut: counter(
      "agent_input_tail_cut_event_total",
      "events longer than max_line_bytes, whose rest was dropped",
      source,
    ),
    tailSkipped: counter("agent_input_tail_skipped_event_total", "events that the agent refused", source),
    tailRotations: counter(
      "agent_input_tail_rotation_total",
      "files that were replaced: renamed, deleted, or truncated and written again",
      ["source", "kind"],
    ),
    tailWaits: counter(
      "agent_input_tail_wait_total",
      "times that reading waited because the queue took nothing",
      source,
    ),
  };
}
