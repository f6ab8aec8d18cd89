// The values that every part of a starting agent needs: the configuration, the data folder, logging, metrics and
// closing.

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
  /** The configuration as read. `config` holds this process's share of the limits. */
  readonly configured: Config;
  readonly config: Config;
  /** Number of processes: this one and the intake processes. */
  readonly processes: number;
  readonly dataDir: string;
  readonly hostname: string;
  readonly keptState: KeptState;
  readonly wasm: WebAssembly.Module;
  /** Nanoseconds since 1970, by the clock of this machine. */
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

/** Returns the first address under which other machines may reach this one. */
export function machineAddress(): string {
  for (const addresses of Object.values(networkInterfaces())) {
    const found = addresses?.find((each) => !each.internal && each.family === "IPv4");
    if (found !== undefined) return found.address;
  }
  return "127.0.0.1";
}
