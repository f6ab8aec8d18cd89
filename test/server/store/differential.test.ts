// Runs random queries over random data: DuckDB must return the same answers as the evaluator in memory. The
// environment variable DQL_SEED is the seed of the queries, and DQL_QUESTIONS is their number.

import process from "node:process";
import { expect, it, onTestFinished } from "vitest";
import { openedStore } from "./opened.ts";
import { type Counts, compareEngines, now } from "./random/compare.ts";

const first = Number(process.env.DQL_SEED ?? 1);
const wanted = Number(process.env.DQL_QUESTIONS ?? 2000);
const perData = 200;

const layouts = {
  "in the hot part": {},
  "in segments that are packed and merged all the time": { hot: { points: 60, ms: 600_000 }, mergeFiles: 2 },
  "in maps": { maxColumns: 2, hot: { points: 150, ms: 600_000 }, mergeFiles: 3 },
};

it.each(Object.entries(layouts))(
  "queries return the same answers from points %s and from memory",
  async (_, options) => {
    const store = await openedStore({ now: () => now, ...options });
    onTestFinished(() => store.close());
    const counts: Counts = { asked: 0, answered: 0, refused: 0, computed: 0 };
    const differences: string[] = [];
    const compared = { name: "DuckDB", store, first: BigInt(now) * 1000n, step: 1n };
    for (let data = 0; data < Math.ceil(wanted / perData); data++) {
      differences.push(...(await compareEngines(compared, first + data, perData, counts)));
    }
    expect(differences.slice(0, 20).join("\n")).toBe("");
    expect(counts.asked).toBeGreaterThanOrEqual(wanted);
    // The comparison means something only if the database accepts most queries and many answers have rows. So the
    // test also checks the numbers of such queries.
    expect(counts.answered).toBeGreaterThan(counts.asked / 3);
    expect(counts.computed).toBeGreaterThan(counts.asked / 10);
    expect(counts.refused).toBeLessThan(counts.asked / 5);
  },
  Math.max(120_000, wanted * 50),
);
