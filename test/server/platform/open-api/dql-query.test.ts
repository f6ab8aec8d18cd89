// DQL queries through the Open API return the same answers as through /v1/query/raw. The tests also check the
// limit on the number of points of a curve, and that errors report their position in the query.

import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { send } from "../../support/running-agent.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
const start = 1_700_000_040_000;
const end = start + 3_600_000 - 1;

beforeAll(async () => {
  platform = await startPlatform();
  const body = Array.from(
    { length: 60 },
    (_, at) => `cpu,host=a load=${at},big=9007199254740993i ${start + at * 60_000}000000\n`,
  );
  const answer = await send(`${platform.url}/v1/write/metric?token=${token()}`, {
    method: "POST",
    body: body.join(""),
  });
  expect(answer.status, answer.text).toBe(200);
});
afterAll(() => platform.stop());

const token = () => readFileSync(path.join(platform.dataDir, "platform", "token"), "utf8").trim();

interface Entry {
  readonly series: readonly {
    readonly name?: string;
    readonly tags?: Readonly<Record<string, string>>;
    readonly columns: readonly string[];
    readonly values: readonly (readonly unknown[])[];
    readonly units: readonly unknown[];
  }[];
  readonly interval: number;
  readonly window: number;
  readonly column_names: readonly string[];
}

const ask = (queries: unknown, key = platform.key) => platform.call("/df/query_data_v1", { body: { queries }, key });

async function one(query: object): Promise<Entry> {
  const { body, text } = await ask([{ qtype: "dql", query: { timeRange: [start, end], ...query } }]);
  expect(body.code, text).toBe(200);
  return (body.content as { data: Entry[] }).data[0];
}

it("returns the same answer as the agents' query API, with names and units of columns", async () => {
  const q = "M::cpu:(max(load)) BY host";
  const entry = await one({ q });
  const raw = await send(`${platform.url}/v1/query/raw?token=${token()}`, {
    method: "POST",
    body: JSON.stringify({ queries: [{ query: q, time_range: [start, end] }] }),
  });
  const { content } = JSON.parse(raw.text) as { content: [{ series: object[]; query_parse: object }] };
  expect(entry.series).toEqual(content[0].series.map((each) => ({ ...each, units: [null, null] })));
  expect(entry).toMatchObject({
    column_names: ["max(load)"],
    query_parse: content[0].query_parse,
    points: null,
    interval: 0,
    window: 0,
    complete: false,
    next_cursor_time: -1,
    cost: expect.stringMatching(/s$/),
  });
  expect(entry.series[0]).toMatchObject({ name: "cpu", tags: { host: "a" }, values: [[start, 59]] });
});

it("keeps all digits of a number, and the order of the queries", async () => {
  const { text, body } = await ask(
    ["max(big)", "count(load)"].map((of) => ({ query: { q: `M::cpu:(${of})`, timeRange: [start, end] } })),
  );
  expect(text).toContain(`[[${start},9007199254740993]]`);
  expect((body.content as { data: Entry[] }).data.map(({ column_names: [name] }) => name)).toEqual([
    "max(big)",
    "count(load)",
  ]);
});

it.each([
  [{}, "M::cpu:(avg(load))", 0],
  [{}, "M::cpu:(avg(load)) [::10m]", 600_000],
  [{ density: "lower" }, "M::cpu:(avg(load)) [::10m]", 60_000],
  [{ density: "low" }, "M::cpu:(avg(load))", 20_000],
  [{ density: "medium" }, "M::cpu:(avg(load))", 10_000],
  [{ density: "high" }, "M::cpu:(avg(load))", 5_000],
  [{ density: "high", interval: 300 }, "M::cpu:(avg(load)) [::10m]", 300_000],
  [{ density: "high", interval: 0 }, "M::cpu:(avg(load))", 5_000],
  [{ density: "high", interval: 300, maxPointCount: 6 }, "M::cpu:(avg(load)) [::1m]", 600_000],
  [{ maxPointCount: 2 }, "M::cpu:(avg(load))", 1_800_000],
  [{ density: "high" }, "M::cpu:(load)", 0],
])("with %j, the query %s uses the expected interval", async (members, q, width) => {
  const { interval, window, series } = await one({ q, ...members });
  expect([interval, window]).toEqual([width, width]);
  if (width >= 60_000) expect(series[0].values.length).toBeGreaterThanOrEqual(3_600_000 / width);
});

it("accepts limits, orders, offsets and pages", async () => {
  const times = async (members: object) => {
    const { series } = await one({ q: "M::cpu:(load)", limit: 2, ...members });
    return series[0].values.map(([, load]) => load);
  };
  expect(await times({})).toEqual([59, 58]);
  expect(await times({ offset: 2 })).toEqual([57, 56]);
  expect(await times({ orderby: [{ load: "asc" }] })).toEqual([0, 1]);
  const lines = (await one({ q: "M::cpu:(load)", limit: 1, output_format: "lineprotocol" })) as unknown as {
    points: string[];
  };
  expect(Buffer.from(lines.points[0], "base64").toString()).toMatch(/^cpu\S* load=59 [0-9]+$/);
});

it("allows one column, unless several are asked for", async () => {
  const refused = await ask([{ query: { q: "M::cpu:(load, big)", timeRange: [start, end] } }]);
  expect(refused.body).toMatchObject({
    errorCode: "InvalidParameter",
    message: "queries[0].query.q: parse error: multiple fields not allowed",
  });
  const entry = await one({ q: "M::cpu:(load, big)", disableMultipleField: false, limit: 1 });
  expect(entry.column_names).toEqual(["load", "big"]);
});

it("accepts a read-only key, and reveals nothing of another workspace", async () => {
  const reader = await platform.newKey("one", "--role", "readOnly");
  const questions = [{ query: { q: "M::cpu:(count(load))", timeRange: [start, end] } }];
  const values = async (key: string) => {
    const { content } = (await ask(questions, key)).body;
    return (content as { data: Entry[] }).data[0].series.map(({ values: [[, count]] }) => count);
  };
  expect(await values(reader)).toEqual([60]);
  expect(await values(platform.otherKey)).toEqual([]);
});

it.each([
  [{}, "queries: required"],
  [{ queries: [] }, "queries: must not be empty"],
  [{ queries: Array(51).fill({ query: { q: "M::cpu" } }) }, "queries: longer than 50 elements"],
  [{ queries: [{}] }, "queries[0].query: required"],
  [{ queries: [{ query: { q: "" } }] }, "queries[0].query.q: must not be empty"],
  [{ queries: [{ qtype: "promql", query: { q: "up" } }] }, "queries[0].qtype: must be one of [dql]"],
  [
    { queries: [{ query: { q: "M::cpu:(load)" } }, { query: { q: "M::cpu:(load)", density: "all" } }] },
    "queries[1].query.density: must be one of [lower, low, medium, high]",
  ],
  [
    { queries: [{ query: { q: "M::cpu:(load)", timeRange: ["a"] } }] },
    "queries[0].query.timeRange[0]: expected integer",
  ],
  [{ queries: [{ query: { q: "M::cpu:(load)" } }, { query: { q: "M::cpu:(" } }] }, /^queries\[1\]\.query\.q: ./],
  [
    { queries: [{ query: { q: "M::cpu:(load)", timeRange: [2, 1] } }] },
    /^queries\[0\]\.query\.q: .*start must be before end/,
  ],
  [{ queries: [{ query: { q: "M::cpu:(load)", orderby: [{ load: 1 }] } }] }, /^queries\[0\]\.query: order_by is not/],
  [
    { queries: [{ query: { q: "M::cpu:(load)", tz: "Nowhere" } }] },
    'queries[0].query.q: parse error: unknown timezone "Nowhere"',
  ],
])("refuses %j", async (body, message) => {
  const answer = await platform.call("/df/query_data_v1", { body });
  expect(answer.body).toMatchObject({ code: 400, errorCode: "InvalidParameter" });
  if (typeof message === "string") expect(answer.body.message).toBe(message);
  else expect(answer.body.message).toMatch(message);
});
