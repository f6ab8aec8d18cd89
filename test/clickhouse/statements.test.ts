// The worked examples of DQL, run over points in ClickHouse. The answers must equal the answers of the evaluator
// over rows in memory.

import { afterAll, beforeAll } from "vitest";
import type { Engine } from "../../lib/dql/index.ts";
import { categories } from "../../lib/point/category.ts";
import { ClickStore } from "../../server/store/clickhouse.ts";
import { labels, now } from "../lib/dql/sample-data.ts";
import { samplePoints } from "../lib/dql/sample-points.ts";
import { askedByOwnId, describeStatements } from "../lib/dql/suite.ts";
import { type ClickHouseEngine, startEngine } from "./engine.ts";

let clickhouse: ClickHouseEngine;
let store: ClickStore;
let engine: Engine;

beforeAll(async () => {
  clickhouse = await startEngine();
  const url = clickhouse.url("statements");
  store = await ClickStore.open({ url, cluster: "", memory: 0, queryTimeoutMs: 30_000, now: () => now });
  for (const category of categories) await store.ingest("test", category, `batch-${category}`, samplePoints(category));
  for (const { labels: own, ...object } of labels) {
    const id = `${object.objectClass}:${object.objectName}`;
    await store.label("test", { id, ...object }, ["of before"]);
    await store.label("test", { id, ...object }, own);
  }
  engine = await store.engine("test");
});

afterAll(async () => {
  await store?.close();
  await clickhouse?.close();
});

describeStatements("the worked set in ClickHouse", () => engine, askedByOwnId);
