// Where the points of a write go: into the queue of the uploader, or into files.

import type { QueueStatus } from "../queue-gauges.ts";
import type { Batch } from "./batch.ts";
import type { PassThrough, PassThroughKind } from "./pass-through.ts";

export interface Output {
  /** Large batches are to come compressed. */
  readonly wantsCompressed: boolean;
  /**
   * Resolves when the points are kept: the write may be answered. Rejects with the ApiError of the answer. Small bodies have been copied when
   * it returns.
   */
  put(batches: readonly Batch[], storageIndex?: string): Promise<void>;
  /** The same for a body that is handed on as it is; undefined where there is nobody to hand it to. */
  readonly putPassThrough?: (kind: PassThroughKind, opaque: PassThrough) => Promise<void>;
  /** What waits in it to be sent on. */
  queues(): readonly QueueStatus[];
  /** Why it takes no points now; empty when it does. */
  problems(): readonly string[];
  close(): Promise<void>;
}
