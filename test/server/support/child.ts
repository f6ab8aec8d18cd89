// Ends child processes, and finds an address that no other process of the machine listens on.

import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";

/**
 * Ends a process that may have ended already. Resolves when all its output has been read, which `exit` alone does not
 * guarantee.
 */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill(signal);
  await closed;
}

/**
 * Returns a loopback address of the test's own. On a shared address, another process could get a freed port; Linux
 * has all of 127.0.0.0/8.
 */
export function ownLoopback(): string {
  if (process.platform !== "linux") return "127.0.0.1";
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
}
