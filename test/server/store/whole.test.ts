// Tests complete answers of DQL queries over points in DuckDB, including warnings and calendar intervals. The
// answers must equal those of the same queries over rows in memory.

import { afterAll, beforeAll } from "vitest";
import type { Engine } from "../../../lib/dql/index.ts";
import { categories } from "../../../lib/point/category.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { pointOf } from "../../lib/dql/sample-points.ts";
import { now, rows } from "../../lib/dql/whole-data.ts";
import { describeWhole } from "../../lib/dql/whole-suite.ts";
import { openedStore } from "./opened.ts";

let store: SegmentStore;
let engine: Engine;

beforeAll(async () => {
  store = await openedStore({ now: () => now });
  for (const category of categories)
    if (rows[category] !== undefined) await store.ingest("test", category, category, rows[category].map(pointOf));
  engine = await store.engine("test");
});

afterAll(() => store.close());

describeWhole("whole answers from DuckDB", () => engine);
