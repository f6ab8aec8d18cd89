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

/** What a write needs. */
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
  /** Queues of intake processes that are no more: what waits in them is sent, nothing is put into them. */
  readonly orphanedQueues: readonly Output[];
  readonly intakes: Intakes;
  readonly tags: GlobalTags;
  readonly labels: ObjectLabels;
  /** Undefined when none is configured. */
  readonly gateways: Gateways | undefined;
  /** Undefined when requests carry no X-Global-Tags. */
  readonly sharding: Sharding | undefined;
  readonly budget: InflightBudget;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly wasm: WebAssembly.Module;
  /** Milliseconds a script may take on one point in the debug interface. */
  readonly debugDeadlineMs: number;
  /** What scripts find around them there. */
  readonly debugSurroundings: ScriptEnvironment;
  /** Pattern files in force. */
  patterns(): PatternTexts;
  /** The reference tables in force; null before the first load. */
  readonly tables: () => TablesInForce | null;
  /** Starts the agent anew with the configuration as it is then. */
  readonly restart: () => void;
  /** Nanoseconds since 1970, by the gateway's clock where this machine's is wrong. */
  readonly now: () => bigint;
}
