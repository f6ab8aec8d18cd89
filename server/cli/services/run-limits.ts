// Handles two options for supervisors of a service: a file with the process id, and an end after some time.

import { rmSync, writeFileSync } from "node:fs";
import { parseDuration } from "../../config/go-duration.ts";
import { UsageError } from "../usage-error.ts";
import type { Service } from "./signals.ts";

/** Node's timers hold at most this many milliseconds. */
const longestMs = 2 ** 31 - 1;

/** Parses the duration of a run. Returns undefined without a text. Throws UsageError. */
export function runDurationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const nanoseconds = parseDuration(text);
  if (nanoseconds === undefined || nanoseconds <= 0 || nanoseconds / 1e6 > longestMs) {
    throw new UsageError(`--max-run-duration must be a duration such as 12h, up to 596h, got ${text}`);
  }
  return nanoseconds / 1e6;
}

/** Ends the process after `ms` milliseconds, with an orderly shutdown as after SIGTERM. */
export function endAfter(ms: number | undefined): void {
  if (ms !== undefined) setTimeout(() => process.kill(process.pid, "SIGTERM"), ms).unref();
}

/** Writes the process id to a file and returns the service, which removes the file when it is closed. */
export function withPidFile(service: Service, file: string | undefined): Service {
  if (file === undefined) return service;
  writeFileSync(file, `${process.pid}\n`);
  return {
    get log() {
      return service.log;
    },
    reload: () => service.reload(),
    close: async () => {
      await service.close();
      rmSync(file, { force: true });
    },
  };
}
