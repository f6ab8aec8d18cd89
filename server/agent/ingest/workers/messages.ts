// What the main thread and the worker threads say to each other. Bodies are transferred, not copied.

import type { StateCounters } from "../../../../lib/pipeline/runtime/state/limits.ts";
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

/** How aggregated points, which belong to no write, are made ready for the output. */
export interface Aggregating extends BatchOptions {
  /** Tags that are added to the points. */
  readonly hostTags: readonly ExtraTag[];
}

export interface WorkerSetup {
  readonly wasm: WebAssembly.Module;
  /** Steps a script may take on one point, and on the points of one write; 0 = no limit. */
  readonly maxSteps: number;
  readonly maxStepsPerWrite: number;
  /** Bytes of the values that a script may hold on one point; 0 = no limit. */
  readonly maxBytes: number;
  /** Milliseconds after which requests of the scripts of one write have no answer. */
  readonly requestsMs: number;
  readonly scripts: ScriptLayers;
  /** Counts how often the scripts were replaced. */
  readonly generation: number;
  readonly matching: Matching;
  readonly filters: FilterSources;
  /** In filters a number compares with numbers of its own kind only. */
  readonly strictTypes: boolean;
  readonly surroundings: ScriptEnvironment;
  readonly tables: TablesInForce | null;
  readonly aggregating: Aggregating;
  readonly rum: RumSetup;
}

export interface RumSetup extends RumRules {
  /** Undefined when stacks are not resolved. */
  readonly sourceMaps: Omit<SourceMapsOptions, "warn"> | undefined;
}

/** An error stack to be resolved. */
export interface StackJob {
  readonly platform: Platform;
  readonly application: Application;
  readonly stack: string;
}

/** The resolved stack, or why there is none. */
export type StackAnswer = { readonly stack: string } | { readonly failure: string };

/** An archive of source maps to be checked before it is kept. */
export interface ArchiveJob {
  readonly file: string;
}

/** Undefined: nothing speaks against it. */
export interface ArchiveAnswer {
  readonly refusal: string | undefined;
}

/** What became of the scripts, told by each worker after loading them. */
export interface ScriptReport {
  readonly kind: "scripts";
  /** As it was told with the scripts. */
  readonly generation: number;
  readonly failed: readonly (FailedScript & ScriptName)[];
  /** Of those in force. */
  readonly stateful: readonly ScriptName[];
}

export interface AggregatedBucket {
  readonly name: string;
  readonly batches: readonly Batch[];
  /** As in an answer. */
  readonly skipped: number;
}

/** Points that aggregations gave out. */
export interface AggregatedReport {
  readonly kind: "aggregated";
  readonly buckets: readonly AggregatedBucket[];
  readonly filtered: readonly FilterCount[];
}

/** What stateful scripts keep now. */
export interface StateReport {
  readonly kind: "state";
  readonly scripts: readonly (ScriptName & { readonly counters: StateCounters })[];
}

/** Answers `close`: everything that was gathered has been reported. */
export interface ClosedReport {
  readonly kind: "closed";
}

export type WorkerReport = ScriptReport | AggregatedReport | StateReport | ClosedReport;

/** From a worker: a report at any time, an answer for each job. */
export type FromWorker =
  | WorkerReport
  /** `once`: the other workers may say the same, which is logged once. */
  | { readonly kind: "warning"; readonly message: string; readonly once?: true }
  /** The job's script waits: the thread is free for others, the answer comes later. */
  | { readonly kind: "waiting"; readonly id: number }
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly answer: Answer;
      /** The memory of a write's body, to be used again. */
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
  /** Give out what aggregations hold; no job will follow. */
  | { readonly kind: "close" };
