// DuckDB in the browser, with functions of its core only. DuckDB must give the same answers as the evaluator
// over rows in memory, for the documented examples, further DQL queries and random DQL queries.

import { afterAll, beforeAll, expect, it } from "vitest";
import { createMillrace, type Encodable } from "../../lib/index.ts";
import { type CategoryName, categories } from "../../lib/point/category.ts";
import { labels, now } from "../lib/dql/sample-data.ts";
import { samplePoints } from "../lib/dql/sample-points.ts";
import { answerOf, askedByOwnId, describeStatements } from "../lib/dql/suite.ts";
import { type Counts, compareEngines } from "../server/store/random/compare.ts";
import { BrowserPoints } from "./duckdb-points.ts";

const files = {
  worker: new URL("/duckdb/duckdb-browser-eh.worker.js", location.href),
  module: new URL("/duckdb/duckdb-eh.wasm", location.href),
};
const opened = async () => await BrowserPoints.open(files, await createMillrace());

let points: BrowserPoints;

beforeAll(async () => {
  points = await opened();
  for (const category of categories) {
    const sample = samplePoints(category);
    if (sample.length > 0) await points.load(category, sample, { received: BigInt(now) });
  }
}, 60_000);

afterAll(() => points.close());

const engine = () => ({
  ...points.engine(),
  labels: async (category: string) => (category === "object" ? labels : []),
});

describeStatements("the worked set in DuckDB in a browser", engine, askedByOwnId);

it("answers a query on JSON text although DuckDB has no JSON extension and loads none", async () => {
  await expect(points.query("SELECT json_extract_string('{}', '$.a')")).rejects.toThrow(/json/i);
  expect(await points.query("SELECT current_setting('autoload_known_extensions')")).toEqual([[false]]);
  const answer = await answerOf(engine(), {
    query: "L::app:(`message@json.n` AS n) {@abc.def = 'xyz'} [10m]",
  });
  expect(answer.series[0]!.values).toHaveLength(1);
});

it("returns the same answers as the engine in memory for random queries over random data", async () => {
  const counts: Counts = { asked: 0, answered: 0, refused: 0, computed: 0 };
  const differences: string[] = [];
  for (const seed of [1, 2, 3]) {
    const own = await opened();
    const store = {
      engine: async () => own.engine(),
      ingest: async (_workspace: string, category: CategoryName, _id: string, batch: Encodable) => {
        await own.load(category, batch, { received: BigInt(now) });
        return { points: 0, repeated: false };
      },
    };
    differences.push(
      ...(await compareEngines({ name: "DuckDB in a browser", store, first: 0n, step: 1n }, seed, 100, counts)),
    );
    await own.close();
  }
  expect(differences.slice(0, 20).join("\n")).toBe("");
  expect(counts.answered).toBeGreaterThan(counts.asked / 3);
  expect(counts.computed).toBeGreaterThan(counts.asked / 10);
}, 180_000);
