// The worked set of DQL over points in DuckDB: the same answers as over rows in memory.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Engine, readRequest, runQuery } from "../../../lib/dql/index.ts";
import { type CategoryName, categories } from "../../../lib/point/category.ts";
import { Point } from "../../../lib/point/point.ts";
import { Key } from "../../../lib/point/view.ts";
import { DuckStore } from "../../../server/store/duckdb.ts";
import { epoch, labels, now, rows } from "../../lib/dql/sample-data.ts";
import { pointOf } from "../../lib/dql/sample-points.ts";
import { statements } from "../../lib/dql/statements.ts";
import { type Worked, workedSet } from "../../lib/dql/worked-set.ts";

let store: DuckStore;
let engine: Engine;

beforeAll(async () => {
  store = await DuckStore.open({ file: ":memory:", memoryLimit: "256MB", now: () => now });
  for (const category of categories) {
    await store.ingest("test", category, `batch-${category}`, (rows[category] ?? []).map(pointOf));
  }
  engine = { ...(await store.engine("test")), labels: async (category) => (category === "object" ? labels : []) };
});

afterAll(() => store.close());

async function answer({ query, member = {} }: Pick<Worked, "query" | "member">): Promise<Answer> {
  const { queries } = readRequest({ queries: [{ query, ...member }] });
  return await runQuery(queries[0]!, engine, { now });
}

describe("the worked set in DuckDB", () => {
  // Ids are given by the store.
  const comparable = [...workedSet, ...statements].filter(({ number }) => number !== 76);
  it.each(comparable.map((worked) => [worked.number, worked.query, worked] as const))(
    "%d %s",
    async (_n, _q, worked) => {
      if (worked.error !== undefined) {
        await expect(answer(worked)).rejects.toThrow(new RegExp(`^${worked.error}$`));
        return;
      }
      const { series, totalHits } = await answer(worked);
      const shown = series.map(({ values }) =>
        values.map((row) =>
          row.map((value, place) => {
            const number = typeof value === "bigint" ? Number(value) : value;
            return place === 0 && worked.plain !== true && typeof number === "number"
              ? (number - epoch) / 1000
              : number;
          }),
        ),
      );
      const wanted = worked.series!.map((each) =>
        each.rows.map((row) => row.map((value) => (typeof value === "number" ? expect.closeTo(value, 9) : value))),
      );
      expect(worked.more ? shown.map((all) => all.slice(0, 3)) : shown).toEqual(wanted);
      if (worked.hits !== undefined) expect(totalHits).toBe(worked.hits);
      for (const [at, { name, tags }] of worked.series!.entries()) {
        if (name !== undefined) expect(series[at]!.name).toBe(name);
        if (tags !== undefined) expect(Object.fromEntries(series[at]!.tags ?? [])).toEqual(tags);
      }
    },
  );
});

it("a batch is stored once", async () => {
  const point = new Point("again", BigInt(now) * 1_000_000n);
  point.setField(new Key("f"), 1);
  const category: CategoryName = "metric";
  expect(await store.ingest("other", category, "one", [point])).toEqual({ points: 1, repeated: false });
  expect(await store.ingest("other", category, "one", [point])).toEqual({ points: 0, repeated: true });
  const { series } = await runQuery(
    readRequest({ queries: [{ query: "M::again" }] }).queries[0]!,
    await store.engine("other"),
    { now },
  );
  expect(series[0]!.values).toHaveLength(1);
});
