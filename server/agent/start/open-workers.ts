// Starts the worker threads that process writes, with their scripts, filters, limits, and rules for RUM (real user
// monitoring) points.

import path from "node:path";
import { durationMs } from "../../config/go-duration.ts";
import { briefBytes, smallBytes } from "../ingest/fast-path/small-writes.ts";
import { startWorkers, type Workers, type WorkersOptions } from "../ingest/workers/workers.ts";
import type { ScriptEnvironment } from "../scripts/script-environment.ts";
import type { Scripts } from "../scripts/script-layers.ts";
import type { Base } from "./base.ts";
import type { Outputs } from "./open-outputs.ts";

export interface OpenWorkersOptions extends Pick<WorkersOptions, "aggregating" | "onAggregated"> {
  readonly base: Base;
  readonly outputs: Outputs;
  readonly scripts: Scripts;
  readonly environment: ScriptEnvironment;
}

export function openWorkers({ base, outputs, scripts, ...options }: OpenWorkersOptions): Workers {
  const { config, processes, keptState, wasm, log, metrics, atClose } = base;
  const workers = startWorkers({
    ...options,
    wasm,
    count: config["http_api.workers"],
    inPlaceBytes: processes > 1 ? briefBytes : smallBytes,
    mostWaiting: config["http_api.max_waiting_writes"],
    maxSteps: config["pipeline.max_steps_per_point"],
    maxStepsPerWrite: config["pipeline.max_steps_per_write"],
    maxBytes: config["pipeline.max_bytes_per_point"],
    requestsMs: durationMs(config["pipeline.http_request_write_timeout"], 20_000),
    scripts: scripts.layers,
    matching: scripts.matching,
    filters: config["io.filters"],
    strictTypes: config["io.strict_types"],
    rum: rumSetup(base),
    spareTime: outputs.spareTime,
    showErrors: keptState.scriptErrors.remote,
    log,
    metrics,
  });
  atClose(() => workers.close());
  return workers;
}

/** Returns the folder that holds the source maps that clients have uploaded. */
export function rumFolder(dataDir: string): string {
  return path.join(dataDir, "rum");
}

function rumSetup({ config, dataDir }: Base): WorkersOptions["rum"] {
  return {
    appIds: config["http_api.rum_app_id_white_list"],
    checkPoints: config["rum.check_points"],
    sourceMaps: config["rum.enable"]
      ? {
          folder: rumFolder(dataDir),
          browserFrames: config["rum.resolve_browser_frames"],
          maxMapBytes: config["rum.max_map_bytes"],
        }
      : undefined,
  };
}
