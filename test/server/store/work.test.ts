// A query that computes over rows of the database reports its progress in steps, so that it can be cancelled. The tests
// use queries with many groups and queries over all stored rows.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Engine, plainQuery, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { openedStore } from "./opened.ts";

const now = 1_767_225_600_000;
const count = 3000;

let store: SegmentStore;
let engine: Engine;

beforeAll(async () => {
  const mill = await createMillrace();
  store = await openedStore({ memoryLimit: "256MB", now: () => now, mill });
  // The first point has no `id`, and the second one has an empty `id`. A query that groups by `id` puts both
  // points into the same group.
  const lines = Array.from({ length: count }, (_, at) => {
    const id = at === 0 ? "" : `,id=i${at}`;
    return at === 1 ? `m,host=h1 v=1i,id="" ${now - 1}` : `m,host=h${at % 9}${id} v=${at}i ${now - 1 - at}`;
  });
  for (const category of ["metric", "logging"] satisfies CategoryName[]) {
    const batch = mill.decodePoints(new TextEncoder().encode(lines.join("\n")), {
      category,
      form: "lp",
      precision: "ms",
    });
    await store.ingest("w", category, category, batch);
    batch.release();
  }
  engine = await store.engine("w");
});

afterAll(() => store.close());

/** Queries, each with a name and the smallest number of steps of work that the query must report. */
const statements: readonly (readonly [string, string, number])[] = [
  ["groups", "L::m:(count(*), max(v)) [1h] BY id SLIMIT 5000", 6 * count],
  ["buckets", "M::m:(max(v)) [1h::1ms]", 5 * count],
  ["rows", "L::m:(v + 1) {v != 7} [1h] LIMIT 5000", 3 * count],
  ["what is stored", "show_tag_value()", 2 * count],
];

it.each(statements)("a query for %s counts its steps and can be ended midway", async (_, query, least) => {
  let steps = 0;
  await runQuery(plainQuery(query), engine, { now, work: (more) => (steps += more) });
  expect(steps).toBeGreaterThanOrEqual(least);
  // The database returns groups in an order that differs from run to run, so the number of steps of sorting differs,
  // too. Therefore the query is stopped after given fractions of its steps, not after fixed numbers.
  for (const wanted of [count / 2, steps / 4, steps / 2, 0.9 * steps]) {
    let [told, after] = [0, 0];
    const work = (more: number) => {
      told += more;
      if (told < wanted) return;
      after++;
      throw new Error("late");
    };
    await expect(runQuery(plainQuery(query), engine, { now, work })).rejects.toThrow("late");
    expect(after).toBe(1);
    // A query that was cancelled stops at its next report. So it does at most `count` steps, the distance between two
    // reports, after it was cancelled.
    expect(told - wanted).toBeLessThanOrEqual(count);
  }
});
