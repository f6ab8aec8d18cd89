// Metrics of the agent about its inputs that take data in the protocols of other products, such as Loki
// (docs/reference/metrics.md).

import type { metricMakers } from "./metrics.ts";

export function pushMetrics({ counter, gauge }: Pick<ReturnType<typeof metricMakers>, "counter" | "gauge">) {
  return {
    pushOn: gauge(
      "agent_input_push_info",
      "protocols of other programs' senders that are switched on, and their paths; the value is 1",
      ["input", "path"] as const,
    ),
    pushRefused: counter("agent_input_push_refused_total", "requests that were refused, in the form of the protocol", [
      "input",
      "status",
    ] as const),
    pushRejected: counter(
      "agent_input_push_rejected_item_total",
      "lines, documents and events that were left out of requests that were taken",
      ["input"] as const,
    ),
  };
}
