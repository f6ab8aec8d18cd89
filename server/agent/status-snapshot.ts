// The status of an agent, over all of its processes and queues, at one moment.

import { takeAll } from "../telemetry/metrics-transfer.ts";
import { cpuMicroseconds, openFiles } from "../telemetry/process-use.ts";
import type { Agent } from "./agent.ts";
import type { QueueStatus } from "./queue-gauges.ts";

export interface StatusSnapshot {
  readonly queues: readonly QueueStatus[];
  /** Reasons why the agent accepts no points at the moment; empty when it accepts points. */
  readonly problems: readonly string[];
  readonly inflightBytes: number;
  readonly cpuMicroseconds: number;
  readonly openFiles: number;
}

/**
 * Returns the status of the agent. Also adds the counts of the intake processes (further processes that accept writes)
 * to the metrics of this process.
 */
export async function takeSnapshot({
  output,
  orphanedQueues,
  admission,
  budget,
  intakes,
  metrics,
}: Agent): Promise<StatusSnapshot> {
  const others = (await intakes?.status()) ?? [];
  for (const { moved } of others) takeAll(metrics.movable, moved);
  const sum = (own: number, of: "inflightBytes" | "cpuMicroseconds" | "openFiles") =>
    others.reduce((all, status) => all + status[of], own);
  return {
    queues: [output, ...orphanedQueues].flatMap((each) => each.queues()).concat(others.flatMap(({ queues }) => queues)),
    problems: [
      ...output.problems(),
      ...(budget.usedBytes >= budget.limit ? ["too many bytes in flight"] : []),
      ...(admission.isFull ? ["too many writes wait for a thread"] : []),
      ...others.flatMap(({ problems }) => problems),
    ],
    inflightBytes: sum(budget.usedBytes, "inflightBytes"),
    cpuMicroseconds: sum(cpuMicroseconds(), "cpuMicroseconds"),
    openFiles: sum(await openFiles(), "openFiles"),
  };
}
