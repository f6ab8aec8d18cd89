// Points in DuckDB, one file for all workspaces. Everything here runs in the store's own thread: one write at a time, queries beside it.

import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Engine } from "../../lib/dql/engine.ts";
import { sqlEngine } from "../../lib/dql/sql/engine.ts";
import type { Encodable, Millrace } from "../../lib/index.ts";
import { type CategoryName, categories } from "../../lib/point/category.ts";
import { settings } from "./database.ts";
import { GroupCommit, type Owner } from "./group-commit.ts";
import { readLabels, setLabels } from "./labels.ts";
import {
  checkedWorkspace,
  type Expiry,
  type LabelledObject,
  type PointsDatabase,
  type Taken,
} from "./points-database.ts";
import { type Reader, Readers } from "./readers.ts";
import { Tables } from "./tables.ts";

export interface StoreOptions {
  /** `:memory:`, or the path of the file. */
  readonly file: string;
  /** Such as `1GB`; empty: the database's own limit. */
  readonly memoryLimit: string;
  /** Queries at once; more of them wait. Each holds one of the process's four threads for files and names while it runs: 2 when absent. */
  readonly maxQueries?: number;
  /** Bytes of rows that one query may hold, about; 0 or absent: no bound. */
  readonly maxQueryBytes?: number;
  /** ms since 1970. */
  readonly now: () => number;
  /** Reads points off their tape. */
  readonly mill: Pick<Millrace, "columnsUsed" | "columnChunks">;
}

export class DuckStore implements PointsDatabase {
  private readonly options: StoreOptions;
  private readonly instance: DuckDBInstance;
  private readonly writer: DuckDBConnection;
  private readonly readers: Readers;
  private readonly writes: GroupCommit;
  private readonly workspaces = new Map<string, Promise<Owner>>();
  /** The write under way: the next one waits for it. */
  private writing: Promise<unknown> = Promise.resolve();

  private constructor(options: StoreOptions, instance: DuckDBInstance, writer: DuckDBConnection) {
    this.options = options;
    this.instance = instance;
    this.writer = writer;
    this.readers = new Readers(instance, options.maxQueries ?? 2);
    const { now, mill } = options;
    this.writes = new GroupCommit({ connection: writer, now, mill, after: (work) => this.after(work) });
  }

  static async open(options: StoreOptions): Promise<DuckStore> {
    const instance = await DuckDBInstance.create(options.file, {
      ...settings,
      // No file but its own is read.
      enable_external_access: "false",
      ...(options.memoryLimit === "" ? {} : { memory_limit: options.memoryLimit }),
    });
    return new DuckStore(options, instance, await instance.connect());
  }

  /** `id`: letters and digits. */
  private workspace(id: string): Promise<Owner> {
    let workspace = this.workspaces.get(id);
    if (workspace === undefined) {
      workspace = this.after(() => this.openWorkspace(id));
      this.workspaces.set(id, workspace);
      workspace.catch(() => this.workspaces.delete(id));
    }
    return workspace;
  }

  private async openWorkspace(id: string): Promise<Owner> {
    const tables = await Tables.open(this.writer, `w_${checkedWorkspace(id)}`);
    // Behind every number given before, also by a clock that was ahead: in microseconds.
    const byClock = BigInt(this.options.now()) * 1000n;
    const last = await tables.lastSequence(this.writer);
    return { tables, sequence: last < byClock ? byClock : last + 1n };
  }

  /** What it reads together is bounded, and ends with the signal. */
  async engine(workspace: string, signal: AbortSignal = new AbortController().signal): Promise<Engine> {
    const { tables } = await this.workspace(workspace);
    const reader = this.reader(signal);
    return sqlEngine({
      name: "duckdb",
      catalog: tables,
      run: (statement) => reader.run(statement),
      exceeded: (error) => error instanceof Error && error.message.startsWith("Out of Range Error"),
      has: (category) => tables.has(category),
      keys: async (category) => tables.keys(category),
      labels: (category) => readLabels(reader, tables, category),
    });
  }

  /** Runs statements for one query. */
  reader(signal: AbortSignal): Reader {
    return this.readers.reader({ signal, maxBytes: this.options.maxQueryBytes ?? 0 });
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
    return await this.writes.store({ owner, category, batchId, points, index });
  }

  /** Replaces the labels of an object; null takes them away. */
  async label(workspace: string, object: LabelledObject, labels: readonly string[] | null): Promise<void> {
    const { tables } = await this.workspace(workspace);
    await this.after(() => setLabels(this.writer, tables, object, labels));
  }

  /**
   * Deletes points that are too old, in every workspace, and batch ids from before (ms since 1970) that no repeat needs any more. Gives
   * the number of points. When the signal comes it leaves the rest to the next time.
   */
  async expire(before: Expiry, batchesBefore: number, signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    for (const schema of await this.after(() => Tables.schemas(this.writer))) {
      const { tables } = await this.workspace(schema.slice("w_".length));
      for (const category of categories) {
        const limit = before[category];
        if (signal?.aborted) return deleted;
        if (limit === undefined || !tables.has(category)) continue;
        deleted += await this.after(async () => {
          const gone = await this.writer.run(`DELETE FROM ${tables.table(category)} WHERE ts < ?`, [limit]);
          return gone.rowsChanged;
        });
      }
      await this.after(() =>
        this.writer.run(`DELETE FROM ${tables.batches} WHERE received < ?`, [BigInt(batchesBefore)]),
      );
    }
    // The blocks of what was deleted are free from here on. While a query reads, that waits for the next time.
    if (deleted > 0) await this.after(() => this.writer.run("CHECKPOINT").catch(() => {}));
    return deleted;
  }

  /** One write after the other. */
  private after<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.writing.then(work);
    this.writing = result.catch(() => {});
    return result;
  }

  /** When nothing reads or writes any more but what waits for its turn. */
  async close(): Promise<void> {
    // Writes that wait follow the one under way.
    for (let last: unknown; last !== this.writing; await last) last = this.writing;
    this.readers.close();
    this.writer.closeSync();
    this.instance.closeSync();
  }
}
