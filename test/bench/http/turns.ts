// Runs several servers alternately under the same load.

import { generate, type Size } from "./generate.ts";
import { cpuSecondsOf, hold, letGo, residentBytesOf } from "./process-use.ts";
import type { Measured } from "./protocol.ts";
import type { Started, Target } from "./targets.ts";

export interface Row extends Measured {
  readonly target: string;
  readonly pointsPerBody: number;
  readonly connections: number;
  /** Processor time in seconds; undefined where the operating system does not report it. */
  readonly cpuSeconds: number | undefined;
  readonly residentBytes: number | undefined;
  /** Number of points that are accepted but not forwarded yet; undefined for servers that forward nothing. */
  readonly queued: number | undefined;
}

/** The results of one server, in order: one row for each round, and at least one. */
export type Turns = readonly [Row, ...Row[]];

/**
 * The load that each server gets before the measurement, because a new process compiles code during its first thousands
 * of requests.
 */
const warmup = { requests: 30_000, points: 40_000_000, connections: 16 };

export async function inTurns(
  targets: readonly Target[],
  size: Size,
  rounds: number,
  warmupSeconds: number,
): Promise<Turns[]> {
  const servers: Started[] = [];
  try {
    for (const target of targets) {
      const server = await target.start();
      servers.push(server);
      const points = (target.processes ?? 1) * Math.min(warmup.requests * size.pointsPerBody, warmup.points);
      await generate(server, { ...size, connections: warmup.connections, seconds: warmupSeconds, points });
      holdAll(server);
    }
    const rows: Row[][] = targets.map(() => []);
    for (let round = 0; round < rounds; round++)
      for (const [at, { name }] of targets.entries()) rows[at].push(await turnOf(name, servers[at], size));
    return rows as [Row, ...Row[]][];
  } finally {
    for (const server of servers) {
      // While a child process is paused, it cannot end when its server stops. So the paused processes are continued
      // first.
      letAllGo(server);
      await server.stop();
    }
  }
}

export function median(turns: Turns): Row {
  return turns.toSorted((a, b) => rateOf(a) - rateOf(b))[(turns.length - 1) >> 1];
}

/** Returns how many points per second the server accepted in one round. */
export function rateOf({ points, seconds }: Row): number {
  return points / seconds;
}

async function turnOf(target: string, server: Started, size: Size): Promise<Row> {
  letAllGo(server);
  const before = cpuSecondsOf(server.pid);
  const measured = await generate(server, size);
  const after = cpuSecondsOf(server.pid);
  const queued = await server.queued?.();
  const residentBytes = residentBytesOf(server.pid);
  holdAll(server);
  return {
    target,
    pointsPerBody: size.pointsPerBody,
    connections: size.connections,
    ...measured,
    cpuSeconds: before === undefined || after === undefined ? undefined : after - before,
    residentBytes,
    queued,
  };
}

function holdAll({ pid, gatewayPid }: Started): void {
  hold(pid);
  if (gatewayPid !== undefined) hold(gatewayPid);
}

function letAllGo({ pid, gatewayPid }: Started): void {
  letGo(pid);
  if (gatewayPid !== undefined) letGo(gatewayPid);
}
