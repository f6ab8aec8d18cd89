// A store of the previous version, which was a single DuckDB file, is converted at the start: every point with every
// value arrives once, at whatever moment the process is killed. The file fixtures/one-database.duckdb.gz was written by
// the previous version. It has two workspaces, 400 keys in one table, values of every type, labels, and ids of batches.

import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import process from "node:process";
import { gunzipSync } from "node:zlib";
import { DuckDBBlobValue, DuckDBInstance, DuckDBMapValue, type DuckDBValue } from "@duckdb/node-api";
import { expect, it, onTestFinished } from "vitest";
import { readRequest, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace } from "../../../lib/index.ts";
import type { Manifest } from "../../../server/store/segments/manifest.ts";
import { type KeysFile, segmentPaths } from "../../../server/store/segments/segment.ts";
import type { StoreEvents, StoreOptions } from "../../../server/store/segments/state.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { openedStore, removeStore, storeFolder } from "./opened.ts";

const now = 1_700_000_000_000;
const mill = await createMillrace();
const fixture = gunzipSync(readFileSync(new URL("fixtures/one-database.duckdb.gz", import.meta.url)));
const fixed = ["ts", "seq", "name", "idx", "recv"];

/** Returns a folder with the file of the previous version, which no store of this version has opened yet. */
function formerStore() {
  const folder = storeFolder();
  onTestFinished(() => removeStore(folder));
  const file = path.join(path.dirname(folder), "points.duckdb");
  writeFileSync(file, fixture);
  return { folder, file };
}

function heard() {
  const lines: string[] = [];
  const warnings: string[] = [];
  let lost = 0;
  const events: StoreEvents = {
    info: (line) => lines.push(line),
    warn: (line) => warnings.push(line),
    lost: (points) => (lost += points),
    problem: () => {},
  };
  return { events, lines, warnings, lost: () => lost };
}

async function open(folder: string, options: Partial<StoreOptions> = {}): Promise<SegmentStore> {
  return await openedStore({ folder, mill, now: () => now, ...options });
}

/** Opens the store, which converts the old file, and closes the store. */
async function upgrade(folder: string, options: Partial<StoreOptions> = {}): Promise<void> {
  await (await open(folder, options)).close();
}

async function inDatabase<Result>(
  work: (query: (statement: string) => Promise<DuckDBValue[][]>) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return await work(async (statement) => (await connection.runAndReadAll(statement)).getRows());
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function valueText(value: DuckDBValue): string {
  if (value instanceof DuckDBBlobValue) return `bytes ${Buffer.from(value.bytes).toString("hex")}`;
  return `${typeof value} ${Object.is(value, -0) ? "-0" : String(value)}`;
}

/** Returns a row as a string: its workspace and category, its fixed columns, and the values of its keys. */
function rowText(place: string, row: readonly DuckDBValue[], values: readonly (readonly [string, DuckDBValue])[]) {
  const texts = values.filter(([, value]) => value !== null).map(([key, value]) => `${key} = ${valueText(value)}`);
  return JSON.stringify([place, ...row.map(valueText), ...texts.sort()]);
}

/** Returns every point of an old file as a string, read with plain SQL. */
function formerPoints(file: string): Promise<string[]> {
  return inDatabase(async (query) => {
    await query(`ATTACH '${file}' AS former (READ_ONLY)`);
    const all: string[] = [];
    const tables = await query(
      "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'former' AND table_name LIKE 'p\\_%' ESCAPE '\\'",
    );
    for (const [schema, table] of tables as [string, string][]) {
      const category = table.slice(2);
      const keys = await query(
        `SELECT kind || ' ' || key, col FROM former.${schema}.keys WHERE category = '${category}'`,
      );
      const columns = [...fixed, ...keys.map(([, column]) => String(column))];
      for (const row of await query(`SELECT ${columns.join(", ")} FROM former.${schema}.${table}`))
        all.push(
          rowText(
            `${schema.slice(2)} ${category}`,
            row.slice(0, fixed.length),
            keys.map(([key], at) => [String(key), row[fixed.length + at]!] as const),
          ),
        );
    }
    return all.sort();
  });
}

/** Returns every point of the segments in the manifest as a string, read from the Parquet files with plain SQL. */
function storedPoints(folder: string): Promise<string[]> {
  return inDatabase(async (query) => {
    const [line] = readFileSync(path.join(folder, "manifest.json"), "utf8").split("\n");
    const all: string[] = [];
    for (const entry of (JSON.parse(line!) as Manifest).segments) {
      const files = segmentPaths(folder, entry);
      const { columns } = JSON.parse(readFileSync(files.keys, "utf8")) as KeysFile;
      const names = ["workspace", ...fixed, ...columns.map(({ name }) => `"${name}"`)];
      for (const [workspace, ...row] of await query(`SELECT ${names.join(", ")} FROM '${files.parquet}'`)) {
        const values = columns.flatMap((column, at) => {
          const value = row[fixed.length + at]!;
          if (column.type === "column") return [[`${column.kind} ${column.key}`, value] as const];
          if (!(value instanceof DuckDBMapValue)) return [];
          return value.entries.map((pair) => [`${column.kind} ${String(pair.key)}`, pair.value] as const);
        });
        all.push(rowText(`${String(workspace)} ${entry.category}`, row.slice(0, fixed.length), values));
      }
    }
    return all.sort();
  });
}

async function answer(store: SegmentStore, workspace: string, query: string) {
  const { queries } = readRequest({ queries: [{ query, time_range: [1, now], max_duration: "100y" }] });
  const { series } = await runQuery(queries[0]!, await store.engine(workspace), { now });
  return series.map(({ name, tags, columns, values }) => ({ name, tags, columns, values }));
}

/** Returns the number of points of a namespace, summed over all names. */
async function counted(store: SegmentStore, workspace: string, namespace: string): Promise<bigint> {
  const rows = values(await answer(store, workspace, `${namespace}::*:(count(*))`));
  return rows.reduce((sum, row) => sum + (row[1] as bigint), 0n);
}

const values = (of: Awaited<ReturnType<typeof answer>>) => of.flatMap((series) => series.values);

it("keeps every value, number and time of every point", { timeout: 60_000 }, async () => {
  const { folder, file } = formerStore();
  const former = await formerPoints(file);
  expect(former.length).toBe(300 + 400 + 200 + 2 + 14 + 3);
  const { events, lines, warnings, lost } = heard();
  await upgrade(folder, { events });
  expect(await storedPoints(folder)).toEqual(former);
  expect(warnings).toEqual([]);
  expect(lost()).toBe(0);
  expect(lines[0]).toBe(
    "taking over 919 points in 5 tables from points.duckdb, the points store of the version before ...",
  );
  expect(readdirSync(path.dirname(folder)).sort()).toEqual(["points", "points.duckdb.upgraded"]);
});

it("answers queries about both workspaces as the version before did", { timeout: 60_000 }, async () => {
  const { folder, file } = formerStore();
  const store = await open(folder);
  onTestFinished(() => store.close());
  expect(existsSync(file)).toBe(false);
  for (const [workspace, namespace, count] of [
    ["aa11", "M", 700n],
    ["aa11", "L", 200n],
    ["bb22", "L", 2n],
    ["bb22", "N", 14n],
    ["bb22", "OH", 3n],
  ] as const)
    expect([namespace, await counted(store, workspace, namespace)]).toEqual([namespace, count]);
  expect(values(await answer(store, "bb22", "M::*:(count(*))"))).toEqual([]);
  // Queries about keys that have no column of their own in the old file, and about keys that differ only in case or in
  // the type of their values.
  expect(values(await answer(store, "aa11", "M::prom:(m_399) {m_399 > 0}")).map((row) => row[1])).toEqual([399.5]);
  expect(values(await answer(store, "aa11", "M::prom:(count(Load))")).map((row) => row.slice(1))).toEqual([[400n]]);
  expect(values(await answer(store, "aa11", "M::cpu:(sum(n), max(load))")).map((row) => row.slice(1))).toEqual([
    [44850n, 37.375],
  ]);
  expect(
    values(await answer(store, "aa11", "L::nginx:(bytes) {message = match('a199')}")).map((row) => row.at(-1)),
  ).toEqual([199n]);
  expect(values(await answer(store, "bb22", "O::HOST:(cpus) {name = 'web-1'}")).map((row) => row.at(-1))).toEqual([8n]);
  expect(values(await answer(store, "bb22", "show_object_label(class='HOST')")).map((row) => row.slice(1))).toEqual([
    [["prod", "eu"], "name", "web-1"],
  ]);
});

it("shows the keys of each name", { timeout: 60_000 }, async () => {
  const { folder } = formerStore();
  const store = await open(folder);
  onTestFinished(() => store.close());
  const keys = async (name: string) =>
    values(await answer(store, "aa11", `show_field_key(from=['${name}'])`))
      .map(([key]) => String(key))
      .sort();
  expect(await keys("cpu")).toEqual(["load", "n", "up"]);
  const prom = Array.from({ length: 400 }, (_, at) => `m_${at}`);
  // The store lists the 400 keys like all other keys, although they have no columns of their own in the old file.
  expect(await keys("prom")).toEqual([...prom, "Load"].sort());
});

it("recognizes the batches that were stored before", { timeout: 60_000 }, async () => {
  const { folder } = formerStore();
  const store = await open(folder);
  onTestFinished(() => store.close());
  const batch = mill.decodePoints(new TextEncoder().encode("m v=1i"), {
    category: "metric",
    form: "lp",
    precision: "n",
  });
  for (const [workspace, id, repeated] of [
    ["aa11", "m1", true],
    ["aa11", "l1", true],
    ["bb22", "k1", true],
    ["bb22", "m1", false],
  ] as const)
    expect([workspace, id, (await store.ingest(workspace, "metric", id, batch)).repeated]).toEqual([
      workspace,
      id,
      repeated,
    ]);
  batch.release();
});

it("imports points that only the write-ahead log contains", { timeout: 60_000 }, async () => {
  const { folder, file } = formerStore();
  await addToLog(file);
  const former = await formerPoints(file);
  expect(former.length).toBe(920);
  await upgrade(folder);
  expect(await storedPoints(folder)).toEqual(former);
  expect(readdirSync(path.dirname(folder)).sort()).toEqual([
    "points",
    "points.duckdb.upgraded",
    "points.duckdb.upgraded.wal",
  ]);
});

/** Adds a point to an old file. The point is only in the write-ahead log of the file. */
async function addToLog(file: string): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  await connection.run("PRAGMA disable_checkpoint_on_shutdown");
  await connection.run(
    "INSERT INTO w_aa11.p_metric (ts, seq, name, idx, recv, c0) SELECT 1, 9000000000000000000, 'cpu', 'x', 2, c0 FROM w_aa11.p_metric LIMIT 1",
  );
  connection.closeSync();
  instance.closeSync();
  expect(statSync(`${file}.wal`).size).toBeGreaterThan(0);
}

/**
 * Opens the store in a child process that kills itself with SIGKILL when it reads the clock for the n-th time. Returns
 * whether the process was killed.
 */
function killedUpgrade(folder: string, n: number): boolean {
  const dist = new URL("../../../dist/", import.meta.url);
  const program = `
    const { createMillrace } = await import(${JSON.stringify(new URL("lib/index.js", dist).href)});
    const { SegmentStore } = await import(${JSON.stringify(new URL("server/store/segments/store.js", dist).href)});
    let calls = 0;
    const now = () => {
      if (++calls === ${n}) process.kill(process.pid, "SIGKILL");
      return ${now};
    };
    const store = await SegmentStore.open({
      folder: ${JSON.stringify(folder)}, memoryLimit: "256MB", hot: { points: 100, ms: 600000 }, now, mill: await createMillrace(),
    });
    await store.close();`;
  const { signal, status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  if (signal === null && status !== 0) throw new Error(stderr);
  return signal === "SIGKILL";
}

it("continues where it was killed: no point is doubled or lost", { timeout: 300_000 }, async () => {
  const { folder, file } = formerStore();
  const former = await formerPoints(file);
  // Each start is killed three readings of the clock later than the start before, so it gets further in the conversion.
  let kills = 0;
  for (let n = 3; killedUpgrade(folder, n); n += 3) kills++;
  expect(kills).toBeGreaterThan(3);
  expect(existsSync(file)).toBe(false);
  expect(await storedPoints(folder)).toEqual(former);
});

it.each([1, 2, 3, 5, 8])(
  "continues after a manifest could not be written: generation %i",
  { timeout: 60_000 },
  async (at) => {
    const { folder, file } = formerStore();
    const former = await formerPoints(file);
    const blocked = path.join(folder, "manifest.json.new");
    let calls = 0;
    const clock = () => {
      if (++calls === at + 1) mkdirSync(blocked);
      return now;
    };
    const hot = { points: 100, ms: 600_000 };
    await expect(open(folder, { now: clock, hot })).rejects.toThrow(
      /points.duckdb, cannot be taken over.*they are kept/,
    );
    rmdirSync(blocked);
    expect(existsSync(file)).toBe(true);
    const { events, warnings, lost } = heard();
    await upgrade(folder, { events, hot });
    expect(await storedPoints(folder)).toEqual(former);
    expect([warnings, lost()]).toEqual([[], 0]);
  },
);

it("imports no point twice when the manifest is lost midway", { timeout: 60_000 }, async () => {
  const { folder, file } = formerStore();
  const former = await formerPoints(file);
  await upgrade(folder, { hot: { points: 100, ms: 600_000 } });
  renameSync(`${file}.upgraded`, file);
  writeFileSync(path.join(folder, "manifest.json"), "");
  await upgrade(folder);
  expect(await storedPoints(folder)).toEqual(former);
});

it("does not repeat a complete upgrade, and imports points that an old version wrote later", {
  timeout: 60_000,
}, async () => {
  const { folder, file } = formerStore();
  await upgrade(folder);
  const before = readFileSync(path.join(folder, "manifest.json"), "utf8");
  const { events, lines } = heard();
  await upgrade(folder, { events });
  expect(lines.filter((line) => line.includes("points.duckdb"))).toEqual([]);
  expect(readFileSync(path.join(folder, "manifest.json"), "utf8")).toBe(before);
  // Simulates a user who returns to the previous version: the old database file gets its former name again,
  // another point is stored in this file, and then the user upgrades again.
  renameSync(`${file}.upgraded`, file);
  await addToLog(file);
  const former = await formerPoints(file);
  await upgrade(folder);
  expect(await storedPoints(folder)).toEqual(former);
});

it("keeps an old file of an earlier upgrade", { timeout: 60_000 }, async () => {
  const { folder, file } = formerStore();
  writeFileSync(`${file}.upgraded`, "kept");
  await upgrade(folder);
  expect(readFileSync(`${file}.upgraded`, "utf8")).toBe("kept");
  expect(existsSync(`${file}.upgraded.2`)).toBe(true);
});

it.each([
  ["without a beginning", (file: string) => overwrite(file, 0, 64)],
  ["that is cut", (file: string) => writeFileSync(file, fixture.subarray(0, 5000))],
  ["that is empty", (file: string) => writeFileSync(file, "")],
  ["that is no database", (file: string) => writeFileSync(file, "points\n".repeat(100_000))],
])("sets a damaged file %s aside and starts", { timeout: 60_000 }, async (_, damage) => {
  const { folder, file } = formerStore();
  damage(file);
  const { events, warnings } = heard();
  const store = await open(folder, { events });
  onTestFinished(() => store.close());
  expect(warnings).toEqual([
    expect.stringMatching(/^points.duckdb, with .* set aside as points\/damaged\/points.duckdb, and/),
  ]);
  expect(readdirSync(path.join(folder, "damaged"))).toEqual(["points.duckdb"]);
  expect(existsSync(file)).toBe(false);
  expect(values(await answer(store, "aa11", "M::*:(count(*))"))).toEqual([]);
});

it("sets a damaged write-ahead log aside, and imports the points of the file", { timeout: 60_000 }, async () => {
  const { folder, file } = formerStore();
  const former = await formerPoints(file);
  await addToLog(file);
  overwrite(`${file}.wal`, statSync(`${file}.wal`).size / 2, 16);
  const { events, warnings } = heard();
  await upgrade(folder, { events });
  expect(warnings).toEqual([expect.stringMatching(/^points.duckdb.wal, with the newest points/)]);
  expect(readdirSync(path.join(folder, "damaged"))).toEqual(["points.duckdb.wal"]);
  expect(await storedPoints(folder)).toEqual(former);
});

it("imports the readable points of a file with a damaged block, and reports the lost ones", {
  timeout: 120_000,
}, async () => {
  const { folder, file } = formerStore();
  const former = new Set(await formerPoints(file));
  const block = blockOf(await blockWithPoints(file, "w_aa11.p_logging"));
  overwrite(file, block + 1024, 64);
  const { events, warnings, lost } = heard();
  await upgrade(folder, { events });
  const stored = await storedPoints(folder);
  expect(stored.filter((point) => !former.has(point))).toEqual([]);
  expect(stored.length + lost()).toBe(former.size);
  expect(lost()).toBeGreaterThan(0);
  expect(warnings).toContain("200 of 200 points of logging of workspace aa11 are lost: points.duckdb is damaged");
  expect(readdirSync(path.join(folder, "damaged"))).toEqual(["points.duckdb"]);
  // The first start has reported the 200 lost points, so the second start must not report them again.
  const second = heard();
  await upgrade(folder, { events: second.events });
  expect([second.warnings, second.lost()]).toEqual([[], 0]);
});

function overwrite(file: string, from: number, bytes: number): void {
  const handle = openSync(file, "r+");
  // DuckDB's checksum is an XOR over words, and equal words would cancel each other out. So each word of these bytes
  // differs from the next one.
  const noise = Uint8Array.from({ length: bytes }, (_, at) => (at * 167 + (at >> 3) * 29 + 91) & 255);
  writeSync(handle, noise, 0, bytes, Math.floor(from));
  closeSync(handle);
}

/** Finds a block in the database file that contains values of a table. Returns the number of the block. */
function blockWithPoints(file: string, table: string): Promise<number> {
  return inDatabase(async (query) => {
    await query(`ATTACH '${file}' AS former (READ_ONLY)`);
    const [[block]] = (await query(
      `SELECT max(block_id) FROM pragma_storage_info('former.${table}') WHERE block_id >= 0 AND persistent`,
    )) as [[bigint]];
    return Number(block);
  });
}

/** Returns the offset of a block in the database file. Three headers of 4 KB come before the first block. */
function blockOf(number: number): number {
  return 3 * 4096 + number * 262_144;
}
