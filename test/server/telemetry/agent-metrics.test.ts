// The agent's metrics about writes, uploads and refusals must keep the names in docs/reference/metrics.md, because
// dashboards use these names.

import { expect, it, onTestFinished } from "vitest";
import { parseMetrics } from "../../../server/telemetry/status/samples.ts";
import { startGateway } from "../support/recording-gateway.ts";
import { startAgent } from "../support/running-agent.ts";

/**
 * Returns the values of all samples in a text of metrics. The keys of the returned map are texts such as `name{a="b"}`.
 * Quantiles of summaries are left out.
 */
function seriesIn(text: string): Map<string, number> {
  const samples = parseMetrics(text).filter(({ labels }) => labels.quantile === undefined);
  return new Map(
    samples.map(({ name, labels, value }) => {
      const pairs = Object.entries(labels).map(([label, each]) => `${label}="${each}"`);
      return [`${name}{${pairs.join(",")}}`, value];
    }),
  );
}

it("exposes writes, uploads and refusals under the names and labels that dashboards expect", async () => {
  const gateway = await startGateway();
  const agent = await startAgent({
    config: `[http_api]
request_rate_limit = 0
[gateway]
urls = ["${gateway.url}?token=abc"]
retry_delay = "50ms"
gzip = true
content_encoding = "line-protocol"
enable_sinker = true
global_customer_keys = ["app"]
[gateway.wal]
max_capacity_gb = 0.25
[io]
flush_interval = "20ms"
[io.filters]
logging = ["{ level = 'debug' }"]
`,
  });
  onTestFinished(async () => {
    await agent.stop();
    await gateway.close();
  });
  const write = async (category: string, body: string) => {
    expect((await agent.send(`/v1/write/${category}?input=shop`, { body })).status).toBe(200);
  };

  const lines = ['a,app=x level="info" 1', 'a,app=y level="info" 1', 'b,app=y level="info" 1', 'a level="debug" 1'];
  await write("logging", lines.join("\n"));
  await expect.poll(() => gateway.lines().length).toBe(3);
  gateway.behave(400);
  await write("metric", "m,app=x v=1i 1");
  await expect.poll(() => agent.log()).toMatch(/1 points of metric refused/);
  gateway.behave(500);
  await write("object", "o,app=x v=1i 1");
  const objects = () => gateway.seen.filter(({ url }) => url.startsWith("/v1/write/object")).length;
  await expect.poll(objects).toBeGreaterThan(1);
  gateway.behave(200);
  const waiting = 'agent_io_queue_points{category="object",gateway="failover"}';
  await expect.poll(() => agent.metric(waiting)).toBe(0);

  const { text } = await agent.send("/metrics");
  const series = seriesIn(text);
  const logging = 'category="logging"';
  const built = `${logging},encoding="line-protocol"`;
  const expected: readonly (readonly [sample: string, value: number])[] = [
    [`agent_io_input_filter_point_total{category="logging",name="v1-write.shop"}`, 1],
    [`agent_input_collect_latency_seconds_count{name="v1-write.shop",${logging}}`, 1],
    [`agent_io_grouped_request_count{${logging}}`, 1],
    [`agent_io_grouped_request_sum{${logging}}`, 2],
    [`agent_io_wal_point_total{category="L",status="D"}`, 3],
    [`agent_io_wal_point_total{category="M",status="D"}`, 1],
    [`agent_io_gateway_wal_mem_len{${logging}}`, 0],
    [`agent_io_flush_total{${logging}}`, 2],
    [`agent_io_flush_total{category="object"}`, 1],
    [`agent_io_flush_workers{${logging}}`, 1],
    [`agent_io_flush_drop_pkg_total{category="metric"}`, 1],
    [`agent_io_flush_failcache_bytes_count{category="object"}`, objects() - 1],
    [`agent_io_chan_usage{${logging}}`, 0],
    ['agent_io_chan_capacity{category="all-the-same"}', 12],
    [`agent_io_build_body_cost_seconds_count{${built},stage="enc"}`, 2],
    [`agent_io_build_body_cost_seconds_count{${built},stage="gzip"}`, 2],
    [`agent_io_build_body_batches_sum{${built}}`, 2],
    [`agent_io_build_body_points_sum{${built}}`, 3],
    [`agent_io_build_body_batch_points_sum{${built}}`, 3],
    [`agent_io_build_body_batch_bytes_count{${built},type="raw"}`, 2],
    ['agent_diskcache_put_bytes_count{path="metric"}', 1],
    ['agent_diskcache_capacity{path="logging"}', 0.25 * 1024 ** 3],
    // Names of metrics that earlier versions of the agent already had.
    [`agent_io_feed_total{name="v1-write.shop",${logging}}`, 1],
    [`agent_io_feed_point_sum{name="v1-write.shop",${logging}}`, 4],
    [`agent_io_gateway_point_total{${logging},status="OK"}`, 3],
    ['agent_io_gateway_point_total{category="metric",status="Bad Request"}', 1],
    ['agent_io_gateway_http_drop_point_total{category="metric",error="write point 4xx"}', 1],
    [`agent_io_http_retry_total{api="/v1/write/object",status="Internal Server Error"}`, objects() - 1],
    [`agent_filter_point_dropped_total{${logging},filters="1",source="local"}`, 1],
  ];
  for (const [sample, value] of expected) expect([sample, series.get(sample)]).toEqual([sample, value]);
  /**
   * Returns the sum of two samples, which differ in the label `queue`: "D" counts points that the agent has read
   * back from disk, and "M" counts points that were still in memory. It depends on the timing which of the two
   * samples counts the points of this test.
   */
  const flushed = (part: string) =>
    ["M", "D"]
      .map((queue) => series.get(`agent_io_gateway_wal_flush_${part}{${logging},gzip="T",queue="${queue}"}`) ?? 0)
      .reduce((sum, each) => sum + each);
  expect(flushed("count")).toBe(2);
  const bytes = (type: string) => series.get(`agent_io_build_body_batch_bytes_sum{${built},type="${type}"}`);
  expect(bytes("gzip")).toBe(flushed("sum"));
  const raw = gateway.taken.filter(({ url }) => url.startsWith("/v1/write/logging")).map(({ body }) => body.length);
  expect(bytes("raw")).toBe(raw.reduce((sum, each) => sum + each));
  expect(series.get(`agent_diskcache_put_bytes_sum{path="logging"}`)).toBeGreaterThan(bytes("raw")!);

  // Each sample must belong to a metric that has HELP and TYPE lines.
  const told = (kind: "HELP" | "TYPE") =>
    new Map(Array.from(text.matchAll(new RegExp(`^# ${kind} (\\S+) (.+)$`, "gm")), ([, name, rest]) => [name!, rest!]));
  const [helps, types] = [told("HELP"), told("TYPE")];
  expect([...helps.keys()]).toEqual([...types.keys()]);
  for (const { name } of parseMetrics(text)) {
    const base = types.has(name) ? name : name.replace(/_(?:sum|count)$/, "");
    expect([name, types.get(base)]).toEqual([name, expect.stringMatching(/^(?:counter|gauge|summary)$/)]);
    if (base !== name) expect([name, types.get(base)]).toEqual([name, "summary"]);
  }
});
