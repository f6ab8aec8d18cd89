// Runs `millrace platform check | repair | backup | restore | export`. Exit codes: 0 for success, 1 for damage and
// failures, 2 for mistakes on the command line.

import { FolderInUse } from "../../queue/lock/lock.ts";
import { SnapshotRefused } from "../../store/segments/care/snapshot.ts";
import { LaterFormat } from "../../store/segments/manifest.ts";
import { exitCodes } from "../exit-codes.ts";
import { printError } from "../terminal/print.ts";
import { UsageError } from "../usage-error.ts";
import type { Verb } from "./verbs.ts";

/** Runs the command and returns its exit code. */
export async function runVerb(verb: Verb, args: string[]): Promise<number> {
  try {
    return await commandOf(verb).then((command) => command(args));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isUsage = error instanceof UsageError || code?.startsWith("ERR_PARSE_ARGS") === true;
    const isExpected = error instanceof FolderInUse || error instanceof LaterFormat || error instanceof SnapshotRefused;
    if (!isUsage && !isExpected && code?.startsWith("E") !== true) throw error;
    printError(`${message}\n`);
    return (isUsage ? exitCodes.usage : exitCodes.failed).code;
  }
}

async function commandOf(verb: Verb): Promise<(args: string[]) => Promise<number>> {
  switch (verb) {
    case "check":
      return (await import("./check.ts")).check;
    case "repair":
      return (await import("./repair.ts")).repair;
    case "backup":
      return (await import("./backup.ts")).backup;
    case "restore":
      return (await import("./restore.ts")).restore;
    case "export":
      return (await import("./export.ts")).exportPoints;
  }
}
