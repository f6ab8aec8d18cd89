// Metrics of the agent about its inputs stdin, journald and syslog, such as the bytes that each input has read
// (docs/reference/metrics.md).

import type { metricMakers } from "./metrics.ts";

const input = ["input", "source"] as const;

export function inputMetrics({ counter }: Pick<ReturnType<typeof metricMakers>, "counter">) {
  return {
    inputBytes: counter("agent_input_read_bytes_total", "bytes whose events are in the queue", input),
    inputCut: counter("agent_input_cut_event_total", "events that were too long, whose rest was dropped", input),
    inputSkipped: counter("agent_input_skipped_event_total", "events that the agent refused", input),
    inputWaits: counter("agent_input_wait_total", "times that an input waited because the queue took nothing", input),
  };
}
