// The state of a running agent, as blocks (a title, lines and a table) that a terminal or an HTML page shows.
// The blocks are computed from the newest and the previous values of the metrics at /metrics.

import { inputBlocks } from "./input-blocks.ts";
import {
  ageText,
  type Block,
  bytesText,
  count,
  type MetricsSnapshot,
  rateText,
  secondsText,
  section,
  timeText,
  type View,
  viewOf,
} from "./view.ts";

const shownErrors = 8;

/**
 * Returns the blocks (each a title, lines and a table) to show. `before`: the previous snapshot of the metrics, from
 * which rates are computed; when undefined, no rates are shown. `now`: the current time (ms since 1970), from which
 * ages are computed.
 */
export function stateOf(snapshot: MetricsSnapshot, before: MetricsSnapshot | undefined, now: number): Block[] {
  const view = viewOf(snapshot, before);
  return [
    header(view),
    throughput(view),
    ...inputBlocks(view, now),
    queues(view),
    uploads(view),
    scripts(view),
    api(view),
    errors(view, now),
  ].filter((block) => block !== undefined);
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

function queues({ groups, sum }: View): Block | undefined {
  const waiting = groups("agent_io_queue_points", ["category", "gateway"]);
  const block = section("wal", "QUEUE", ["category", "gateway", "points", "oldest"], waiting, ({ labels, total }) => [
    labels.category,
    labels.gateway,
    count(total),
    ageText(sum("agent_io_queue_oldest_seconds", labels)),
  ]);
  if (block === undefined) return undefined;
  // Session replays are not parsed, so refused replays (dead letters) are counted as requests and not as points.
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

/**
 * Returns the block (a title, lines and a table) that shows the last errors. An error that occurred in several
 * categories is one line.
 */
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
