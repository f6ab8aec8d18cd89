// The sample data of docs/reference/query.md. Times are seconds after 2023-01-01 00:00:00 UTC.

import type { DqlValue, ObjectLabels, Row } from "../../../lib/dql/index.ts";
import type { CategoryName } from "../../../lib/point/category.ts";

export const epoch = 1_672_531_200_000;
/** The time at which queries run: ten minutes after the first point. */
export const now = epoch + 600_000;

let arrivals = 0;

function row(
  name: string,
  seconds: number,
  tags: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, DqlValue>>,
  docid?: string,
): Row {
  return {
    time: BigInt(epoch + seconds * 1000) * 1_000_000n,
    name,
    docid: docid ?? `D${String(++arrivals).padStart(6, "0")}`,
    index: "default",
    received: now,
    tags: new Map(Object.entries(tags)),
    fields: new Map(Object.entries(fields)),
  };
}

const cpu = (host: string, region: string, usage: readonly (number | null)[], load: readonly bigint[]) =>
  usage.map((value, at) =>
    row(
      "cpu",
      at * 60,
      { host, region },
      value === null ? { load5s: load[at]! } : { usage_total: value, load5s: load[at]! },
    ),
  );
const mem = (host: string, used: readonly number[]) =>
  used.map((value, at) => row("mem", at * 120, { host }, { used_percent: value }));

const metric: readonly Row[] = [
  ...cpu("h1", "eu", [10, 20, 30, 40, 50, 60], [1n, 2n, 3n, 4n, 5n, 6n]),
  ...cpu("h2", "us", [5, 15, null, 35, 45, 95], [2n, 2n, 2n, 2n, 2n, 2n]),
  ...[100, 160, 220, 20, 80, 140].map((value, at) => row("http", at * 60, { host: "h1" }, { requests_total: value })),
  ...mem("h1", [50, 55, 60]),
  ...mem("h2", [70, 75, 80]),
];

type Log = readonly [
  id: string,
  at: number,
  source: string,
  host: string,
  service: string,
  status: string,
  message: string,
  latency?: number | null,
  http?: number | null,
  ip?: string,
];

const logs: readonly Log[] = [
  ["L1", 10, "nginx", "h1", "web", "info", "GET /a 200", 12, 200, "10.0.0.1"],
  ["L2", 20, "nginx", "h1", "web", "error", "GET /b 500 upstream timeout", 250, 500, "10.0.0.2"],
  ["L3", 70, "nginx", "h2", "web", "info", "POST /a 201", 30, 201, "10.0.0.1"],
  ["L4", 80, "app", "h2", "billing", "warn", "disk almost full"],
  ["L5", 130, "app", "h1", "billing", "error", "error retrieving1 resource", 90],
  ["L6", 200, "nginx", "h1", "web", "info", "GET /c 200", 8, 200, "192.168.1.9"],
  ["L7", 200, "app", "h2", "billing", "info", '{"abc":{"def":"xyz"},"n":7}'],
  ["L8", 290, "nginx", "h2", "web", "error", "GET /b 502 bad gateway", 400, 502, "10.0.0.2"],
];

const logging = logs.map(([id, at, source, host, service, status, message, latency, http, ip]) =>
  row(
    source,
    at,
    { host, service },
    {
      status,
      message,
      ...(latency == null ? {} : { latency: BigInt(latency) }),
      ...(http == null ? {} : { http_status: BigInt(http) }),
      ...(ip === undefined ? {} : { client_ip: ip }),
    },
    id,
  ),
);

const span = (
  id: string,
  at: number,
  service: string,
  resource: string,
  kind: string,
  status: string,
  duration: bigint,
  trace: string,
) => row("ddtrace", at, { service, span_type: kind, status }, { resource, duration, trace_id: trace }, id);

const tracing: readonly Row[] = [
  span("S1", 15, "shop", "GET /buy", "entry", "ok", 1200n, "t1"),
  span("S2", 16, "shop", "SELECT", "exit", "ok", 800n, "t1"),
  span("S3", 100, "pay", "POST /pay", "entry", "error", 5000n, "t2"),
  span("S4", 130, "shop", "GET /buy", "entry", "ok", 2200n, "t3"),
];

const object: readonly Row[] = [
  row("HOST", 0, { name: "h1" }, { os: "linux", cpu_usage: 30.5 }),
  row("HOST", 0, { name: "h2" }, { os: "windows", cpu_usage: 20 }),
  row("HOST", 300, { name: "h1" }, { os: "linux", cpu_usage: 60 }),
];

export const rows: Readonly<Partial<Record<CategoryName, readonly Row[]>>> = { metric, logging, tracing, object };

const label = (objectName: string, labels: readonly string[]): ObjectLabels => ({
  objectClass: "HOST",
  objectName,
  key: "name",
  value: objectName,
  labels,
});
export const labels: readonly ObjectLabels[] = [label("h1", ["aws", "prod"]), label("h2", ["aws"])];
