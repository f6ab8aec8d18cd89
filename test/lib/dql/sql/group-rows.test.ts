// Queries with SORDER BY and SLIMIT, which return only the first groups. The engine makes series from only the rows
// that these groups need; the answer must be the same as from all rows.

import { expect, it } from "vitest";
import { duckdb, plainQuery, runQuery, type StoredColumn, sqlEngine } from "../../../../lib/dql/index.ts";

const groups = 3000;
/**
 * Rows for 3,000 groups, with only 97 different values. So sorting by the value leaves many groups equal. Every 11th
 * group has no value.
 */
const rows = Array.from({ length: groups }, (_, at) => {
  const value = at % 11 === 0 ? null : BigInt((at * 7919) % 97);
  return [`k${(at * 31) % groups}`, value, BigInt(1 + (at % 5))];
});
const columns: readonly StoredColumn[] = [
  { key: "client", kind: "string", column: "a" },
  { key: "bytes", kind: "int", column: "b" },
];

async function ask(query: string) {
  let steps = 0;
  const engine = sqlEngine({
    ...{ name: "rows", run: async () => rows, exceeded: () => false, has: () => true },
    ...{ keys: async () => [], labels: async () => [] },
    catalog: { dialect: duckdb, table: (category) => category, owned: null, columns: () => columns },
  });
  const work = (count: number) => {
    steps += count;
  };
  const { series, totalHits } = await runQuery(plainQuery(query), engine, { now: Date.now(), work });
  return { series: series.map(({ tags, values }) => [[...tags!.values()], values]), totalHits, steps };
}

it.each([
  ["max(bytes)", "max(bytes) DESC", 10, 0],
  ["max(bytes) AS most", "most DESC", 10, 0],
  ["max(bytes) AS most", "max(bytes) ASC", 10, 0],
  ["max(bytes) AS most", "most ASC", 40, 35],
  ["max(bytes) AS most, max(bytes) + 1 AS more", "most DESC", 1, 0],
  // Groups without a value come last. This query asks for the 300 groups after the first 2,650, so it reaches groups
  // without a value.
  ["max(bytes) AS most", "most DESC", 300, 2650],
])("%s, SORDER BY %s: returns %i groups from offset %i", async (targets, order, count, from) => {
  const query = (some: number, skipped: number) =>
    ask(`L::*:(${targets}) BY client SORDER BY ${order} SLIMIT ${some} SOFFSET ${skipped}`);
  const all = await query(groups, 0);
  const found = await query(count, from);
  expect(found.series).toEqual(all.series.slice(from, from + count));
  expect(found.series).toHaveLength(count);
  expect(found.totalHits).toBe(all.totalHits);
});

it.each([
  ["an alias", "max(bytes) AS most", "SORDER BY most DESC", true],
  ["an aggregate", "max(bytes)", "SORDER BY max(bytes) DESC", true],
  ["two orders", "max(bytes) AS most", "SORDER BY most DESC, client", false],
  ["the key", "max(bytes) AS most", "SORDER BY client", false],
  ["arithmetic", "max(bytes) + 1 AS more", "SORDER BY more DESC", false],
  ["HAVING", "max(bytes) AS most", "HAVING most < 5 SORDER BY most DESC", false],
])("uses the fast ordering of groups only where possible: %s", async (_, targets, clauses, isFast) => {
  const { steps } = await ask(`L::*:(${targets}) BY client ${clauses} SLIMIT 10`);
  // The engine has a fast method for some queries. It reads each row only three times: to count the rows, to find
  // empty keys, and to sort. For all other queries the engine makes series from all rows, which takes more steps.
  expect(steps < 5 * groups).toBe(isFast);
});
