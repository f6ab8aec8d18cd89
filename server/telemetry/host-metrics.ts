// Metrics of the agent about its input `host`, which measures this machine, such as its processor and its memory
// (docs/reference/metrics.md).

import type { metricMakers } from "./metrics.ts";

const part = ["part"] as const;

export function hostMetrics({ counter, gauge }: Pick<ReturnType<typeof metricMakers>, "counter" | "gauge">) {
  return {
    hostSeconds: gauge("agent_input_host_read_duration_seconds", "time that the last reading of a part took", part),
    hostFailed: counter(
      "agent_input_host_failed_total",
      "readings of a part that failed, or that were not stored",
      part,
    ),
  };
}
