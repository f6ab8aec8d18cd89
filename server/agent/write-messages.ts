// What the main thread and the worker threads say to each other. Bodies are transferred, not copied.

import type { Form } from "../../lib/index.ts";
import type { StateCounters } from "../../lib/pipeline/runtime/state/limits.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import type { GeoipFiles } from "../geoip/lookup.ts";
import type { ErrorCode } from "../http/errors.ts";
import type { OutboundRules } from "../outbound/guarded-fetch.ts";
import type { TablesInForce } from "../refer-table/store.ts";
import type { Rejected } from "./inputs/otlp/common.ts";
import type { OtlpEncoding, Signal } from "./inputs/otlp/points.ts";
import type { Namespace } from "./scripts/namespaces.ts";
import type { Matching } from "./scripts/script-layers.ts";
import type { Application, Platform } from "./source-maps/names.ts";
import type { SourceMapsOptions } from "./source-maps/source-maps.ts";

export type { Form };

/** Forms an echo can have. */
export type EchoForm = Exclude<Form, "pb">;

/** Forms in which points go to the outlet. */
export type BatchForm = "lp" | "pb";

/** Script text by category, then by file name (`nginx.p`). */
export type ScriptSources = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Texts of pattern files by file name (`httpd.grok`). */
export type PatternTexts = Readonly<Record<string, string>>;

/** The scripts of the files that are in force. */
export interface LocalScripts {
  readonly scripts: ScriptSources;
  /** Scripts whose files are gone, which some of the others run. */
  readonly helpers: ScriptSources;
  /** Grok patterns that all scripts see. */
  readonly patterns: PatternTexts;
}

/** With the helpers of the files' scripts and the pattern files. */
export type ScriptLayers = Readonly<Record<Namespace, ScriptSources>> & Pick<LocalScripts, "helpers" | "patterns">;

/** Conditions of drop rules by category. */
export type FilterSources = Readonly<Record<string, readonly string[]>>;

/** A tag to be added where the key is neither tag nor field. */
export type ExtraTag = readonly [key: string, value: string];

/** What scripts find outside of their points. */
export interface ScriptSurroundings {
  /** Undefined: no database of addresses. */
  readonly geoip: GeoipFiles | undefined;
  /** Undefined: scripts send no requests. */
  readonly requests: OutboundRules | undefined;
  /** Grok reads `[source][address]` as the field `source.address`. */
  readonly ecsPatterns: boolean;
}

/** How aggregated points, which belong to no write, are made ready for the outlet. */
export interface Aggregating {
  /** Added to them. */
  readonly hostTags: readonly ExtraTag[];
  /** As in a job. */
  readonly batchBytes: number;
  readonly shardKeys: readonly string[] | undefined;
  readonly batchForm?: BatchForm;
}

/** Which batches are given out compressed: large ones, or what is held beyond half of a write's body and 4 MiB. */
export type Compressing = "large" | "surplus";

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
  readonly surroundings: ScriptSurroundings;
  readonly tables: TablesInForce | null;
  readonly aggregating: Aggregating;
  readonly rum: RumSetup;
}

export interface RumRules {
  /** Applications whose points are taken; none = all. */
  readonly appIds: readonly string[];
  /** Refuse points without `app_id` and of unknown measurements. */
  readonly checkPoints: boolean;
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

/** Files have changed: which versions of their scripts are to be in force. */
export interface SettleJob {
  readonly files: ScriptSources;
  readonly patterns: PatternTexts;
  readonly before: LocalScripts;
}

export interface FailedScript {
  readonly category: CategoryName;
  readonly name: string;
  readonly error: string;
}

export interface SettledScripts extends LocalScripts {
  /** Of the files as they are, whether another version runs or none. */
  readonly failed: readonly FailedScript[];
  /** Of each definition of the pattern files that cannot be used: file, line and reason. */
  readonly wrongPatterns: readonly string[];
}

/** A body that is not a form of points: logs, a Prometheus remote write, or an OTLP request. */
export type ForeignBody =
  | {
      readonly kind: "lines" | "json" | "firelens";
      /** Measurement of the points. */
      readonly source: string;
    }
  | { readonly kind: "prometheus"; readonly isSnappy: boolean; readonly maxBytes: number }
  | {
      readonly kind: "otlp";
      readonly signal: Signal;
      readonly encoding: OtlpEncoding;
      /** Of the points that are made of it. */
      readonly maxBytes: number;
    };

export interface WriteJob {
  readonly body: Uint8Array;
  /** Nobody else uses the memory of the body: a batch of the answer may lie in it. */
  readonly ownsBody?: boolean;
  /** What the main thread left to the worker. */
  readonly encoding: "" | "zstd";
  readonly maxBodyBytes: number;
  /** Points that the body may hold, where its form lets points be much smaller in the body than in the store; 0 = any. */
  readonly maxPoints: number;
  /** Bytes that its points may take together as they are written. */
  readonly maxWrittenBytes: number;
  readonly category: CategoryName;
  readonly form: Form;
  /** Where it is set, the body is to be made points of `form` first. */
  readonly foreign: ForeignBody | undefined;
  readonly precision: string;
  readonly strict: boolean;
  readonly echo: EchoForm | undefined;
  readonly dry: boolean;
  /** Receive time, nanoseconds. */
  readonly now: bigint;
  /** Added before the echo. */
  readonly earlyTags: readonly ExtraTag[];
  /** Of the browser that RUM points come from: it and its place are added before the echo, too. */
  readonly browserAddress?: string;
  /** Global tags: added behind the echo, before the script and the filters. */
  readonly globalTags: readonly ExtraTag[];
  /** File name of the script, as the store knows it. */
  readonly script: string | undefined;
  /** Each point finds its script by its name; `script` then stands for all of them. */
  readonly matches?: boolean;
  /** Largest batch, in bytes, but for a point that is larger by itself; 0 = any. */
  readonly batchBytes: number;
  /** Keys by which the points are told apart; undefined when they are not. */
  readonly shardKeys: readonly string[] | undefined;
  /** Form of the batches; line protocol when absent. */
  readonly batchForm?: BatchForm;
  /** `surplus` when absent. */
  readonly compress?: Compressing;
  /** Points whose time is far from `now` get that one. */
  readonly correctsTimes?: boolean;
  /** No other request was under way when it was given out. */
  readonly isAlone?: boolean;
}

/** What became of the stack of one error point. */
export interface RumStack {
  readonly appId: string;
  readonly sdkName: string;
  readonly status: "success" | "lack-field" | "no-zip" | "no-tool" | "error";
}

/** Points of one category in the form of their job. */
export interface Batch {
  readonly category: CategoryName;
  /** Up to `mostCopied` bytes (queue/pending.ts) are good until the next write is worked on: who takes the batch copies them at once. */
  readonly body: Uint8Array;
  readonly points: number;
  /** The body is compressed: one gzip member. */
  readonly gzip?: true;
  /** Value of the header that goes with the points, when they are told apart by shard keys. */
  readonly globalTags?: string;
}

/** What the filters did to the points of one category. */
export interface FilterCount {
  readonly category: CategoryName;
  readonly points: number;
  readonly dropped: number;
  readonly seconds: number;
}

export interface RunCount {
  /** Of a script that its points found by name. */
  readonly name?: string;
  /** Of the script. */
  readonly namespace: Namespace;
  readonly points: number;
  readonly dropped: number;
  readonly errors: number;
  readonly seconds: number;
  /** The first run-time error, as text for the log. */
  readonly firstError: string | undefined;
}

export type WriteAnswer =
  | {
      readonly ok: true;
      readonly points: number;
      readonly echo: Uint8Array | undefined;
      readonly batches: readonly Batch[];
      /** Points that the form of the batches cannot say. */
      readonly skipped: number;
      readonly run: RunCount | undefined;
      /** In its place, of points that found their scripts by name. */
      readonly runs?: readonly RunCount[];
      readonly stacks: readonly RumStack[];
      /** Of the categories that have filters. */
      readonly filtered: readonly FilterCount[];
      /** Points whose time was corrected, by category. */
      readonly corrected?: ReadonlyMap<CategoryName, number>;
      /** What of a foreign body is no point. */
      readonly rejected?: Rejected;
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly rejected?: Rejected;
    };

export interface ScriptName {
  readonly category: CategoryName;
  readonly name: string;
  readonly namespace: Namespace;
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
  | ({ readonly of: "settle" } & SettleJob);

export type Answer = WriteAnswer | StackAnswer | ArchiveAnswer | SettledScripts;

export type ToWorker =
  | { readonly kind: "job"; readonly id: number; readonly job: Job }
  | { readonly kind: "scripts"; readonly scripts: ScriptLayers; readonly generation: number }
  | { readonly kind: "matching"; readonly matching: Matching }
  | { readonly kind: "filters"; readonly filters: FilterSources }
  | { readonly kind: "tables"; readonly tables: TablesInForce }
  | { readonly kind: "aggregating"; readonly aggregating: Aggregating }
  /** Give out what aggregations hold; no job will follow. */
  | { readonly kind: "close" };
