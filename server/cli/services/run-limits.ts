// Handles two options of services for process supervisors: a file that contains the process id, and a time after which
// the service ends.

import { rmSync, writeFileSync } from "node:fs";
import { parseDuration } from "../../config/go-duration.ts";
import { UsageError } from "../usage-error.ts";
import type { Service } from "./signals.ts";

/** Node's timers cannot wait longer than this many milliseconds. */
const longestMs = 2 ** 31 - 1;

/**
 * Parses the value of the option `--max-run-duration`, after which the service ends, into milliseconds. Returns
 * undefined when the option is absent. Throws UsageError.
 */
export function runDurationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const nanoseconds = parseDuration(text);
  if (nanoseconds === undefined || nanoseconds <= 0 || nanoseconds / 1e6 > longestMs) {
    throw new UsageError(`--max-run-duration must be a duration such as 12h, up to 596h, got ${text}`);
  }
  return nanoseconds / 1e6;
}

/** Ends the process after `ms` milliseconds, with the same orderly shutdown as for SIGTERM. */
export function endAfter(ms: number | undefined): void {
  if (ms !== undefined) setTimeout(() => process.kill(process.pid, "SIGTERM"), ms).unref();
}

/** Ends the process when the promise `ended` resolves, with the same orderly shutdown as for SIGTERM. */
export function endWith({ ended }: { readonly ended: Promise<void> }): void {
  void ended.then(() => process.kill(process.pid, "SIGTERM"));
}

/** Writes the process id to a file. Returns the service, extended so that closing it removes the file. */
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
