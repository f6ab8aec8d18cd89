// Takes batches of points: into the hot part and the log at the same time, each batch as a whole and once for its id.

import { statfs } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { Encodable, Millrace } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
import { type Taken, WrittenTooMuch } from "../points-database.ts";
import type { Acknowledged } from "./acknowledged.ts";
import { GroupCommit } from "./group-commit.ts";
import { addBatches, Generation, type HotBatch, type Placed } from "./hot.ts";
import { LogPart } from "./log.ts";
import type { StoreState } from "./state.ts";

/** The share of the free space of its disk that a part of the log may take. */
const logShare = 6;
const leastLogBytes = 256 * 1024;

export interface Write {
  readonly workspace: string;
  readonly category: CategoryName;
  readonly batchId: string;
  /** They stay as they are until the write has ended. */
  readonly points: Encodable;
  readonly index: string;
  /** The most bytes of the points as the log keeps them. */
  readonly maxBytes: number;
}

interface Accepted extends HotBatch {
  /** The points as the log keeps them. */
  readonly body: Uint8Array;
}

export interface IngestWays {
  readonly connection: DuckDBConnection;
  readonly acknowledged: Acknowledged;
  /** Runs the work when nothing else writes. */
  readonly after: (work: () => Promise<void>) => Promise<void>;
  /** Has the full generations packed; resolves when only the newest one is left. */
  readonly packed: () => Promise<void>;
}

export class Ingest {
  private readonly state: StoreState;
  private readonly options: IngestWays;
  private readonly group: GroupCommit<Write>;
  /** When the last batch came, by `performance.now()`. */
  lastWrite = performance.now();

  constructor(state: StoreState, options: IngestWays) {
    this.state = state;
    this.options = options;
    this.group = new GroupCommit({ after: options.after, commit: (writes) => this.commit(writes) });
  }

  /** Rejects with TooManyKeys or WrittenTooMuch where the points are too many; after any other error the batch may be sent again. */
  store(write: Write): Promise<Taken> {
    this.lastWrite = performance.now();
    return this.group.store(write);
  }

  private async commit(writes: readonly Write[]): Promise<Taken[]> {
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

  /** Throws TooManyKeys and WrittenTooMuch. */
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

  private async add(batches: readonly Accepted[]): Promise<readonly Placed[]> {
    const { state } = this;
    const { now } = state.options;
    try {
      const generation = await this.generation();
      const log = state.logs.get(generation.number)!;
      // Behind every number given before, also where the clock was ahead then: in microseconds.
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
            // A put that fails may leave its record: no later batch gets the same numbers.
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

  /** The generation that takes points; a full one is packed, and a new one begins. */
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
    // Memory holds two generations at most: one that is packed and one that takes points.
    if (state.generations.length > 1) await this.options.packed();
    return await this.begin();
  }

  /** Begins a new generation. */
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

/** Bytes that a part of the log may take: on a small or nearly full disk points are packed sooner, as segments take less room. */
export async function logRoom(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.max(leastLogBytes, (bavail * bsize) / logShare);
}

/** The points as the log keeps them, without the warnings of their corrections. Throws WrittenTooMuch as soon as they pass `maxBytes`. */
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
