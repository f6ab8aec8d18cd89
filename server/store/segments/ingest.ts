// Stores batches of points in the hot part (tables in memory) and in the log in one step. Each batch is stored
// completely or not at all, and only once for each batch id.

import { statfs } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Encodable, Millrace } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { type StoreResult, WrittenTooMuch } from "../points-database.ts";
import type { Acknowledged } from "./acknowledged.ts";
import { GroupCommit } from "./group-commit.ts";
import { addBatches, Generation, type HotBatch, type PlacedBatch } from "./hot.ts";
import { LogPart } from "./log.ts";
import type { StoreState } from "./state.ts";

/** A log part may take at most the free space on the disk divided by this number. */
const logShare = 6;
const leastLogBytes = 256 * 1024;

export interface Write {
  readonly workspace: string;
  readonly category: CategoryName;
  readonly batchId: string;
  /** The points of the batch, which must not change until the write has ended. */
  readonly points: Encodable;
  readonly index: string;
  /** Maximum size in bytes of the points in the encoding of the log. */
  readonly maxBytes: number;
}

interface Accepted extends HotBatch {
  /** The points of the batch as they are stored in the log, in the encoding of the log. */
  readonly body: Uint8Array;
}

export interface IngestContext {
  readonly connection: DuckDBConnection;
  readonly acknowledged: Acknowledged;
  /** Calls `work` as soon as no other group of batches is being written. */
  readonly after: (work: () => Promise<void>) => Promise<void>;
  /**
   * Packs the full generations (sets of tables in memory) into files. Resolves when only the newest generation is left.
   */
  readonly packed: () => Promise<void>;
}

export class Ingest {
  private readonly state: StoreState;
  private readonly options: IngestContext;
  private readonly group: GroupCommit<Write>;
  /** The time of the last write, from `performance.now()`. */
  lastWrite = performance.now();

  constructor(state: StoreState, options: IngestContext) {
    this.state = state;
    this.options = options;
    this.group = new GroupCommit({ after: options.after, commit: (writes) => this.commit(writes) });
  }

  /**
   * Stores a batch. Rejects with TooManyKeys or WrittenTooMuch when the points exceed a limit. After any other error
   * the sender may send the batch again.
   */
  store(write: Write): Promise<StoreResult> {
    this.lastWrite = performance.now();
    return this.group.store(write);
  }

  private async commit(writes: readonly Write[]): Promise<StoreResult[]> {
    const accepted = new Map<Write, Accepted>();
    const ids = new Set<string>();
    for (const write of writes) {
      const id = idOf(write);
      if (ids.has(id) || this.isStored(write)) continue;
      ids.add(id);
      accepted.set(write, this.accept(write));
    }
    const batches = [...accepted.values()];
    const placed = batches.length === 0 ? [] : await this.add(batches);
    return writes.map((write) => {
      const batch = accepted.get(write);
      return batch === undefined
        ? { points: 0, repeated: true }
        : { points: placed[batches.indexOf(batch)]!.count, repeated: false };
    });
  }

  private isStored(write: Write): boolean {
    const { generations, registry } = this.state;
    const id = idOf(write);
    return generations.some(({ batches }) => batches.has(id)) || registry.hasBatch(write.workspace, write.batchId);
  }

  /** Checks a batch against the limits and encodes it. Throws TooManyKeys and WrittenTooMuch. */
  private accept({ workspace, category, batchId, points, index, maxBytes }: Write): Accepted {
    const { state } = this;
    const { mill, now } = state.options;
    const uses = mill.columnsUsed(points);
    state.keys.of(workspace, category).requireRoom(category, uses, state.keyLimits);
    return {
      ...{ category, batchId, points, index, uses },
      body: loggedBody(mill, points, maxBytes),
      workspace: { id: workspace, number: state.workspaceNumber(workspace) },
      received: BigInt(now()),
    };
  }

  private async add(batches: readonly Accepted[]): Promise<readonly PlacedBatch[]> {
    const { state } = this;
    const { now } = state.options;
    try {
      const generation = await this.generation();
      const log = state.logs.get(generation.number)!;
      // A sequence number is the time of the clock in microseconds. But it is always greater than the previous number
      // of the workspace, even after the clock was set back.
      const byClock = BigInt(now()) * 1000n;
      const next = (workspace: string): bigint => {
        const last = state.lastSequences.get(workspace) ?? -1n;
        return last < byClock ? byClock : last + 1n;
      };
      const options = { ...state.addOptions(), next };
      const placed = await addBatches(this.options.connection, generation, batches, options, async (places) => {
        await Promise.all(
          batches.map((batch, at) => {
            const { sequence, count } = places[at]!;
            // The sequence numbers count as used even if the write fails, because the record of a failed write may
            // remain in the log with these numbers.
            state.noteSequence(batch.workspace.id, sequence + BigInt(count) - 1n);
            return log.put({ ...batch, workspace: batch.workspace.id, sequence }, batch.body, count);
          }),
        );
      });
      for (const { workspace, category, uses } of batches) state.keys.of(workspace.id, category).addUses(uses);
      this.options.acknowledged.add(
        generation.number,
        placed.reduce((sum, { count }) => sum + count, 0),
      );
      state.works();
      return placed;
    } catch (error) {
      throw state.fails(error);
    }
  }

  /**
   * Returns the generation (set of tables in memory) that takes new points. When this generation is full, starts to
   * pack it and returns a new one.
   */
  private async generation(): Promise<Generation> {
    const { state } = this;
    const newest = state.generations.at(-1);
    const { hot } = state;
    const now = state.options.now();
    if (
      newest !== undefined &&
      newest.rows < hot.points &&
      newest.bytes < hot.bytes &&
      now - newest.since < hot.ms &&
      state.logs.get(newest.number)!.bytes < newest.logBytes
    )
      return newest;
    // Memory is limited to two generations (sets of tables): one is being packed, one takes points. So the write waits
    // until a generation is packed.
    if (state.generations.length > 1) await this.options.packed();
    return await this.begin();
  }

  /** Begins a new generation (set of tables in memory) with a new part of the log. */
  async begin(): Promise<Generation> {
    const { state } = this;
    const number = state.nextLog++;
    state.logs.set(number, await LogPart.open(state.root, number));
    const generation = new Generation(number, state.options.now(), await logRoom(state.root));
    state.generations.push(generation);
    await state.save();
    if (state.generations.length > 1) void this.options.packed().catch(() => {});
    return generation;
  }
}

/**
 * Returns the maximum size of a log part in bytes. On a small or nearly full disk this size is smaller, so that points
 * are packed earlier, because packed points take less space.
 */
export async function logRoom(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.max(leastLogBytes, (bavail * bsize) / logShare);
}

/**
 * Returns the points in the encoding of the log, without warnings about corrected values. Throws WrittenTooMuch as soon
 * as they exceed `maxBytes`.
 */
function loggedBody(mill: Pick<Millrace, "encodeTo">, points: Encodable, maxBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const take = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new WrittenTooMuch(maxBytes);
    chunks.push(chunk.slice());
  };
  mill.encodeTo(points, "pb", take, { withoutWarnings: true });
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function idOf({ workspace, batchId }: Write): string {
  return `${workspace} ${batchId}`;
}
