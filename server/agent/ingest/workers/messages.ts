// The messages between the main thread and the worker threads. Bodies are transferred, not copied.

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

/** How points of aggregations are encoded for the output. These points belong to no write. */
export interface Aggregating extends BatchOptions {
  /** Tags that are added to the points. */
  readonly hostTags: readonly ExtraTag[];
}

export interface WorkerSetup {
  readonly wasm: WebAssembly.Module;
  /** Largest number of steps of a script, on one point and on all points of a write; 0 = no limit. */
  readonly maxSteps: number;
  readonly maxStepsPerWrite: number;
  /** Largest number of bytes of the values that a script may hold on one point; 0 = no limit. */
  readonly maxBytes: number;
  /** Milliseconds after which the requests of a write's scripts time out. */
  readonly requestsMs: number;
  readonly scripts: ScriptLayers;
  /** Number of times that the scripts were replaced. */
  readonly generation: number;
  readonly matching: Matching;
  readonly filters: FilterSources;
  /** Whether a filter compares a number only with numbers of the same type. */
  readonly strictTypes: boolean;
  readonly surroundings: ScriptEnvironment;
  readonly tables: TablesInForce | null;
  readonly aggregating: Aggregating;
  readonly rum: RumSetup;
}

export interface RumSetup extends RumRules {
  /** Undefined when error stacks are not resolved. */
  readonly sourceMaps: Omit<SourceMapsOptions, "warn"> | undefined;
}

/** The job of resolving an error stack. */
export interface StackJob {
  readonly platform: Platform;
  readonly application: Application;
  readonly stack: string;
}

/** The resolved stack, or the reason why it could not be resolved. */
export type StackAnswer = { readonly stack: string } | { readonly failure: string };

/** The job of checking an uploaded archive of source maps before it is kept. */
export interface ArchiveJob {
  readonly file: string;
}

/** The reason why the archive is refused; undefined when it may be kept. */
export interface ArchiveAnswer {
  readonly refusal: string | undefined;
}

/** The outcome of loading the scripts. Each worker sends it. */
export interface ScriptReport {
  readonly kind: "scripts";
  /** The generation that came with the scripts. */
  readonly generation: number;
  readonly failed: readonly (FailedScript & ScriptName)[];
  /** The scripts in force that keep state. */
  readonly stateful: readonly ScriptName[];
}

export interface AggregatedBucket {
  readonly name: string;
  readonly batches: readonly Batch[];
  /** Number of points that the form of the batches cannot express. */
  readonly skipped: number;
}

/** Points that aggregations released. */
export interface AggregatedReport {
  readonly kind: "aggregated";
  readonly buckets: readonly AggregatedBucket[];
  readonly filtered: readonly FilterCount[];
}

/** The current state counters of the stateful scripts. */
export interface StateReport {
  readonly kind: "state";
  readonly scripts: readonly (ScriptName & { readonly counters: StateCounters })[];
}

/** The answer to `close`: the worker has reported all points of its aggregations. */
export interface ClosedReport {
  readonly kind: "closed";
}

export type WorkerReport = ScriptReport | AggregatedReport | StateReport | ClosedReport;

/** A message from a worker: a report at any time, or the answer to a job. */
export type FromWorker =
  | WorkerReport
  /** `once`: other workers may send the same warning, which is logged only once. */
  | { readonly kind: "warning"; readonly message: string; readonly once?: true }
  /** The job's script waits. The thread can take other jobs; the answer comes later. */
  | { readonly kind: "waiting"; readonly id: number }
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly answer: Answer;
      /** The memory of the write's body, for reuse. */
      readonly spare?: ArrayBuffer;
    };

export type Job =
  | ({ readonly of: "write" } & WriteJob)
  | ({ readonly of: "stack" } & StackJob)
  | ({ readonly of: "archive" } & ArchiveJob)
  | ({ readonly of: "settle" } & ChooseVersionsJob);

export type Answer = WriteAnswer | StackAnswer | ArchiveAnswer | ChosenScripts;

export type ToWorker =
  | { readonly kind: "job"; readonly id: number; readonly job: Job }
  | { readonly kind: "scripts"; readonly scripts: ScriptLayers; readonly generation: number }
  | { readonly kind: "matching"; readonly matching: Matching }
  | { readonly kind: "filters"; readonly filters: FilterSources }
  | { readonly kind: "tables"; readonly tables: TablesInForce }
  | { readonly kind: "aggregating"; readonly aggregating: Aggregating }
  /** Asks the worker to release the points of its aggregations. No job follows. */
  | { readonly kind: "close" };
