// `npm run bench:dql`: statements of dashboards, from text to the JSON of the answer, beside SQL by hand over the same rows in
// DuckDB; and what of that is parsing and planning. Both sides take turns; a ratio below 1 is where DQL loses.

import process from "node:process";
import { parseArgs } from "node:util";
import { DuckDBInstance } from "@duckdb/node-api";
import { type Engine, entryJson, parseStatement, readRequest, resolveQuery, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace } from "../../../lib/index.ts";
import { DuckStore } from "../../../server/store/duckdb.ts";
import { columns } from "../measure.ts";
import { bodies, endMs, startMs, tables } from "./points.ts";
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

async function main(): Promise<number> {
  if (values.help || !Number.isSafeInteger(points) || points < 1 || !Number.isSafeInteger(rounds) || rounds < 1) {
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }
  const engine = await filledStore();
  const byHand = await (await DuckDBInstance.create(":memory:")).connect();
  for (const table of tables(points)) await byHand.run(table);
  const range = [BigInt(startMs) * 1_000_000n, BigInt(endMs(points)) * 1_000_000n + 999_999n];
  const rows: string[][] = [
    ["statement", "DQL ms", "SQL ms", "SQL / DQL", "lowest", "highest", "parse and plan ms", "run"],
  ];
  for (const each of asked) {
    process.stderr.write(`${each.name} ...\n`);
    const sql = async () => {
      const read = await byHand.runAndReadAll(each.sql, range);
      return JSON.stringify(read.getRows(), (_, value) => (typeof value === "bigint" ? Number(value) : value));
    };
    const dql = () => answer(each, engine);
    const figures: { readonly ours: number; readonly theirs: number }[] = [];
    for (let round = -2; round < rounds; round++) {
      const figure = { ours: await timeOf(dql), theirs: await timeOf(sql) };
      if (round >= 0) figures.push(figure);
    }
    const ratios = figures.map(({ ours, theirs }) => theirs / ours).sort((a, b) => a - b);
    const query = resolved(each);
    const plan = await timeOf(async () => {
      for (let at = 0; at < 100; at++) await engine.explain!(resolved(each));
    });
    rows.push([
      each.name,
      median(figures.map(({ ours }) => ours)).toFixed(2),
      median(figures.map(({ theirs }) => theirs)).toFixed(2),
      ...[median(ratios), ratios[0]!, ratios[ratios.length - 1]!].map((ratio) => `${ratio.toFixed(2)}x`),
      (plan / 100).toFixed(3),
      (await engine.explain!(query)).way,
    ]);
  }
  console.log(columns(rows));
  return 0;
}

async function filledStore(): Promise<Engine> {
  const mill = await createMillrace();
  const store = await DuckStore.open({ file: ":memory:", memoryLimit: "4GB", now: Date.now, mill });
  for (const category of ["metric", "logging"] as const) {
    let batchId = 0;
    for (const body of bodies(category, points)) {
      const batch = mill.decodePoints(body, { category, form: "lp" });
      await store.ingest("bench", category, `${category}-${batchId++}`, batch);
      batch.release();
    }
  }
  return await store.engine("bench");
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
  return entryJson(outcome, { engine: "duckdb", cost: 0n, rawQuery: null, withQueryParse: true, lineProtocol: false, describeColumns: false });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}

process.exitCode = await main();
