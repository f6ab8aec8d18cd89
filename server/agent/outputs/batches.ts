// Collects the points of a write into batches (encoded points) for the output, by category and by shard. The points may
// be added in several calls; how they are split over the calls does not affect the batches.

import type { CategoryName } from "../../../lib/point/index.ts";
import { groupByHeader } from "../../../lib/sharding/index.ts";
import type { WrittenBytes } from "../../http/body/written-bytes.ts";
import type { Batcher, Engine, PointSeries } from "../engine.ts";
import type { Batch, BatchOptions } from "./batch.ts";

export interface WriteBatches {
  add(category: CategoryName, points: PointSeries): void;
  /**
   * Returns the batches (encoded points). Their order is that of the first point of each category and shard. No
   * points may be added after this call.
   */
  end(): readonly Batch[];
  /**
   * Number of points that the wire format cannot express. In line protocol, these are points without a field, and
   * points whose measurement and tags take more than 65,535 bytes.
   */
  readonly skipped: number;
}

/** The points of a write that have the same category and go to the same shard. */
interface Group {
  readonly kind: Pick<Batch, "category" | "globalTags">;
  readonly batcher: Batcher;
  readonly batches: Batch[];
}

/** Approximate size in bytes of a batch (encoded points) when the output sets no limit. */
const usualBytes = 1024 * 1024;

/**
 * Encoder options for the output. The output does not need tags and fields in a certain order. So a point that still
 * has its original line of line protocol is copied as that line.
 */
export const forOutput = { keepLines: true } as const;

/** The encoded points of a batch, compressed or uncompressed, as they stay in memory until the write is answered. */
export type Kept = Pick<Batch, "body" | "gzip">;

/**
 * Returns an object that collects the points of a write into batches (encoded points). `keep` receives the bytes
 * of a batch, which lie in the encoder's memory, and returns a copy, which may be compressed. `written` counts
 * all bytes that the encoder produces, and throws when their number exceeds a limit.
 */
export function createBatches(
  engine: Engine,
  { batchBytes, shardKeys, batchForm = "lp" }: BatchOptions,
  keep: (body: Uint8Array) => Kept,
  written?: WrittenBytes,
): WriteBatches {
  const keys = shardKeys === undefined ? undefined : new Set(shardKeys);
  const groups = new Map<string, Group>();
  // The encoder ends each line with a newline, but the last newline of a batch (encoded points) is not sent. So the
  // buffer has one byte more than the largest batch.
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
