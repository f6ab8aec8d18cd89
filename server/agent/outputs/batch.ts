// A batch: points of one category, encoded for the output of the agent (queues to the gateway, or files).

import type { CategoryName } from "../../../lib/point/index.ts";

/** The wire formats in which an output takes points: line protocol or protobuf. */
export type BatchForm = "lp" | "pb";

/** Encoded points of one category, in the wire format that the member `batchForm` of BatchOptions names. */
export interface Batch {
  readonly category: CategoryName;
  /**
   * The encoded points. When they take at most `mostCopied` bytes (a constant in queue/log/pending.ts), their
   * memory is reused for the next write, so the receiver must copy them at once.
   */
  readonly body: Uint8Array;
  readonly points: number;
  /** Whether the encoded points are compressed, as one gzip member. */
  readonly gzip?: true;
  /** Value of the header X-Global-Tags of the upload; present when points are split by shard keys. */
  readonly globalTags?: string;
}

/** How the points of a write are split into batches (encoded points of one category). */
export interface BatchOptions {
  /**
   * Largest size of a batch (encoded points) in bytes; 0 = no limit. A point that is larger gets a batch of its own.
   */
  readonly batchBytes: number;
  /**
   * Keys (shard keys) whose values decide which points share a batch (encoded points); undefined when one batch may
   * hold all points.
   */
  readonly shardKeys: readonly string[] | undefined;
  /** Wire format of the encoded points; line protocol when absent. */
  readonly batchForm?: BatchForm;
}
