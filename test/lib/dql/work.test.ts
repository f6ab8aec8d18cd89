// A query reports its progress to the callback `work` in steps. All work that grows with the number of rows counts as
// steps. When the callback throws, the query ends in the middle of its work.

import { expect, it } from "vitest";
import type { Row } from "../../../lib/dql/evaluate/row.ts";
import { entryJson, memoryEngine, plainQuery, runQuery } from "../../../lib/dql/index.ts";
import { periodicBudget } from "../../../lib/dql/semantics/step-budget.ts";

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

/**
 * Name and text of a query, and a number of steps. The query must take at least this many steps more than a query that
 * only counts the 3000 rows.
 */
const statements: readonly (readonly [string, string, number])[] = [
  ["reading", "M::cpu:(v) [1h] LIMIT 1", 2 * 3000],
  ["groups", "M::cpu:(max(v)) [1h] BY host SLIMIT 50", 3000],
  ["fill: 3600 buckets of 50 series", "M::cpu:(fill(max(v), 0)) [1h::1s] BY host SLIMIT 50", 4 * 50 * 3600],
  ["fill: a column of one series", "M::cpu:(fill(max(v), LINEAR)) [1h::1s]", 5 * 3600],
  ["one group: a percentile", "M::cpu:(p95(v)) [1h]", 6 * 3000],
  ["one group: the most frequent value", "M::cpu:(mode(v)) [1h]", 2 * 3000],
  ["one group: different values", "L::cpu:(count_distinct(__docid)) [1h]", 8900],
  ["one group: sums and deviations", "M::cpu:(sum(v), stddev(v), max(v)) [1h]", 3 * 3000],
  ["each different value", "L::cpu:(distinct(__docid)) [1h]", 6 * 3000],
  ["the largest", "L::cpu:(top(v, 3)) [1h]", 10 * 3000],
  ["a histogram", "L::cpu:(histogram(v, 0, 10, 10)) [1h]", 3000],
  ["a rollup of one timeline", "L::cpu:(max(v)) [1h::1h:p90]", 7 * 3000],
  ["a rollup of many timelines", "M::cpu:(max(v)) [1h::1m:max]", 20_000],
  ["plain columns in buckets", "L::cpu:(v) [1h::1s]", 20_000],
  ["buckets", "M::cpu:(max(v)) [1h::1s]", 11_000],
  ["the newest of each object", "O::cpu:(v) [1h]", 14_000],
  ["running means", "M::cpu:(moving_average(v, 500)) [1h]", 500 * 2501],
  ["orders of rows", "M::cpu:(v) [1h] ORDER BY v ASC LIMIT 3000", 8 * 3000],
  ["orders of series", "M::cpu:(v) [1h] BY host SORDER BY sum(v) SLIMIT 50", 10 * 3000],
  ["HAVING", "M::cpu:(v) [1h] HAVING v > 3 LIMIT 3000", 3 * 3000],
  ["rows of an inner query", "M::(M::cpu:(v) [1h]):(max(v))", 10 * 3000],
  ["LINK", "M::cpu:(v) [1h] LINK M::cpu:(max(v) AS m) [1h] BY host WITH {host = host} LIMIT 3000", 12 * 3000],
  ["LINK of many rows", "M::cpu:(v) [1h] LINK M::cpu:(v AS m, host) [1h] LIMIT 3000 WITH {host = host}", 52_000],
  ["outer functions", "cumsum(`M::cpu:(v) [1h] LIMIT 3000`).abs().difference()", 5 * 2900],
  ["windows", "moving_average(`M::cpu:(v) [1h] LIMIT 3000`, 1000)", 2001 * 1000 + 2 * 3000],
  ["sums of series", "series_sum(`M::cpu:(max(v)) [1h::1m] BY host SLIMIT 50`)", 4 * 2500],
  ["sums of many moments", "series_sum(`M::cpu:(v) [1h] ORDER BY v LIMIT 3000`)", 40_000],
  ["counts", "count_filter(`M::cpu:(v) [1h] LIMIT 3000`, expr='v > 3')", 3 * 3000],
  ["eval", "eval(A.v + A.v, A='M::cpu:(v) [1h] LIMIT 3000')", 4 * 3000],
];

async function stepsOf(query: string): Promise<number> {
  let steps = 0;
  await runQuery(plainQuery(query), engine, { now, work: (more) => (steps += more) });
  return steps;
}

it.each(statements)("counts the steps of: %s", async (_, query, own) => {
  const reading = await stepsOf("M::cpu:(count(*)) [1h]");
  expect(reading).toBeGreaterThanOrEqual(3 * rows.length);
  expect((await stepsOf(query)) - reading).toBeGreaterThanOrEqual(own);
});

/**
 * A query that reads stored names instead of the points of a time range. So the tests do not compare its steps with the
 * steps of a query that counts points.
 */
const shown = ["what is stored", "show_tag_value(from=['cpu'])", 0] as const;

it("counts the stored values that a statement reads as steps", async () => {
  expect(await stepsOf(shown[1])).toBeGreaterThanOrEqual(2 * rows.length + 50);
});

it.each([...statements, shown])("stops the query at once when the step callback throws: %s", async (_, query) => {
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
  // The query does no more work after the callback has thrown.
  expect(after).toBe(1);
  expect(calls).toBeGreaterThan(1000);
});

it("counts one step for each row of the answer, and stops writing when the callback throws", async () => {
  const outcome = await runQuery(plainQuery("M::cpu:(v) [1h] LIMIT 3000"), engine, { now });
  const options = { engine: "memory", cost: 0n, rawQuery: null, withQueryParse: false };
  const written = (work: (steps: number) => void) =>
    entryJson(outcome, { ...options, outputFormat: "json", describeColumns: false, work });
  let steps = 0;
  written((more) => (steps += more));
  expect(steps).toBe(3000);
  expect(() =>
    written(() => {
      throw new Error("late");
    }),
  ).toThrow("late");
});

it("checks the clock once per 100 steps, and once for a large number of steps at a time", () => {
  let checks = 0;
  const one = periodicBudget(() => checks++, 100);
  for (let step = 0; step < 1000; step++) one(1);
  expect(checks).toBe(10);
  const many = periodicBudget(() => checks++, 100);
  many(1_000_000);
  expect(checks).toBe(11);
});
