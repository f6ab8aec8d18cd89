// The end of a child process, and an address that no other process of the machine listens on.

import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";

/** Ends a process that may have ended; all that it wrote has been read then, which `exit` alone does not say. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill(signal);
  await closed;
}

/**
 * A port that is given back, to be taken again or to be found free, may be given to another process meanwhile; but not on an
 * address of one's own. Linux has all of 127.0.0.0/8.
 */
export function ownLoopback(): string {
  if (process.platform !== "linux") return "127.0.0.1";
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
}
