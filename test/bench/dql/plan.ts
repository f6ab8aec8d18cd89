// Measures the work on a dashboard query before it is sent to the database: parsing, checking, resolving names and
// planning, from the query text to SQL. No other implementation of the language exists, so the results are times, not
// ratios.

import { parseStatement, readRequest, resolveQuery } from "../../../lib/dql/index.ts";
import type { Catalog } from "../../../lib/dql/sql/catalog.ts";
import { duckdb } from "../../../lib/dql/sql/duckdb.ts";
import { sqlEngine } from "../../../lib/dql/sql/engine.ts";
import type { StoredColumn } from "../../../lib/dql/sql/stored-column.ts";
import { endMs, startMs } from "./points.ts";
import { asked } from "./statements.ts";

export interface PlanCost {
  readonly name: string;
  /**
   * Median time of the rounds in microseconds. No result of an earlier round is used, so each round parses each query
   * anew.
   */
  readonly microseconds: number;
}

const stored = (keys: readonly (readonly [string, StoredColumn["kind"]])[]) =>
  keys.map(([key, kind], at): StoredColumn => ({ key, kind, column: `c${at}` }));
const metric = stored([
  ["usage", "float"],
  ["switches", "int"],
  ["host", null],
  ["region", null],
]);
const logging = stored([
  ["status", "int"],
  ["bytes", "int"],
  ["client", "string"],
  ["message", "string"],
  ["service", null],
]);
const catalog: Catalog = {
  dialect: duckdb,
  owned: null,
  table: (category) => `p_${category}`,
  columns: (category) => (category === "metric" ? metric : logging),
};
const engine = sqlEngine({
  name: "duckdb",
  catalog,
  run: () => Promise.reject(new Error("nothing is asked here")),
  exceeded: () => false,
  has: () => true,
  keys: async () => [],
  labels: async () => [],
});
const [rounds, perRound] = [40, 50];

export async function measurePlans(): Promise<PlanCost[]> {
  const costs: PlanCost[] = [];
  const end = endMs(1_000_000);
  for (const { name, dql } of asked) {
    const plan = async (): Promise<void> => {
      const [member] = readRequest({ queries: [{ query: dql, time_range: [startMs, end] }] }).queries;
      const statement = parseStatement(dql);
      if (statement.type !== "query") throw new Error(`${dql} is no query`);
      const { statement: text } = await engine.explain!(resolveQuery(statement, dql, member!, { now: end }));
      if (!text.includes("FROM p_")) throw new Error(`${dql} has no plan`);
    };
    const times: number[] = [];
    for (let round = -10; round < rounds; round++) {
      const began = performance.now();
      for (let at = 0; at < perRound; at++) await plan();
      if (round >= 0) times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    costs.push({ name: `DQL to SQL: ${name}`, microseconds: (times[rounds >> 1]! / perRound) * 1000 });
  }
  return costs;
}

export function planText(costs: readonly PlanCost[]): string {
  return costs.map(({ name, microseconds }) => `${name}: median ${microseconds.toFixed(0)} µs`).join("\n");
}
