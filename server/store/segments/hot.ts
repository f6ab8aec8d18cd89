// The hot part of the store: the newest points, in tables of an in-memory database, until they are packed into segments
// (Parquet files). The hot part consists of generations. A generation is a set of tables, one for each category, that
// all workspaces share. It takes new points until it is full; then it is packed as a whole while the next generation
// takes points. The points of a generation are also in its part of the log (log.ts), from which a restart fills the
// tables again.

import type { DuckDBAppender, DuckDBConnection } from "@duckdb/node-api";
import { arrayText } from "../../../lib/dql/sql/index.ts";
import type { ColumnChunk, ColumnKind, ColumnUse, Encodable, Millrace } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { type Appended, appendChunk, chunkRows } from "./append.ts";
import { CategoryKeys, type KeyRegistry } from "./keys.ts";
import {
  ColumnNames,
  fixedTypes,
  type KindOfKey,
  keyId,
  mapOf,
  type PhysicalColumn,
  quoted,
  typeOf,
  workspaceColumn,
} from "./layout.ts";

/** Approximate memory of a row in bytes, without the columns that hold keys (tags and fields). */
const fixedRowBytes = 80;
const columnBytes = 12;
/** A key (tag or field) gets a column of its own if at least 1/`commonShare` of a batch's points have it. */
const commonShare = 200;

/**
 * A table in memory that holds points of one category. Each generation (set of such tables) has a table for each
 * category.
 */
export class HotTable {
  readonly category: CategoryName;
  /** The name of the table in memory; it needs no quotes in SQL. */
  readonly name: string;
  readonly columns: PhysicalColumn[] = [];
  /** The names of the columns that hold one key (tag or field) each, by the id of the key. */
  readonly columnOf = new Map<number, string>();
  /** The names of the map columns, each of which holds many rare keys. */
  readonly maps = new Set<string>();
  /** The keys (of tags and fields) that the table has, by workspace. */
  readonly workspaces = new Map<string, CategoryKeys>();
  rows = 0;
  start = 2n ** 63n;
  end = -(2n ** 63n);
  private readonly places = new Map<string, number>();
  /** For each column that holds a single key, by its index: the number of rows that have the key. */
  private readonly counts: number[] = [];
  /** For each key in the map columns (columns for many rare keys): the number of rows that have the key. */
  private readonly sparseCounts = new Map<string, KindOfKey & { count: number }>();
  private readonly names = new ColumnNames();
  private isMade = false;

  constructor(category: CategoryName, name: string) {
    this.category = category;
    this.name = name;
  }

  /**
   * Creates the table if necessary, and adds columns for new keys. `first`: the keys that get columns of their own
   * before all other keys.
   */
  async grow(
    connection: DuckDBConnection,
    uses: readonly ColumnUse[],
    registry: KeyRegistry,
    { first, maxColumns }: { readonly first: readonly KindOfKey[]; readonly maxColumns: number },
  ): Promise<void> {
    const added: PhysicalColumn[] = [];
    const add = (each: KindOfKey, isCommon: boolean): void => {
      const column = this.place(each, registry, isCommon && this.columnOf.size < maxColumns);
      if (column !== undefined) added.push(column);
    };
    if (!this.isMade) for (const each of first) add(each, true);
    // A column takes memory in every row, so rare keys are stored together in map columns.
    const most = uses.reduce((least, { count }) => Math.max(least, count), 0);
    for (const use of uses) add(use, use.count * commonShare >= most);
    if (!this.isMade) {
      const leading = [
        `${workspaceColumn} UINTEGER`,
        ...Object.entries(fixedTypes).map(([name, type]) => `${name} ${type}`),
      ];
      const all = [...leading, ...added.map((column) => `${quoted(column.name)} ${typeOf(column)}`)];
      await connection.run(`CREATE TABLE ${this.name} (${all.join(", ")})`);
      this.isMade = true;
    } else {
      for (const column of added)
        await connection.run(`ALTER TABLE ${this.name} ADD COLUMN ${quoted(column.name)} ${typeOf(column)}`);
    }
  }

  /**
   * Chooses the column in which the table stores a key. Returns this column if it is new, so that the caller
   * creates it; returns undefined if the table already has the column.
   */
  private place({ key, kind }: KindOfKey, registry: KeyRegistry, isCommon: boolean): PhysicalColumn | undefined {
    const text = keyId({ key, kind });
    if (this.places.has(text)) return undefined;
    if (isCommon) {
      const name = this.names.next({ key, kind });
      this.columnOf.set(registry.of(key, kind).id, name);
      return this.put({ type: "column", key, kind, name }, text);
    }
    const name = mapOf({ key, kind });
    const known = this.places.get(name);
    if (known !== undefined) {
      this.places.set(text, known);
      return undefined;
    }
    this.maps.add(name);
    this.places.set(name, this.columns.length);
    return this.put({ type: "map", kind, name }, text);
  }

  private put(column: PhysicalColumn, text: string): PhysicalColumn {
    this.places.set(text, this.columns.push(column) - 1);
    this.counts.push(0);
    return column;
  }

  isSparse(key: string, kind: ColumnKind): boolean {
    return this.columns[this.places.get(keyId({ key, kind }))!]!.type === "map";
  }

  append(appender: DuckDBAppender, chunk: ColumnChunk, appended: Appended): void {
    const placeOf = (key: string, kind: ColumnKind) => this.places.get(keyId({ key, kind }))!;
    appendChunk(appender, { columns: this.columns, placeOf }, chunk, appended);
    this.rows += chunk.rows;
    for (const { key, kind, present } of chunk.columns) this.counts[placeOf(key, kind)]! += bitsIn(present);
    const { count, places, keys } = chunk.sparse;
    const sparse = keys.map(({ key, kind }) => {
      const text = keyId({ key, kind });
      const known = this.sparseCounts.get(text) ?? { key, kind, count: 0 };
      this.sparseCounts.set(text, known);
      return known;
    });
    for (let cell = 0; cell < count; cell++) sparse[places[cell]!]!.count++;
    const times = new BigInt64Array(chunk.times.buffer, 0, chunk.rows);
    for (const time of times) {
      if (time < this.start) this.start = time;
      if (time > this.end) this.end = time;
    }
  }

  noteKeys(workspace: string, uses: readonly ColumnUse[], registry: KeyRegistry): void {
    let keys = this.workspaces.get(workspace);
    if (keys === undefined) this.workspaces.set(workspace, (keys = new CategoryKeys(registry)));
    keys.addUses(uses);
  }

  /**
   * Returns the keys that occur in most rows. They also get columns of their own in the next generation (set of tables
   * in memory).
   */
  commonKeys(): readonly KindOfKey[] {
    const counted = this.columns.flatMap((column, at) =>
      column.type === "column" ? [{ key: column.key, kind: column.kind, count: this.counts[at]! }] : [],
    );
    return [...counted, ...this.sparseCounts.values()]
      .filter(({ count }) => count * commonShare >= this.rows)
      .sort((a, b) => b.count - a.count);
  }

  get rowBytes(): number {
    return fixedRowBytes + columnBytes * this.columns.length;
  }
}

/** A generation: the points of all workspaces and categories that arrived in one period of time. */
export class Generation {
  /** The number of the generation, which is also the number of its log part. */
  readonly number: number;
  readonly tables = new Map<CategoryName, HotTable>();
  /** The batches in the generation: `<workspace> <batch id>` with the time of receipt in ms since 1970. */
  readonly batches = new Map<string, bigint>();
  readonly since: number;
  rows = 0;
  /** Approximate memory in bytes of all tables of the generation (set of tables in memory). */
  bytes = 0;

  /** Maximum size in bytes of the log part that holds the points of the generation (set of tables in memory). */
  readonly logBytes: number;

  /** `since`: the time at which the generation (set of tables in memory) began, in ms since 1970. */
  constructor(number: number, since: number, logBytes: number) {
    this.logBytes = logBytes;
    this.number = number;
    this.since = since;
  }

  table(category: CategoryName): HotTable {
    let table = this.tables.get(category);
    if (table === undefined) {
      table = new HotTable(category, `hot_${this.number}_${category}`);
      this.tables.set(category, table);
    }
    return table;
  }

  async drop(connection: DuckDBConnection): Promise<void> {
    for (const { name } of this.tables.values()) await connection.run(`DROP TABLE IF EXISTS ${name}`);
  }
}

export interface HotBatch {
  readonly workspace: { readonly id: string; readonly number: number };
  readonly category: CategoryName;
  readonly batchId: string;
  readonly points: Encodable;
  readonly uses: readonly ColumnUse[];
  readonly index: string;
  readonly received: bigint;
  /**
   * Sequence number (order of arrival) of the first point. When absent, the first point gets the next sequence number
   * of the workspace.
   */
  readonly sequence?: bigint;
}

/** The sequence number of a batch's first point, and the number of its points. */
export interface PlacedBatch {
  readonly sequence: bigint;
  readonly count: number;
}

/**
 * Adds batches of points to a generation (set of tables in memory) in one transaction. Calls `commit`, which may store
 * the batches in the log, before the transaction is committed. When `commit` rejects, nothing is added.
 */
export async function addBatches(
  connection: DuckDBConnection,
  generation: Generation,
  batches: readonly HotBatch[],
  { mill, registry, maxColumns, next, first }: AddOptions,
  commit: (placed: readonly PlacedBatch[]) => Promise<void>,
): Promise<readonly PlacedBatch[]> {
  for (const { category, uses } of batches)
    await generation.table(category).grow(connection, uses, registry, { first: first(category), maxColumns });
  const appenders = new Map<CategoryName, DuckDBAppender>();
  const before = [...generation.tables.values()].map((table) => ({ table, rows: table.rows }));
  const placed: PlacedBatch[] = [];
  let bytes = 0;
  const following = new Map<string, bigint>();
  await connection.run("BEGIN");
  try {
    for (const { workspace, category, points, index, received, sequence: known } of batches) {
      const sequence = known ?? following.get(workspace.id) ?? next(workspace.id);
      const table = generation.table(category);
      let appender = appenders.get(category);
      if (appender === undefined) {
        appender = await connection.createAppender(table.name);
        appenders.set(category, appender);
      }
      let count = 0;
      const options = { rows: chunkRows, arrayText, isSparse: table.isSparse.bind(table) };
      for (const chunk of mill.columnChunks(points, options)) {
        const first = sequence + BigInt(count);
        table.append(appender, chunk, { workspace: workspace.number, sequence: first, index, received });
        count += chunk.rows;
        bytes += chunk.rows * table.rowBytes + 40 * chunk.sparse.count;
      }
      placed.push({ sequence, count });
      following.set(workspace.id, sequence + BigInt(count));
    }
    for (const appender of appenders.values()) appender.closeSync();
    await commit(placed);
    await connection.run("COMMIT");
  } catch (error) {
    // A DuckDB appender (an object that adds rows to a table) must be discarded here. Otherwise the garbage
    // collector would free it later, and the appender would then still write its rows.
    for (const appender of appenders.values()) discard(appender);
    await connection.run("ROLLBACK").catch(() => {});
    for (const { table, rows } of before) table.rows = rows;
    throw error;
  }
  generation.bytes += bytes;
  for (const [at, { workspace, category, batchId, uses, received }] of batches.entries()) {
    generation.rows += placed[at]!.count;
    generation.batches.set(`${workspace.id} ${batchId}`, received);
    generation.table(category).noteKeys(workspace.id, uses, registry);
  }
  return placed;
}

export interface AddOptions {
  readonly mill: Pick<Millrace, "columnChunks">;
  readonly registry: KeyRegistry;
  /** Maximum number of keys that have a column of their own in a table. */
  readonly maxColumns: number;
  /** Returns the next sequence number (order of arrival) of a workspace. */
  readonly next: (workspace: string) => bigint;
  /** Returns the keys (tags and fields) that are preferred for a column of their own in a new table. */
  readonly first: (category: CategoryName) => readonly KindOfKey[];
}

function discard(appender: DuckDBAppender): void {
  try {
    appender.clear();
    appender.closeSync();
  } catch {
    // The error is ignored. `clear` and `closeSync` throw only when an earlier call of the appender has failed. Such an
    // appender holds no rows any more, so it cannot write rows when it is freed.
  }
}

function bitsIn(words: Uint32Array): number {
  let bits = 0;
  for (let word of words) {
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    bits += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return bits;
}
