// Reads the points store of the previous version of Millrace: one DuckDB file, `points.duckdb`, with a schema
// `w_<workspace>` for each workspace. A schema contains these tables:
//
//   p_<category>   points: ts, seq, name, idx, recv, then c0, c1, ...: a column for each key and type
//   keys           category, key, kind, col: which column holds which key
//   names          category, name, key, kind: which names of points have which keys
//   batches        id, received: ids of batches, with the time of receipt in ms since 1970
//   labels         id, class, name, key, value, labels: labels of objects
//
// The old file is never written to, even if its write-ahead log contains points.

import { mkdir, rename, stat } from "node:fs/promises";
import path from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { fixedColumns as fixed } from "../../../../lib/dql/index.ts";
import type { ColumnKind } from "../../../../lib/index.ts";
import type { CategoryName } from "../../../../lib/point/index.ts";
import { settings } from "../../database.ts";
import type { LabelRow } from "../../labels.ts";
import { type KindOfKey, sqlTypes } from "../layout.ts";
import { isCategory } from "../manifest.ts";
import { literal } from "../pack.ts";
import type { BatchId } from "../registry.ts";

/**
 * The maximum number of aggregate functions in one SQL statement. With more of them, DuckDB's buffers for rows
 * would take too much memory.
 */
const columnsAtOnce = 250;
/** The least number of rows in each array that a generator of this file yields. (The last array may have fewer.) */
const listedRows = 50_000;

/** A table of the old store: the points of one workspace and category. */
export interface OldTable {
  readonly workspace: string;
  readonly category: CategoryName;
  /** The name of the table in the old store; it needs no quotes in SQL. */
  readonly name: string;
  readonly rows: number;
  /** The highest row id of the table; -1 when there are no rows. */
  readonly lastRow: number;
}

export interface OldKey extends KindOfKey {
  readonly column: string;
}

/** A range of row ids: `from` is inclusive, `to` is exclusive. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** Counts and sizes that were measured over a range of rows of the old store. */
export interface Measure {
  readonly rows: number;
  /** Sequence numbers (order of arrival) of the first and the last point; null when there are no rows. */
  readonly first: bigint | null;
  readonly last: bigint | null;
  /** For each column, the number of rows that have a value. Columns without values are left out. */
  readonly counts: ReadonlyMap<string, number>;
  readonly cells: number;
  /** The total size in bytes of all strings in the rows. */
  readonly textBytes: number;
}

export class OldStore {
  /**
   * The connection to DuckDB, to which the file of the old store is attached as the database `former`. DuckDB writes
   * files only below the folder of the new store.
   */
  readonly connection: DuckDBConnection;
  private readonly instance: DuckDBInstance;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.instance = instance;
    this.connection = connection;
  }

  /**
   * Opens the DuckDB file of the old store. `root`: the folder of the new store. Throws DamagedOldStore, as do all
   * methods that read the file.
   */
  static async open(file: string, root: string, memoryLimit: string): Promise<OldStore> {
    const temporary = path.join(root, "temporary", "upgrade");
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const instance = await DuckDBInstance.create(":memory:", {
      ...settings,
      temp_directory: temporary,
      ...(memoryLimit === "" ? {} : { memory_limit: memoryLimit }),
    });
    const former = new OldStore(instance, await instance.connect());
    try {
      await former.run(`ATTACH ${literal(file)} AS former (READ_ONLY)`);
      await former.connection.run(`SET allowed_directories = [${literal(`${root}/`)}]`);
      await former.connection.run("SET enable_external_access = false");
      await former.connection.run("SET lock_configuration = true");
      return former;
    } catch (error) {
      former.close();
      throw error;
    }
  }

  async workspaces(): Promise<readonly string[]> {
    const found = await this.rows<[string]>(
      "SELECT schema_name FROM duckdb_schemas() WHERE database_name = 'former' ORDER BY ALL",
    );
    return found.flatMap(([schema]) => /^w_([a-z0-9]{1,64})$/.exec(schema)?.[1] ?? []);
  }

  async tables(workspace: string): Promise<readonly OldTable[]> {
    const found = await this.rows<[string]>(
      `SELECT table_name FROM duckdb_tables() WHERE database_name = 'former' AND schema_name = 'w_${workspace}' ORDER BY ALL`,
    );
    const tables: OldTable[] = [];
    for (const [table] of found) {
      const category = table.slice("p_".length);
      if (!table.startsWith("p_") || !isCategory(category)) continue;
      const name = `former.w_${workspace}.${table}`;
      const [[rows, last]] = (await this.rows(`SELECT count(*), max(rowid) FROM ${name}`)) as [[bigint, bigint | null]];
      tables.push({ workspace, category, name, rows: Number(rows), lastRow: Number(last ?? -1n) });
    }
    return tables;
  }

  async keys({ workspace, category }: OldTable): Promise<readonly OldKey[]> {
    const found = await this.rows<[string, string, string]>(
      `SELECT key, kind, col FROM former.w_${workspace}.keys WHERE category = '${category}'`,
    );
    return found.flatMap(([key, kind, column]) =>
      isKind(kind) && /^c\d+$/.test(column) ? [{ key, kind, column }] : [],
    );
  }

  /** Yields pairs of a point name and a key that points with this name have, each pair once. */
  async *names({ workspace, category }: OldTable): AsyncIterable<readonly [name: string, key: KindOfKey]> {
    const found = this.listed<[string, string, string]>(
      `SELECT name, key, kind FROM former.w_${workspace}.names WHERE category = '${category}'`,
    );
    for await (const rows of found) for (const [name, key, kind] of rows) if (isKind(kind)) yield [name, { key, kind }];
  }

  async *batches(workspace: string): AsyncIterable<readonly BatchId[]> {
    const found = this.listed<[string, bigint]>(`SELECT id, received FROM former.w_${workspace}.batches`);
    for await (const rows of found) yield rows.map(([id, received]) => ({ workspace, id, received }));
  }

  labels(workspace: string): AsyncIterable<readonly (readonly [id: string, ...LabelRow])[]> {
    return this.listed(`SELECT id, class, name, key, value, labels FROM former.w_${workspace}.labels`);
  }

  async measure({ name }: OldTable, keys: readonly OldKey[], range: RowRange): Promise<Measure> {
    const where = rowsOf(range);
    const [[rows, first, last]] = (await this.rows(
      `SELECT count(*), min(${fixed.sequence}), max(${fixed.sequence}) FROM ${name} WHERE ${where}`,
    )) as [[bigint, bigint | null, bigint | null]];
    const counts = new Map<string, number>();
    let cells = 0;
    let textBytes = 0;
    for (let at = 0; at < keys.length && rows > 0n; at += columnsAtOnce) {
      const some = keys.slice(at, at + columnsAtOnce);
      const sums = some.map(({ kind, column }) => `count(${column}), ${bytesOf(column, sqlTypes[kind])}`);
      const [found] = await this.rows<(bigint | null)[]>(`SELECT ${sums.join(", ")} FROM ${name} WHERE ${where}`);
      for (const [place, { column }] of some.entries()) {
        const count = Number(found![2 * place]);
        if (count > 0) counts.set(column, count);
        cells += count;
        textBytes += Number(found![2 * place + 1] ?? 0n);
      }
    }
    return { rows: Number(rows), first, last, counts, cells, textBytes };
  }

  async namesIn({ name }: OldTable, range: RowRange): Promise<readonly string[]> {
    return (await this.rows<[string]>(`SELECT DISTINCT ${fixed.name} FROM ${name} WHERE ${rowsOf(range)}`)).flat();
  }

  /**
   * Runs an SQL statement that reads from the file of the old store. Returns the number of rows that the statement has
   * written to other tables.
   */
  async run(statement: string): Promise<number> {
    return (await this.connection.run(statement).catch(refuse)).rowsChanged;
  }

  /** Returns the number of rows in a range of row ids, without reading their values. */
  async count({ name }: OldTable, range: RowRange): Promise<number> {
    const [[rows]] = (await this.rows(`SELECT count(*) FROM ${name} WHERE ${rowsOf(range)}`)) as [[bigint]];
    return Number(rows);
  }

  private async rows<Row>(statement: string): Promise<Row[]> {
    return (await this.connection.runAndReadAll(statement).catch(refuse)).getRows() as Row[];
  }

  /** Yields the result rows of an SQL statement in arrays of about 50,000 rows. */
  private async *listed<Row>(statement: string): AsyncIterable<Row[]> {
    const found = await this.connection.stream(statement).catch(refuse);
    let list: Row[] = [];
    for (;;) {
      const chunk = await found.fetchChunk().catch(refuse);
      if (chunk === null || chunk.rowCount === 0) break;
      list.push(...(chunk.getRows() as Row[]));
      if (list.length < listedRows) continue;
      yield list;
      list = [];
    }
    yield list;
  }

  close(): void {
    this.connection.closeSync();
    this.instance.closeSync();
  }
}

export function rowsOf({ from, to }: RowRange): string {
  return `rowid >= ${from} AND rowid < ${to}`;
}

function bytesOf(column: string, type: string): string {
  if (type === "VARCHAR") return `CAST(sum(strlen(${column})) AS BIGINT)`;
  return type === "BLOB" ? `CAST(sum(octet_length(${column})) AS BIGINT)` : "NULL";
}

function isKind(kind: string): kind is ColumnKind {
  return Object.hasOwn(sqlTypes, kind);
}

/** Thrown when the file of the old store, or a part of it, is damaged. */
export class DamagedOldStore extends Error {}

/**
 * Throws DamagedOldStore for an error that damage of the old file can cause. Throws the error itself when the cause
 * is the machine (memory, disk, permissions, another process) or a wrong SQL statement.
 */
function refuse(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  const isElsewhere =
    /Out of Memory|No space left|set lock|Permission|Too many open files|max_temp_directory|not write|^(?:Parser|Binder) Error/i;
  throw isElsewhere.test(text) ? error : new DamagedOldStore(text, { cause: error });
}

/**
 * Renames the file of the old store and its write-ahead log to a name that no file has. When the process is stopped
 * between the two renames, the next start reads the file again.
 */
export async function renameStore(file: string, wanted: string): Promise<string> {
  await mkdir(path.dirname(wanted), { recursive: true, mode: 0o700 });
  let name = wanted;
  for (let number = 2; (await exists(name)) || (await exists(`${name}.wal`)); number++) name = `${wanted}.${number}`;
  if (await exists(`${file}.wal`)) await rename(`${file}.wal`, `${name}.wal`);
  if (await exists(file)) await rename(file, name);
  return name;
}

export async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
