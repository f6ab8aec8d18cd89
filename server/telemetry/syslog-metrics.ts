// Metrics of the agent about its input `syslog`. The metrics that this input shares with other inputs are in
// input-metrics.ts (docs/reference/metrics.md).

import type { metricMakers } from "./metrics.ts";

const listen = ["listen"] as const;

export function syslogMetrics({
  counter,
  gauge,
  tally,
}: Pick<ReturnType<typeof metricMakers>, "counter" | "gauge" | "tally">) {
  return {
    syslogConnections: gauge("agent_input_syslog_connections", "connections that are open", listen),
    syslogMessages: tally("counter", "agent_input_syslog_message_total", "messages that were received", listen),
    syslogBytes: tally("counter", "agent_input_syslog_read_bytes_total", "bytes of these messages", listen),
    syslogUnparsed: counter(
      "agent_input_syslog_unparsed_message_total",
      "messages without a priority, which were kept as their text",
      listen,
    ),
    syslogCut: counter(
      "agent_input_syslog_cut_message_total",
      "messages longer than max_message_bytes, whose rest was dropped",
      listen,
    ),
    syslogDropped: counter(
      "agent_input_syslog_dropped_message_total",
      "datagrams that were dropped: full = the queue took nothing, system = the agent did not read in time",
      ["listen", "reason"],
    ),
    syslogClosed: counter(
      "agent_input_syslog_closed_connection_total",
      "connections that were closed or refused: limit, unfinished, framing, idle, tls",
      ["listen", "reason"],
    ),
  };
}
