// Random queries over random data: ClickHouse must give the same answers as the evaluator in memory. The environment
// variable DQL_SEED is the seed of the queries, and DQL_QUESTIONS is their number.

import process from "node:process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ClickStore } from "../../server/store/clickhouse.ts";
import { type Counts, compareEngines, now } from "../server/store/random/compare.ts";
import { type ClickHouseEngine, startEngine } from "./engine.ts";

const first = Number(process.env.DQL_SEED ?? 1);
const wanted = Number(process.env.DQL_QUESTIONS ?? 2000);
const perData = 200;

let clickhouse: ClickHouseEngine;

beforeAll(async () => {
  clickhouse = await startEngine();
});

afterAll(() => clickhouse?.close());

it(
  "ClickHouse and the engine in memory return the same answers for random queries over random data",
  async () => {
    const counts: Counts = { asked: 0, answered: 0, refused: 0, computed: 0 };
    const differences: string[] = [];
    for (let data = 0; data < Math.ceil(wanted / perData); data++) {
      const url = clickhouse.url(`data${data}`);
      const store = await ClickStore.open({
        url,
        cluster: "",
        memory: 0,
        queryTimeoutMs: 30_000,
        now: () => now,
        writer: 5,
      });
      // A store derives the first id of its points from the clock. The test's clock stands still, so each new store
      // starts with the same id, and the test can compute this id.
      const compared = { name: "ClickHouse", store, first: BigInt(now) * 1_024_000n + 5n, step: 1024n };
      differences.push(...(await compareEngines(compared, first + data, perData, counts)));
      await store.close();
    }
    expect(differences.slice(0, 20).join("\n")).toBe("");
    expect(counts.asked).toBeGreaterThanOrEqual(wanted);
    // The test compares something only if most queries are accepted and many of them find rows. So these numbers are
    // checked, too.
    expect(counts.answered).toBeGreaterThan(counts.asked / 3);
    expect(counts.computed).toBeGreaterThan(counts.asked / 10);
    expect(counts.refused).toBeLessThan(counts.asked / 5);
  },
  Math.max(300_000, wanted * 150),
);
