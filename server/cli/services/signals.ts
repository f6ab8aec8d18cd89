// Handles signals of a service: SIGHUP reloads it, SIGINT and SIGTERM close it, a second SIGINT or SIGTERM ends it at
// once.

import type { Log } from "../../telemetry/log.ts";

export interface Service {
  readonly log: Log;
  reload(): void;
  close(): Promise<void>;
}

/** Installs the handlers. `service` returns the service that runs now. */
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
