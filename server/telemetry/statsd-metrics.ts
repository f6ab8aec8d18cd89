// Metrics of the agent about its input `statsd`, which receives statsd samples (docs/reference/metrics.md).

import type { metricMakers } from "./metrics.ts";

const listen = ["listen"] as const;

export function statsdMetrics({
  counter,
  gauge,
  tally,
}: Pick<ReturnType<typeof metricMakers>, "counter" | "gauge" | "tally">) {
  return {
    statsdSeries: gauge("agent_input_statsd_series", "series of the interval that is under way"),
    statsdConnections: gauge("agent_input_statsd_connections", "connections that are open", listen),
    statsdLines: tally("counter", "agent_input_statsd_line_total", "lines that were received", listen),
    statsdBytes: tally("counter", "agent_input_statsd_read_bytes_total", "bytes of datagrams and lines", listen),
    statsdDropped: counter(
      "agent_input_statsd_dropped_total",
      "what was dropped: malformed and too_long lines, series = samples beyond the limits, system = datagrams not read in time",
      ["listen", "reason"],
    ),
    statsdIgnored: counter("agent_input_statsd_ignored_line_total", "lines of DogStatsD that are no metrics", ["kind"]),
    statsdClosed: counter(
      "agent_input_statsd_closed_connection_total",
      "connections that were closed or refused: limit, unfinished, idle",
      ["listen", "reason"],
    ),
  };
}
