// Measures the resident memory of an agent that has nothing to do, and of the same agent after many points.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { generate } from "../http/generate.ts";
import { firstLine, program, stop, temporary } from "../http/targets.ts";

/** Memory in MiB; undefined when the operating system does not report it. */
export interface Memory {
  readonly residentMiB: number | undefined;
  /**
   * Resident memory of the process. A memory page that several processes share does not count in full: its size is
   * divided by the number of these processes.
   */
  readonly proportionalMiB: number | undefined;
}

export interface MemoryUse {
  /** Memory of a Node process that only waits, for comparison: an agent cannot take less memory. */
  readonly bare: Memory;
  readonly idle: Memory;
  /**
   * Measures the agent 10 seconds after it has taken `points` points in bodies of 1,000. When `points` is 0, measures
   * the agent without any points.
   */
  readonly after: Memory | undefined;
  readonly points: number;
}

const restMs = 10_000;

export async function memoryUse(points: number): Promise<MemoryUse> {
  const bare = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  const folder = temporary();
  const args = [program, "agent", "--listen", "127.0.0.1:0", "--data-dir", folder];
  const agent = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const port = Number(/:(\d+)$/.exec(await firstLine(agent))![1]);
    await wait(restMs);
    const [bareUse, idle] = [memoryOf(bare.pid!), memoryOf(agent.pid!)];
    if (points === 0) return { bare: bareUse, idle, after: undefined, points };
    const place = { port, path: "/v1/write/metric" };
    let sent = 0;
    while (sent < points)
      sent += (await generate(place, { pointsPerBody: 1000, connections: 16, seconds: 5, points: 0 })).points;
    await wait(restMs);
    return { bare: bareUse, idle, after: memoryOf(agent.pid!), points: sent };
  } finally {
    bare.kill();
    await stop(folder, agent);
  }
}

function memoryOf(pid: number): Memory {
  return {
    residentMiB: mebibytes(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB/m),
    proportionalMiB: mebibytes(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+) kB/m),
  };
}

function mebibytes(file: string, line: RegExp): number | undefined {
  try {
    return Number(line.exec(readFileSync(file, "utf8"))![1]) / 1024;
  } catch {
    return undefined;
  }
}
