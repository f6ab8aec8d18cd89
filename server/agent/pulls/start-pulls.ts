// Starts the requests to the gateways that are repeated at intervals: for filters, scripts and the time.

import path from "node:path";
import { durationMs } from "../../config/go-duration.ts";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Filters } from "../ingest/filters.ts";
import type { Sharding } from "../ingest/sharding.ts";
import type { Gateways } from "../outputs/gateways.ts";
import type { Scripts } from "../scripts/script-layers.ts";
import { startFilterPull } from "./filter-pull.ts";
import { startScriptPull } from "./script-pull.ts";
import { startTimeSync, syncIntervalMs } from "./time-sync.ts";

export interface PullsOptions {
  readonly config: Config;
  readonly gateways: Gateways | undefined;
  readonly filters: Filters;
  readonly scripts: Scripts;
  readonly sharding: Sharding | undefined;
  /** Folder in which the agent saves the last answers of the gateways. */
  readonly folder: string;
  /** Returns the time of this machine's clock in nanoseconds since 1970. */
  readonly clock: () => bigint;
  readonly onClock: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Pulls {
  /**
   * Nanoseconds to add to the time of this machine's clock to get the gateway's time; 0 when the clocks differ little.
   */
  readonly clockOffset: bigint;
  close(): Promise<void>;
}

const shortestScriptPullMs = 10_000;

export function startPulls(options: PullsOptions): Pulls {
  const { config, gateways, filters, scripts, sharding, folder, clock, onClock, log, metrics } = options;
  if (gateways === undefined) return { clockOffset: 0n, close: async () => {} };
  const [first] = gateways.all;
  const filterPull =
    filters.origin === "remote"
      ? startFilterPull({ gateways, filters, sharding, file: path.join(folder, ".pull"), log, metrics })
      : undefined;
  const scriptPull =
    gateways.all.length === 1
      ? startScriptPull({
          gateway: first!,
          scripts,
          sharding,
          intervalMs: Math.max(durationMs(config["pipeline.remote_pull_interval"], 60_000), shortestScriptPullMs),
          file: path.join(folder, ".pull-scripts"),
          log,
        })
      : undefined;
  const timeSync = config["gateway.ntp.enable"]
    ? startTimeSync({
        gateway: first!,
        intervalMs: syncIntervalMs(durationMs(config["gateway.ntp.interval"], 300_000)),
        diffSeconds: Math.floor(durationMs(config["gateway.ntp.diff"], 30_000) / 1000),
        clock,
        onChange: onClock,
        log,
        metrics,
      })
    : undefined;
  return {
    get clockOffset() {
      return timeSync?.offset ?? 0n;
    },
    close: async () => {
      await timeSync?.close();
      await scriptPull?.close();
      await filterPull?.close();
    },
  };
}
