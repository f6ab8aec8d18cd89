// A ledger records which points a fault test has sent and which of them have arrived. Each point has a number as a
// field.

import type { RecordingGateway } from "../server/support/recording-gateway.ts";
import type { AgentProcess } from "../server/support/running-agent.ts";

export interface Ledger {
  /** The number of the last point that was written before this ledger was made. The ledger counts only later points. */
  readonly from: number;
  /** The numbers of the points that were answered with 200. */
  readonly accepted: Set<number>;
  refused: number;
}

export interface Report {
  readonly sent: number;
  readonly refused: number;
  readonly arrived: number;
  readonly repeated: number;
  readonly lost: readonly number[];
}

let lastNumber = 0;

/**
 * Makes a ledger. Each fault gets a ledger of its own, whose report counts the points that are written after this call.
 */
export function createLedger(): Ledger {
  return { from: lastNumber, accepted: new Set(), refused: 0 };
}

/**
 * Writes bodies of 1 to `most` points over `clients` connections at once, until `stop` returns true or the agent is
 * gone. `padding`: number of bytes that are added to each point to make it longer.
 */
export async function writeUntil(
  agent: AgentProcess,
  ledger: Ledger,
  clients: number,
  stop: () => boolean,
  padding = 0,
  most = 20,
): Promise<void> {
  const series = padding === 0 ? "fault" : `fault,padding=${"x".repeat(padding)}`;
  const client = async (): Promise<void> => {
    while (!stop()) {
      const numbers = Array.from({ length: 1 + Math.floor(Math.random() * most) }, () => ++lastNumber);
      const body = numbers.map((number) => `${series} number=${number}i 1`).join("\n");
      let status: number;
      try {
        ({ status } = await agent.send("/v1/write/metric", { body }));
      } catch {
        // The agent was killed before it answered, so it has promised nothing about these points.
        return;
      }
      if (status === 200) for (const number of numbers) ledger.accepted.add(number);
      else {
        ledger.refused += numbers.length;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/**
 * For each gateway, the number of arrivals of each point so far. The counts are cached, because a long run has millions
 * of points.
 */
const counted = new WeakMap<RecordingGateway, { uploads: number; readonly counts: Map<number, number> }>();

/** Returns a map from the number of each point to how often the gateway has accepted this point. */
export function arrivals(gateway: RecordingGateway): ReadonlyMap<number, number> {
  const known = counted.get(gateway) ?? { uploads: 0, counts: new Map<number, number>() };
  counted.set(gateway, known);
  for (; known.uploads < gateway.taken.length; known.uploads++) {
    for (const line of gateway.taken[known.uploads]!.lines) {
      const number = Number(/number=(\d+)i/.exec(line)?.[1]);
      known.counts.set(number, (known.counts.get(number) ?? 0) + 1);
    }
  }
  return known.counts;
}

/** Returns the numbers of points that were answered with 200 but have not arrived at the gateway. */
export function lostOf({ accepted }: Ledger, gateway: RecordingGateway): number[] {
  const counts = arrivals(gateway);
  return [...accepted].filter((number) => !counts.has(number));
}

export function report(ledger: Ledger, gateway: RecordingGateway): Report {
  const counts = arrivals(gateway);
  const lost = lostOf(ledger, gateway);
  let repeated = 0;
  for (let number = ledger.from + 1; number <= lastNumber; number++)
    repeated += Math.max(0, (counts.get(number) ?? 0) - 1);
  return {
    sent: ledger.accepted.size,
    refused: ledger.refused,
    arrived: ledger.accepted.size - lost.length,
    repeated,
    lost,
  };
}

export function print(name: string, { sent, refused, arrived, repeated, lost }: Report): void {
  process.stdout.write(
    `fault ${name}: sent ${sent}, refused ${refused}, arrived ${arrived}, repeated ${repeated}, lost ${lost.length}\n`,
  );
}
