// Imports the points of a store of the previous version, which are in the file `points.duckdb` beside the store's
// folder (old-store.ts). Rows are copied one row group at a time into a generation (a set of tables for new points) of
// a separate database, and are packed into segments like all other points. The process may be killed at any moment.
// Each packed generation is in the manifest before the next one begins; a completed table is listed in the manifest's
// `upgraded`. A point that the store already has (same workspace, category and sequence number) is not imported again.
// At the end the old file is renamed to `points.duckdb.upgraded`.

import path from "node:path";
import { fixedColumns as fixed } from "../../../../lib/dql/index.ts";
import type { ColumnKind } from "../../../../lib/index.ts";
import { withoutPaths } from "../../without-paths.ts";
import { Generation, type HotTable } from "../hot.ts";
import { CategoryKeys } from "../keys.ts";
import { fixedTypes, keyId, mapOf, quoted, sqlTypes, workspaceColumn } from "../layout.ts";
import { syncFolder } from "../manifest.ts";
import { literal, packGeneration } from "../pack.ts";
import { readFiles } from "../relation.ts";
import type { StoreState } from "../state.ts";
import {
  DamagedOldStore,
  exists,
  type Measure,
  type OldKey,
  OldStore,
  type OldTable,
  type RowRange,
  renameStore,
  rowsOf,
} from "./old-store.ts";

const fileName = "points.duckdb";
/**
 * Number of rows that are read together: one row group (block of rows) of DuckDB. Where the file of the old store is
 * damaged, a smaller number of rows is read together, at least one DuckDB vector.
 */
const rowGroup = 122_880;
const vector = 2048;
/** Approximate memory in bytes of one value, without the bytes of its string. */
const cellBytes = 40;
/**
 * The number of rare keys (tags and fields) that one SQL statement moves into map columns, which hold many keys each.
 */
const keysAtOnce = 100;
const progressMs = 5000;

/**
 * Imports the points of a store of the previous version if such a store exists. Throws when the import has failed for a
 * reason that may pass, such as a full disk.
 */
export async function upgradeStore(state: StoreState): Promise<void> {
  const file = path.join(path.dirname(state.root), fileName);
  if (!(await exists(file))) {
    state.upgraded = undefined;
    return;
  }
  try {
    const former = await openFormer(state, file);
    if (former === undefined) return;
    let isWhole: boolean;
    try {
      isWhole = await new Upgrade(state, former).run();
    } finally {
      former.close();
    }
    await leave(state, file, isWhole);
  } catch (error) {
    throw new Error(
      `the points of the version before, in ${fileName}, cannot be taken over: ${withoutPaths(error)}; they are kept: remove the cause and start again, which goes on where this start ended`,
      { cause: error },
    );
  }
}

/**
 * Opens the file of the old store. Returns undefined when the whole file is damaged; the file is then moved to
 * `damaged`.
 */
async function openFormer(state: StoreState, file: string): Promise<OldStore | undefined> {
  const { root, events } = state;
  const aside = path.join(root, "damaged", fileName);
  const open = () => OldStore.open(file, root, state.options.memoryLimit);
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof DamagedOldStore)) throw error;
    if (await exists(`${file}.wal`)) {
      // The write-ahead log of the old store is damaged, so it is moved away. The store's file itself still has all
      // points that were written to it before its last checkpoint.
      const moved = await renameStore(`${file}.wal`, `${aside}.wal`);
      events.warn(
        `${fileName}.wal, with the newest points of the version before, cannot be read (${withoutPaths(error)}): it was set aside as points/damaged/${path.basename(moved)}, and its points are lost; to have them, restore ${fileName} and ${fileName}.wal from a backup and start again`,
      );
      return await openFormer(state, file);
    }
    const moved = await renameStore(file, aside);
    state.upgraded = undefined;
    events.warn(
      `${fileName}, with the points of the version before, cannot be read (${withoutPaths(error)}): it was set aside as points/damaged/${path.basename(moved)}, and the store starts without its points; to have them, restore ${fileName} from a backup and start again`,
    );
    return undefined;
  }
}

/** Renames the file of the old store after the import, so that later starts do not read it again. */
async function leave(state: StoreState, file: string, isWhole: boolean): Promise<void> {
  const { root, events } = state;
  const folder = path.dirname(file);
  try {
    const name = await renameStore(file, isWhole ? `${file}.upgraded` : path.join(root, "damaged", fileName));
    await syncFolder(folder);
    state.upgraded = undefined;
    events.info(
      `the upgrade of the points store is complete; ${path.relative(folder, name)} is not read any more, and you can delete it`,
    );
  } catch (error) {
    events.warn(
      `the upgrade of the points store is complete, but ${fileName} cannot be renamed (${withoutPaths(error)}): each start reads it again until you remove it`,
    );
  }
}

/** A table of the old store that is being copied. */
interface Source {
  readonly table: OldTable;
  readonly keys: readonly OldKey[];
  /** For each name of points, the ids of the keys (tags and fields) that these points have. */
  readonly names: ReadonlyMap<string, ReadonlySet<number>>;
  /**
   * Returns an SQL condition for the rows of the old store that the new store does not have yet; an empty string
   * selects all rows.
   */
  readonly missing: (measure: Measure) => string;
}

class Upgrade {
  private readonly state: StoreState;
  private readonly former: OldStore;
  private readonly upgraded: string[];
  private generation: Generation;
  private total = 0;
  private read = 0;
  private loggedAt: number;
  private isWhole = true;

  constructor(state: StoreState, former: OldStore) {
    this.state = state;
    this.former = former;
    this.upgraded = state.upgraded ?? [];
    state.upgraded = this.upgraded;
    this.loggedAt = state.options.now();
    this.generation = this.empty();
  }

  /** Copies all tables of the old store. Returns whether the whole file of the old store could be read. */
  async run(): Promise<boolean> {
    const { state, former } = this;
    const workspaces = await former.workspaces();
    const tables: OldTable[] = [];
    for (const workspace of workspaces)
      await this.orWarn(`the list of points of workspace ${workspace}`, async () => {
        tables.push(...(await former.tables(workspace)));
      });
    this.total = tables.reduce((sum, { rows }) => sum + rows, 0);
    state.events.info(
      `taking over ${this.total} points in ${tables.length} tables from ${fileName}, the points store of the version before ...`,
    );
    await state.save();
    for (const workspace of workspaces) {
      await this.orWarn(`the ids of batches of workspace ${workspace}`, () => this.takeBatches(workspace));
      await this.orWarn(`the labels of workspace ${workspace}`, () => this.takeLabels(workspace));
    }
    for (const table of tables) await this.takeTable(table);
    return this.isWhole;
  }

  private empty(): Generation {
    // The generation (set of tables in memory) of the import has the number 0. It has no log part, because log parts
    // are numbered from 1.
    return new Generation(0, this.state.options.now(), 0);
  }

  private async takeBatches(workspace: string): Promise<void> {
    for await (const batches of this.former.batches(workspace)) this.state.registry.addBatches(batches);
  }

  /**
   * Copies the labels of a workspace, unless they were already copied, perhaps at an earlier start. Copying them
   * again would overwrite newer labels in the store.
   */
  private async takeLabels(workspace: string): Promise<void> {
    const mark = `w_${workspace}.labels`;
    if (this.upgraded.includes(mark)) return;
    for await (const labels of this.former.labels(workspace)) this.state.registry.addLabels(workspace, labels);
    this.upgraded.push(mark);
  }

  private async takeTable(table: OldTable): Promise<void> {
    const { state } = this;
    // The entry of a table in `upgraded` (the list of imported tables of the old store) contains the number of rows
    // that the table had. The user may have started the previous version again after an import, and it may have
    // added points to the table. Then the number of rows differs, and the table is read again.
    const mark = `${table.name.slice("former.".length)}:${table.rows}`;
    if (this.upgraded.includes(mark)) {
      this.read += table.rows;
      return;
    }
    let lost = 0;
    const source = await this.source(table);
    if (source === undefined) lost = table.rows;
    else for (let from = 0; from <= table.lastRow; ) from = await this.takeRows(source, from, (rows) => (lost += rows));
    await this.pack();
    if (lost > 0) {
      state.events.lost(lost);
      state.events.warn(
        `${lost} of ${table.rows} points of ${table.category} of workspace ${table.workspace} are lost: ${fileName} is damaged`,
      );
    }
    this.upgraded.push(mark);
    await state.save();
  }

  /**
   * Returns the description of a table that is to be copied. Returns undefined when the old store is so damaged
   * that its list of columns and keys cannot be read.
   */
  private async source(table: OldTable): Promise<Source | undefined> {
    const { keys: stored, segments } = this.state;
    let keys: readonly OldKey[] | undefined;
    await this.orWarn(`the keys of ${table.category} of workspace ${table.workspace}`, async () => {
      keys = await this.former.keys(table);
    });
    if (keys === undefined) return undefined;
    const names = new Map<string, Set<number>>();
    try {
      for await (const [name, { key, kind }] of this.former.names(table)) {
        const own = names.get(name) ?? new Set();
        names.set(name, own.add(stored.registry.of(key, kind).id));
      }
    } catch (error) {
      if (!(error instanceof DamagedOldStore)) throw error;
      // The table of names cannot be read. So each name is assumed to have all keys that occur in its rows.
      names.clear();
    }
    const files = [...segments.values()]
      .filter(({ entry, workspaces }) => entry.category === table.category && workspaces.has(table.workspace))
      .map(({ file }) => file);
    const missing = ({ first, last }: Measure) =>
      files.length === 0
        ? ""
        : ` WHERE ${fixed.sequence} NOT IN (SELECT ${fixed.sequence} FROM ${readFiles(files)} WHERE ${workspaceColumn} = '${table.workspace}' AND ${fixed.sequence} BETWEEN ${first} AND ${last})`;
    return { table, keys, names, missing };
  }

  /**
   * Copies rows of the old store, beginning with the row id `from`. Copies as many rows as the memory limit
   * allows. Returns the row id after the last copied row.
   */
  private async takeRows(source: Source, from: number, lose: (rows: number) => void): Promise<number> {
    const { hot } = this.state;
    const { table, keys } = source;
    const most = hot.bytes / 2;
    let to = Math.min(from + Math.max(1, Math.min(rowGroup, hot.points)), table.lastRow + 1);
    for (;;) {
      try {
        const measure = await this.former.measure(table, keys, { from, to });
        const bytes = measure.cells * cellBytes + measure.textBytes;
        if (bytes > most && to - from > 1) {
          to = from + Math.max(1, Math.floor(((to - from) * most) / bytes));
          continue;
        }
        await this.insert(source, { from, to }, measure);
        this.read += measure.rows;
        break;
      } catch (error) {
        if (!(error instanceof DamagedOldStore)) throw error;
        this.isWhole = false;
        if (to - from > vector) {
          to = from + Math.floor((to - from) / 2);
          continue;
        }
        lose(await this.former.count(table, { from, to }).catch(() => to - from));
        break;
      }
    }
    const { rows, bytes } = this.generation;
    if (rows >= hot.points || bytes >= hot.bytes) await this.pack();
    return to;
  }

  /** Copies rows into the tables of the generation (set of tables for new points). */
  private async insert({ table, keys, names, missing }: Source, range: RowRange, measure: Measure): Promise<void> {
    if (measure.rows === 0) return;
    const { registry } = this.state.keys;
    const { connection } = this.former;
    const present = keys
      .filter(({ column }) => measure.counts.has(column))
      .sort((a, b) => measure.counts.get(b.column)! - measure.counts.get(a.column)!);
    const rowNames = await this.former.namesIn(table, range);
    const hot = this.generation.table(table.category);
    const uses = present.map(({ key, kind, column }) => ({ key, kind, count: measure.counts.get(column)!, names: [] }));
    await hot.grow(connection, uses, registry, { first: [], maxColumns: this.state.maxColumns });
    const rare = present.filter(({ key, kind }) => !hot.columnOf.has(registry.of(key, kind).id));
    const joins = await this.collectMaps(table, rare, range);
    const columns = new Map(present.map((each) => [keyId(each), each.column]));
    const maps = new Set(rare.map(mapOf));
    const values = hot.columns.map((column) => {
      if (column.type === "column") return columns.get(keyId(column)) ?? "NULL";
      return maps.has(column.name) ? quoted(column.name) : "NULL";
    });
    const added = await this.former.run(
      `INSERT INTO ${hot.name} SELECT ${["0", ...Object.keys(fixedTypes), ...values].join(", ")} FROM (SELECT rowid AS row_id, * FROM ${table.name} WHERE ${rowsOf(range)}) AS points${joins}${missing(measure)}`,
    );
    if (added === 0) return;
    this.noteKeys(hot, { table, names }, rowNames, present);
    hot.rows += added;
    this.generation.rows += added;
    this.generation.bytes += added * hot.rowBytes + measure.cells * cellBytes + measure.textBytes;
  }

  /**
   * Collects the values of rare keys, which are stored in map columns (one column for many keys), in a temporary table
   * for each value type. Returns the SQL joins that attach the maps to their rows. Reads only a few keys at once,
   * because a statement that reads 10,000 columns holds a vector in memory for each.
   */
  private async collectMaps({ name }: OldTable, rare: readonly OldKey[], range: RowRange): Promise<string> {
    const { former } = this;
    const kinds = new Map<ColumnKind, OldKey[]>();
    for (const key of rare) kinds.set(key.kind, [...(kinds.get(key.kind) ?? []), key]);
    let joins = "";
    for (const [kind, keys] of kinds) {
      await former.run(
        `CREATE OR REPLACE TABLE entries (place BIGINT, bucket VARCHAR, key VARCHAR, value ${sqlTypes[kind]})`,
      );
      for (let at = 0; at < keys.length; at += keysAtOnce) {
        const entries = keys
          .slice(at, at + keysAtOnce)
          .map((key) => `{'bucket': '${mapOf(key)}', 'key': ${literal(key.key)}, 'value': ${key.column}}`);
        const present = `list_filter([${entries.join(", ")}], lambda entry: entry.value IS NOT NULL)`;
        await former.run(
          `INSERT INTO entries SELECT place, entry.bucket, entry.key, entry.value FROM (SELECT rowid AS place, unnest(${present}) AS entry FROM ${name} WHERE ${rowsOf(range)})`,
        );
      }
      const maps = [...new Set(keys.map(mapOf))].map(
        (map) =>
          `map_from_entries(list({'key': key, 'value': value}) FILTER (WHERE bucket = '${map}')) AS ${quoted(map)}`,
      );
      await former.run(
        `CREATE OR REPLACE TABLE maps_${kind} AS SELECT place, ${maps.join(", ")} FROM entries GROUP BY place`,
      );
      joins += ` LEFT JOIN maps_${kind} ON maps_${kind}.place = points.row_id`;
    }
    await former.run("DROP TABLE IF EXISTS entries");
    return joins;
  }

  private noteKeys(
    hot: HotTable,
    { table, names }: Pick<Source, "table" | "names">,
    rowNames: readonly string[],
    present: readonly OldKey[],
  ): void {
    const { registry } = this.state.keys;
    const noted = hot.workspaces.get(table.workspace) ?? new CategoryKeys(registry);
    hot.workspaces.set(table.workspace, noted);
    const ids = new Set(present.map(({ key, kind }) => registry.of(key, kind).id));
    for (const name of rowNames) {
      const own = names.get(name);
      noted.add(name, own === undefined ? ids : [...own].filter((id) => ids.has(id)));
    }
  }

  /** Packs the copied rows into segments (Parquet files) and adds the segments to the manifest. */
  private async pack(): Promise<void> {
    const { state, generation } = this;
    const { connection } = this.former;
    const [table] = generation.tables.values();
    if (table === undefined) return;
    const packer = {
      connection,
      ...{ root: state.root, registry: state.keys.registry, maxColumns: state.maxColumns },
      nextId: () => state.nextSegmentId(),
    };
    const packed = await packGeneration(packer, generation, [...table.workspaces.keys()]);
    await generation.drop(connection);
    this.generation = this.empty();
    state.addSegments(packed);
    await state.save();
    const now = state.options.now();
    if (now - this.loggedAt < progressMs) return;
    this.loggedAt = now;
    state.events.info(`taking over points from ${fileName}: ${this.read} of ${this.total} are done`);
  }

  /** Calls `work`. When `work` finds that the file of the old store is damaged, logs the loss and returns normally. */
  private async orWarn(subject: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DamagedOldStore)) throw error;
      this.isWhole = false;
      this.state.events.warn(`${subject} cannot be read from ${fileName} and are lost: ${withoutPaths(error)}`);
    }
  }
}
