// The worked examples of DQL over points in DuckDB. The answers must equal those over rows in memory.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Engine, readRequest, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace } from "../../../lib/index.ts";
import { type CategoryName, categories } from "../../../lib/point/category.ts";
import { Point } from "../../../lib/point/point.ts";
import { Key } from "../../../lib/point/view.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { labels, now } from "../../lib/dql/sample-data.ts";
import { samplePoints } from "../../lib/dql/sample-points.ts";
import { askedByOwnId, describeStatements } from "../../lib/dql/suite.ts";
import { openedStore } from "./opened.ts";

let store: SegmentStore;
let engine: Engine;

beforeAll(async () => {
  store = await openedStore({
    memoryLimit: "256MB",
    now: () => now,
    mill: await createMillrace(),
  });
  for (const category of categories) {
    await store.ingest("test", category, `batch-${category}`, samplePoints(category));
  }
  engine = { ...(await store.engine("test")), labels: async (category) => (category === "object" ? labels : []) };
});

afterAll(() => store.close());

describeStatements("the worked set in DuckDB", () => engine, askedByOwnId);

it("a batch that is ingested twice is stored once", async () => {
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
