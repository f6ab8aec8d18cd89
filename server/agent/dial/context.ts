// What a task has at hand while it runs.

import type { Network } from "./networks.ts";
import type { Variables } from "./templates.ts";

export interface DialContext {
  readonly network: Network;
  readonly variables: Variables;
  /** `agent-<os>-<arch>/<version>/<host>`. */
  readonly userAgent: string;
  /** Aborted when the time of the whole test is up, or nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Runs a post script over a text; gives the fields it made. Throws with the script's error. */
  readonly runScript: (script: string, text: string, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;
}

/** Nanoseconds of a monotonic clock. */
export const monotonic = process.hrtime.bigint;
