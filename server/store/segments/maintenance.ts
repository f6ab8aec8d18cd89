// The background work of the store: packs full generations (points in memory) into segments (Parquet files), merges
// small segments, deletes expired points, and moves damaged files aside. Tasks run one after the other on their own
// database connection. When an SQL statement fails, its task ends and the store stays as it was before the task.

import { rm } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { fixedColumns as fixed } from "../../../lib/dql/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import type { Expiry } from "../points-database.ts";
import { withoutPaths } from "../without-paths.ts";
import type { Acknowledged } from "./acknowledged.ts";
import { moveAside } from "./care/recover.ts";
import type { NamedKeys } from "./keys.ts";
import { mergeSegments, type Packer, packGeneration } from "./pack.ts";
import { readFiles } from "./relation.ts";
import { DamagedSegment, loadSegment, type Segment, segmentPaths, verifySegment } from "./segment.ts";
import type { StoreState } from "./state.ts";

/** A segment (Parquet file) with more rows than this is not merged any more. */
const mergedRows = 4_000_000;
/** In a merge, the largest segment (Parquet file) has at most this many times as many rows as the smallest one. */
const sameSize = 8;
const dayNs = 86_400_000_000_000n;

export class Maintenance {
  private readonly state: StoreState;
  private readonly connection: DuckDBConnection;
  private readonly acknowledged: Acknowledged;
  private readonly packer: Packer;
  private working: Promise<unknown> = Promise.resolve();
  private isClosing = false;

  constructor(state: StoreState, connection: DuckDBConnection, acknowledged: Acknowledged) {
    this.state = state;
    this.connection = connection;
    this.acknowledged = acknowledged;
    const { root, maxColumns } = state;
    this.packer = { connection, root, maxColumns, registry: state.keys.registry, nextId: () => state.nextSegmentId() };
  }

  /** Runs background tasks one after the other. */
  private after<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.working.then(work);
    this.working = result.catch(() => {});
    return result;
  }

  /** Stops the running task and starts no further tasks. */
  async close(): Promise<void> {
    this.isClosing = true;
    const ending = setInterval(() => this.connection.interrupt(), 10);
    await this.working;
    clearInterval(ending);
    await this.state.epochs.removalsDone();
  }

  /**
   * Writes all points in memory, except those of the newest generation (the set of tables that takes new points), into
   * segments (Parquet files). Then starts to merge small segments. Rejects when the points cannot be written.
   */
  async packFull(): Promise<void> {
    try {
      await this.after(async () => {
        while (this.state.generations.length > 1 && !this.isClosing) await this.packOldest();
      });
    } catch (error) {
      // An error of packing is ignored when the store closes: the points that are still in memory are packed after the
      // next start.
      if (!this.isClosing) throw error;
    }
    void this.mergeAll();
  }

  /** Packs the oldest generation (set of tables in memory). A newer generation already takes the new points. */
  private async packOldest(): Promise<void> {
    const { state } = this;
    const generation = state.generations[0]!;
    const segments = await packGeneration(this.packer, generation, state.workspaces);
    const batches = [...generation.batches].map(([text, received]) => {
      const [workspace, id] = [text.slice(0, text.indexOf(" ")), text.slice(text.indexOf(" ") + 1)];
      return { workspace, id, received };
    });
    state.registry.addBatches(batches);
    // After the calls of `addSegments` and `forgetGeneration`, new SQL statements read the new segments (Parquet
    // files) instead of the tables in memory.
    state.addSegments(segments);
    state.forgetGeneration(generation);
    try {
      await state.save();
    } catch (error) {
      for (const { segment } of segments) state.segments.delete(segment.entry.id);
      state.generations.unshift(generation);
      throw error;
    }
    this.acknowledged.remove(generation.number);
    const log = state.logs.get(generation.number);
    state.logs.delete(generation.number);
    await log?.remove();
    state.epochs.retire(() => generation.drop(this.connection));
  }

  /**
   * Merges small segments (Parquet files) until no folder has enough of them for another merge. A failure is logged,
   * and the next call tries again.
   */
  async mergeAll(): Promise<void> {
    try {
      while (!this.isClosing && (await this.after(() => this.mergeOnce())));
    } catch (error) {
      if (!this.isClosing)
        this.state.events.warn(`segments of the points store could not be merged: ${withoutPaths(error)}`);
    }
  }

  private async mergeOnce(): Promise<boolean> {
    const { state } = this;
    const chosen = mergeable([...state.segments.values()], state.mergeFiles);
    if (chosen === undefined || this.isClosing) return false;
    await this.rewrite(chosen);
    return true;
  }

  /** Replaces several segments (Parquet files) by one segment that leaves out deleted points. */
  private async rewrite(segments: readonly Segment[]): Promise<void> {
    const { state } = this;
    const { category } = segments[0]!.entry;
    const merged = await mergeSegments(this.packer, segments, state.floors.get(category), await this.keysOf(segments));
    for (const { entry } of segments) state.segments.delete(entry.id);
    if (merged.segment.entry.rows > 0) state.addSegments([merged]);
    try {
      await state.save();
    } catch (error) {
      state.segments.delete(merged.segment.entry.id);
      for (const segment of segments) state.segments.set(segment.entry.id, segment);
      throw error;
    }
    this.removeFiles(merged.segment.entry.rows > 0 ? segments : [...segments, merged.segment]);
  }

  private async keysOf(segments: readonly Segment[]): Promise<Map<string, NamedKeys>> {
    const all = new Map<string, Map<string, Set<number>>>();
    for (const { entry } of segments) {
      const { workspaces } = await loadSegment(this.state.root, entry, this.state.keys.registry);
      for (const [workspace, names] of workspaces) {
        const own = all.get(workspace) ?? new Map<string, Set<number>>();
        all.set(workspace, own);
        for (const [name, ids] of names) {
          const known = own.get(name);
          own.set(name, known === undefined ? new Set(ids) : new Set([...known, ...ids]));
        }
      }
    }
    return all;
  }

  private removeFiles(segments: readonly Segment[]): void {
    this.state.epochs.retire(async () => {
      for (const { entry } of segments) {
        const { parquet, keys } = segmentPaths(this.state.root, entry);
        await rm(parquet, { force: true });
        await rm(keys, { force: true });
      }
    });
  }

  /**
   * Deletes points that are too old. A segment with only old points is removed. In other segments the old points stay
   * in the file, but queries ignore points before the time limit. Returns the number of deleted points. When the signal
   * aborts, the remaining work is left to the next call.
   */
  expire(before: Expiry, signal?: AbortSignal): Promise<number> {
    return this.after(async () => {
      let deleted = 0;
      for (const [category, limit] of Object.entries(before) as [CategoryName, bigint][]) {
        if (signal?.aborted) break;
        const floor = this.state.floors.get(category);
        if (floor === undefined || floor < limit) deleted += await this.expireCategory(category, floor, limit);
      }
      return deleted;
    });
  }

  private async expireCategory(category: CategoryName, floor: bigint | undefined, limit: bigint): Promise<number> {
    const { state } = this;
    const segments = [...state.segments.values()].filter(
      (each) => each.entry.category === category && each.start < limit,
    );
    let deleted = 0;
    for (const segment of segments) {
      const isWhole = segment.end < limit && (floor === undefined || segment.start >= floor);
      deleted += isWhole ? segment.entry.rows : await this.count(segment, floor, limit);
    }
    const old = segments.filter(({ end }) => end < limit);
    const former = state.floors.get(category);
    state.floors.set(category, limit);
    for (const { entry } of old) state.segments.delete(entry.id);
    try {
      if (segments.length > 0) await state.save();
    } catch (error) {
      if (former === undefined) state.floors.delete(category);
      else state.floors.set(category, former);
      for (const segment of old) state.segments.set(segment.entry.id, segment);
      throw error;
    }
    this.removeFiles(old);
    if (old.length > 0) await this.renewKeys(category);
    // A file with points of several days, of which one or more whole days are expired, is rewritten without these
    // days.
    for (const segment of segments)
      if (segment.end >= limit && limit / dayNs - segment.start / dayNs >= 2n && !this.isClosing)
        await this.rewrite([segment]);
    return deleted;
  }

  private async count({ file }: Segment, from: bigint | undefined, to: bigint): Promise<number> {
    const since = from === undefined ? "" : ` AND ${fixed.time} >= ${from}`;
    const counted = await this.connection.runAndReadAll(
      `SELECT count(*) FROM ${readFiles([file])} WHERE ${fixed.time} < ${to}${since}`,
    );
    return Number(counted.getRows()[0]![0]);
  }

  /** Removes from the index the keys (tags and fields) that only deleted points had. */
  private async renewKeys(category: CategoryName): Promise<void> {
    const { state } = this;
    const segments = [...state.segments.values()].filter(({ entry }) => entry.category === category);
    const found = await this.keysOf(segments);
    state.keys.forget(category);
    for (const [workspace, names] of found) state.keys.of(workspace, category).addAll(names);
    for (const generation of state.generations)
      for (const [workspace, keys] of generation.tables.get(category)?.workspaces ?? [])
        state.keys.of(workspace, category).addAll(keys.names);
  }

  /** Reads every file completely and moves damaged files aside. Returns the number of damaged files. */
  async verify(segments: readonly Segment[] = [...this.state.segments.values()]): Promise<number> {
    let damaged = 0;
    for (const segment of segments) {
      if (this.isClosing) break;
      try {
        if (this.state.segments.has(segment.entry.id)) await verifySegment(this.state.root, segment.entry);
      } catch (error) {
        // A merge may have replaced the file while this method was reading. A file that was replaced does not count as
        // damaged.
        if (!(error instanceof DamagedSegment) || !this.state.segments.has(segment.entry.id)) continue;
        damaged++;
        await this.after(async () => {
          this.state.segments.delete(segment.entry.id);
          await setAside(this.state, segment.entry, error.message);
          await this.state.save();
        });
      }
    }
    return damaged;
  }
}

/**
 * Returns segments (Parquet files) of one folder with similar sizes that should be merged, or undefined when there are
 * too few.
 */
function mergeable(segments: readonly Segment[], least: number): Segment[] | undefined {
  const folders = new Map<string, Segment[]>();
  for (const segment of segments) {
    if (segment.entry.rows > mergedRows / 2) continue;
    const { folder } = segment.entry;
    const own = folders.get(folder) ?? [];
    folders.set(folder, own);
    own.push(segment);
  }
  for (const own of folders.values()) {
    own.sort((a, b) => a.entry.rows - b.entry.rows);
    for (let from = 0; from + least <= own.length; from++) {
      const chosen: Segment[] = [];
      let rows = 0;
      for (const segment of own.slice(from)) {
        if (segment.entry.rows > own[from]!.entry.rows * sameSize || rows + segment.entry.rows > mergedRows) break;
        rows += segment.entry.rows;
        chosen.push(segment);
      }
      // The segments (Parquet files) are returned in the order in which they were written.
      if (chosen.length >= least) return chosen.sort((a, b) => (a.entry.id < b.entry.id ? -1 : 1));
    }
  }
  return undefined;
}

/** Moves the files of a segment (Parquet file and key file) out of the store and logs how many points are lost. */
export async function setAside(state: StoreState, entry: Segment["entry"], reason: string): Promise<void> {
  await moveAside(state.root, entry);
  state.events.lost(entry.rows);
  state.events.warn(
    `the points store has set aside a damaged segment with ${entry.rows} points of ${entry.folder}: ${entry.id}.parquet: ${reason}; what is left of it lies in points/damaged`,
  );
}
