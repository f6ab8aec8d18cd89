// Makes a data folder with a points store of known content, and damages files of it.

import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "libsql";
import { afterAll, beforeAll } from "vitest";
import { readRequest, runQuery } from "../../../lib/dql/index.ts";
import { type CategoryName, createMillrace } from "../../../lib/index.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { openedStore } from "../store/opened.ts";
import { folder, removeFolder, temporaryFolder } from "../support/running-platform.ts";

export const mill = await createMillrace();

/**
 * Number of metric points in each of two workspaces. The points of the two workspaces are in one Parquet file
 * with three row groups.
 */
export const sharedRows = 19_000;
export const shared = 2 * sharedRows;
/**
 * `logging` is the number of points in a second, small segment. `logged` is the number of points that are only
 * in the store's log, which contains points until they are packed into a segment.
 */
export const logging = 100;
export const logged = 10;

export const time = 1_700_000_000_000_000_000n;

export async function put(
  store: SegmentStore,
  workspace: string,
  category: CategoryName,
  id: string,
  lines: readonly string[],
): Promise<void> {
  const body = new TextEncoder().encode(lines.join("\n"));
  const batch = mill.decodePoints(body, { category, form: "lp", precision: "n" });
  await store.ingest(workspace, category, id, batch);
  batch.release();
}

const lines = (count: number, from = 0): string[] =>
  Array.from(
    { length: count },
    (_, at) =>
      `m,host=h${at % 7} v=${at}i,r=${Number.parseInt(createHash("sha1").update(String(at)).digest("hex").slice(0, 12), 16)}i ${time + BigInt(from + at)}`,
  );

/**
 * Makes a store with two workspaces. `one` and `two` have metrics in one segment; `one` also has logs in another
 * segment, and metrics that are not packed into a segment yet.
 */
export async function makeStore(points: string): Promise<void> {
  const store = await openedStore({ folder: points, mill });
  await put(store, "one", "metric", "a", lines(sharedRows));
  await put(store, "two", "metric", "b", lines(sharedRows));
  await put(store, "one", "logging", "c", lines(logging));
  await store.pack();
  await put(store, "one", "metric", "d", lines(logged, sharedRows));
  await store.close();
}

let original = "";
/** The offset of a Parquet page in the second row group of the file with metrics. The tests damage this page. */
let secondGroup = 0;

/**
 * Makes the store that `dataFolder` copies, before the tests of the calling file, and removes it after them. Each test
 * file must call this function. Hooks at the top level of this module would run only for the first test file, because
 * several files share one loaded module.
 */
export function makeOriginalStore(): void {
  beforeAll(async () => {
    original = temporaryFolder();
    const points = path.join(original, "points");
    await makeStore(points);
    const registry = new Database(path.join(points, "registry.sqlite"));
    registry.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    registry.close();
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const file = path.join(points, fileOf(points, "parquet"));
    const found = await connection.runAndReadAll(
      `SELECT min(data_page_offset) FROM parquet_metadata('${file}') WHERE row_group_id = 1 AND path_in_schema = 'ts'`,
    );
    secondGroup = Number(found.getRows()[0]![0]);
  });
  afterAll(() => removeFolder(original));
}

/** Copies the original store into a new data folder, which is removed when the test ends. */
export function dataFolder(): string {
  const made = folder();
  cpSync(path.join(original, "points"), pointsOf(made), { recursive: true });
  return made;
}

export function pointsOf(dataDir: string): string {
  return path.join(dataDir, "platform", "points");
}

export type Kind = "manifest" | "parquet" | "keys" | "registry" | "log";
export type Damage = "truncated" | "flipped" | "deleted";

/**
 * Returns the path of a file of the given kind, relative to the folder of the store. When several segments have such a
 * file, returns the file of a segment with metrics.
 */
export function fileOf(points: string, kind: Kind): string {
  const names = readdirSync(points, { recursive: true, encoding: "utf8" });
  const one = (fits: (name: string) => boolean) => names.find(fits)!;
  switch (kind) {
    case "manifest":
      return "manifest.json";
    case "registry":
      return "registry.sqlite";
    case "parquet":
      return one((name) => name.includes("metric") && name.endsWith(".parquet"));
    case "keys":
      return one((name) => name.includes("metric") && name.endsWith(".keys.json"));
    case "log":
      return one((name) => /^log\/.*\.seg$/.test(name));
  }
}

/**
 * Damages a file and returns its name. The damage "flipped" changes bytes in the middle of the file. In a Parquet file,
 * it changes bytes of a page in the second row group instead.
 */
export function damage(points: string, kind: Kind, how: Damage): string {
  const name = fileOf(points, kind);
  const file = path.join(points, name);
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  const from = kind === "parquet" ? secondGroup : middle;
  if (how === "deleted") rmSync(file);
  else if (how === "truncated") truncateSync(file, middle);
  else writeFileSync(file, bytes.fill(0xa5, from, from + 64));
  return name;
}

/**
 * Returns the contents of all files below a folder by their names, except the -wal and -shm files that SQLite makes
 * when it reads.
 */
export function contentsOf(place: string): Map<string, string> {
  const names = readdirSync(place, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return new Map(
    names
      .filter(({ name }) => !/-(?:wal|shm)$/.test(name))
      .map((each) => path.join(each.parentPath, each.name))
      .map((file) => [path.relative(place, file), readFileSync(file, "latin1")]),
  );
}

/**
 * Returns the number of a workspace's points and the number of different values in their field `v`. Each point has its
 * own value, so the second number is smaller than the first if a point is stored twice.
 */
export async function counts(points: string, workspace: string, namespace = "M"): Promise<[bigint, bigint]> {
  const store = await openedStore({ folder: points, mill });
  try {
    const query = `${namespace}::*:(count(*), count_distinct(v))`;
    const { queries } = readRequest({ queries: [{ query, time_range: [1, 4_000_000_000_000] }] });
    const { series } = await runQuery(queries[0]!, await store.engine(workspace), { now: Date.now() });
    const [, all = 0n, distinct = 0n] = (series[0]?.values[0] ?? []) as [unknown, bigint, bigint];
    return [all, distinct];
  } finally {
    await store.close();
  }
}
