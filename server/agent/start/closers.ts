// Collects the functions that close the resources of an agent, and calls them in reverse order.

import type { Log } from "../../telemetry/log.ts";

/**
 * A function that closes one resource of an agent. `isReload`: whether another agent starts at once after the agent is
 * closed.
 */
export type Closer = (isReload: boolean) => unknown;

export interface Closers {
  add(closer: Closer): void;
  /**
   * Closes all resources. Never rejects: a failure to close one resource does not stop the others from being closed.
   */
  close(isReload: boolean): Promise<void>;
}

export function createClosers(log: Pick<Log, "error">): Closers {
  const open: Closer[] = [];
  return {
    add: (closer) => {
      open.push(closer);
    },
    close: async (isReload) => {
      for (const each of open.splice(0).reverse()) {
        try {
          await each(isReload);
        } catch (error) {
          log.error(`not closed in order: ${(error as Error).message}`);
        }
      }
    },
  };
}
