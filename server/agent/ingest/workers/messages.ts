// The messages between the main thread and the worker threads that process writes. The bodies of writes are
// transferred to a worker thread and not copied.

import type { StateCounters } from "../../../../lib/pipeline/index.ts";
import type { TablesInForce } from "../../../refer-table/store.ts";
import type { Batch, BatchOptions } from "../../outputs/batch.ts";
import type { ScriptEnvironment } from "../../scripts/script-environment.ts";
import type { Matching } from "../../scripts/script-layers.ts";
import type {
  ChooseVersionsJob,
  ChosenScripts,
  FailedScript,
  ScriptLayers,
  ScriptName,
} from "../../scripts/script-sources.ts";
import type { Application, Platform } from "../../source-maps/names.ts";
import type { SourceMapsOptions } from "../../source-maps/source-maps.ts";
import type { FilterSources } from "../filters.ts";
import type { FilterCount, RumRules, WriteAnswer, WriteJob } from "../write-job.ts";
import type { ExtraTag } from "../write-request.ts";

/** Settings for encoding the points that aggregations of scripts release. These points belong to no write. */
export interface Aggregating extends BatchOptions {
  /**
   * The agent's host tags (tags that it adds to every point), which are also added to points that aggregations release.
   */
  readonly hostTags: readonly ExtraTag[];
}

export interface WorkerSetup {
  readonly wasm: WebAssembly.Module;
  /**
   * Largest number of steps (statements and loop iterations) that a script may take on one point (`maxSteps`) and on
   * all points of a write (`maxStepsPerWrite`); 0 = no limit.
   */
  readonly maxSteps: number;
  readonly maxStepsPerWrite: number;
  /** Largest number of bytes that the values of a script may take while it runs on one point; 0 = no limit. */
  readonly maxBytes: number;
  /** Milliseconds that all HTTP requests of a script may take for one write together. */
  readonly requestsMs: number;
  readonly scripts: ScriptLayers;
  /** Counts how often the set of scripts was replaced. The worker's report repeats this number. */
  readonly generation: number;
  readonly matching: Matching;
  readonly filters: FilterSources;
  /**
   * Whether filters compare integers only with integers and floats only with floats, so that `1` does not equal `1.0`.
   */
  readonly strictTypes: boolean;
  readonly environment: ScriptEnvironment;
  readonly tables: TablesInForce | null;
  readonly aggregating: Aggregating;
  readonly rum: RumSetup;
}

export interface RumSetup extends RumRules {
  /** Options for resolving error stacks; undefined when error stacks are not resolved. */
  readonly sourceMaps: Omit<SourceMapsOptions, "warn"> | undefined;
}

/** A job for a worker: to resolve the error stack of a RUM (real user monitoring) point by source maps. */
export interface StackJob {
  readonly platform: Platform;
  readonly application: Application;
  readonly stack: string;
}

/** The resolved error stack, or the reason why the stack could not be resolved. */
export type StackAnswer = { readonly stack: string } | { readonly failure: string };

/** A job for a worker: to check an uploaded archive of source maps before the archive is kept. */
export interface ArchiveJob {
  readonly file: string;
}

/** The answer to an ArchiveJob: the reason why the archive is refused; undefined when it may be kept. */
export interface ArchiveAnswer {
  readonly refusal: string | undefined;
}

/**
 * A worker's report about the compilation of the scripts. Each worker sends such a report for every new set of scripts.
 */
export interface ScriptReport {
  readonly kind: "scripts";
  /** The number that identifies the set of scripts, as the main thread sent it. */
  readonly generation: number;
  readonly failed: readonly (FailedScript & ScriptName)[];
  /** The scripts in force that keep state between points. */
  readonly stateful: readonly ScriptName[];
}

export interface AggregatedBucket {
  readonly name: string;
  readonly batches: readonly Batch[];
  /** Number of points that could not be encoded, because the wire format of the output cannot express them. */
  readonly skipped: number;
}

/** A worker's report with the points that aggregations of scripts released. */
export interface AggregatedReport {
  readonly kind: "aggregated";
  readonly buckets: readonly AggregatedBucket[];
  readonly filtered: readonly FilterCount[];
}

/**
 * A worker's report about the scripts that keep state between points. For each of these scripts, it contains the
 * amounts of data that the script keeps now, and the amounts that the script could not keep because of a limit.
 */
export interface StateReport {
  readonly kind: "state";
  readonly scripts: readonly (ScriptName & { readonly counters: StateCounters })[];
}

/**
 * A worker's answer to the message `close`. The answer means that the worker has sent all points that the
 * aggregations of its scripts had collected.
 */
export interface ClosedReport {
  readonly kind: "closed";
}

export type WorkerReport = ScriptReport | AggregatedReport | StateReport | ClosedReport;

/** A message from a worker thread: a report, which may come at any time, or the answer to a job. */
export type FromWorker =
  | WorkerReport
  /** A warning to log. `once`: other workers may send the same warning, so it is logged only once. */
  | { readonly kind: "warning"; readonly message: string; readonly once?: true }
  /**
   * Says that the script of a write waits for HTTP requests. The thread can take other jobs; the write's answer comes
   * later.
   */
  | { readonly kind: "waiting"; readonly id: number }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer };

export type Job =
  | ({ readonly of: "write" } & WriteJob)
  | ({ readonly of: "stack" } & StackJob)
  | ({ readonly of: "archive" } & ArchiveJob)
  | ({ readonly of: "choose-versions" } & ChooseVersionsJob);

export type Answer = WriteAnswer | StackAnswer | ArchiveAnswer | ChosenScripts;

export type ToWorker =
  | { readonly kind: "job"; readonly id: number; readonly job: Job }
  | { readonly kind: "scripts"; readonly scripts: ScriptLayers; readonly generation: number }
  | { readonly kind: "matching"; readonly matching: Matching }
  | { readonly kind: "filters"; readonly filters: FilterSources }
  | { readonly kind: "tables"; readonly tables: TablesInForce }
  | { readonly kind: "aggregating"; readonly aggregating: Aggregating }
  /**
   * Asks the worker to send all points that the aggregations of its scripts (`agg_create`) have collected. The
   * main thread sends no job after this message.
   */
  | { readonly kind: "close" };
