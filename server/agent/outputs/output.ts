// The interface of an output: the queues of the uploader, or files.

import type { QueueStatus } from "../queue-gauges.ts";
import type { Batch } from "./batch.ts";
import type { PassThrough, PassThroughKind } from "./pass-through.ts";

export interface Output {
  /** Whether the output wants large batches compressed. */
  readonly wantsCompressed: boolean;
  /**
   * Stores the points. Resolves when they are stored, so that the write may be answered. Rejects with the ApiError of
   * the answer. Has copied small bodies when it returns.
   */
  put(batches: readonly Batch[], storageIndex?: string): Promise<void>;
  /** Stores a body that is passed through unchanged. Undefined when there is no gateway. */
  readonly putPassThrough?: (kind: PassThroughKind, opaque: PassThrough) => Promise<void>;
  /** Returns the status of the queues. */
  queues(): readonly QueueStatus[];
  /** Returns the reasons why the output accepts no points; empty when it accepts them. */
  problems(): readonly string[];
  close(): Promise<void>;
}
