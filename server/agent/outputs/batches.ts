// Collects the points of a write into batches for the output, by category and by shard. Points are added in parts; the
// parts do not affect how batches are cut.

import type { CategoryName } from "../../../lib/point/index.ts";
import { groupByHeader } from "../../../lib/sharding/index.ts";
import type { WrittenBytes } from "../../http/body/written-bytes.ts";
import type { Batcher, Engine, PointSeries } from "../engine.ts";
import type { Batch, BatchOptions } from "./batch.ts";

export interface WriteBatches {
  add(category: CategoryName, points: PointSeries): void;
  /**
   * Returns the batches, in the order of the first points of each category and shard. Nothing may be added afterwards.
   */
  end(): readonly Batch[];
  /**
   * Number of points that the form cannot express: in line protocol, points without a field or with a series over
   * 65,535 bytes.
   */
  readonly skipped: number;
}

/** Points of one category and shard. */
interface Group {
  readonly kind: Pick<Batch, "category" | "globalTags">;
  readonly batcher: Batcher;
  readonly batches: Batch[];
}

/** Approximate batch size in bytes when the output has no limit. */
const usualBytes = 1024 * 1024;

/** Encoder options for the output. Nothing depends on the order of tags and fields. */
export const forOutput = { keepLines: true } as const;

/** The stored form of a batch until the write is answered. */
export type Kept = Pick<Batch, "body" | "gzip">;

/**
 * Returns the batches of a write. `keep` gets a body in the encoder's memory and returns the body to store. `written`
 * counts the bytes first, and ends the work by throwing.
 */
export function createBatches(
  engine: Engine,
  { batchBytes, shardKeys, batchForm = "lp" }: BatchOptions,
  keep: (body: Uint8Array) => Kept,
  written?: WrittenBytes,
): WriteBatches {
  const keys = shardKeys === undefined ? undefined : new Set(shardKeys);
  const groups = new Map<string, Group>();
  // A newline follows each line in the buffer. The last newline is not sent.
  const endBytes = batchForm === "lp" && batchBytes > 0 ? 1 : 0;
  const limit = batchBytes > 0 ? { bufferBytes: batchBytes + endBytes, largeAlone: true } : { maxBytes: usualBytes };
  const options = { ...limit, ...forOutput, ...(written === undefined ? {} : { written: written.add }) };

  const groupOf = (id: string, kind: Group["kind"]): Group => {
    const known = groups.get(id);
    if (known !== undefined) return known;
    const group = { kind, batcher: engine.batcher(batchForm, options), batches: [] };
    groups.set(id, group);
    return group;
  };

  const put = ({ kind, batcher, batches }: Group, points: PointSeries | undefined) => {
    batcher.each(points, ({ bytes, points: count }) => {
      const body = bytes.subarray(0, bytes.length - endBytes);
      batches.push({ ...kind, ...keep(body), points: count });
    });
  };

  return {
    add: (category, points) => {
      if (points.length === 0) return;
      if (keys === undefined) return put(groupOf(category, { category }), points);
      const found = groupByHeader(points, category, keys);
      for (const { header, id, indexes } of found) {
        const its = found.length === 1 ? points : points.select(indexes);
        put(groupOf(`${category} ${id}`, { category, globalTags: header }), its);
      }
    },
    end: () => {
      for (const group of groups.values()) put(group, undefined);
      return [...groups.values()].flatMap(({ batches }) => batches);
    },
    get skipped() {
      return [...groups.values()].reduce((sum, { batcher }) => sum + batcher.unwritable, 0);
    },
  };
}
