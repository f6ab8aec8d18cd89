// `npm run bench:dql`: measures DQL queries of dashboards, from the text of the query to the JSON of the answer. The
// baseline is handwritten SQL that returns the same answer from the store's own files. For information, it also prints
// the time of the same SQL over tables designed for this SQL, and the time of parsing and planning alone. Afterwards it
// compares the platform with victoria-metrics over HTTP. The two compared programs run alternately; a ratio below 1
// means that DQL is slower.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type Engine, entryJson, parseStatement, readRequest, resolveQuery, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace } from "../../../lib/index.ts";
import { pointsIdOf } from "../../../server/platform/metadata/ids.ts";
import { readLocalToken } from "../../../server/platform/workspaces.ts";
import { SegmentStore } from "../../../server/store/segments/store.ts";
import { columns } from "../measure.ts";
import { overHttp } from "./over-http.ts";
import { bodies, endMs, startMs, tables, viewsOfStore } from "./points.ts";
import { type Asked, asked } from "./statements.ts";

const usage = `Usage: npm run bench:dql -- [--points 1000000] [--rounds 9]

  --points N   points of each kind (1000000)
  --rounds N   of each statement, taking turns (9)
`;

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "9" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const [points, rounds] = [Number(values.points), Number(values.rounds)];
const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-bench-dql-"));
const folder = path.join(dataDir, "platform", "points");
/**
 * The token of the workspace that holds the points. The platform gets the same data folder and finds the token there.
 */
const token = newLocalToken(path.dirname(folder));
const workspace = pointsIdOf(token);
const range = [BigInt(startMs) * 1_000_000n, BigInt(endMs(points)) * 1_000_000n + 999_999n];

async function main(): Promise<number> {
  if (values.help || !Number.isSafeInteger(points) || points < 1 || !Number.isSafeInteger(rounds) || rounds < 1) {
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }
  await fill();
  console.log(columns(await inOneProcess()));
  console.log(await overHttp({ dataDir, token, points, rounds }));
  return 0;
}

function newLocalToken(folder: string): string {
  mkdirSync(folder, { mode: 0o700 });
  return readLocalToken(folder);
}

/** Measures the store's query engine, SQL over the store's own Parquet files, and SQL over handmade tables. */
async function inOneProcess(): Promise<readonly (readonly string[])[]> {
  const store = await SegmentStore.open({ folder, memoryLimit: "4GB", now: Date.now, mill: await createMillrace() });
  const byHand = await DuckDBInstance.create(path.join(dataDir, "by-hand.duckdb"));
  const [stored, narrow] = [await byHand.connect(), await byHand.connect()];
  for (const statement of viewsOfStore(folder)) await stored.run(statement);
  await narrow.run("CREATE SCHEMA narrow; USE narrow");
  for (const table of tables(points)) await narrow.run(table);
  await narrow.run("CHECKPOINT");
  const engine = await store.engine(workspace);
  const rows: string[][] = [
    ["statement", "DQL ms", "SQL ms", "SQL / DQL", "lowest", "highest", "own tables ms", "plan ms", "run"],
  ];
  for (const each of asked) {
    process.stderr.write(`${each.name} ...\n`);
    const dql = () => answer(each, engine);
    const sql = () => answerByHand(stored, [each.sql, ...(each.hits === undefined ? [] : [each.hits])]);
    const made = () => answerByHand(narrow, [each.sql]);
    const figures: { readonly ours: number; readonly theirs: number; readonly narrow: number }[] = [];
    for (let round = -2; round < rounds; round++) {
      // In each round, the first of the two runs fills the processor's caches for the second run. To be fair, DQL runs
      // first in every second round, and SQL runs first in the other rounds.
      const isFirst = round % 2 === 0;
      const before = isFirst ? await timeOf(dql) : null;
      const theirs = await timeOf(sql);
      const figure = { ours: before ?? (await timeOf(dql)), theirs, narrow: await timeOf(made) };
      if (round >= 0) figures.push(figure);
    }
    const ratios = figures.map(({ ours, theirs }) => theirs / ours).sort((a, b) => a - b);
    const plan = await timeOf(async () => {
      for (let at = 0; at < 100; at++) await engine.explain!(resolved(each));
    });
    rows.push([
      each.name,
      median(figures.map(({ ours }) => ours)).toFixed(2),
      median(figures.map(({ theirs }) => theirs)).toFixed(2),
      ...[median(ratios), ratios[0]!, ratios[ratios.length - 1]!].map((ratio) => `${ratio.toFixed(2)}x`),
      median(figures.map((figure) => figure.narrow)).toFixed(2),
      (plan / 100).toFixed(3),
      (await engine.explain!(resolved(each))).way,
    ]);
  }
  await store.close();
  return rows;
}

async function answerByHand(connection: DuckDBConnection, statements: readonly string[]): Promise<string> {
  const answers: unknown[] = [];
  for (const text of statements) answers.push((await connection.runAndReadAll(text, range)).getRows());
  return JSON.stringify(answers, (_, value) => (typeof value === "bigint" ? Number(value) : value));
}

async function fill(): Promise<void> {
  const mill = await createMillrace();
  const store = await SegmentStore.open({ folder, memoryLimit: "4GB", now: Date.now, mill });
  for (const category of ["metric", "logging"] as const) {
    let batchId = 0;
    for (const body of bodies(category, points)) {
      const batch = mill.decodePoints(body, { category, form: "lp" });
      await store.ingest(workspace, category, `${category}-${batchId++}`, batch);
      batch.release();
    }
  }
  await store.pack();
  await store.close();
}

const member = ({ dql }: Asked) => ({ query: dql, time_range: [startMs, endMs(points)] });
const options = { now: endMs(points) };

function resolved(each: Asked) {
  const [read] = readRequest({ queries: [member(each)] }).queries;
  const statement = parseStatement(each.dql);
  if (statement.type !== "query") throw new Error(`${each.dql} is no query`);
  return resolveQuery(statement, each.dql, read!, options);
}

async function answer(each: Asked, engine: Engine): Promise<string> {
  const outcome = await runQuery(readRequest({ queries: [member(each)] }).queries[0]!, engine, options);
  if (outcome.series.length === 0) throw new Error(`${each.dql} finds nothing`);
  return entryJson(outcome, {
    engine: "duckdb",
    cost: 0n,
    rawQuery: null,
    withQueryParse: true,
    outputFormat: "json",
    describeColumns: false,
  });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}

try {
  process.exitCode = await main();
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
