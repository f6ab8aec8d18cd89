// Points in DuckDB, one file for all workspaces. Everything here runs in the store's own thread: one write at a time, queries beside it.

import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from "@duckdb/node-api";
import type { Engine, ObjectLabels } from "../../lib/dql/engine.ts";
import { sqlEngine } from "../../lib/dql/sql/engine.ts";
import { type Fragment, type Parameter, written } from "../../lib/dql/sql/fragment.ts";
import type { ResultRow } from "../../lib/dql/sql/rows.ts";
import type { Encodable, Millrace } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import { appendChunk, chunkRows } from "./append.ts";
import { arrayText } from "./array-text.ts";
import { checkedWorkspace, type PointsDatabase, type Taken } from "./points-database.ts";
import { Tables } from "./tables.ts";

export interface StoreOptions {
  /** `:memory:`, or the path of the file. */
  readonly file: string;
  /** Such as `1GB`; empty: the database's own limit. */
  readonly memoryLimit: string;
  /** ms since 1970. */
  readonly now: () => number;
  /** Reads points off their tape. */
  readonly mill: Pick<Millrace, "columnsUsed" | "columnChunks">;
}

interface Workspace {
  readonly tables: Tables;
  readonly engine: Engine;
  sequence: bigint;
}

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

  /** Stores the points of a batch, once for each id. The points must stay as they are until it resolves. */
  async ingest(
    workspace: string,
    category: CategoryName,
    batchId: string,
    points: Encodable,
    index = "default",
  ): Promise<Taken> {
    const owner = await this.workspace(workspace);
    return await this.after(async () => {
      const { tables } = owner;
      await tables.grow(this.writer, category, this.options.mill.columnsUsed(points));
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
        const count = await this.append(owner, category, points, index, received);
        await this.writer.run("COMMIT");
        return { points: count, repeated: false };
      } catch (error) {
        await this.writer.run("ROLLBACK").catch(() => {});
        throw error;
      }
    });
  }

  /** Gives the number of points. */
  private async append(
    owner: Workspace,
    category: CategoryName,
    points: Encodable,
    index: string,
    received: bigint,
  ): Promise<number> {
    const { tables } = owner;
    const [schema, table] = tables.table(category).split(".") as [string, string];
    const appender = await this.writer.createAppender(table, schema);
    const kinds = tables.kinds(category);
    let count = 0;
    for (const chunk of this.options.mill.columnChunks(points, { rows: chunkRows, arrayText })) {
      appendChunk(appender, kinds, ({ key, kind }) => tables.place(category, key, kind), chunk, {
        sequence: owner.sequence,
        index,
        received,
      });
      owner.sequence += BigInt(chunk.rows);
      count += chunk.rows;
    }
    appender.closeSync();
    return count;
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
