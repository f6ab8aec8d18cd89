// The functions and settings that a running dial test (a test request to a server) uses
// (docs/reference/agent.md#dial-tests).

import type { Network } from "./networks.ts";
import type { Variables } from "./templates.ts";

export interface DialContext {
  readonly network: Network;
  readonly variables: Variables;
  /** Value of the User-Agent header of requests that a dial test sends: `agent-<os>-<arch>/<version>/<host>`. */
  readonly userAgent: string;
  /**
   * A signal that aborts when the time limit of the whole dial test is reached, or when the client no longer waits
   * for the answer.
   */
  readonly signal: AbortSignal;
  /**
   * Runs a post script (a script that checks the response of an HTTP test). `text` contains the response as JSON.
   * Returns the fields that the script has set. Throws the error of the script.
   */
  readonly runScript: (script: string, text: string, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>;
}

/** Returns the time of a monotonic clock in nanoseconds. */
export const monotonic = process.hrtime.bigint;
