// The interface of an output, which stores the agent's points: in queues to the gateways, or in files.

import type { QueueStatus } from "../queue-gauges.ts";
import type { Batch } from "./batch.ts";
import type { PassThrough, PassThroughKind } from "./pass-through.ts";

export interface Output {
  /** Whether the output wants large batches (encoded points) to be compressed before `put`. */
  readonly wantsCompressed: boolean;
  /**
   * Stores batches of points. Resolves when they are stored, so that the write may be answered. When they cannot be
   * stored, rejects with an ApiError, which is the answer to the client. Copies small bodies before the call returns,
   * since their memory is reused. A large body belongs to the output from this call on: the caller must not read it
   * afterwards, as the output may free its memory.
   */
  put(batches: readonly Batch[], storageIndex?: string): Promise<void>;
  /** Stores a body that is passed to the gateway unchanged; absent when no gateway is configured. */
  readonly putPassThrough?: (kind: PassThroughKind, passThrough: PassThrough) => Promise<void>;
  /** Returns the status of each queue of the output. */
  queues(): readonly QueueStatus[];
  /** Returns the reasons why the output accepts no points at the moment; empty when it accepts points. */
  problems(): readonly string[];
  close(): Promise<void>;
}
