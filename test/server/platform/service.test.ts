// The platform as a running service: labels and states of objects, metrics, readiness, and the cancellation of queries.

import { request } from "node:http";
import { expect, it } from "vitest";
import { labelsReachThePlatform } from "../support/platform-labels.ts";
import { send } from "../support/running-agent.ts";
import { ask, folder, metric, platform, write } from "../support/running-platform.ts";

it("labels from an agent reach the platform: shown, used as DQL filters, removed by DELETE", () =>
  labelsReachThePlatform({}));

it.each([
  [{ object_class: 1, object_name: "h", key: "k", labels: [] }, "object_class must be a string"],
  [{ object_class: "HOST", object_name: "h", key: "k" }, "labels must be a list of strings"],
  [{ object_class: "HOST", object_name: "h", key: "k", labels: [1] }, "labels must be a list of strings"],
  [[], "an object is expected"],
])("labels %j are refused: %s", async (body, message) => {
  const { url, token } = await platform(folder());
  const { status, text } = await send(`${url}/v1/object/labels?token=${token}`, { body: JSON.stringify(body) });
  expect([status, JSON.parse(text)]).toEqual([400, { error_code: "platform.invalidRequest", message }]);
  const foreign = await send(`${url}/v1/object/labels?token=not-a-token`, { body: JSON.stringify(body) });
  expect(foreign.status).toBe(403);
});

it("O returns the newest state of an object, OH every state; also after a restart", async () => {
  const dataDir = folder();
  const first = await platform(dataDir);
  const now = Date.now();
  const state = (name: string, cpu: number, secondsAgo: number) =>
    `HOST,name=${name} os="linux",cpu_usage=${cpu} ${BigInt(now - secondsAgo * 1000) * 1_000_000n}`;
  for (const lines of [[state("h1", 10, 300), state("h2", 20, 300)], [state("h1", 60, 10)], [state("h1", 30, 200)]])
    await send(`${first.url}/v1/write/object?token=${first.token}`, { body: lines.join("\n") });
  const states = async (url: string, namespace: string) => {
    const { series } = await ask(url, `${namespace}::HOST:(name, cpu_usage) [1h]`, first.token);
    return series[0]!.values.map((row) => row.slice(1));
  };
  const [newest, every] = [
    [
      ["h1", 60],
      ["h2", 20],
    ],
    [
      ["h1", 60],
      ["h1", 30],
      ["h2", 20],
      ["h1", 10],
    ],
  ];
  expect(await states(first.url, "O")).toEqual(newest);
  expect(await states(first.url, "OH")).toEqual(every);
  await first.kill();
  const second = await platform(dataDir);
  expect(await states(second.url, "O")).toEqual(newest);
  expect(await states(second.url, "OH")).toEqual(every);
});

it("counts accepted, answered and refused requests, and is ready while its store works", async () => {
  const { url, token } = await platform(folder());
  expect(JSON.parse((await send(`${url}/healthz`)).text)).toEqual({ status: "ok" });
  expect(JSON.parse((await send(`${url}/readyz`)).text)).toEqual({ status: "ready" });
  const body = "cpu,host=h1 load=1\ncpu,host=h2 load=2";
  await write(url, token, body, { "x-pkg-id": "one" });
  await write(url, token, body, { "x-pkg-id": "one" });
  await write(url, token, "no line protocol");
  await ask(url, "M::cpu [1h]", token);
  await ask(url, "M::", token);
  const found = async (name: string) => [name, await metric(url, name)];
  for (const [name, value] of [
    ['platform_ingest_points_total{category="metric"}', 2],
    ['platform_ingest_bytes_total{category="metric"}', body.length],
    ['platform_ingest_batches_total{category="metric",result="stored"}', 1],
    ['platform_ingest_batches_total{category="metric",result="repeated"}', 1],
    ['platform_ingest_batches_total{category="metric",result="refused"}', 1],
    ['platform_query_total{result="ok"}', 1],
    ['platform_query_total{result="queryParseError"}', 1],
    ["platform_query_seconds_count", 2],
    ['platform_query_seconds_bucket{le="60"}', 2],
    ["platform_query_running", 0],
    ['platform_http_api_total{api="/v1/write/:category",status="OK"}', 2],
    ['platform_http_api_total{api="/v1/write/:category",status="Bad Request"}', 1],
  ] as const)
    await expect.poll(() => found(name)).toEqual([name, value]);
  expect(await metric(url, 'platform_store_bytes{file="log"}')).toBeGreaterThan(0);
});

/**
 * A request with so many long queries that it runs until it is cancelled, on any machine. Each query reads and compares
 * every row.
 */
const manyQueries = JSON.stringify({
  queries: Array.from({ length: 50 }, (_, at) => ({
    query: `L::noise:(message, number) {message = match('line ${at}')} [1h] ORDER BY message LIMIT 100000`,
  })),
});

async function noise(url: string, token: string): Promise<void> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const lines = Array.from(
    { length: 100_000 },
    (_, at) => `noise message="line ${at % 50} of ${at}",number=${at}i ${now - BigInt(at)}`,
  );
  const { status } = await send(`${url}/v1/write/logging?token=${token}`, { body: lines.join("\n") });
  expect(status).toBe(200);
}

it("a query beyond its deadline is answered 504, the next one is answered", async () => {
  const dataDir = folder();
  const before = await platform(dataDir);
  await noise(before.url, before.token);
  await before.kill();
  const { url, token } = await platform(dataDir, { PLATFORM_QUERY_TIMEOUT: "1s" });
  const late = await send(`${url}/v1/query/raw`, { headers: { "x-token": token }, body: manyQueries });
  expect([late.status, JSON.parse(late.text)]).toEqual([
    504,
    { error_code: "platform.queryTimeout", message: "query timeout after 1s" },
  ]);
  await expect.poll(() => metric(url, 'platform_query_total{result="queryTimeout"}')).toBe(1);
  await expect.poll(async () => (await ask(url, "show_logging_source()", token)).status).toBe(200);
});

it("a query that exceeds its memory limit is refused, and the next query is answered", async () => {
  const { url, token } = await platform(folder(), { PLATFORM_QUERY_MEMORY_MB: "1" });
  await noise(url, token);
  const { status, code, message } = await ask(
    url,
    "L::noise:(message, number) [1h] ORDER BY message LIMIT 100000",
    token,
  );
  expect([status, code, message]).toEqual([
    500,
    "platform.queryFailed",
    "the query reads more than 1 MiB of points; narrow its time range or filter",
  ]);
  expect((await ask(url, "L::noise:(count(*)) [1h]", token)).series[0]!.values[0]![1]).toBe(100_000);
});

it("a query whose client goes away is ended, the next one is answered", async () => {
  const { url, token } = await platform(folder());
  await noise(url, token);
  const client = request(`${url}/v1/query/raw`, { method: "POST", headers: { "x-token": token } });
  client.on("error", () => {});
  client.end(manyQueries);
  await expect.poll(() => metric(url, "platform_query_running")).toBe(1);
  client.destroy();
  await expect.poll(() => metric(url, 'platform_query_total{result="queryCancelled"}')).toBe(1);
  await expect.poll(() => metric(url, "platform_query_running")).toBe(0);
  expect((await ask(url, "L::noise:(count(*)) [1h]", token)).series[0]!.values[0]![1]).toBe(100_000);
});

/**
 * A query that reads data for a short time and then computes about 10^9 steps. If it was not cancelled, the steps would
 * take many minutes.
 */
const longWork = JSON.stringify({
  queries: [{ query: "moving_average(`L::noise:(number) [1h] LIMIT 100000`, 50000)" }],
});

it("a computation outside of the database also ends at its deadline", async () => {
  const dataDir = folder();
  const before = await platform(dataDir);
  await noise(before.url, before.token);
  await before.kill();
  const { url, token } = await platform(dataDir, { PLATFORM_QUERY_TIMEOUT: "5s" });
  const late = await send(`${url}/v1/query/raw`, { headers: { "x-token": token }, body: longWork });
  expect([late.status, JSON.parse(late.text)]).toEqual([
    504,
    { error_code: "platform.queryTimeout", message: "query timeout after 5s" },
  ]);
});

it("a computation outside of the database ends when its client disconnects; other queries are answered", async () => {
  const { url, token } = await platform(folder());
  await noise(url, token);
  const client = request(`${url}/v1/query/raw`, { method: "POST", headers: { "x-token": token } });
  client.on("error", () => {});
  client.end(longWork);
  await expect.poll(() => metric(url, "platform_query_running")).toBe(1);
  const running = async () => Number(await metric(url, "platform_query_running"));
  const others: ReturnType<typeof ask>[] = [];
  // While the long query still reads rows, the platform answers short queries. Once the long query computes, short
  // queries have to wait, and count as running. So the test sends short queries until four queries run at once: then
  // the long query computes.
  const asked = async () => {
    for (let count = await running(); count < 4; count++) others.push(ask(url, "L::noise:(count(*)) [1h]", token));
    return await running();
  };
  await expect.poll(asked).toBe(4);
  client.destroy();
  for (const { series } of await Promise.all(others)) expect(series[0]!.values[0]![1]).toBe(100_000);
  await expect.poll(() => metric(url, 'platform_query_total{result="queryCancelled"}')).toBe(1);
});
