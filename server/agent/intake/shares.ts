// Computes the number of processes that accept writes, and the share of the configured limits that each of them gets.

import { availableParallelism } from "node:os";
import { parseListenAddress } from "../../config/listen-address.ts";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../../telemetry/log.ts";

/** Returns the number of processes that accept writes, including the main process. */
export function processCount(config: Config, log: Pick<Log, "warn">): number {
  const count = config["http_api.processes"] || availableParallelism();
  if (count === 1) return 1;
  const hindrance = hindranceOf(config);
  if (hindrance === undefined) return count;
  log.warn(`http_api.processes = ${count} has no effect: ${hindrance}`);
  return 1;
}

function hindranceOf(config: Config): string | undefined {
  if (config["gateway.urls"].length === 0) return "points go into files, which one process writes";
  if (config["http_api.request_rate_limit"] > 0)
    return "requests are counted in one process; set request_rate_limit = 0";
  return "path" in parseListenAddress(config["http_api.listen"]) ? "it holds for TCP only" : undefined;
}

/**
 * Returns the configuration of the main process. The main process gets half of the memory for bodies, since it handles
 * all large bodies.
 */
export function mainShare(config: Config, processes: number): Config {
  return processes === 1 ? config : shareOf(config, processes, 2);
}

export function intakeShare(config: Config, processes: number): Config {
  return shareOf(config, processes, 2 * (processes - 1));
}

function shareOf(config: Config, processes: number, memoryParts: number): Config {
  return {
    ...config,
    "http_api.max_inflight_bytes_per_client": Math.ceil(config["http_api.max_inflight_bytes_per_client"] / memoryParts),
    "http_api.max_inflight_bytes": Math.ceil(config["http_api.max_inflight_bytes"] / memoryParts),
    "gateway.wal.max_capacity_gb": config["gateway.wal.max_capacity_gb"] / processes,
  };
}
