// The bundled dashboards for Millrace itself and for the machine on which it runs. The input `prometheus`
// collects the metrics of Millrace's services from /metrics; the input `host` measures the machine.

import { dashboard, lines, type ReadyDashboard, table, toplist, value } from "./template.ts";

const millrace = dashboard(
  {
    name: "millrace",
    title: "Millrace",
    needs:
      "metrics of Millrace's own services: millrace start stores them; elsewhere [[inputs.prometheus]] with their /metrics as urls",
  },
  [
    [
      value("Bodies in flight", "M::agent:(last(http_inflight_bytes))", "B"),
      value("Oldest unsent points", "M::agent:(max(io_queue_oldest_seconds))", "s"),
      value("Points that wait", "M::agent:(max(io_queue_points))"),
    ],
    [
      lines("Writes a second by input", "M::agent:(sum(io_feed_total)) [::auto:rate] BY name", "1/s"),
      lines("Bytes a second by input", "M::agent:(sum(io_feed_bytes_total)) [::auto:rate] BY name", "B/s"),
    ],
    [
      lines("Requests a second by status", "M::agent:(sum(http_api_total)) [::auto:rate] BY status", "1/s"),
      lines(
        "99th percentile of requests",
        "M::agent:(max(http_api_elapsed_seconds)) {quantile = '0.99'} [::auto] BY api",
        "s",
      ),
    ],
    [
      lines("Points a second by script", "M::agent:(sum(pipeline_point_total)) [::auto:rate] BY name", "1/s"),
      lines("Queue on disk", "M::agent:(max(diskcache_size)) [::auto]", "B"),
    ],
    [
      lines("Points stored a second", "M::platform:(sum(ingest_points_total)) [::auto:rate] BY category", "1/s"),
      lines("Requests to the platform a second", "M::platform:(sum(http_api_total)) [::auto:rate] BY status", "1/s"),
      lines("Size of the store", "M::platform:(max(store_bytes)) [::auto] BY file", "B"),
    ],
    [table("Requests by interface", "M::agent:(max(http_api_total) AS requests) BY api, method, status SLIMIT 50")],
  ],
);

const host = dashboard({ name: "host", title: "Hosts", needs: "metrics of the machine: [inputs.host] enable = true" }, [
  [
    value("Processor", "M::cpu:(last(usage_total)) {cpu = 'cpu-total'}", "%"),
    value("Memory", "M::mem:(last(used_percent))", "%"),
    value("Load", "M::system:(last(load1))"),
    value("Fullest disk", "M::disk:(max(used_percent))", "%"),
  ],
  [
    lines("Processor", "M::cpu:(avg(usage_total)) {cpu = 'cpu-total'} [::auto] BY host", "%"),
    lines("Memory", "M::mem:(avg(used_percent)) [::auto] BY host", "%"),
  ],
  [
    lines("Load", "M::system:(avg(load1)) [::auto] BY host"),
    lines("Disks", "M::disk:(max(used_percent)) [::auto] BY path", "%"),
  ],
  [
    lines("Bytes received a second", "M::net:(sum(bytes_recv)) [::auto:rate] BY interface", "B/s"),
    lines("Bytes sent a second", "M::net:(sum(bytes_sent)) [::auto:rate] BY interface", "B/s"),
    lines("Bytes written to disks a second", "M::diskio:(sum(write_bytes)) [::auto:rate] BY name", "B/s"),
  ],
  [
    toplist(
      "Processor by program",
      "M::procstat:(avg(cpu_usage) AS cpu) BY process_name SORDER BY cpu DESC SLIMIT 10",
      "%",
    ),
    toplist("Memory by program", "M::procstat:(max(rss) AS rss) BY process_name SORDER BY rss DESC SLIMIT 10", "B"),
  ],
]);

export const ownDashboards: readonly ReadyDashboard[] = [millrace, host];
