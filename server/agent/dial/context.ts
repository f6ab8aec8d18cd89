// The resources that a task can use while it runs.

import type { Network } from "./networks.ts";
import type { Variables } from "./templates.ts";

export interface DialContext {
  readonly network: Network;
  readonly variables: Variables;
  /** Value of the User-Agent header: `agent-<os>-<arch>/<version>/<host>`. */
  readonly userAgent: string;
  /** Aborted when the time of the whole test is up, or the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Runs a post script on a text. Returns the fields that the script made. Throws the error of the script. */
  readonly runScript: (script: string, text: string, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;
}

/** Returns the nanoseconds of a monotonic clock. */
export const monotonic = process.hrtime.bigint;
