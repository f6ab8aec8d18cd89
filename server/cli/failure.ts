// Reports the failure of a command: prints `[E] ` and the reason to standard error, and returns exit code 255.

import { PointError } from "../../lib/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { printError } from "./terminal/print.ts";
import { UsageError } from "./usage-error.ts";

/** Prints the reason why a command failed, and returns the exit code of the command. */
export function failure(message: string): number {
  printError(`[E] ${message}\n`);
  return exitCodes.refused.code;
}

/**
 * Runs `work`. Mistakes of the user and errors of the operating system are reported as failures. All other errors are
 * bugs of Millrace and are thrown.
 */
export async function failing(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (mistake) {
    const { code, message } = mistake as NodeJS.ErrnoException;
    if (mistake instanceof UsageError || mistake instanceof PointError || code?.startsWith("E"))
      return failure(message);
    throw mistake;
  }
}
