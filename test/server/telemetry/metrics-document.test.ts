// The page docs/reference/metrics.md must list the agent's metrics as the code declares them. Metrics that existing
// dashboards use must keep their types and labels; the page names each exception and its reason.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createMetrics } from "../../../server/telemetry/metrics.ts";

/** The metrics that existing dashboards use, one a line: type, name, labels. */
const reference = `
counter agent_http_api_total api method status
summary agent_http_api_elapsed_seconds api method status
summary agent_http_api_req_size_bytes api method status
gauge agent_http_api_global_tags_last_updated api method status
counter agent_io_feed_total name category
summary agent_io_feed_point name category
gauge agent_io_last_feed_timestamp_seconds name category
summary agent_io_feed_cost_seconds category from
counter agent_io_input_filter_point_total name category
counter agent_io_point_time_adjusted_total category name
gauge agent_io_queue_points category
gauge agent_io_chan_usage category
gauge agent_io_chan_capacity category
counter agent_io_flush_total category
gauge agent_io_flush_workers category
summary agent_input_collect_latency_seconds name category
summary agent_io_build_body_cost_seconds category encoding stage
summary agent_io_build_body_batches category encoding
summary agent_io_build_body_points category encoding
summary agent_io_build_body_batch_points category encoding
summary agent_io_build_body_batch_bytes category encoding type
counter agent_io_gateway_point_total category status
counter agent_io_gateway_point_bytes_total category enc status
counter agent_io_gateway_http_drop_point_total category error
counter agent_io_gateway_skipped_point_total category
summary agent_io_gateway_api_latency_seconds api status
counter agent_io_http_retry_total api status
summary agent_io_grouped_request category
counter agent_io_wal_point_total category status
summary agent_io_gateway_wal_flush category gzip queue
gauge agent_io_gateway_wal_mem_len category
summary agent_io_flush_failcache_bytes category
summary agent_io_wal_put_retried category
counter agent_io_flush_drop_pkg_total category
counter agent_filter_update_total
gauge agent_filter_last_update_timestamp_seconds
counter agent_filter_point_total category filters source
counter agent_filter_point_dropped_total category filters source
summary agent_filter_latency_seconds category filters source
summary agent_filter_pull_latency_seconds status
gauge agent_filter_parse_error error filters
counter agent_pipeline_point_total category name namespace
counter agent_pipeline_drop_point_total category name namespace
counter agent_pipeline_error_point_total category name namespace
summary agent_pipeline_cost_seconds category name namespace
gauge agent_pipeline_last_update_timestamp_seconds category name namespace
gauge agent_last_err input source category error
counter agent_error_total source category
counter agent_ntp_sync_total
summary agent_ntp_time_diff
gauge agent_uptime_seconds hostname version build_at os_arch
gauge agent_cpu_usage
gauge agent_open_files
gauge agent_data_overuse
counter agent_rum_source_map_total app_id sdk_name status remark
summary agent_diskcache_put_bytes path
summary agent_diskcache_put_latency path
summary agent_diskcache_get_bytes path
summary agent_diskcache_get_latency path
summary agent_diskcache_dropped_data path reason
gauge agent_diskcache_size path
gauge agent_diskcache_capacity path
gauge agent_diskcache_datafiles path
`;

const page = readFileSync(new URL("../../../docs/reference/metrics.md", import.meta.url), "utf8");

/** Finds the table with the given header line on the page. Returns its rows, each as a list of cells. */
function tableUnder(head: string): string[][] {
  const [, rows] = page.split(`${head}\n`);
  const lines = rows!.split("\n").slice(1);
  return lines.slice(0, lines.indexOf("")).map((line) => line.slice(2, -2).split(" | "));
}

const plain = (cell: string) => cell.replaceAll("`", "");

async function declared(): Promise<Map<string, { type: string; labels: readonly string[]; help: string }>> {
  const { registry } = createMetrics();
  const told = await registry.getMetricsAsJSON();
  return new Map(
    told.map(({ name, type, help }) => {
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] };
      return [name, { type: String(type), labels: labelNames, help }];
    }),
  );
}

it("the table has each metric as it is declared, with its unit", async () => {
  const rows = tableUnder("| Name | Type | Labels | Unit | Meaning |");
  const written = rows.map(([name, type, labels, , help]) => [name, type, labels, help].map((cell) => plain(cell!)));
  const expected = Array.from(await declared(), ([name, { type, labels, help }]) => [
    name,
    type,
    labels.join(", "),
    help,
  ]);
  expect(written).toEqual(expected);
  for (const [name, , , unit] of rows) {
    expect([name, unit]).toEqual([name, expect.stringMatching(/^[a-z0-9 ]+$/)]);
    if (/_seconds`$/.test(name!)) expect([name, unit]).toEqual([name, expect.stringContaining("seconds")]);
    if (/_bytes(?:_total)?`$/.test(name!)) expect([name, unit]).toEqual([name, "bytes"]);
  }
});

it("each metric that dashboards expect exists with its type and labels, or the page gives the reason", async () => {
  const metrics = await declared();
  const different = new Map(tableUnder("| Left out, or different | Why |").map(([name, why]) => [plain(name!), why]));
  for (const line of reference.trim().split("\n")) {
    const [type, name, ...labels] = line.split(" ");
    const own = metrics.get(name!);
    const isSame = own?.type === type && labels.every((label) => own!.labels.includes(label));
    expect([name, isSame ? "same" : "different"]).toEqual([name, different.has(name!) ? "different" : "same"]);
    different.delete(name!);
  }
  expect([...different.keys()]).toEqual([]);
});
