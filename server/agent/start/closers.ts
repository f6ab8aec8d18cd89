// What is open, to be closed in the other order.

import type { Log } from "../../telemetry/log.ts";

/** `isReload`: the next agent starts at once. */
export type Closer = (isReload: boolean) => unknown;

export interface Closers {
  add(closer: Closer): void;
  /** Never rejects: whatever cannot be closed, the rest is. */
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
