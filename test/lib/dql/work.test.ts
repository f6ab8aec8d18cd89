// Work that is told while it is done: all that grows with the rows counts, and what is told to end does so in its midst.

import { expect, it } from "vitest";
import type { Row } from "../../../lib/dql/evaluate/row.ts";
import { entryJson, memoryEngine, plainQuery, runQuery } from "../../../lib/dql/index.ts";
import { paced } from "../../../lib/dql/work.ts";

const now = 1_767_225_600_000;
const rows = Array.from(
  { length: 3000 },
  (_, at): Row => ({
    time: BigInt(now - 1 - at * 1000) * 1_000_000n,
    name: "cpu",
    docid: String(at).padStart(20, "0"),
    index: "default",
    received: now,
    tags: new Map([["host", `h${at % 50}`]]),
    fields: new Map([["v", at % 7]]),
  }),
);
const engine = memoryEngine(() => rows);

/** Each with what it does besides reading 3000 rows, sorting them, testing their source and filter, and grouping them. */
const statements: readonly (readonly [string, string, number])[] = [
  ["reading", "M::cpu:(v) [1h] LIMIT 1", 0],
  ["groups", "M::cpu:(max(v)) [1h] BY host SLIMIT 50", 0],
  ["fill: 3600 buckets of 50 series", "M::cpu:(fill(max(v), 0)) [1h::1s] BY host SLIMIT 50", 50 * 3600],
  ["outer functions", "cumsum(`M::cpu:(v) [1h] LIMIT 3000`).abs().difference()", 3 * 2900],
  ["windows", "moving_average(`M::cpu:(v) [1h] LIMIT 3000`, 1000)", 2001 * 1000],
  ["sums of series", "series_sum(`M::cpu:(max(v)) [1h::1m] BY host SLIMIT 50`)", 2500],
  ["counts", "count_filter(`M::cpu:(v) [1h] LIMIT 3000`, expr='v > 3')", 3000],
  ["eval", "eval(A.v + A.v, A='M::cpu:(v) [1h] LIMIT 3000')", 2 * 3000],
];

async function stepsOf(query: string): Promise<number> {
  let steps = 0;
  await runQuery(plainQuery(query), engine, { now, work: (more) => (steps += more) });
  return steps;
}

it.each(statements)("%s counts", async (_, query, own) => {
  const least = 3 * rows.length;
  expect(await stepsOf(query)).toBeGreaterThanOrEqual(least + own);
});

it.each(statements)("%s ends in its midst", async (_, query) => {
  const wanted = (await stepsOf(query)) - 500;
  let [steps, calls, after] = [0, 0, 0];
  const work = (more: number) => {
    calls++;
    steps += more;
    if (steps < wanted) return;
    after++;
    throw new Error("late");
  };
  await expect(runQuery(plainQuery(query), engine, { now, work })).rejects.toThrow("late");
  // Nothing goes on behind it.
  expect(after).toBe(1);
  expect(calls).toBeGreaterThan(1000);
});

it("writing the answer counts its rows, and ends", async () => {
  const outcome = await runQuery(plainQuery("M::cpu:(v) [1h] LIMIT 3000"), engine, { now });
  const options = { engine: "memory", cost: 0n, rawQuery: null, withQueryParse: false };
  const written = (work: (steps: number) => void) =>
    entryJson(outcome, { ...options, lineProtocol: false, describeColumns: false, work });
  let steps = 0;
  written((more) => (steps += more));
  expect(steps).toBe(3000);
  expect(() =>
    written(() => {
      throw new Error("late");
    }),
  ).toThrow("late");
});

it("the clock is looked at once in so many steps, however they come", () => {
  let looks = 0;
  const one = paced(() => looks++, 100);
  for (let step = 0; step < 1000; step++) one(1);
  expect(looks).toBe(10);
  const many = paced(() => looks++, 100);
  many(1_000_000);
  expect(looks).toBe(11);
});
