// The state of a running agent, as blocks (a title, lines and a table) that a terminal or an HTML page shows. The
// blocks are computed from two samplings of /metrics.

import { formatDuration } from "../../config/go-duration.ts";
import type { Sample } from "./samples.ts";

export interface MetricsSnapshot {
  readonly samples: readonly Sample[];
  /** Time when the samples were taken, on a monotonic clock, in milliseconds. */
  readonly at: number;
}

/** The parts of the state (such as inputs or queues) that can be shown, by name, with a short name for each. */
export const modules = {
  basic: "B",
  io_stats: "IO",
  inputs: "In",
  wal: "WAL",
  gateway: "W",
  pipeline: "P",
  http: "H",
  errors: "E",
} as const;

export type Module = keyof typeof modules;

export interface Block {
  readonly module: Module;
  readonly title?: string;
  /**
   * Rows of the table; the first row contains the column names. The first column contains text, the other columns
   * mostly numbers.
   */
  readonly table?: readonly (readonly string[])[];
  /** Lines of text below the block's table. */
  readonly lines?: readonly string[];
}

const shownErrors = 8;

/**
 * Returns the blocks to show. `before`: the previous snapshot of the metrics, from which rates are computed; when
 * undefined, no rates are shown. `now`: the current time (ms since 1970), from which ages are computed.
 */
export function stateOf(snapshot: MetricsSnapshot, before: MetricsSnapshot | undefined, now: number): Block[] {
  const view = viewOf(snapshot, before);
  return [
    header(view),
    throughput(view),
    inputs(view, now),
    tailedFiles(view),
    listeningInputs(view),
    syslog(view),
    queues(view),
    uploads(view),
    scripts(view),
    api(view),
    errors(view, now),
  ].filter((block) => block !== undefined);
}

type Labels = Readonly<Record<string, string>>;

interface Group {
  readonly labels: Labels;
  readonly total: number;
  /**
   * Growth of `total` per second since the previous snapshot of the metrics; undefined when there is no previous
   * snapshot.
   */
  readonly rate: number | undefined;
}

interface View {
  /**
   * Groups the samples of the metric `name` by the values of the labels `by`, and returns the sum of each group. The
   * groups are sorted.
   */
  groups(name: string, by: readonly string[], only?: Labels): Group[];
  sum(name: string, only?: Labels): number;
  /** Returns the largest value of a metric's samples; 0 when there are none. */
  most(name: string, only?: Labels): number;
  first(name: string): Sample | undefined;
}

function viewOf(snapshot: MetricsSnapshot, before: MetricsSnapshot | undefined): View {
  const seconds = before === undefined ? 0 : (snapshot.at - before.at) / 1000;
  const matches = (sample: Sample, name: string, only: Labels) =>
    sample.name === name && Object.entries(only).every(([label, value]) => sample.labels[label] === value);
  const totals = (samples: readonly Sample[], name: string, by: readonly string[], only: Labels) => {
    const sums = new Map<string, { labels: Labels; total: number }>();
    for (const sample of samples) {
      if (!matches(sample, name, only)) continue;
      const labels = Object.fromEntries(by.map((label) => [label, sample.labels[label] ?? ""]));
      const key = JSON.stringify(labels);
      const sum = sums.get(key) ?? { labels, total: 0 };
      sums.set(key, sum);
      sum.total += sample.value;
    }
    return sums;
  };
  const groups: View["groups"] = (name, by, only = {}) => {
    const earlier = before === undefined ? undefined : totals(before.samples, name, by, only);
    return [...totals(snapshot.samples, name, by, only)]
      .map(([key, { labels, total }]) => ({
        labels,
        total,
        // A counter that became smaller was reset in between, so its growth is shown as 0.
        rate:
          earlier === undefined || seconds <= 0
            ? undefined
            : Math.max(0, total - (earlier.get(key)?.total ?? 0)) / seconds,
      }))
      .sort((a, b) => (JSON.stringify(a.labels) < JSON.stringify(b.labels) ? -1 : 1));
  };
  return {
    groups,
    sum: (name, only = {}) => groups(name, [], only)[0]?.total ?? 0,
    most: (name, only = {}) =>
      snapshot.samples.reduce((most, each) => (matches(each, name, only) ? Math.max(most, each.value) : most), 0),
    first: (name) => snapshot.samples.find((sample) => sample.name === name),
  };
}

function header({ first, sum, groups }: View): Block {
  const uptime = first("agent_uptime_seconds");
  const { hostname = "?", version = "?", os_arch: arch = "?" } = uptime?.labels ?? {};
  const requests = groups("agent_http_api_total", [])[0];
  const lines = [
    `MILLRACE ${version}  ${hostname}  ${arch}  up ${ageText(uptime?.value ?? 0)}`,
    `requests ${rateText(requests?.rate)}/s  total ${count(requests?.total ?? 0)}  ` +
      `cpu ${sum("agent_cpu_usage").toFixed(1)}%  in flight ${bytesText(sum("agent_http_inflight_bytes"))}  ` +
      `worker crashes ${count(sum("agent_worker_crash_total"))}`,
  ];
  return { module: "basic", lines };
}

function throughput({ groups, sum }: View): Block | undefined {
  const fed = groups("agent_io_feed_point_sum", ["category"]);
  return section(
    "io_stats",
    "THROUGHPUT",
    ["category", "points/s", "points", "writes"],
    fed,
    ({ labels, total, rate }) => [
      labels.category,
      rateText(rate),
      count(total),
      count(sum("agent_io_feed_total", labels)),
    ],
  );
}

/** Returns a block with a row for each input, including inputs whose writes were all refused. */
function inputs({ groups, sum, most }: View, now: number): Block | undefined {
  const by = ["name"];
  const fed = groups("agent_io_feed_point_sum", by);
  const names = new Set(fed.map(({ labels }) => labels.name));
  const refused = groups("agent_io_feed_error_total", by).filter(({ labels }) => !names.has(labels.name));
  return section(
    "inputs",
    "INPUTS",
    ["input", "points/s", "points", "bytes", "errors", "last write"],
    [...fed, ...refused.map(({ labels }) => ({ labels, total: 0, rate: undefined }))],
    ({ labels, total, rate }) => {
      const last = most("agent_io_last_feed_timestamp_seconds", labels);
      return [
        labels.name.replace(/^v1-write\./, ""),
        rateText(rate),
        count(total),
        bytesText(sum("agent_io_feed_bytes_total", labels)),
        count(sum("agent_io_feed_error_total", labels)),
        last === 0 ? "-" : `${ageText(now / 1000 - last)} ago`,
      ];
    },
  );
}

/**
 * Returns a block with a row for each source (entry) of the input `tail`, including sources whose files have no new
 * lines.
 */
function tailedFiles({ groups, sum }: View): Block | undefined {
  const read = groups("agent_input_tail_files", ["source"]);
  return section(
    "inputs",
    "TAILED FILES",
    ["source", "files", "unread", "unreadable", "cut", "skipped", "replaced"],
    read,
    ({ labels, total }) => [
      labels.source,
      count(total),
      bytesText(sum("agent_input_tail_unread_bytes", labels)),
      count(sum("agent_input_tail_unreadable_files", labels)),
      count(sum("agent_input_tail_cut_event_total", labels)),
      count(sum("agent_input_tail_skipped_event_total", labels)),
      count(sum("agent_input_tail_rotation_total", labels)),
    ],
  );
}

/** Returns a block with a row for each protocol that is switched on, even if no request has come. */
function listeningInputs({ groups, sum }: View): Block | undefined {
  const paths = groups("agent_input_push_info", ["input", "path"]);
  return section(
    "inputs",
    "LISTENING INPUTS",
    ["input", "points", "refused", "left out", "path"],
    groups("agent_input_push_info", ["input"]),
    ({ labels: { input } }) => [
      input!,
      count(sum("agent_io_feed_point_sum", { name: input! })),
      count(sum("agent_input_push_refused_total", { input: input! })),
      count(sum("agent_input_push_rejected_item_total", { input: input! })),
      paths
        .filter(({ labels }) => labels.input === input)
        .map(({ labels }) => labels.path)
        .join(" "),
    ],
  );
}

/** Returns a block with a row for each address of the input syslog, even if no message has arrived there. */
function syslog({ groups, sum }: View): Block | undefined {
  const received = groups("agent_input_syslog_message_total", ["listen"]);
  return section(
    "inputs",
    "SYSLOG",
    ["address", "messages/s", "messages", "connections", "dropped", "cut", "unparsed", "closed"],
    received,
    ({ labels, total, rate }) => [
      labels.listen,
      rateText(rate),
      count(total),
      count(sum("agent_input_syslog_connections", labels)),
      count(sum("agent_input_syslog_dropped_message_total", labels)),
      count(sum("agent_input_syslog_cut_message_total", labels)),
      count(sum("agent_input_syslog_unparsed_message_total", labels)),
      count(sum("agent_input_syslog_closed_connection_total", labels)),
    ],
  );
}

function queues({ groups, sum }: View): Block | undefined {
  const waiting = groups("agent_io_queue_points", ["category", "gateway"]);
  const block = section("wal", "QUEUE", ["category", "gateway", "points", "oldest"], waiting, ({ labels, total }) => [
    labels.category,
    labels.gateway,
    count(total),
    ageText(sum("agent_io_queue_oldest_seconds", labels)),
  ]);
  if (block === undefined) return undefined;
  // Session replays are not parsed, so their dead letters are counted as requests and not as points.
  const requests = sum("agent_io_flush_drop_pkg_total", { category: "rum_replay" });
  const lines = [
    `on disk ${bytesText(sum("agent_diskcache_size"))}, dead letters ${count(sum("agent_io_dead_letter_point_total"))} points` +
      (requests === 0 ? "" : ` and ${count(requests)} ${requests === 1 ? "request" : "requests"}`),
  ];
  return { ...block, lines };
}

function uploads({ groups }: View): Block | undefined {
  const sent = groups("agent_io_gateway_point_total", ["category", "status"]);
  return section(
    "gateway",
    "UPLOADS",
    ["category", "status", "points/s", "points"],
    sent,
    ({ labels, total, rate }) => [labels.category, labels.status, rateText(rate), count(total)],
  );
}

function scripts(view: View): Block | undefined {
  const { groups, sum } = view;
  const run = groups("agent_pipeline_point_total", ["category", "name"]);
  const block = section(
    "pipeline",
    "SCRIPTS",
    ["script", "points/s", "points", "dropped", "errors", "mean run"],
    run,
    ({ labels, total, rate }) => {
      const runs = sum("agent_pipeline_cost_seconds_count", labels);
      const seconds = sum("agent_pipeline_cost_seconds_sum", labels);
      return [
        `${labels.category}/${labels.name}`,
        rateText(rate),
        count(total),
        count(sum("agent_pipeline_drop_point_total", labels)),
        count(sum("agent_pipeline_error_point_total", labels)),
        runs === 0 ? "-" : secondsText(seconds / runs),
      ];
    },
  );
  const lines = scriptErrors(view);
  if (lines.length === 0) return block;
  return { ...(block ?? { module: "pipeline", title: "SCRIPTS" }), lines };
}

/** Returns a line for each script that does not compile. The line also says which version runs in its place. */
function scriptErrors({ groups, sum }: View): string[] {
  return groups("agent_pipeline_compile_error", ["category", "name", "namespace", "error"]).map(({ labels }) => {
    const { category, name, namespace, error } = labels;
    const since = sum("agent_pipeline_last_update_timestamp_seconds", { category, name, namespace: "default" });
    const isLocal = namespace === "default";
    const script = `${category}/${name}${isLocal ? "" : " of the gateway"}`;
    const version = isLocal ? `its version of ${timeText(since)}` : "the local one";
    return `${script}: ${since === 0 ? "does not run" : `${version} runs`}, error: ${error}`;
  });
}

function api({ groups, sum }: View): Block | undefined {
  const asked = groups("agent_http_api_total", ["api", "method", "status"]);
  return section(
    "http",
    "HTTP",
    ["interface", "status", "calls/s", "calls", "p50", "p99"],
    asked,
    ({ labels, total, rate }) => {
      const quantile = (at: string) => secondsText(sum("agent_http_api_elapsed_seconds", { ...labels, quantile: at }));
      return [
        `${labels.method} ${labels.api}`,
        labels.status,
        rateText(rate),
        count(total),
        quantile("0.5"),
        quantile("0.99"),
      ];
    },
  );
}

/** Returns the block of the last errors. An error that occurred in several categories is one line. */
function errors({ groups, most }: View, now: number): Block | undefined {
  const lastErrors = groups("agent_last_err", ["source", "error"])
    .map(({ labels }) => ({ labels, at: most("agent_last_err", labels) }))
    .sort((a, b) => b.at - a.at)
    .slice(0, shownErrors);
  if (lastErrors.length === 0) return undefined;
  const lines = lastErrors.map(
    ({ labels, at }) => `${ageText(now / 1000 - at)} ago  ${labels.source}: ${labels.error}`,
  );
  return { module: "errors", title: "LAST ERRORS", lines };
}

/** Returns a block with a table; undefined when the table has no rows. */
function section(
  module: Module,
  title: string,
  columns: readonly string[],
  groups: readonly Group[],
  row: (group: Group) => readonly string[],
): Block | undefined {
  return groups.length === 0 ? undefined : { module, title, table: [columns, ...groups.map(row)] };
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function rateText(rate: number | undefined): string {
  if (rate === undefined) return "-";
  return rate < 10 ? rate.toFixed(1) : count(rate);
}

function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (bytes >= 1024 && at < units.length - 1) {
    bytes /= 1024;
    at++;
  }
  return `${at === 0 ? bytes : bytes.toFixed(1)} ${units[at]}`;
}

function secondsText(seconds: number): string {
  if (Number.isNaN(seconds)) return "-";
  return seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)}ms` : `${seconds.toFixed(1)}s`;
}

/** Returns a time in ISO 8601. `seconds` is the time in seconds since 1970. */
function timeText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

function ageText(seconds: number): string {
  return formatDuration(BigInt(Math.max(0, Math.round(seconds))) * 1_000_000_000n);
}
