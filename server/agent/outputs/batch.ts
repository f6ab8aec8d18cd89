// A batch: points of one category, encoded for the output of the agent.

import type { CategoryName } from "../../../lib/point/category.ts";

/** The forms in which an output takes points. */
export type BatchForm = "lp" | "pb";

/** Points of one category, in the form that `BatchOptions` names. */
export interface Batch {
  readonly category: CategoryName;
  /** Up to `mostCopied` bytes (queue/pending.ts) are good until the next write is worked on: who takes the batch copies them at once. */
  readonly body: Uint8Array;
  readonly points: number;
  /** The body is compressed: one gzip member. */
  readonly gzip?: true;
  /** Value of the header that goes with the points, when they are told apart by shard keys. */
  readonly globalTags?: string;
}

/** How points are cut into batches. */
export interface BatchOptions {
  /** Size limit of a batch in bytes; 0 = no limit. A point that is larger by itself gets a batch of its own. */
  readonly batchBytes: number;
  /** Keys whose values decide which points share a batch; undefined when one batch may hold all points. */
  readonly shardKeys: readonly string[] | undefined;
  /** Form of the batches; line protocol when absent. */
  readonly batchForm?: BatchForm;
}
