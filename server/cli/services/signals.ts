// Handles the signals of a service process: SIGHUP reloads the configuration, SIGINT and SIGTERM close the service, and
// a second SIGINT or SIGTERM ends the process at once.

import type { Log } from "../../telemetry/log.ts";

export interface Service {
  readonly log: Log;
  reload(): void;
  close(): Promise<void>;
}

/**
 * Installs the signal handlers. Each handler calls `service` to get the service that runs when the signal
 * arrives.
 */
export function installSignalHandlers(service: () => Service): void {
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
