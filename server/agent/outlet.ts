// Where the points of a write go: into the queue of the uploader, or into files.

import type { Batch } from "./protocol.ts";

export interface Outlet {
  /** Resolves when the points are kept: the write may be answered. Rejects with the ApiError of the answer. */
  put(batches: readonly Batch[], storageIndex?: string): Promise<void>;
  /** Brings the gauges of /metrics up to date. */
  measure(): void;
  /** Why it takes no points now; empty when it does. */
  problems(): readonly string[];
  close(): Promise<void>;
}
