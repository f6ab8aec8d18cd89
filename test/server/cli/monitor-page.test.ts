// The page that `millrace monitor` prints for given metrics.

import { expect, it } from "vitest";
import { cutTo, displayWidth } from "../../../server/cli/terminal/display-width.ts";
import { monitorPage as pageOf } from "../../../server/cli/terminal/monitor-page.ts";
import { parseMetrics } from "../../../server/telemetry/status/samples.ts";
import type { MetricsSnapshot } from "../../../server/telemetry/status/view.ts";

const look = (text: string, at: number): MetricsSnapshot => ({ samples: parseMetrics(text), at });
const monitorPage = (...args: Parameters<typeof pageOf>) => pageOf(...args).lines;
const options = { width: 200, now: 1_700_000_060_000 };

it("parses metric names, labels with escapes, and special numbers", () => {
  expect(parseMetrics('# HELP a b\na 1\nb{x="1",y="q\\"\\\\\\n,}"} 2.5e3\nc{} +Inf\n\nno sample here')).toEqual([
    { name: "a", labels: {}, value: 1 },
    { name: "b", labels: { x: "1", y: 'q"\\\n,}' }, value: 2500 },
    { name: "c", labels: {}, value: Number.POSITIVE_INFINITY },
  ]);
});

it("shows sums per category and rates between two snapshots", () => {
  const before = look('agent_io_feed_point_sum{name="a",category="metric"} 100\n', 1000);
  const now = look(
    'agent_io_feed_point_sum{name="a",category="metric"} 150\nagent_io_feed_point_sum{name="b",category="metric"} 50\nagent_io_feed_total{name="a",category="metric"} 3\n',
    3000,
  );
  const page = monitorPage(now, before, options);
  const at = page.indexOf("THROUGHPUT");
  expect(page.slice(at + 1, at + 3)).toEqual([
    "category  points/s  points  writes",
    "metric          50     200       3",
  ]);
  expect(monitorPage(now, undefined, options)).toContain("metric           -     200       3");
});

it("treats a counter that decreased as restarted", () => {
  const line = (value: number) => `agent_http_api_total{api="/v1/ping",method="GET",status="OK"} ${value}\n`;
  const page = monitorPage(look(line(3), 2000), look(line(10), 1000), options);
  expect(page.find((text) => text.startsWith("GET /v1/ping"))).toMatch(/ OK +0\.0 +3 /);
});

it("shows queue, uploads, scripts and the last errors, and omits sections without data", () => {
  const page = monitorPage(
    look(
      `agent_uptime_seconds{hostname="web01",version="1.2.3",build_at="x",os_arch="linux/x64"} 61
agent_io_queue_points{category="logging",gateway="failover"} 1234
agent_io_queue_oldest_seconds{category="logging",gateway="failover"} 90
agent_diskcache_size{path="logging"} 2048
agent_io_dead_letter_point_total{category="logging"} 5
agent_io_gateway_point_total{category="logging",status="OK"} 7
agent_pipeline_point_total{category="logging",name="a.p",namespace="default"} 10
agent_pipeline_error_point_total{category="logging",name="a.p",namespace="default"} 2
agent_pipeline_cost_seconds_sum{category="logging",name="a.p",namespace="default"} 0.02
agent_pipeline_cost_seconds_count{category="logging",name="a.p",namespace="default"} 10
agent_last_err{input="cpu",source="cpu",category="unknown",error="old"} 1700000000
agent_last_err{input="cpu",source="cpu",category="unknown",error="new\\u001b"} 1700000050
`,
      1,
    ),
    undefined,
    options,
  ).join("\n");
  expect(page).toContain("MILLRACE 1.2.3  web01  linux/x64  up 1m1s");
  expect(page).toMatch(/^logging +failover +1,234 +1m30s$/m);
  expect(page).toContain("on disk 2.0 KiB, dead letters 5 points");
  expect(page).toMatch(/^logging +OK +- +7$/m);
  expect(page).toMatch(/^logging\/a\.p +- +10 +0 +2 +2\.00ms$/m);
  expect(page.indexOf("10s ago  cpu: new")).toBeLessThan(page.indexOf("1m0s ago  cpu: old"));
  expect(page).not.toContain("THROUGHPUT");
});

it("shows an error of several categories once, with the age of the last one", () => {
  const told = (category: string, at: number) =>
    `agent_last_err{input="queue",source="queue",category="${category}",error="cannot be written: ENOSPC"} ${at}\n`;
  const page = monitorPage(look(told("metric", 1_700_000_010) + told("logging", 1_700_000_040), 1), undefined, options);
  expect(page.slice(page.indexOf("LAST ERRORS"))).toEqual(["LAST ERRORS", "20s ago  queue: cannot be written: ENOSPC"]);
});

it("shows scripts that do not compile, used or not, and the versions that run instead", () => {
  const failing = (name: string, namespace: string) =>
    `agent_pipeline_compile_error{category="logging",name="${name}",namespace="${namespace}",error="${name}:1:5: bad"} 1\n`;
  const updated = (name: string) =>
    `agent_pipeline_last_update_timestamp_seconds{category="logging",name="${name}",namespace="default"} 1700000000\n`;
  const page = monitorPage(
    look(
      failing("a.p", "default") +
        failing("b.p", "default") +
        failing("c.p", "remote") +
        updated("a.p") +
        updated("c.p"),
      1,
    ),
    undefined,
    options,
  );
  expect(page.slice(page.indexOf("SCRIPTS"))).toEqual([
    "SCRIPTS",
    "logging/a.p: its version of 2023-11-14T22:13:20Z runs, error: a.p:1:5: bad",
    "logging/b.p: does not run, error: b.p:1:5: bad",
    "logging/c.p of the gateway: the local one runs, error: c.p:1:5: bad",
  ]);
});

/**
 * Metrics for each part of the page, with names that are long, contain wide characters, or try to control the terminal.
 */
const everything = `agent_uptime_seconds{hostname="${"host-".repeat(30)}",version="1.2.3",build_at="x",os_arch="linux/x64"} 61
agent_io_feed_point_sum{name="v1-write.${"日本語".repeat(20)}",category="metric"} 123456789012
agent_io_feed_total{name="a",category="metric"} 9
agent_io_feed_bytes_total{name="v1-write.${"日本語".repeat(20)}",category="metric"} 5e12
agent_io_last_feed_timestamp_seconds{name="v1-write.${"日本語".repeat(20)}",category="metric"} 1600000000
agent_io_queue_points{category="custom_object",gateway="${"gateway.example.".repeat(5)}com_9528-0123abcd"} 1234
agent_io_queue_oldest_seconds{category="custom_object",gateway="${"gateway.example.".repeat(5)}com_9528-0123abcd"} 90
agent_io_gateway_point_total{category="custom_object",status="Internal Server Error"} 7
agent_pipeline_point_total{category="logging",name="${"long-name-".repeat(12)}.p",namespace="default"} 10
agent_pipeline_compile_error{category="logging",name="b.p",namespace="default",error="${"\u001b[2J🙂 ".repeat(60)}"} 1
agent_http_api_total{api="/v1/write/:category",method="POST",status="Request Header Fields Too Large"} 1234567
agent_http_api_elapsed_seconds{api="/v1/write/:category",method="POST",status="Request Header Fields Too Large",quantile="0.5"} 0.001
agent_last_err{input="queue",source="queue",category="metric",error="cannot be written: ENOSPC"} 1700000050
`;

it.each([200, 160, 80, 79, 40, 20, 8, 1])("fits into %i columns without truncated numbers", (width) => {
  const { lines, sections } = pageOf(look(everything, 2000), look(everything, 1000), { ...options, width });
  for (const line of lines) {
    expect(displayWidth(line), line).toBeLessThanOrEqual(width);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  const titles = ["THROUGHPUT", "INPUTS", "QUEUE", "UPLOADS", "SCRIPTS", "HTTP", "LAST ERRORS"];
  expect(sections.map((at) => lines[at])).toEqual(titles.map((title) => cutTo(title, width)));
  if (width >= 79) {
    const row = (start: string) => lines.find((line) => line.startsWith(start));
    expect(row("metric ")).toMatch(/^metric +0\.0 +123,456,789,012 +9$/);
    expect(row("custom_object  gateway")).toMatch(/…? +1,234 +1m30s$/);
    console.log(lines.join("\n"));
    expect(row("POST ")).toMatch(/1,234,567 +1\.00ms +NaN|1,234,567 +1\.00ms +0\.00ms$/);
    expect(row("10s ago")).toBe("10s ago  queue: cannot be written: ENOSPC");
  }
});

it("leaves out the last columns that have no room", () => {
  const heads = (width: number) => {
    const { lines } = pageOf(look(everything, 1), undefined, { ...options, width });
    return lines[lines.indexOf("INPUTS") + 1]!.trim().split(/ {2,}/);
  };
  const all = ["input", "points/s", "points", "bytes", "errors", "last write"];
  expect(heads(80)).toEqual(all);
  expect(heads(60)).toEqual(all.slice(0, 5));
  expect(heads(30)).toEqual(all.slice(0, 2));
});

it("removes control characters of labels, and cuts long lines", () => {
  const error = "\u001b]0;owned\u0007\u202ex\n".replace("\n", "\\n");
  const page = monitorPage(
    look(`agent_last_err{source="s",error="${error}${"y".repeat(300)}"} 1700000000\n`, 1),
    undefined,
    options,
  );
  for (const line of page) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(Math.max(...page.map((line) => line.length))).toBe(200);
});
