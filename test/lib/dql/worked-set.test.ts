// The documented examples of queries, over rows in memory.

import { expect, it } from "vitest";
import { memoryEngine, readRequest, runQuery } from "../../../lib/dql/index.ts";
import { epoch, labels, now, rows } from "./sample-data.ts";
import { answerOf, describeStatements } from "./suite.ts";

const engine = memoryEngine(
  (category) => rows[category] ?? [],
  (category) => (category === "object" ? labels : []),
);

describeStatements("the worked set and further statements", () => engine);

it("returns all columns of logs, the common columns first, and the number of hits", async () => {
  const answered = await answerOf(engine, { query: "L::re(`.*`):(`*`) {`index` = 'default'} [10m] LIMIT 2" });
  expect(answered.totalHits).toBe(8);
  const [series] = answered.series;
  expect(series!.columns).toEqual([
    ...["time", "time_us", "__docid", "__source", "__namespace", "message"],
    ...["client_ip", "host", "http_status", "latency", "service", "status"],
  ]);
  expect(series!.values.map((row) => row[2])).toEqual(["L8", "L7"]);
});

it("search_after pages through all rows once", async () => {
  const pages: unknown[][] = [];
  let key: readonly unknown[] = [];
  for (let page = 0; page < 4; page++) {
    const member = { limit: 3, search_after: key.map((each) => (typeof each === "bigint" ? Number(each) : each)) };
    const { series, searchAfter } = await answerOf(engine, { query: "L::re(`.*`):(__docid) [10m]", member });
    pages.push((series[0]?.values ?? []).map((row) => row[1]));
    key = searchAfter!;
  }
  expect(pages).toEqual([["L8", "L7", "L6"], ["L5", "L4", "L3"], ["L2", "L1"], []]);
  expect(key.map(String)).toEqual([String(epoch + 10_000), "0", "L1"]);
});

it("orders metric points with the same time by the values of their tags", async () => {
  const hosts = ["a\u00e9", "b", "a b", "a", "a!"];
  const [first] = rows.metric!;
  const points = hosts.map((host) => ({ ...first!, tags: new Map([["host", host]]) }));
  const { queries } = readRequest({ queries: [{ query: "M::cpu:(host) [10m]" }] });
  const { series } = await runQuery(
    queries[0]!,
    memoryEngine(() => points),
    { now },
  );
  expect(series[0]!.values.map((row) => row[1])).toEqual(["a", "a b", "a!", "a\u00e9", "b"]);
});
