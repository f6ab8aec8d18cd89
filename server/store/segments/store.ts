// The points store of one machine. The newest points are in tables in memory, protected by a log on the disk. All older
// points are in immutable Parquet files by category, day and workspace, which a manifest lists. DuckDB reads tables and
// files as one relation. docs/store.md describes the files and what the store guarantees.

import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Engine, type Fragment, fixedColumns as fixed, sqlEngine } from "../../../lib/dql/index.ts";
import type { Encodable } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { labelsOf } from "../labels.ts";
import {
  checkedWorkspace,
  type Expiry,
  type IngestOptions,
  type LabelledObject,
  type PointsDatabase,
  type StoreResult,
} from "../points-database.ts";
import { type Reader, Readers } from "../readers.ts";
import type { Acknowledged } from "./acknowledged.ts";
import { Ingest } from "./ingest.ts";
import { Maintenance } from "./maintenance.ts";
import { openState } from "./open.ts";
import { WorkspaceCatalog } from "./relation.ts";
import { type StoreOptions, StoreState } from "./state.ts";

/**
 * Two intervals in ms. `probeMs`: how often the store tests, after a failed write, whether it can write again.
 * `lookMs`: how often it checks whether points in memory should be packed into files.
 */
const probeMs = 1000;
const lookMs = 1000;
/** Minimum time in ms from one check of all files to the next. Failed queries start these checks. */
const verifyMs = 60_000;
/**
 * When no points were written for this many ms, the points in memory are packed into files, but only if there are at
 * least `idlePoints` points.
 */
const idleMs = 3000;
const idlePoints = 20_000;

export class SegmentStore implements PointsDatabase {
  private readonly state: StoreState;
  private readonly writer: DuckDBConnection;
  private readonly packing: DuckDBConnection;
  private readonly readers: Readers;
  private readonly ingesting: Ingest;
  private readonly maintenance: Maintenance;
  private readonly acknowledged: Acknowledged;
  private readonly timers: ReturnType<typeof setInterval>[];
  private isPacking = false;
  private lastVerified = Number.NEGATIVE_INFINITY;
  /** The write that is in progress; the next write waits until it has ended. */
  private writing: Promise<unknown> = Promise.resolve();

  private constructor(
    state: StoreState,
    { writer, packing }: { readonly writer: DuckDBConnection; readonly packing: DuckDBConnection },
    acknowledged: Acknowledged,
  ) {
    this.state = state;
    this.writer = writer;
    this.packing = packing;
    this.acknowledged = acknowledged;
    this.readers = new Readers(state.instance, state.options.maxQueries ?? 2);
    this.maintenance = new Maintenance(state, packing, acknowledged);
    this.ingesting = new Ingest(state, {
      ...{ connection: writer, acknowledged },
      after: (work) => this.after(work),
      packed: () => this.maintenance.packFull(),
    });
    this.timers = [setInterval(() => void this.probe(), probeMs), setInterval(() => void this.packSometimes(), lookMs)];
    for (const timer of this.timers) timer.unref();
  }

  /** Opens a store. Throws when the folder contains a store that this version of Millrace cannot read. */
  static async open(options: StoreOptions): Promise<SegmentStore> {
    const state = new StoreState(options);
    await state.openDatabase();
    const [writer, packing] = [await state.instance.connect(), await state.instance.connect()];
    const acknowledged = await openState(state, writer);
    const store = new SegmentStore(state, { writer, packing }, acknowledged);
    if (state.generations.length > 1) void store.maintenance.packFull().catch((error) => state.fails(error));
    void store.verify().catch((error) => state.fails(error));
    return store;
  }

  /** Returns the engine for queries about one workspace. When the signal aborts, running queries stop and fail. */
  async engine(workspace: string, signal: AbortSignal = new AbortController().signal): Promise<Engine> {
    const { state } = this;
    const own = { id: checkedWorkspace(workspace), number: state.workspaceNumber(workspace) };
    const catalog = new WorkspaceCatalog(state.keys, own);
    const reader = this.reader(signal);
    const keys = (category: CategoryName, names?: readonly string[]) =>
      state.keys.find(workspace, category)?.keys(names) ?? [];
    return sqlEngine({
      name: "duckdb",
      catalog,
      run: (statement) => this.run(reader, catalog, statement),
      exceeded: (error) => error instanceof Error && error.message.startsWith("Out of Range Error"),
      has: (category) => state.keys.find(workspace, category) !== undefined,
      keys: async (category, names) => keys(category, names),
      labels: async (category) => labelsOf(state.registry.labels(workspace), { keys }, category),
    });
  }

  private async run(reader: Reader, catalog: WorkspaceCatalog, statement: Fragment): ReturnType<Reader["run"]> {
    const leave = this.state.epochs.enter();
    try {
      return await reader.run(catalog.written(statement, (category) => this.state.sourcesOf(category)));
    } catch (error) {
      // The query may have failed because of a damaged file. In this case the file is moved aside and the query runs
      // again without it.
      if (!isReadError(error) || (await this.verifyAgain()) === 0) throw error;
      return await reader.run(catalog.written(statement, (category) => this.state.sourcesOf(category)));
    } finally {
      leave();
    }
  }

  /**
   * Checks all files for damage, unless they were checked less than `verifyMs` ms ago. A check reads every file,
   * so it would take too long after each failed query.
   */
  private async verifyAgain(): Promise<number> {
    if (performance.now() - this.lastVerified < verifyMs) return 0;
    this.lastVerified = performance.now();
    return await this.maintenance.verify();
  }

  /** Returns a reader that runs the SQL statements of one query. */
  reader(signal: AbortSignal): Reader {
    return this.readers.reader({ signal, maxBytes: this.state.options.maxQueryBytes ?? 0 });
  }

  /**
   * Stores a batch of points. A batch with an id that was stored before is not stored again. The points must not change
   * until the promise resolves.
   */
  async ingest(
    workspace: string,
    category: CategoryName,
    batchId: string,
    points: Encodable,
    { index = "default", maxBytes = Number.POSITIVE_INFINITY }: IngestOptions = {},
  ): Promise<StoreResult> {
    const own = checkedWorkspace(workspace);
    return await this.ingesting.store({ workspace: own, category, batchId, points, index, maxBytes });
  }

  /** Replaces the labels of an object; `null` removes the labels. */
  async label(workspace: string, object: LabelledObject, labels: readonly string[] | null): Promise<void> {
    this.state.registry.setLabels(checkedWorkspace(workspace), object, labels);
  }

  /**
   * Deletes expired points of all workspaces. Also deletes batch ids that are older than a time (ms since 1970),
   * because senders do not repeat older batches. Returns the number of deleted points. When the signal aborts, the
   * remaining work is left to the next call.
   */
  async expire(before: Expiry, batchesBefore: number, signal?: AbortSignal): Promise<number> {
    const received = BigInt(batchesBefore);
    const deleted = (await this.expireHot(before)) + (await this.maintenance.expire(before, signal));
    this.state.registry.forgetBatches(received);
    for (const { batches } of this.state.generations)
      for (const [id, at] of batches) if (at < received) batches.delete(id);
    return deleted;
  }

  /**
   * Deletes the expired points in memory, as soon as all earlier writes have ended. This must not be a part of the
   * background task that deletes the expired points in files. A write may wait until a background task has packed
   * points. If that background task in turn waited for the write, neither of them would ever end.
   */
  private expireHot(before: Expiry): Promise<number> {
    return this.after(async () => {
      let deleted = 0;
      for (const [category, limit] of Object.entries(before) as [CategoryName, bigint][]) {
        for (const generation of this.state.generations) {
          const table = generation.tables.get(category);
          if (table === undefined || table.rows === 0 || table.start >= limit) continue;
          const gone = await this.writer.run(`DELETE FROM ${table.name} WHERE ${fixed.time} < ${limit}`);
          deleted += gone.rowsChanged;
          table.start = limit;
        }
      }
      return deleted;
    });
  }

  /** Packs all points in memory into segments (Parquet files), and merges small segments. */
  async pack(): Promise<void> {
    await this.after(async () => {
      if (this.state.generations.some(({ rows }) => rows > 0)) await this.ingesting.begin();
    });
    await this.maintenance.packFull();
    await this.maintenance.mergeAll();
  }

  /** Reads every file and moves damaged files aside. Returns the number of damaged files. */
  verify(): Promise<number> {
    return this.maintenance.verify();
  }

  /**
   * Packs points into files when they have been in memory for `hot.ms` ms. Also packs points when no points were
   * written for `idleMs` ms and at least `idlePoints` points are in memory.
   */
  private async packSometimes(): Promise<void> {
    if (this.isPacking) return;
    this.isPacking = true;
    try {
      await this.packWhenDue();
    } catch (error) {
      this.state.fails(error);
    } finally {
      this.isPacking = false;
    }
  }

  private async packWhenDue(): Promise<void> {
    const { generations, hot, options } = this.state;
    const newest = generations.at(-1);
    if (generations.length > 1) await this.maintenance.packFull();
    else if (newest === undefined || newest.rows === 0) return;
    else if (
      options.now() - newest.since >= hot.ms ||
      (newest.rows >= idlePoints && performance.now() - this.ingesting.lastWrite >= idleMs)
    )
      await this.pack();
  }

  /**
   * Tests, after a failed write, whether the store can write again. Without this test, only the next batch of points
   * would show that the store works again.
   */
  private async probe(): Promise<void> {
    const { state } = this;
    if (state.problem === undefined) return;
    const file = path.join(state.root, "log", "probe");
    try {
      await writeFile(file, Buffer.alloc(1 << 20), { flush: true });
      await rm(file, { force: true });
      if (state.generations.length > 1) await this.maintenance.packFull();
      state.works();
    } catch {
      await rm(file, { force: true }).catch(() => {});
      // Packing may free disk space, because segments (Parquet files) take less space than the log.
      if (state.generations.length === 1) await this.pack().catch(() => {});
    }
  }

  /** Runs the writes of the store one after the other. */
  private after<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.writing.then(work);
    this.writing = result.catch(() => {});
    return result;
  }

  /** Closes the store after the waiting writes are done. The points in memory stay in the log for the next start. */
  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    for (let last: unknown; last !== this.writing; await last) last = this.writing;
    await this.maintenance.close();
    this.readers.close();
    for (const log of this.state.logs.values()) await log.close();
    this.acknowledged.close();
    this.state.registry.close();
    this.writer.closeSync();
    this.packing.closeSync();
    this.state.instance.closeSync();
  }
}

function isReadError(error: unknown): boolean {
  return error instanceof Error && /\.parquet|ZSTD|decompress/.test(error.message);
}
