// Rebuilds the manifest (the list of files) and the key files of a store that has lost them, from its Parquet files.

import { mkdir, readdir, readFile, rename, stat } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import type { DuckDBConnection } from "@duckdb/node-api";
import { fixedColumns as fixed } from "../../../../lib/dql/index.ts";
import type { CategoryName } from "../../../../lib/point/index.ts";
import { withoutPaths } from "../../without-paths.ts";
import { CategoryKeys, KeyRegistry } from "../keys.ts";
import { type PhysicalColumn, quoted, workspaceColumn } from "../layout.ts";
import { emptyManifest, isCategory, type Manifest, type SegmentEntry, writeSynced } from "../manifest.ts";
import { readFiles } from "../relation.ts";
import { crcOf, type KeysFile, keysFile, segmentPaths } from "../segment.ts";

/**
 * Rebuilds the manifest from the existing Parquet files. Leaves out segments that other segments replace, and segments
 * whose points are still in the log. Moves unreadable files to the folder `damaged` and calls `warn` with a message
 * about each.
 */
export async function recoverManifest(
  root: string,
  connection: DuckDBConnection,
  warn: (line: string) => void,
): Promise<Manifest> {
  const logs = (await readdir(path.join(root, "log")))
    .filter((name) => /^\d{8}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
  const entries: SegmentEntry[] = [];
  const replaced = new Set<string>();
  let lastLog = Math.max(0, ...logs);
  const folder = path.join(root, "segments");
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".parquet")).sort();
  for (const name of files) {
    const id = path.basename(name, ".parquet");
    const place = path.dirname(name).split(path.sep).join("/");
    const category = place.split("/")[0]!;
    if (!isCategory(category)) continue;
    let entry: SegmentEntry;
    try {
      entry = await recoverEntry(root, connection, { id, folder: place, category });
    } catch (error) {
      await moveAside(root, { id, folder: place });
      warn(`${name} cannot be read and was moved to points/damaged: ${withoutPaths(error)}`);
      continue;
    }
    const keys = JSON.parse(await readFile(segmentPaths(root, entry).keys, "utf8")) as KeysFile;
    // A segment (Parquet file) stores the number of the log part from which it was packed. A new log part must get a
    // higher number than all numbers that are stored in segments. Otherwise a later recovery would think that the
    // new log part still contains the points of the segment, and would leave the segment out.
    lastLog = Math.max(lastLog, keys.log ?? 0);
    if (keys.log !== null && logs.includes(keys.log)) continue;
    for (const other of keys.replaces) replaced.add(other);
    entries.push(entry);
  }
  const segments = entries.filter(({ id }) => !replaced.has(id));
  return {
    ...emptyManifest,
    segments,
    logs,
    nextSegment: Math.max(0, ...files.map((name) => Number(path.basename(name, ".parquet")))) + 1,
    nextLog: lastLog + 1,
  };
}

/** Moves the Parquet file and the key file of a segment to the folder `damaged`. */
export async function moveAside(root: string, place: Pick<SegmentEntry, "id" | "folder">): Promise<void> {
  const folder = path.join(root, "damaged");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const file of Object.values(segmentPaths(root, place)))
    await rename(file, path.join(folder, path.basename(file))).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
}

type Place = Pick<SegmentEntry, "id" | "folder" | "category">;

/** Returns the manifest entry of a Parquet file. Rebuilds the key file when it is missing. */
export async function recoverEntry(root: string, connection: DuckDBConnection, place: Place): Promise<SegmentEntry> {
  const { parquet, keys } = segmentPaths(root, place);
  const sums = await connection.runAndReadAll(
    `SELECT count(*), min(${fixed.time}), max(${fixed.time}), max(${fixed.sequence}) FROM ${readFiles([parquet])}`,
  );
  const [rows, start, end, last] = sums.getRows()[0] as [bigint, bigint | null, bigint | null, bigint | null];
  const known = await readFile(keys).catch(() => undefined);
  const entry = {
    ...place,
    rows: Number(rows),
    bytes: (await stat(parquet)).size,
    crc: await crcOf(parquet),
    keysBytes: known?.length ?? 0,
    keysCrc: known === undefined ? 0 : crc32(known),
    start: String(start ?? 0n),
    end: String(end ?? 0n),
    lastSequence: String(last ?? -1n),
  };
  return known !== undefined && isJson(known) ? entry : await recoverKeys(root, connection, entry);
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}

/** Rebuilds the key file of a segment from its Parquet file. Rejects when the Parquet file is damaged too. */
export async function recoverKeys(
  root: string,
  connection: DuckDBConnection,
  entry: SegmentEntry,
): Promise<SegmentEntry> {
  const paths = segmentPaths(root, entry);
  if ((await crcOf(paths.parquet)) !== entry.crc) throw new Error("the Parquet file has changed");
  const source = readFiles([paths.parquet]);
  const { columns } = JSON.parse(await describedColumns(connection, paths.parquet)) as {
    readonly category: CategoryName;
    readonly columns: readonly PhysicalColumn[];
  };
  const registry = new KeyRegistry();
  const workspaces = new Map<string, CategoryKeys>();
  const of = (workspace: string): CategoryKeys => {
    let keys = workspaces.get(workspace);
    if (keys === undefined) workspaces.set(workspace, (keys = new CategoryKeys(registry)));
    return keys;
  };
  const by = `${workspaceColumn}, ${fixed.name}`;
  const named = await connection.runAndReadAll(`SELECT DISTINCT ${by} FROM ${source}`);
  for (const [workspace, name] of named.getRows() as [string, string][]) of(workspace).add(name, []);
  for (const column of columns) {
    const value = quoted(column.name);
    const found = await connection.runAndReadAll(
      column.type === "column"
        ? `SELECT DISTINCT ${by}, NULL FROM ${source} WHERE ${value} IS NOT NULL`
        : `SELECT DISTINCT ${by}, unnest(map_keys(${value})) FROM ${source} WHERE ${value} IS NOT NULL`,
    );
    for (const [workspace, name, key] of found.getRows() as [string, string, string | null][])
      of(workspace).add(name, [registry.of(column.type === "column" ? column.key : key!, column.kind).id]);
  }
  const file = keysFile(
    entry.category,
    columns,
    [...workspaces].map(([workspace, keys]) => [workspace, keys.names] as const),
    registry,
    { replaces: [], log: null },
  );
  const written = await writeSynced(paths.keys, JSON.stringify(file));
  return { ...entry, keysBytes: written.bytes, keysCrc: written.crc };
}

/** Returns the list of columns that the store has written into a Parquet file's metadata as JSON. */
export async function describedColumns(connection: DuckDBConnection, parquet: string): Promise<string> {
  const described = await connection.runAndReadAll(
    `SELECT decode(value) FROM parquet_kv_metadata('${parquet.replaceAll("'", "''")}') WHERE decode(key) = 'millrace'`,
  );
  return described.getRows()[0]![0] as string;
}
