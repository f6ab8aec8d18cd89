// The state of a running points store: the segments (Parquet files) of the manifest, the generations (sets of tables in
// memory) with their log parts, the keys of all points, and the DuckDB database that reads them. The other files of
// this folder work on this state; store.ts combines them.

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Millrace } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { bytesIn } from "../bytes-in.ts";
import { settings } from "../database.ts";
import { defaultKeyLimits, type KeyLimits, TooManyKeys } from "../points-database.ts";
import { withoutPaths } from "../without-paths.ts";
import { Epochs } from "./epochs.ts";
import type { AddOptions, Generation } from "./hot.ts";
import { StoredKeys } from "./keys.ts";
import type { KindOfKey } from "./layout.ts";
import type { LogPart } from "./log.ts";
import { type Manifest, storeFormat, writeManifest } from "./manifest.ts";
import type { Registry } from "./registry.ts";
import type { Sources } from "./relation.ts";
import type { LoadedSegment, Segment } from "./segment.ts";

export interface StoreOptions {
  /** The folder in which the store keeps its files. */
  readonly folder: string;
  /** The memory limit of DuckDB, such as `1GB`; empty: the limit that DuckDB chooses. */
  readonly memoryLimit: string;
  /**
   * Maximum number of queries that run at the same time; 2 when absent. Further queries wait. Each running query
   * occupies one of the four threads with which Node.js reads files and resolves host names.
   */
  readonly maxQueries?: number;
  /** Approximate maximum number of bytes that the rows held by one query may take; 0 or absent: no limit. */
  readonly maxQueryBytes?: number;
  /** Returns the current time in ms since 1970. */
  readonly now: () => number;
  readonly mill: Pick<Millrace, "columnsUsed" | "columnChunks" | "decodePoints" | "encodeTo">;
  readonly hot?: HotLimits;
  /** The number of small segments (Parquet files) of one folder that are merged into one; 8 when absent. */
  readonly mergeFiles?: number;
  readonly keys?: KeyLimits;
  /** Maximum number of keys that have a column of their own in a table or file; 256 when absent. */
  readonly maxColumns?: number;
  /** Callbacks by which the store reports problems and long tasks. */
  readonly events?: StoreEvents;
}

/**
 * Limits of the hot part (points in memory). When a limit is reached, the points are packed into segments (Parquet
 * files).
 */
export interface HotLimits {
  /** The largest number of points that the store holds in memory. */
  readonly points: number;
  /** Time in ms, counted from the arrival of the oldest point in memory, after which the points are packed. */
  readonly ms: number;
}

export interface StoreEvents {
  info(line: string): void;
  warn(line: string): void;
  /** Reports the number of points that were lost because of damage. */
  lost(points: number): void;
  /** Reports why the store cannot store points at the moment; undefined when the store works again. */
  problem(reason: string | undefined): void;
}

const defaultHot: HotLimits = { points: 1_000_000, ms: 600_000 };
const defaultMergeFiles = 8;
const defaultMaxColumns = 256;
/**
 * A generation (set of tables in memory) is full when its tables take `mostHotBytes`, or 1/`hotShare` of the database's
 * memory limit if this is less.
 */
const hotShare = 6;
const mostHotBytes = 112 * 1024 * 1024;

export class StoreState {
  readonly options: StoreOptions;
  readonly root: string;
  readonly keys = new StoredKeys();
  readonly epochs: Epochs;
  readonly hot: HotLimits & { readonly bytes: number };
  readonly keyLimits: KeyLimits;
  readonly maxColumns: number;
  readonly mergeFiles: number;
  readonly events: StoreEvents;
  readonly segments = new Map<string, Segment>();
  /** The generations (sets of tables in memory), oldest first. The last one takes new points. */
  readonly generations: Generation[] = [];
  readonly logs = new Map<number, LogPart>();
  readonly floors = new Map<CategoryName, bigint>();
  /** The ids of the workspaces. The tables in memory name a workspace by its index in this list. */
  readonly workspaces: string[] = [];
  instance!: DuckDBInstance;
  registry!: Registry;
  nextSegment = 1;
  nextLog = 1;
  /** The last sequence number (order of arrival) that each workspace has used. */
  readonly lastSequences = new Map<string, bigint>();
  upgraded: string[] | undefined;
  /** The reason why the last write failed; undefined while the store works. */
  problem: string | undefined;
  private readonly common = new Map<CategoryName, readonly KindOfKey[]>();
  private readonly numbers = new Map<string, number>();
  private saving: Promise<void> = Promise.resolve();

  constructor(options: StoreOptions) {
    this.options = options;
    this.root = options.folder;
    const memory = bytesIn(options.memoryLimit);
    const bytes = memory === 0 ? mostHotBytes : Math.min(mostHotBytes, memory / hotShare);
    this.hot = { ...(options.hot ?? defaultHot), bytes };
    this.keyLimits = options.keys ?? defaultKeyLimits;
    this.maxColumns = options.maxColumns ?? defaultMaxColumns;
    this.mergeFiles = options.mergeFiles ?? defaultMergeFiles;
    this.events = options.events ?? { info: () => {}, warn: () => {}, lost: () => {}, problem: () => {} };
    this.epochs = new Epochs((error) => this.events.warn(`a file or table could not be removed: ${String(error)}`));
  }

  /** Opens the DuckDB database in memory. It may read and write files only below the store's folder. */
  async openDatabase(): Promise<void> {
    const temporary = path.join(this.root, "temporary");
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const { memoryLimit } = this.options;
    this.instance = await DuckDBInstance.create(":memory:", {
      ...settings,
      temp_directory: temporary,
      ...(memoryLimit === "" ? {} : { memory_limit: memoryLimit }),
    });
    const connection = await this.instance.connect();
    const folder = `${this.root.replaceAll("'", "''")}/`;
    await connection.run(`SET allowed_directories = ['${folder}']`);
    await connection.run("SET enable_external_access = false");
    // DuckDB may write rows in any order. To preserve the order of rows, it would keep many row groups in memory
    // while it writes a file.
    await connection.run("SET preserve_insertion_order = false");
    await connection.run("SET lock_configuration = true");
    connection.closeSync();
  }

  workspaceNumber(id: string): number {
    let number = this.numbers.get(id);
    if (number === undefined) {
      number = this.workspaces.push(id) - 1;
      this.numbers.set(id, number);
    }
    return number;
  }

  sourcesOf(category: CategoryName): Sources {
    return {
      tables: this.generations.flatMap((generation) => generation.tables.get(category) ?? []),
      segments: [...this.segments.values()].filter(({ entry }) => entry.category === category),
      floor: this.floors.get(category),
    };
  }

  addSegments(loaded: readonly LoadedSegment[]): void {
    for (const { segment, workspaces } of loaded) {
      this.segments.set(segment.entry.id, segment);
      for (const [workspace, names] of workspaces) this.keys.of(workspace, segment.entry.category).addAll(names);
      for (const [workspace] of workspaces) this.noteSequence(workspace, BigInt(segment.entry.lastSequence));
    }
  }

  noteSequence(workspace: string, last: bigint): void {
    if (last > (this.lastSequences.get(workspace) ?? -1n)) this.lastSequences.set(workspace, last);
  }

  nextSegmentId(): string {
    return String(this.nextSegment++).padStart(12, "0");
  }

  /**
   * Returns the keys that are preferred for a column of their own in a new table: the keys that most points had in the
   * previous generation (set of tables in memory).
   */
  firstColumns(category: CategoryName): readonly KindOfKey[] {
    return this.generations.at(-2)?.tables.get(category)?.commonKeys() ?? this.common.get(category) ?? [];
  }

  /** Returns the options for adding batches to a generation (set of tables in memory). */
  addOptions(): Omit<AddOptions, "next"> {
    return {
      mill: this.options.mill,
      registry: this.keys.registry,
      maxColumns: this.maxColumns,
      first: (category) => this.firstColumns(category),
    };
  }

  /** Removes a generation (set of tables in memory), because its points are in segments (Parquet files) now. */
  forgetGeneration(generation: Generation): void {
    this.generations.splice(this.generations.indexOf(generation), 1);
    for (const [category, table] of generation.tables) this.common.set(category, table.commonKeys());
  }

  /** Called after a successful write. When an earlier write had failed, reports that the problem is over. */
  works(): void {
    if (this.problem === undefined) return;
    this.problem = undefined;
    this.events.problem(undefined);
  }

  /**
   * Called after a failed write. Reports the reason unless a problem was reported before. Returns the error for
   * the sender.
   */
  fails(error: unknown): Error {
    if (error instanceof TooManyKeys) return error;
    const reason = withoutPaths(error);
    if (this.problem === undefined) {
      this.problem = reason;
      this.events.problem(reason);
    }
    return error instanceof Error ? error : new Error(reason);
  }

  private manifest(): Manifest {
    return {
      format: storeFormat,
      nextSegment: this.nextSegment,
      nextLog: this.nextLog,
      logs: this.generations.map(({ number }) => number),
      floors: Object.fromEntries([...this.floors].map(([category, floor]) => [category, String(floor)])),
      segments: [...this.segments.values()].map(({ entry }) => entry),
      ...(this.upgraded === undefined ? {} : { upgraded: this.upgraded }),
    };
  }

  /** Writes the manifest (the list of files) from the current state. Concurrent calls write one after the other. */
  save(): Promise<void> {
    const saved = this.saving.then(() => writeManifest(this.root, this.manifest()));
    this.saving = saved.catch(() => {});
    return saved;
  }
}
