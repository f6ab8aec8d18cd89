// Platforms over ClickHouse, started from the command line: points are written and queried over HTTP, also by two
// platforms that share one store.

import { afterAll, beforeAll, expect, it } from "vitest";
import { labelsReachThePlatform } from "../server/support/platform-labels.ts";
import { send } from "../server/support/running-agent.ts";
import { ask, folder, platform } from "../server/support/running-platform.ts";
import { type ClickHouseEngine, startEngine } from "./engine.ts";

let clickhouse: ClickHouseEngine;

beforeAll(async () => {
  clickhouse = await startEngine();
});

afterAll(() => clickhouse?.close());

it("two platforms share one store: each batch is stored once, each workspace sees only its own points", async () => {
  const env = { PLATFORM_STORE_URL: clickhouse.url("platform"), PLATFORM_TOKENS: "token-of-a,token-of-b" };
  const first = await platform(folder(), env);
  const second = await platform(folder(), env);
  const write = async (url: string, token: string, body: string) => {
    const headers = { "x-pkg-id": "batch-1" };
    const { status, text } = await send(`${url}/v1/write/metric?token=${token}`, { body, headers });
    return [status, JSON.parse(text).content?.repeated];
  };
  expect(await write(first.url, "token-of-a", "cpu,host=h1 load=0.5,big=9007199254740993i")).toEqual([200, false]);
  expect(await write(second.url, "token-of-a", "cpu,host=h1 load=0.5,big=9007199254740993i")).toEqual([200, true]);
  expect(await write(second.url, "token-of-b", "cpu,host=SECRET load=9")).toEqual([200, false]);
  const { text, series } = await ask(second.url, "M::cpu:(load, big, host) [1h]", "token-of-a");
  expect(series[0]!.values.map((row) => row.slice(1))).toEqual([[0.5, Number(9007199254740993n), "h1"]]);
  expect(text).toContain("9007199254740993");
  const counted = await ask(first.url, "M::re(`.*`):(count(load), max(load)) [1h] BY host", "token-of-a");
  expect(counted.series.map(({ tags }) => tags!.host)).toEqual(["h1"]);
  const explained = await ask(first.url, "M::cpu:(max(load)) [1h]", "token-of-a", { echo_explain: true });
  expect(String(explained.content[0]!.raw_query)).toMatch(/FROM `platform`\.`points_metric` WHERE workspace = '/);
}, 120_000);

it("the platform receives the labels that are set through an agent", async () => {
  await labelsReachThePlatform({ PLATFORM_STORE_URL: clickhouse.url("labels") });
}, 120_000);

it("the platform fails to start when its store does not answer, and the error hides the password", async () => {
  const env = { PLATFORM_STORE_URL: "clickhouse://user:hidden-word@127.0.0.1:1/db" };
  const failed = await platform(folder(), env).then(
    () => "started",
    (error: Error) => error.message,
  );
  expect(failed).toMatch(/millrace platform ended/);
  expect(failed).not.toContain("hidden-word");
}, 60_000);
