// Repairs a damaged points store: rebuilds the manifest and key files, saves the readable points of damaged Parquet
// files, moves the damaged files aside, and packs the remaining log into segments. No process may use the store during
// a repair.

import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { settings } from "../../database.ts";
import { withoutPaths } from "../../without-paths.ts";
import { type Manifest, readManifest, type SegmentEntry, syncFolder, writeManifest } from "../manifest.ts";
import { literal, syncFile } from "../pack.ts";
import { segmentPaths } from "../segment.ts";
import type { StoreOptions } from "../state.ts";
import { SegmentStore } from "../store.ts";
import { checkStore, parquetFiles } from "./check.ts";
import { describedColumns, moveAside, recoverEntry, recoverManifest } from "./recover.ts";

export interface RepairOptions {
  /** The folder of the damaged store. */
  readonly folder: string;
  readonly mill: StoreOptions["mill"];
  /** Called with a message about each repair and each loss of points. */
  readonly log: (line: string) => void;
  readonly progress: (read: number, all: number) => void;
}

export interface Repaired {
  /** The number of points that were saved from damaged files. */
  readonly salvaged: number;
  readonly lost: number;
}

/**
 * Repairs a store. Throws LaterFormat when a later version of Millrace has written the store, and other errors when the
 * store cannot be opened.
 */
export async function repairStore({ folder, mill, log: tell, progress }: RepairOptions): Promise<Repaired> {
  const found = { salvaged: 0, lost: 0 };
  const instance = await DuckDBInstance.create(":memory:", {
    ...settings,
    temp_directory: path.join(folder, "temporary"),
  });
  const connection = await instance.connect();
  try {
    const damaged = await damagedSegments(folder, connection, tell, progress);
    for (const entry of damaged) {
      const salvaged = await salvage(folder, connection, entry, tell);
      found.salvaged += salvaged;
      found.lost += entry.rows - salvaged;
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  const store = await SegmentStore.open({
    folder,
    memoryLimit: "",
    now: Date.now,
    mill,
    events: {
      info: () => {},
      warn: tell,
      lost: (points) => (found.lost += points),
      problem: (reason) => reason !== undefined && tell(reason),
    },
  });
  try {
    // Packs the remaining points of the log into segments (Parquet files). The store then removes the log, together
    // with its damaged parts.
    await store.pack();
  } finally {
    await store.close();
  }
  return found;
}

/**
 * Rebuilds the manifest (the list of files) when it is lost. Returns the entries of the manifest whose Parquet files
 * are damaged.
 */
async function damagedSegments(
  folder: string,
  connection: DuckDBConnection,
  log: (line: string) => void,
  progress: (read: number, all: number) => void,
): Promise<readonly SegmentEntry[]> {
  const manifest = await readManifest(folder);
  if (typeof manifest !== "string") {
    const { damaged } = await checkStore({ state: folder, root: folder }, progress);
    return damaged;
  }
  await mkdir(path.join(folder, "log"), { recursive: true, mode: 0o700 });
  await mkdir(path.join(folder, "segments"), { recursive: true, mode: 0o700 });
  if (manifest === "absent" && (await parquetFiles(folder)).length === 0) return [];
  const made = await recoverManifest(folder, connection, log);
  await writeManifest(folder, made);
  log(
    `manifest.json was ${manifest}: it was made again with ${made.segments.length} segments of ${made.segments.reduce((sum, { rows }) => sum + rows, 0)} points`,
  );
  const damaged: SegmentEntry[] = [];
  for (const [at, entry] of made.segments.entries()) {
    // The checksum of the Parquet file was stored only in the lost manifest. So the check for damage reads every
    // value of the file instead.
    if (!(await isReadable(connection, segmentPaths(folder, entry).parquet, 0n, BigInt(entry.rows))))
      damaged.push(entry);
    progress(at + 1, made.segments.length);
  }
  return damaged;
}

/**
 * Writes the readable row groups (parts of a Parquet file) of a damaged segment into a new segment, which replaces the
 * damaged one. Moves the damaged segment to the folder `damaged`. Returns the number of saved points. Values near the
 * damage may be wrong even if they can be decoded.
 */
async function salvage(
  folder: string,
  connection: DuckDBConnection,
  entry: SegmentEntry,
  log: (line: string) => void,
): Promise<number> {
  const { parquet } = segmentPaths(folder, entry);
  const manifest = (await readManifest(folder)) as Manifest;
  const others = manifest.segments.filter(({ id }) => id !== entry.id);
  const name = path.relative(folder, parquet);
  let saved: SegmentEntry | undefined;
  try {
    saved = await savedRows(folder, connection, entry, String(manifest.nextSegment).padStart(12, "0"));
  } catch (error) {
    log(`${name}: ${withoutPaths(error)}`);
  }
  const segments = saved === undefined ? others : [...others, saved];
  await writeManifest(folder, { ...manifest, segments, nextSegment: manifest.nextSegment + 1 });
  await moveAside(folder, entry);
  const rows = saved?.rows ?? 0;
  log(
    `${name} was damaged: ${rows} of its ${entry.rows} points were saved${saved === undefined ? "" : ` into ${saved.id}.parquet (a value at the damage may be wrong)`}, ${entry.rows - rows} are lost; the damaged file lies in points/damaged`,
  );
  return rows;
}

/**
 * Returns the new segment with the readable row groups (parts of the Parquet file), or undefined when none can be read.
 */
async function savedRows(
  folder: string,
  connection: DuckDBConnection,
  entry: SegmentEntry,
  id: string,
): Promise<SegmentEntry | undefined> {
  const { parquet } = segmentPaths(folder, entry);
  const description = await describedColumns(connection, parquet);
  const found = await connection.runAndReadAll(
    `SELECT row_group_id, any_value(row_group_num_rows) FROM parquet_metadata(${literal(parquet)}) GROUP BY ALL ORDER BY ALL`,
  );
  const groups = found.getRows() as [bigint, bigint][];
  const ranges: string[] = [];
  let from = 0n;
  for (const [, rows] of groups) {
    if (await isReadable(connection, parquet, from, from + rows)) ranges.push(rowsBetween(from, from + rows));
    from += rows;
  }
  if (ranges.length === 0) return undefined;
  const place = { id, folder: entry.folder, category: entry.category };
  const target = segmentPaths(folder, place).parquet;
  const fresh = `${target}.new`;
  const size = groups.reduce((most, [, rows]) => (rows > most ? rows : most), 2048n);
  try {
    const selects = ranges.map((range) => `SELECT * EXCLUDE (file_row_number) FROM ${rowsOf(parquet)} WHERE ${range}`);
    await connection.run(
      `COPY (${selects.join(" UNION ALL ")}) TO ${literal(fresh)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, ROW_GROUP_SIZE ${size}, KV_METADATA {millrace: ${literal(description)}})`,
    );
    await syncFile(fresh);
    await rename(fresh, target);
    const saved = await recoverEntry(folder, connection, place);
    await syncFolder(path.dirname(target));
    return saved;
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

function rowsOf(parquet: string): string {
  return `read_parquet([${literal(parquet)}], hive_partitioning = false, file_row_number = true)`;
}

function rowsBetween(from: bigint, to: bigint): string {
  return `file_row_number >= ${from} AND file_row_number < ${to}`;
}

/** Returns whether every value in the given rows of the Parquet file can be decoded. */
async function isReadable(connection: DuckDBConnection, parquet: string, from: bigint, to: bigint): Promise<boolean> {
  try {
    const read = await connection.runAndReadAll(
      `SELECT count(*), bit_xor(hash(points)) FROM ${rowsOf(parquet)} AS points WHERE ${rowsBetween(from, to)}`,
    );
    return read.getRows()[0]![0] === to - from;
  } catch {
    return false;
  }
}
