// Packs the points of a generation (set of tables in memory), or of several small segments, into segments (Parquet
// files). Writes and syncs new files. The caller adds the files to the manifest, and thereby to the store.

import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { fixedColumns as fixed } from "../../../lib/dql/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import type { Generation, HotTable } from "./hot.ts";
import type { CategoryKeys, KeyRegistry, NamedKeys } from "./keys.ts";
import { ColumnNames, fixedTypes, mapOf, type PhysicalColumn, quoted, typeOf, workspaceColumn } from "./layout.ts";
import { type SegmentEntry, syncFolder, writeSynced } from "./manifest.ts";
import { readFiles } from "./relation.ts";
import {
  crcOf,
  type KeysFile,
  keysFile,
  type LoadedSegment,
  type Segment,
  segmentOf,
  segmentPaths,
} from "./segment.ts";

const dayNs = 86_400_000_000_000n;
/**
 * When a day has fewer points than this number in a generation (set of tables in memory), the points of the day share a
 * file with points of other days.
 */
const ownDayRows = 5_000;
/**
 * When a workspace has fewer points on a day than this number, its points share a file with the points of other
 * small workspaces.
 */
const ownWorkspaceRows = 20_000;
/**
 * Number of rows in a row group, the part of a Parquet file that a query reads or skips as a whole. Files that
 * many workspaces with few rows share have smaller row groups, of `sharedGroupRows` rows.
 */
const groupRows = 122_880;
const sharedGroupRows = 16_384;
/**
 * Approximate size in bytes of the values of a row group (a part of a Parquet file). The writer of a file holds several
 * row groups in memory. So a merge of files with many columns takes more memory than all other tasks; `npm run
 * bench:store -- --load wide` prints how much.
 */
const groupBytes = 12 * 1024 * 1024;
/** Largest number of rows that a merge sorts again. A merge with more rows keeps the order of the source files. */
const sortedRows = 2_000_000;

export interface Packer {
  readonly connection: DuckDBConnection;
  /** The folder of the store. */
  readonly root: string;
  readonly registry: KeyRegistry;
  /** Maximum number of keys that have a column of their own in a file. */
  readonly maxColumns: number;
  readonly nextId: () => string;
}

interface Target {
  readonly category: CategoryName;
  readonly folder: string;
  readonly columns: readonly PhysicalColumn[];
  /**
   * An SQL query that returns the rows of the file. Its result has the column `workspace`, then the columns that every
   * table has, then the columns for keys (tags and fields), which `columns` lists.
   */
  readonly select: string;
  readonly isShared: boolean;
  readonly rowBytes: number;
  readonly workspaces: Iterable<readonly [workspace: string, names: NamedKeys]>;
  readonly from: Pick<KeysFile, "replaces" | "log">;
}

/**
 * Writes the points of a generation (set of tables in memory) into segments (Parquet files). The tables name
 * workspaces by numbers; `workspaces` lists the ids of the workspaces, indexed by these numbers.
 */
export async function packGeneration(
  packer: Packer,
  generation: Generation,
  workspaces: readonly string[],
): Promise<LoadedSegment[]> {
  const packed: LoadedSegment[] = [];
  for (const table of generation.tables.values()) {
    if (table.rows === 0) continue;
    for (const part of await partsOf(packer, table))
      packed.push(await writeSegment(packer, targetOf(table, part, workspaces, generation)));
  }
  return packed;
}

/** Rows of a table that are written together to one file. */
interface Part {
  readonly label: string;
  /**
   * `workspaces`: the numbers by which the table names the workspaces whose rows the file gets. `where`: the SQL
   * condition that selects the file's rows.
   */
  readonly workspaces: readonly number[];
  readonly where: string;
}

async function partsOf({ connection }: Packer, { name }: HotTable): Promise<Part[]> {
  const day = `(${fixed.time} // ${dayNs} - CASE WHEN ${fixed.time} % ${dayNs} < 0 THEN 1 ELSE 0 END)`;
  const found = await connection.runAndReadAll(
    `SELECT ${workspaceColumn}, ${day} AS day, count(*) FROM ${name} GROUP BY ALL ORDER BY ALL`,
  );
  const counts = (found.getRows() as [number, bigint, bigint][]).map(([workspace, number, rows]) => {
    return { workspace, day: number, rows: Number(rows) };
  });
  const byDay = groupBy(counts, (each) => String(each.day));
  const isOwn = (each: readonly { readonly rows: number }[]) =>
    byDay.size === 1 || each.reduce((sum, { rows }) => sum + rows, 0) >= ownDayRows;
  const days = [...byDay.values()].filter(isOwn);
  const mixed = [...byDay.values()].filter((each) => !isOwn(each)).flat();
  const parts: Part[] = [];
  const add = (
    label: string,
    rows: readonly { readonly workspace: number; readonly rows: number }[],
    condition: string,
  ) => {
    const byWorkspace = [...groupBy(rows, (each) => String(each.workspace)).entries()].map(([workspace, each]) => {
      return { workspace: Number(workspace), rows: each.reduce((sum, one) => sum + one.rows, 0) };
    });
    const own = byWorkspace.length === 1 ? byWorkspace : byWorkspace.filter((each) => each.rows >= ownWorkspaceRows);
    const shared = byWorkspace.filter((each) => !own.includes(each)).map((each) => each.workspace);
    for (const { workspace } of own)
      parts.push({ label, workspaces: [workspace], where: `${condition} AND ${workspaceColumn} = ${workspace}` });
    if (shared.length > 0)
      parts.push({ label, workspaces: shared, where: `${condition} AND ${workspaceColumn} IN (${shared.join(", ")})` });
  };
  for (const rows of days) add(dayLabel(rows[0]!.day), rows, `${day} = ${rows[0]!.day}`);
  if (mixed.length > 0) add("mixed", mixed, `${day} IN (${[...new Set(mixed.map((each) => each.day))].join(", ")})`);
  return parts;
}

/** Returns a date such as `2026-11-24`. `day`: days since 1970. */
function dayLabel(day: bigint): string {
  return new Date(Number(day) * 86_400_000).toISOString().slice(0, 10);
}

function targetOf(
  table: HotTable,
  { label, workspaces, where }: Part,
  ids: readonly string[],
  { number, rows, bytes }: Generation,
): Target {
  const isShared = workspaces.length > 1;
  const own = workspaces.map((each) => [ids[each]!, table.workspaces.get(ids[each]!)!] as const);
  const names = new Set(own.flatMap(([, keys]) => [...keys.names.keys()].slice(0, 2)));
  const workspace = isShared
    ? `list_extract([${ids.map((each) => `'${each}'`).join(", ")}], ${workspaceColumn} + 1)`
    : `'${ids[workspaces[0]!]}'`;
  const columns = [...Object.keys(fixedTypes), ...table.columns.map((column) => quoted(column.name))];
  return {
    category: table.category,
    folder: path.posix.join(table.category, label, isShared ? "shared" : ids[workspaces[0]!]!),
    columns: table.columns,
    select: `SELECT ${workspace} AS ${workspaceColumn}, ${columns.join(", ")} FROM ${table.name} WHERE ${where}${orderBy(isShared, names.size > 1)}`,
    isShared,
    rowBytes: bytes / Math.max(1, rows),
    workspaces: own.map(([id, keys]: readonly [string, CategoryKeys]) => [id, keys.names] as const),
    from: { replaces: [], log: number },
  };
}

/**
 * Returns the sort order in SQL. Points with the same workspace and name lie next to each other, so that queries skip
 * most row groups (parts of a Parquet file).
 */
function orderBy(isShared: boolean, hasNames: boolean): string {
  if (!isShared && !hasNames) return "";
  return ` ORDER BY ${[...(isShared ? [workspaceColumn] : []), ...(hasNames ? [fixed.name] : []), fixed.sequence].join(", ")}`;
}

/** Merges several segments (Parquet files) of the same category and folder into one segment. */
export async function mergeSegments(
  packer: Packer,
  segments: readonly Segment[],
  floor: bigint | undefined,
  workspaces: Iterable<readonly [workspace: string, names: NamedKeys]>,
): Promise<LoadedSegment> {
  const { category, folder } = segments[0]!.entry;
  const columns = mergedColumns(segments, packer);
  const all = [...workspaces];
  const isShared = all.length > 1;
  const hasNames = all.some(([, names]) => names.size > 1);
  const rows = segments.reduce((sum, { entry }) => sum + entry.rows, 0);
  const bytes = segments.reduce((sum, { entry }) => sum + entry.bytes, 0);
  const selects = segments.map((segment) => {
    const values = columns.map(
      (column) => `${mergedValue(column, segment, columns, packer.registry)} AS ${quoted(column.name)}`,
    );
    const where = floor !== undefined && segment.start < floor ? ` WHERE ${fixed.time} >= ${floor}` : "";
    return `SELECT ${[workspaceColumn, ...Object.keys(fixedTypes), ...values].join(", ")} FROM ${readFiles([segment.file])}${where}`;
  });
  const order = rows <= sortedRows ? orderBy(isShared, hasNames) : "";
  return await writeSegment(packer, {
    ...{ category, folder, columns, isShared },
    select: `SELECT * FROM (${selects.join(" UNION ALL ")})${order}`,
    // The values of a row take about ten times as many bytes in memory as in the compressed file.
    rowBytes: (10 * bytes) / Math.max(1, rows),
    workspaces: all,
    from: { replaces: segments.map(({ entry }) => entry.id), log: null },
  });
}

/**
 * Returns the columns of the merged file. A key gets its own column if it has its own column in every source file that
 * contains the key. All other keys go into map columns, which hold many keys each.
 */
function mergedColumns(segments: readonly Segment[], { registry, maxColumns }: Packer): PhysicalColumn[] {
  const names = new ColumnNames();
  const columns: PhysicalColumn[] = [];
  const maps = new Map<string, PhysicalColumn>();
  for (const id of new Set(segments.flatMap((segment) => [...segment.columnOf.keys(), ...segment.ids]))) {
    const { key, kind } = registry.at(id);
    const having = segments.filter((segment) => segment.ids.has(id));
    if (columns.length < maxColumns && having.every((segment) => segment.columnOf.has(id)))
      columns.push({ type: "column", key, kind, name: names.next({ key, kind }) });
    else {
      const name = mapOf({ key, kind });
      maps.set(name, { type: "map", kind, name });
    }
  }
  return [...columns, ...maps.values()];
}

function mergedValue(
  column: PhysicalColumn,
  segment: Segment,
  columns: readonly PhysicalColumn[],
  registry: KeyRegistry,
): string {
  if (column.type === "column") {
    const own = segment.columnOf.get(registry.of(column.key, column.kind).id);
    return own === undefined ? `CAST(NULL AS ${typeOf(column)})` : quoted(own);
  }
  // A key that has its own column in the source file, but not in the merged file, is added to the map column (a column
  // for many rare keys).
  const kept = new Set(
    columns.flatMap((each) => (each.type === "column" ? [registry.of(each.key, each.kind).id] : [])),
  );
  const pairs = segment.columns.flatMap((each) =>
    each.type === "column" && mapOf(each) === column.name && !kept.has(registry.of(each.key, each.kind).id)
      ? [`{'key': ${literal(each.key)}, 'value': ${quoted(each.name)}}`]
      : [],
  );
  const own = segment.maps.has(column.name) ? quoted(column.name) : undefined;
  if (pairs.length === 0) return own ?? `CAST(NULL AS ${typeOf(column)})`;
  const demoted = `list_filter([${pairs.join(", ")}], lambda pair: pair.value IS NOT NULL)`;
  const lists = own === undefined ? demoted : `list_concat(coalesce(map_entries(${own}), []), ${demoted})`;
  return `CASE WHEN len(${lists}) = 0 THEN NULL ELSE map_from_entries(${lists}) END`;
}

/** Returns a string as an SQL literal. U+0000 would end the SQL statement, so it is written as `chr(0)`. */
export function literal(text: string): string {
  return text
    .split("\0")
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(" || chr(0) || ");
}

/** Writes a Parquet file and its key file (which lists the keys of the Parquet file), and syncs both to the disk. */
async function writeSegment(packer: Packer, target: Target): Promise<LoadedSegment> {
  const { connection, root, registry, nextId } = packer;
  const { category, folder, columns, select, isShared, rowBytes, workspaces, from } = target;
  const id = nextId();
  const paths = segmentPaths(root, { folder, id });
  await mkdir(path.dirname(paths.parquet), { recursive: true, mode: 0o700 });
  const rowsOfGroup = Math.floor(groupBytes / Math.max(1, rowBytes) / 2048) * 2048;
  const size = Math.max(2048, Math.min(isShared ? sharedGroupRows : groupRows, rowsOfGroup));
  const fresh = `${paths.parquet}.new`;
  try {
    const keys = keysFile(category, columns, workspaces, registry, from);
    const options = [
      "FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1",
      `ROW_GROUP_SIZE ${size}`,
      `KV_METADATA {millrace: ${literal(JSON.stringify({ category, columns }))}}`,
    ];
    await connection.run(`COPY (${select}) TO ${literal(fresh)} (${options.join(", ")})`);
    const sums = await connection.runAndReadAll(
      `SELECT count(*), min(${fixed.time}), max(${fixed.time}), max(${fixed.sequence}) FROM ${readFiles([fresh])}`,
    );
    const [rows, start, end, last] = sums.getRows()[0] as [bigint, bigint | null, bigint | null, bigint | null];
    await syncFile(fresh);
    await rename(fresh, paths.parquet);
    const written = await writeSynced(paths.keys, JSON.stringify(keys));
    await syncFolder(path.dirname(paths.parquet));
    const entry: SegmentEntry = {
      ...{ id, category, folder, rows: Number(rows) },
      bytes: (await stat(paths.parquet)).size,
      crc: await crcOf(paths.parquet),
      keysBytes: written.bytes,
      keysCrc: written.crc,
      start: String(start ?? 0n),
      end: String(end ?? 0n),
      lastSequence: String(last ?? -1n),
    };
    return segmentOf(root, entry, keys, registry);
  } catch (error) {
    for (const file of [fresh, paths.parquet, paths.keys]) await rm(file, { force: true }).catch(() => {});
    throw error;
  }
}

export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function groupBy<Each>(all: readonly Each[], keyOf: (each: Each) => string): Map<string, Each[]> {
  const groups = new Map<string, Each[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}
