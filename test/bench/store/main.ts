// `npm run bench:store`: measures how fast the point store accepts points, how many bytes a point takes on disk, and
// how other table layouts compare. The store and DuckDB's own COPY FROM take the same rows and run alternately. The
// size of a file is measured after a checkpoint of the database.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import type { CategoryName } from "../../../lib/index.ts";
import { createMillrace } from "../../../lib/index.ts";
import { type Database, openDatabase } from "../../../server/store/database.ts";
import { SegmentStore } from "../../../server/store/segments/store.ts";
import { bodies, perBody, senders } from "./bodies.ts";
import { type Columns, layouts, statements } from "./layouts.ts";
import { loads, runLoads } from "./loads.ts";

const usage = `Usage: npm run bench:store -- [--points 1000000] [--rounds 3] [--json]
       npm run bench:store -- --load NAME [--scale 1] [--minutes 10] [--quiet-seconds 5]

  --points N   points of each kind (1000000)
  --rounds N   rounds of ingest and of each statement, taking turns (3)
  --json       the figures as JSON

  --load NAME          sends a load to a running platform and compares with its goals; exit code 1 when one does not hold:
                       ${Object.keys(loads).join(", ")}, or all
  --scale N            points, names and workspaces of the load times N (1)
  --minutes N          how long prometheus scrapes (10)
  --quiet-seconds N    the store is quiet when it did nothing for this long (5)
`;

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
    json: { type: "boolean", default: false },
    load: { type: "string" },
    scale: { type: "string", default: "1" },
    minutes: { type: "string", default: "10" },
    "quiet-seconds": { type: "string", default: "5" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const points = Number(values.points);
const rounds = Number(values.rounds);

interface IngestRow {
  readonly way: string;
  readonly pointsPerSecond: number;
  /** Processor time of the whole process per point in microseconds, the lowest of all rounds. */
  readonly microsecondsPerPoint: number;
  /** Speed of the store with many senders, divided by the speed of the method of storing points in this row. */
  readonly ratio: number;
}

interface LayoutRow {
  readonly layout: string;
  readonly bytesPerPoint: number;
  readonly pointsPerSecond: number;
  readonly statementsMs: Readonly<Record<string, number>>;
}

if (values.help) process.stdout.write(usage);
else if (values.load !== undefined) process.exitCode = await runNamed(values.load);
else {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-bench-store-"));
  try {
    const figures: Record<string, { ingest: readonly IngestRow[]; layouts: readonly LayoutRow[] }> = {};
    for (const category of ["metric", "logging"] as const) figures[category] = await measured(category, folder);
    if (values.json) process.stdout.write(`${JSON.stringify({ points, ...figures }, null, 2)}\n`);
    else for (const [category, { ingest, layouts: rows }] of Object.entries(figures)) print(category, ingest, rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runNamed(load: string): Promise<number> {
  const [scale, minutes, quietSeconds] = [values.scale, values.minutes, values["quiet-seconds"]].map(Number);
  const isKnown = load === "all" || Object.hasOwn(loads, load);
  if (isKnown && scale! > 0 && minutes! > 0 && quietSeconds! > 0)
    return await runLoads(load, { scale: scale!, minutes: minutes!, quietSeconds: quietSeconds! });
  process.stderr.write(usage);
  return 2;
}

async function measured(category: CategoryName, folder: string) {
  const mill = await createMillrace();
  const at = (name: string) => path.join(folder, `${category}-${name}`);
  const all = [...bodies(category, points)];
  const fill = async (name: string, senders: number): Promise<void> => {
    const store = await SegmentStore.open({ folder: at(name), memoryLimit: "1GB", now: Date.now, mill });
    let next = 0;
    const send = async (): Promise<void> => {
      while (next < all.length) {
        const number = next++;
        const batch = mill.decodePoints(all[number]!, { category, form: "lp", precision: "n" });
        await store.ingest("bench", category, `${category}-${number}`, batch);
        batch.release();
      }
    };
    await Promise.all(Array.from({ length: senders }, send));
    await store.pack();
    await store.close();
  };
  await fill("source", 1);
  const source = `read_parquet('${at("source")}/segments/${category}/*/*/*.parquet')`;
  const bulk = await openDatabase(at("bulk.duckdb"), {});
  const columns = await columnsOf(bulk, source);
  for (const form of ["csv", "parquet"])
    await bulk.run(`COPY (SELECT * FROM ${source}) TO '${at(form)}' (FORMAT ${form})`);
  const times = new Map<string, number[]>();
  const processor = new Map<string, number>();
  const note = async (way: string, work: () => Promise<void>): Promise<void> => {
    const [began, used] = [performance.now(), process.cpuUsage()];
    await work();
    times.set(way, [...(times.get(way) ?? []), performance.now() - began]);
    const { user, system } = process.cpuUsage(used);
    processor.set(way, Math.min(processor.get(way) ?? Number.POSITIVE_INFINITY, user + system));
  };
  for (let round = 0; round < rounds; round++) {
    await note("to the store, body after body", () => fill(`one-${round}`, 1));
    await note(`to the store, ${senders} senders`, () => fill(`many-${round}`, senders));
    for (const form of ["csv", "parquet"]) {
      await bulk.run(`CREATE OR REPLACE TABLE points AS SELECT * FROM ${source} LIMIT 0`);
      await note(`COPY FROM ${form}`, async () => {
        await bulk.run(`COPY points FROM '${at(form)}' (FORMAT ${form})`);
        await bulk.run("CHECKPOINT");
      });
    }
  }
  bulk.close();
  const ours = median(times.get(`to the store, ${senders} senders`)!);
  const ingest = [...times].map(([way, each]): IngestRow => {
    const ms = median(each);
    const microsecondsPerPoint = processor.get(way)! / points;
    return { way, pointsPerSecond: Math.round((points / ms) * 1000), microsecondsPerPoint, ratio: ms / ours };
  });
  const rows: LayoutRow[] = [];
  for (const [number, layout] of layouts.entries()) {
    const file = at(`layout-${number}.duckdb`);
    // The DuckDB type VARIANT requires this version of the file format.
    const database = await openDatabase(file, { storage_compatibility_version: "v1.5.0" });
    const began = performance.now();
    await database.run(`CREATE TABLE points AS ${layout.select(source, columns)}`);
    await database.run("CHECKPOINT");
    const fillMs = performance.now() - began;
    const statementsMs = await timed(database, statements(category, layout));
    database.close();
    rows.push({
      layout: layout.name,
      bytesPerPoint: statSync(file).size / points,
      pointsPerSecond: Math.round((points / fillMs) * 1000),
      statementsMs,
    });
  }
  const files = await openDatabase(at("files.duckdb"), {});
  await files.run(`CREATE VIEW points AS SELECT * FROM ${source}`);
  rows.push({
    layout: "the store's Parquet files",
    bytesPerPoint: bytesBelow(at("source")) / points,
    pointsPerSecond: ingest[0]!.pointsPerSecond,
    statementsMs: await timed(files, statements(category, layouts[0]!)),
  });
  files.close();
  return { ingest, layouts: rows };
}

/** Runs each query once without measuring it, and then in several rounds. Returns the median time of each query. */
async function timed(
  database: Database,
  asked: ReturnType<typeof statements>,
): Promise<Readonly<Record<string, number>>> {
  const medians: Record<string, number> = {};
  for (const [name, text] of asked) {
    const each: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const since = performance.now();
      await database.run(text);
      if (round > 0) each.push(performance.now() - since);
    }
    medians[name] = median(each);
  }
  return medians;
}

/** Returns the column names of the table, which are derived from the keys. */
async function columnsOf(database: Database, source: string): Promise<Columns> {
  const rows = await database.run(`DESCRIBE SELECT * EXCLUDE (workspace, ts, seq, name, idx, recv) FROM ${source}`);
  const tags = new Set(["host", "region", "cpu", "service"]);
  const of = (type: string, isTag: boolean) =>
    new Map(
      rows
        .filter((row) => row[1] === type && tags.has(String(row[0])) === isTag)
        .map(([key]) => [String(key), `"${String(key)}"`]),
    );
  return {
    tags: of("VARCHAR", true),
    floats: of("DOUBLE", false),
    ints: of("BIGINT", false),
    strings: of("VARCHAR", false),
  };
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1]!;
}

function print(category: string, ingest: readonly IngestRow[], rows: readonly LayoutRow[]): void {
  const out = (line: string) => process.stdout.write(`${line}\n`);
  out(`\n${category}: ${points} points, bodies of ${perBody}`);
  for (const { way, pointsPerSecond, microsecondsPerPoint, ratio } of ingest)
    out(
      `  ${way.padEnd(32)} ${String(pointsPerSecond).padStart(9)} points/s  ${microsecondsPerPoint.toFixed(1)} µs of processor time  ${senders} senders are ${ratio.toFixed(2)} x as fast`,
    );
  for (const { layout, bytesPerPoint, pointsPerSecond, statementsMs } of rows) {
    const told = Object.entries(statementsMs).map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`);
    out(
      `  ${layout.padEnd(32)} ${bytesPerPoint.toFixed(1).padStart(7)} B/point  ${String(pointsPerSecond).padStart(9)} points/s  ${told.join(", ")}`,
    );
  }
}
