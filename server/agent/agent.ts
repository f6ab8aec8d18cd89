// The parts of a running agent that routes need.

import type { Config } from "../config/schema.ts";
import type { InflightBudget } from "../http/body/inflight.ts";
import type { TablesInForce } from "../refer-table/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Admission } from "./ingest/admission.ts";
import type { GlobalTags } from "./ingest/global-tags.ts";
import type { Ingest } from "./ingest/ingest.ts";
import type { Inputs } from "./ingest/input-counts.ts";
import type { Sharding } from "./ingest/sharding.ts";
import type { Workers } from "./ingest/workers/workers.ts";
import type { Intakes } from "./intake/intakes.ts";
import type { ObjectLabels } from "./object-labels.ts";
import type { Gateways } from "./outputs/gateways.ts";
import type { Output } from "./outputs/output.ts";
import type { ScriptEnvironment } from "./scripts/script-environment.ts";
import type { PatternTexts } from "./scripts/script-sources.ts";
import type { SourceMapFiles } from "./source-maps/files.ts";

/** The parts that a write needs. */
export type WriteAgent = Pick<Agent, "config" | "ingest" | "inputs" | "admission" | "budget" | "now">;

export interface Agent {
  readonly config: Config;
  readonly hostname: string;
  readonly ingest: Ingest;
  readonly inputs: Inputs;
  readonly admission: Admission;
  readonly resolveStack: Workers["resolveStack"];
  readonly checkArchive: Workers["checkArchive"];
  readonly sourceMaps: SourceMapFiles;
  readonly output: Output;
  /** Queues of intake processes that no longer exist. Their points are sent, but no new ones are added. */
  readonly orphanedQueues: readonly Output[];
  readonly intakes: Intakes;
  readonly tags: GlobalTags;
  readonly labels: ObjectLabels;
  /** Undefined when no gateway is configured. */
  readonly gateways: Gateways | undefined;
  /** Undefined when requests have no X-Global-Tags header. */
  readonly sharding: Sharding | undefined;
  readonly budget: InflightBudget;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly wasm: WebAssembly.Module;
  /** Milliseconds that a script may run on one point in the debug interface. */
  readonly debugDeadlineMs: number;
  /** The resources of scripts in the debug interface. */
  readonly debugSurroundings: ScriptEnvironment;
  /** Returns the pattern files in force. */
  patterns(): PatternTexts;
  /** The reference tables in force; null before the first load. */
  readonly tables: () => TablesInForce | null;
  /** Reloads the configuration and starts a new agent. */
  readonly restart: () => void;
  /** Returns nanoseconds since 1970, by the gateway's clock when this machine's clock differs much. */
  readonly now: () => bigint;
}
