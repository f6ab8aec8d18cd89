// Points in DuckDB, one file for all workspaces. Everything here runs in the store's own thread: one write at a time, queries beside it.

import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from "@duckdb/node-api";
import type { Engine, ObjectLabels } from "../../lib/dql/engine.ts";
import { sqlEngine } from "../../lib/dql/sql/engine.ts";
import { type Fragment, type Parameter, written } from "../../lib/dql/sql/fragment.ts";
import type { ResultRow } from "../../lib/dql/sql/rows.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import type { PointView } from "../../lib/point/view.ts";
import { columnsOf } from "./columns.ts";
import { checkedWorkspace, type PointsDatabase, type Taken } from "./points-database.ts";
import { fixedTypes, Tables } from "./tables.ts";

export interface StoreOptions {
  /** `:memory:`, or the path of the file. */
  readonly file: string;
  /** Such as `1GB`; empty: the database's own limit. */
  readonly memoryLimit: string;
  /** ms since 1970. */
  readonly now: () => number;
}

interface Workspace {
  readonly tables: Tables;
  readonly engine: Engine;
  sequence: bigint;
}

/** Rows of one vector of the database. */
const chunkRows = 2048;

export class DuckStore implements PointsDatabase {
  private readonly options: StoreOptions;
  private readonly instance: DuckDBInstance;
  private readonly writer: DuckDBConnection;
  private readonly reader: DuckDBConnection;
  private readonly workspaces = new Map<string, Promise<Workspace>>();
  /** The write under way: the next one waits for it. */
  private writing: Promise<unknown> = Promise.resolve();

  private constructor(
    options: StoreOptions,
    instance: DuckDBInstance,
    writer: DuckDBConnection,
    reader: DuckDBConnection,
  ) {
    this.options = options;
    this.instance = instance;
    this.writer = writer;
    this.reader = reader;
  }

  static async open(options: StoreOptions): Promise<DuckStore> {
    const instance = await DuckDBInstance.create(options.file, {
      // Nothing is loaded from elsewhere, no file but its own is read.
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      enable_external_access: "false",
      ...(options.memoryLimit === "" ? {} : { memory_limit: options.memoryLimit }),
    });
    return new DuckStore(options, instance, await instance.connect(), await instance.connect());
  }

  /** `id`: letters and digits. */
  private workspace(id: string): Promise<Workspace> {
    let workspace = this.workspaces.get(id);
    if (workspace === undefined) {
      workspace = this.after(() => this.openWorkspace(id));
      this.workspaces.set(id, workspace);
      workspace.catch(() => this.workspaces.delete(id));
    }
    return workspace;
  }

  private async openWorkspace(id: string): Promise<Workspace> {
    const tables = await Tables.open(this.writer, `w_${checkedWorkspace(id)}`);
    const engine = sqlEngine({
      name: "duckdb",
      catalog: tables,
      run: (statement) => this.read(statement),
      exceeded: (error) => error instanceof Error && error.message.startsWith("Out of Range Error"),
      has: (category) => tables.has(category),
      keys: async (category) => tables.keys(category),
      labels: async (): Promise<readonly ObjectLabels[]> => [],
    });
    // Behind every number given before: by the clock, in microseconds.
    return { tables, engine, sequence: BigInt(this.options.now()) * 1000n };
  }

  async engine(workspace: string): Promise<Engine> {
    return (await this.workspace(workspace)).engine;
  }

  private async read(statement: Fragment): Promise<readonly ResultRow[]> {
    const { parameters } = statement;
    const text = written(statement, () => "?");
    const result = await this.reader.runAndReadAll(text, [...parameters], parameters.map(typeOfParameter));
    return result.getRows().map((row) => row.map(plainValue));
  }

  /** Ends the queries that are running; each fails. */
  interrupt(): void {
    this.reader.interrupt();
  }

  /** Stores the points of a batch, once for each id. */
  async ingest(
    workspace: string,
    category: CategoryName,
    batchId: string,
    points: Iterable<PointView>,
    index = "default",
  ): Promise<Taken> {
    const columns = columnsOf(points);
    const owner = await this.workspace(workspace);
    return await this.after(async () => {
      const { tables } = owner;
      await tables.ensureTable(this.writer, category);
      for (const { key, kind, names } of columns.keys) {
        await tables.ensureColumn(this.writer, category, key, kind);
        for (const name of names) await tables.noteName(this.writer, category, name, key, kind);
      }
      await this.writer.run("BEGIN");
      try {
        const received = BigInt(this.options.now());
        const fresh = await this.writer.runAndReadAll(
          `INSERT INTO ${tables.batches} VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING id`,
          [batchId, received],
        );
        if (fresh.currentRowCount === 0) {
          await this.writer.run("ROLLBACK");
          return { points: 0, repeated: true };
        }
        await this.append(owner, category, columns, index, received);
        await this.writer.run("COMMIT");
      } catch (error) {
        await this.writer.run("ROLLBACK").catch(() => {});
        throw error;
      }
      return { points: columns.count, repeated: false };
    });
  }

  private async append(
    owner: Workspace,
    category: CategoryName,
    columns: ReturnType<typeof columnsOf>,
    index: string,
    received: bigint,
  ): Promise<void> {
    const [schema, table] = owner.tables.table(category).split(".") as [string, string];
    const appender = await this.writer.createAppender(table, schema);
    const all = owner.tables.columns(category);
    const byColumn = new Map(
      columns.keys.map((column) => [owner.tables.column(category, column.key, column.kind)!.column, column.values]),
    );
    const fixedCount = Object.keys(fixedTypes).length;
    const chunkTypes = Array.from({ length: fixedCount + all.length }, (_, at): DuckDBType => appender.columnType(at));
    const first = owner.sequence;
    owner.sequence += BigInt(columns.count);
    for (let from = 0; from < columns.count; from += chunkRows) {
      const count = Math.min(chunkRows, columns.count - from);
      const rows = Array.from({ length: count }, (_, at) => from + at);
      const chunk = DuckDBDataChunk.create(chunkTypes, count);
      const values: (readonly DuckDBValue[])[] = [
        columns.times.slice(from, from + count),
        rows.map((row) => first + BigInt(row)),
        columns.names.slice(from, from + count),
        new Array<string>(count).fill(index),
        new Array<bigint>(count).fill(received),
      ];
      for (const { column } of all) {
        const own = byColumn.get(column);
        values.push(
          own === undefined ? new Array<null>(count).fill(null) : (own.slice(from, from + count) as DuckDBValue[]),
        );
      }
      chunk.setColumns(values);
      appender.appendDataChunk(chunk);
    }
    appender.closeSync();
  }

  /** One write after the other. */
  private after<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.writing.then(work);
    this.writing = result.catch(() => {});
    return result;
  }

  /** Deletes the points of a category that are older than `before`, ns since 1970, and batch ids that no repeat needs any more. */
  async expire(workspace: string, category: CategoryName, before: bigint, batchesBefore: number): Promise<void> {
    const { tables } = await this.workspace(workspace);
    await this.after(async () => {
      if (tables.has(category)) await this.writer.run(`DELETE FROM ${tables.table(category)} WHERE ts < ?`, [before]);
      await this.writer.run(`DELETE FROM ${tables.batches} WHERE received < ?`, [BigInt(batchesBefore)]);
    });
  }

  async close(): Promise<void> {
    await this.writing;
    this.reader.closeSync();
    this.writer.closeSync();
    this.instance.closeSync();
  }
}

/** A number is a float whatever its value is; whole numbers are bigints. */
function typeOfParameter(value: Parameter): DuckDBType {
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "bigint") return BIGINT;
  return typeof value === "boolean" ? BOOLEAN : VARCHAR;
}

/** Blobs come in a class of the driver. */
function plainValue(value: DuckDBValue): unknown {
  if (typeof value === "object" && value !== null && "bytes" in value) return value.bytes;
  return value;
}
