// What this process uses of the machine.

import { readdir } from "node:fs/promises";
import process from "node:process";

/** By the clock of process.hrtime. */
const beganAt = process.hrtime.bigint() - BigInt(Math.round(process.uptime() * 1e9));

/** Nanoseconds since it began. */
export function uptimeNs(): bigint {
  return process.hrtime.bigint() - beganAt;
}

/** Of processors since it began. */
export function cpuMicroseconds(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Files and sockets; less the one that reading the list takes. 0 where the system does not tell. */
export async function openFiles(): Promise<number> {
  const list = await readdir(process.platform === "linux" ? "/proc/self/fd" : "/dev/fd").catch(() => []);
  return Math.max(0, list.length - 1);
}
