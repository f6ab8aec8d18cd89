// Random questions over random data: DuckDB answers what the evaluator in memory answers. DQL_SEED and DQL_QUESTIONS ask others, and more.

import process from "node:process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import { DuckStore } from "../../../server/store/duckdb.ts";
import { type Counts, compareEngines, now } from "./random/compare.ts";

const first = Number(process.env.DQL_SEED ?? 1);
const wanted = Number(process.env.DQL_QUESTIONS ?? 2000);
const perData = 200;

let store: DuckStore;

beforeAll(async () => {
  store = await DuckStore.open({
    file: ":memory:",
    memoryLimit: "256MB",
    now: () => now,
    mill: await createMillrace(),
  });
});

afterAll(() => store.close());

it(
  "the same answers from DuckDB and from memory",
  async () => {
    const counts: Counts = { asked: 0, answered: 0, refused: 0, computed: 0 };
    const differences: string[] = [];
    const compared = { name: "DuckDB", store, first: BigInt(now) * 1000n, step: 1n };
    for (let data = 0; data < Math.ceil(wanted / perData); data++) {
      differences.push(...(await compareEngines(compared, first + data, perData, counts)));
    }
    expect(differences.slice(0, 20).join("\n")).toBe("");
    expect(counts.asked).toBeGreaterThanOrEqual(wanted);
    // Questions that all are refused, or find nothing, would compare nothing.
    expect(counts.answered).toBeGreaterThan(counts.asked / 3);
    expect(counts.computed).toBeGreaterThan(counts.asked / 10);
    expect(counts.refused).toBeLessThan(counts.asked / 5);
  },
  Math.max(120_000, wanted * 50),
);
