// What signals mean to a service: SIGHUP reads anew, SIGINT and SIGTERM end it in order, a second one at once.

import type { Log } from "../../telemetry/log.ts";

export interface Service {
  readonly log: Log;
  reload(): void;
  close(): Promise<void>;
}

/** `service` gives the one that runs now. */
export function obeySignals(service: () => Service): void {
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, async () => {
      if (stopping) process.exit(1);
      stopping = true;
      service().log.info("stopping");
      await service().close();
      process.exit(0);
    });
  }
  process.on("SIGHUP", () => {
    if (!stopping) service().reload();
  });
}
