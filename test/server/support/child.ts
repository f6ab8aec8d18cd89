// Ends child processes, and finds an address that no other process of the machine listens on.

import type { ChildProcess } from "node:child_process";
import { randomInt } from "node:crypto";

/**
 * Ends a child process, which may have ended already. Resolves when all its output has been read; the event `exit` may
 * come before that.
 */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill(signal);
  await closed;
}

/**
 * Returns a loopback address that only this test uses; on Linux, all addresses of 127.0.0.0/8 can be used. While a test
 * closes and reopens a port, another process with the same address could take this port.
 */
export function ownLoopback(): string {
  if (process.platform !== "linux") return "127.0.0.1";
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
}
