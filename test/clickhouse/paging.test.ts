// Pages through 100,000 logs in ClickHouse.

import { afterAll, beforeAll } from "vitest";
import { ClickStore } from "../../server/store/clickhouse.ts";
import { describePages } from "../server/store/paging-suite.ts";
import { type ClickHouseEngine, startEngine } from "./engine.ts";

let clickhouse: ClickHouseEngine;

beforeAll(async () => {
  clickhouse = await startEngine();
});

afterAll(() => clickhouse?.close());

describePages("pages in ClickHouse", (now) =>
  ClickStore.open({ url: clickhouse.url("paged"), cluster: "", memory: 0, queryTimeoutMs: 30_000, now }),
);
