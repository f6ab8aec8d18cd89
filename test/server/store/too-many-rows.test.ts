// A query may compute over a limited number of rows. If the database has more rows, the query is refused, and is never
// answered from a part of the rows.

import { expect, it } from "vitest";
import { plainQuery, runQuery } from "../../../lib/dql/index.ts";
import type { Catalog } from "../../../lib/dql/sql/catalog.ts";
import { duckdb } from "../../../lib/dql/sql/duckdb.ts";
import { sqlEngine } from "../../../lib/dql/sql/engine.ts";
import { inlined } from "../../../lib/dql/sql/fragment.ts";

const catalog: Catalog = {
  dialect: duckdb,
  owned: null,
  columns: () => [],
  table: () => "points",
};

it.each([
  ["M::cpu:(mode(v))", "narrow its time range or filter"],
  ["show_tag_value(from=['cpu'])", "name measurements in from"],
])("%s", async (query, advice) => {
  const asked: string[] = [];
  const engine = sqlEngine({
    name: "many",
    catalog,
    run: async (statement) => {
      asked.push(inlined(statement));
      return new Array(2_000_001);
    },
    exceeded: () => false,
    has: () => true,
    keys: async () => [],
    labels: async () => [],
  });
  await expect(runQuery(plainQuery(query), engine, { now: 0 })).rejects.toThrow(
    `the query reads more than 2000000 points; ${advice}`,
  );
  expect(asked).toEqual([expect.stringMatching(/ LIMIT 2000001$/)]);
});
