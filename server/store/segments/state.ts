// The state of a running points store: the segments of the manifest, the generations of the hot part with their parts of the log, the keys of all
// points, and the database that reads them. The files of this folder work on it; store.ts puts them together.

import { mkdir } from "node:fs/promises";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Millrace } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
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
  /** The folder of the store's files. */
  readonly folder: string;
  /** Memory of the database, such as `1GB`; empty: the database's own limit. */
  readonly memoryLimit: string;
  /** Queries at once; more of them wait. Each holds one of the process's four threads for files and names while it runs: 2 when absent. */
  readonly maxQueries?: number;
  /** Bytes of rows that one query may hold, about; 0 or absent: no bound. */
  readonly maxQueryBytes?: number;
  /** ms since 1970. */
  readonly now: () => number;
  readonly mill: Pick<Millrace, "columnsUsed" | "columnChunks" | "decodePoints" | "encodeTo">;
  readonly hot?: HotLimits;
  /** Small segments of one folder that become one: 8 when absent. */
  readonly mergeFiles?: number;
  readonly keys?: KeyLimits;
  /** Keys of a table or file with a column of their own: 256 when absent. */
  readonly maxColumns?: number;
  /** Is told of what is not as it should be, and of long work. */
  readonly events?: StoreEvents;
}

/** When the hot part is packed into segments. */
export interface HotLimits {
  /** Points in it. */
  readonly points: number;
  /** ms since the first of them came. */
  readonly ms: number;
}

export interface StoreEvents {
  info(line: string): void;
  warn(line: string): void;
  /** Points that damage has cost. */
  lost(points: number): void;
  /** Why nothing can be stored at the moment; undefined when it works again. */
  problem(reason: string | undefined): void;
}

const defaultHot: HotLimits = { points: 1_000_000, ms: 600_000 };
const defaultMergeFiles = 8;
const defaultMaxColumns = 256;
/** The share of the database's memory that a full generation takes, and bytes of it without a limit. */
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
  /** Oldest first; the last one takes points. */
  readonly generations: Generation[] = [];
  readonly logs = new Map<number, LogPart>();
  readonly floors = new Map<CategoryName, bigint>();
  /** Ids of workspaces by their numbers in the hot part. */
  readonly workspaces: string[] = [];
  instance!: DuckDBInstance;
  registry!: Registry;
  nextSegment = 1;
  nextLog = 1;
  /** The number of the last point by arrival, by workspace. */
  readonly lastSequences = new Map<string, bigint>();
  upgraded: string[] | undefined;
  /** Why nothing could be stored last; undefined when it works. */
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

  /** Opens the database, which has no file of its own: it may read and write below the store's folder only. */
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
    // Writing a file in the order of its rows holds many row groups in memory.
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

  /** Keys that get a column before others in a new table: those that most points of the generation before had. */
  firstColumns(category: CategoryName): readonly KindOfKey[] {
    return this.generations.at(-2)?.tables.get(category)?.commonKeys() ?? this.common.get(category) ?? [];
  }

  /** How batches are added to a generation. */
  addOptions(): Omit<AddOptions, "next"> {
    return {
      mill: this.options.mill,
      registry: this.keys.registry,
      maxColumns: this.maxColumns,
      first: (category) => this.firstColumns(category),
    };
  }

  /** A generation leaves the hot part. */
  forgetGeneration(generation: Generation): void {
    this.generations.splice(this.generations.indexOf(generation), 1);
    for (const [category, table] of generation.tables) this.common.set(category, table.commonKeys());
  }

  /** Something was stored: what failed before works again. */
  works(): void {
    if (this.problem === undefined) return;
    this.problem = undefined;
    this.events.problem(undefined);
  }

  /** Something could not be stored; returns what the sender is told. */
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

  /** Writes the manifest as the state is now; one write follows the other. */
  save(): Promise<void> {
    const saved = this.saving.then(() => writeManifest(this.root, this.manifest()));
    this.saving = saved.catch(() => {});
    return saved;
  }
}
