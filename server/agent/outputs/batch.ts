// A batch: points of one category, encoded for the output of the agent.

import type { CategoryName } from "../../../lib/point/index.ts";

/** The forms in which an output takes points. */
export type BatchForm = "lp" | "pb";

/** Points of one category, in the form that `BatchOptions` names. */
export interface Batch {
  readonly category: CategoryName;
  /**
   * The encoded points. A body of at most `mostCopied` bytes (queue/pending.ts) is valid only until the next write is
   * processed, so the receiver copies it at once.
   */
  readonly body: Uint8Array;
  readonly points: number;
  /** Whether the body is compressed: one gzip member. */
  readonly gzip?: true;
  /** Value of X-Global-Tags, when points are split by shard keys. */
  readonly globalTags?: string;
}

/** How points are split into batches. */
export interface BatchOptions {
  /** Largest size of a batch in bytes; 0 = no limit. A larger point gets a batch of its own. */
  readonly batchBytes: number;
  /** Keys whose values decide which points share a batch; undefined when one batch may hold all points. */
  readonly shardKeys: readonly string[] | undefined;
  /** Form of the batches; line protocol when absent. */
  readonly batchForm?: BatchForm;
}
