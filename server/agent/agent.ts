// The interface of a running agent: the components that its HTTP routes use.

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
import type { LiveSample } from "./live/live-sample.ts";
import type { ObjectLabels } from "./object-labels.ts";
import type { Gateways } from "./outputs/gateways.ts";
import type { OpenApiRelay } from "./outputs/open-api.ts";
import type { Output } from "./outputs/output.ts";
import type { ScriptEdits } from "./scripts/script-edits.ts";
import type { ScriptEnvironment } from "./scripts/script-environment.ts";
import type { PatternTexts } from "./scripts/script-sources.ts";
import type { SourceMapFiles } from "./source-maps/files.ts";

/** The components of the agent that a route needs to process a write (a request that brings points). */
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
  readonly scriptEdits: ScriptEdits;
  readonly live: LiveSample;
  readonly output: Output;
  /**
   * Disk queues left by intake processes (further processes that accept writes) that no longer exist. The agent sends
   * the points in these queues, but adds no new ones.
   */
  readonly orphanedQueues: readonly Output[];
  readonly intakes: Intakes | undefined;
  readonly tags: GlobalTags;
  readonly labels: ObjectLabels;
  /** The gateways that the agent sends points to; undefined when no gateway is configured. */
  readonly gateways: Gateways | undefined;
  /**
   * Passes requests of the agent's web page (the playground) to the Open API of the platform (the server that stores
   * the points).
   */
  readonly openApi: OpenApiRelay;
  /**
   * Computes the header X-Global-Tags, which tells the gateway the shard of the points; undefined when requests to the
   * gateway have no such header.
   */
  readonly sharding: Sharding | undefined;
  readonly budget: InflightBudget;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly wasm: WebAssembly.Module;
  /** Largest number of milliseconds that a script may run on one point in the script-debugging interface. */
  readonly debugDeadlineMs: number;
  /**
   * The resources (such as an address database) that scripts may use when they run in the script-debugging interface.
   */
  readonly debugEnvironment: ScriptEnvironment;
  /** Returns the texts of the grok pattern files in force. */
  patterns(): PatternTexts;
  /**
   * Returns the reference tables (tables in which scripts look up values) that are in force; null before the tables are
   * loaded for the first time.
   */
  readonly tables: () => TablesInForce | null;
  /** Reads the configuration again and replaces this agent by a new one in the same process. */
  readonly restart: () => void;
  /**
   * Returns the current time in nanoseconds since 1970. Uses the gateway's clock when this machine's clock differs much
   * from the gateway's.
   */
  readonly now: () => bigint;
}
