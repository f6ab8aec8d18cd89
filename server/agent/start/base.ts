// The values that every part of a starting agent needs: the configuration, the data folder, the log, the metrics, and
// the registration of functions that close resources.

import { hostname as machineName, networkInterfaces } from "node:os";
import path from "node:path";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { compileWasm } from "../engine.ts";
import { mainShare, processCount } from "../intake/shares.ts";
import type { Closers } from "./closers.ts";
import type { KeptState } from "./kept-state.ts";

export interface Base {
  /**
   * The configuration as the user has set it. The limits in `config`, by contrast, are reduced to the share of
   * this process, because several processes may accept writes.
   */
  readonly configured: Config;
  readonly config: Config;
  /**
   * Number of processes that accept writes: this main process and the intake processes (further processes that accept
   * writes).
   */
  readonly processes: number;
  readonly dataDir: string;
  readonly hostname: string;
  readonly keptState: KeptState;
  readonly wasm: WebAssembly.Module;
  /** Returns the time of this machine's clock in nanoseconds since 1970. */
  readonly clock: () => bigint;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly atClose: Closers["add"];
}

export type BaseOptions = Pick<Base, "configured" | "keptState" | "clock" | "log" | "atClose">;

export function createBase(options: BaseOptions): Base {
  const { configured, keptState, log } = options;
  const wasm = compileWasm();
  const processes = processCount(configured, log);
  return {
    ...options,
    config: mainShare(configured, processes),
    processes,
    dataDir: path.resolve(configured.data_dir),
    hostname: configured["environments.ENV_HOSTNAME"] || machineName(),
    wasm,
    metrics: keptState.metrics,
  };
}

/** Returns the machine's first IP address that other machines can reach. */
export function machineAddress(): string {
  for (const addresses of Object.values(networkInterfaces())) {
    const found = addresses?.find((each) => !each.internal && each.family === "IPv4");
    if (found !== undefined) return found.address;
  }
  return "127.0.0.1";
}
