// Measures this process: its uptime, its processor time, and its number of open files.

import { readdir } from "node:fs/promises";
import process from "node:process";

/** Time when the process began, on the clock of `process.hrtime`, in nanoseconds. */
const beganAt = process.hrtime.bigint() - BigInt(Math.round(process.uptime() * 1e9));

/** Returns the nanoseconds since the process began. */
export function uptimeNs(): bigint {
  return process.hrtime.bigint() - beganAt;
}

/** Returns the processor time that the process has used, in microseconds. */
export function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * Returns the number of open files and sockets of this process, without the file that is open to read this list; 0 when
 * the operating system does not provide the list.
 */
export async function openFiles(): Promise<number> {
  const list = await readdir(process.platform === "linux" ? "/proc/self/fd" : "/dev/fd").catch(() => []);
  return Math.max(0, list.length - 1);
}
