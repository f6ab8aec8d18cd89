// What the main thread and the worker threads say to each other. Bodies are transferred, not copied.

import type { StateCounters } from "../../lib/pipeline/state/limits.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import type { TableData } from "../../lib/refer-table/tables.ts";
import type { GeoipFiles } from "../geoip/lookup.ts";
import type { ErrorCode } from "../http/errors.ts";
import type { OutboundRules } from "../http/outbound.ts";

export type Form = "lp" | "json" | "pbjson";

/** Script text by category, then by file name (`nginx.p`). */
export type ScriptSources = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A tag to be added where the key is neither tag nor field. */
export type ExtraTag = readonly [key: string, value: string];

/** What scripts find outside of their points. */
export interface ScriptSurroundings {
  /** Undefined: no database of addresses. */
  readonly geoip: GeoipFiles | undefined;
  /** Undefined: scripts send no requests. */
  readonly requests: OutboundRules | undefined;
}

export interface WorkerSetup {
  readonly wasm: WebAssembly.Module;
  /** Steps a script may take on one point, and on the points of one write; 0 = no limit. */
  readonly maxSteps: number;
  readonly maxStepsPerWrite: number;
  /** Milliseconds after which requests of the scripts of one write have no answer. */
  readonly requestsMs: number;
  readonly scripts: ScriptSources;
  readonly surroundings: ScriptSurroundings;
  readonly tables: readonly TableData[] | null;
  /** Added to aggregated points. */
  readonly hostTags: readonly ExtraTag[];
  /** Largest batch of aggregated points, in bytes of line protocol; 0 = any. */
  readonly batchBytes: number;
}

export interface WriteJob {
  readonly body: Uint8Array;
  /** What the main thread left to the worker. */
  readonly encoding: "" | "zstd";
  readonly maxBodyBytes: number;
  readonly category: CategoryName;
  readonly form: Form;
  readonly precision: string;
  readonly strict: boolean;
  readonly echo: Form | undefined;
  readonly dry: boolean;
  /** Receive time, nanoseconds. */
  readonly now: bigint;
  /** Added before the echo (RUM addresses). */
  readonly earlyTags: readonly ExtraTag[];
  /** Added when the points are fed (global tags). */
  readonly globalTags: readonly ExtraTag[];
  /** File name of the script, as the store knows it. */
  readonly script: string | undefined;
  /** Largest batch, in bytes of line protocol; 0 = any. */
  readonly batchBytes: number;
}

/** Points of one category in line protocol. */
export interface Batch {
  readonly category: CategoryName;
  readonly body: Uint8Array;
  readonly points: number;
}

export interface RunCount {
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
      /** Points that alone are larger than a batch may be. */
      readonly skipped: number;
      readonly run: RunCount | undefined;
    }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** What became of the scripts, told by each worker after loading them. */
export interface ScriptReport {
  readonly kind: "scripts";
  readonly failed: readonly { readonly category: CategoryName; readonly name: string; readonly error: string }[];
  readonly stateful: readonly { readonly category: CategoryName; readonly name: string }[];
}

/** Points that aggregations gave out. */
export interface AggregatedReport {
  readonly kind: "aggregated";
  readonly buckets: readonly { readonly name: string; readonly batches: readonly Batch[] }[];
}

/** What stateful scripts keep now. */
export interface StateReport {
  readonly kind: "state";
  readonly scripts: readonly {
    readonly category: CategoryName;
    readonly name: string;
    readonly counters: StateCounters;
  }[];
}

/** Answers `close`: everything that was gathered has been reported. */
export interface ClosedReport {
  readonly kind: "closed";
}

export type WorkerReport = ScriptReport | AggregatedReport | StateReport | ClosedReport;

/** From a worker: a report at any time, an answer for each job. */
export type FromWorker = WorkerReport | { readonly kind: "answer"; readonly answer: WriteAnswer };

export type ToWorker =
  | { readonly kind: "job"; readonly job: WriteJob }
  | { readonly kind: "scripts"; readonly scripts: ScriptSources }
  | { readonly kind: "tables"; readonly tables: readonly TableData[] }
  /** Give out what aggregations hold; no job will follow. */
  | { readonly kind: "close" };
