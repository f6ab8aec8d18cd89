// Metrics of the agent about its input `prometheus`, which fetches the metrics of Prometheus targets
// (docs/reference/metrics.md).

import type { metricMakers } from "./metrics.ts";

const url = ["url"] as const;

export function prometheusMetrics({ counter, gauge }: Pick<ReturnType<typeof metricMakers>, "counter" | "gauge">) {
  return {
    prometheusUp: gauge("agent_input_prometheus_up", "whether a target answered the last scrape: 1 or 0", url),
    prometheusSeconds: gauge(
      "agent_input_prometheus_scrape_duration_seconds",
      "time until the last answer of a target was there",
      url,
    ),
    prometheusScrapes: counter(
      "agent_input_prometheus_scrape_total",
      "scrapes: ok, failed = no answer that can be read, not_stored = the agent took nothing",
      ["url", "status"],
    ),
    prometheusLeftOut: counter(
      "agent_input_prometheus_left_out_sample_total",
      "lines that could not be read, and samples beyond max_samples",
      url,
    ),
  };
}
