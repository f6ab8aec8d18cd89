// The failures of the commands of the command line: `[E] ` and the reason on standard error, exit code 255.

import { PointError } from "../../lib/index.ts";
import { exitCodes } from "./exit-codes.ts";
import { printError } from "./terminal/print.ts";
import { UsageError } from "./usage-error.ts";

/** Prints the reason and returns the exit code. */
export function failure(message: string): number {
  printError(`[E] ${message}\n`);
  return exitCodes.refused.code;
}

/**
 * Runs `work` and reports mistakes of the user and errors of the system as failures. Errors of the program itself are
 * thrown on.
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
