// `npm run bench:store -- --load NAME`: sends loads that the point store must withstand to a running platform over
// HTTP. The loads do not depend on how the store keeps points. Each figure is printed as one line as soon as it is
// measured.

import process from "node:process";
import { type Figure, holds, lineOf } from "./figures.ts";
import { measurements } from "./measurements.ts";
import { ordinary } from "./ordinary.ts";
import { prometheus } from "./prometheus.ts";
import { wide } from "./wide.ts";
import { workspaces } from "./workspaces.ts";

export interface LoadOptions {
  /** Factor by which the default numbers of points, measurement names and workspaces are multiplied. */
  readonly scale: number;
  /** Number of minutes for which Prometheus scrapes. */
  readonly minutes: number;
  /** The store counts as idle after it did nothing for this many seconds. */
  readonly quietSeconds: number;
}

/** Runs a load. Yields the measured figures. For a figure that cannot be measured, yields a line with the reason. */
export type Load = (options: LoadOptions) => AsyncIterable<Figure | string>;

export const loads: Readonly<Record<string, Load>> = { wide, measurements, workspaces, prometheus, ordinary };

/**
 * Runs the load with the given name, or all loads for `all`. Returns the exit code: 1 when a figure misses its goal or
 * a load ends early.
 */
export async function runLoads(name: string, options: LoadOptions): Promise<0 | 1> {
  let code: 0 | 1 = 0;
  for (const [each, load] of Object.entries(loads)) {
    if (name !== "all" && name !== each) continue;
    try {
      for await (const figure of load(options)) {
        const isLine = typeof figure === "string";
        process.stdout.write(`${isLine ? `${each}: ${figure}` : lineOf(each, figure)}\n`);
        if (!isLine && !holds(figure)) code = 1;
      }
    } catch (error) {
      process.stdout.write(`${each}: ended early: DOES NOT HOLD: ${(error as Error).message}\n`);
      code = 1;
    }
  }
  return code;
}
