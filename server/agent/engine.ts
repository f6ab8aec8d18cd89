// The engine: the few functions of the Millrace library that the agent's threads and the command line use. This
// file contains the interface of the engine, and create-engine.ts creates an engine. Only these two files of the
// server use the library's public API, so a change of the library affects only them. The main thread loads
// create-engine.ts when the first write arrives and not earlier, because its code with the script language takes
// 7 MB of memory.

import { readFileSync } from "node:fs";
import type {
  Aggregated,
  Batcher,
  BatchOptions,
  Encodable,
  EncodeOptions,
  Form,
  PlError,
  Point,
  Points,
  PointView,
  PointWindows,
  Sink,
  StepBudget,
  TableLookup,
} from "../../lib/index.ts";
import type { Place } from "../../lib/pipeline/index.ts";
import type { CategoryName } from "../../lib/point/index.ts";
import type { StateReport } from "./ingest/workers/messages.ts";
import type { ChosenVersions, InForce, Texts } from "./scripts/last-good.ts";
import type { Namespace } from "./scripts/namespaces.ts";
import type { ScriptEnvironment } from "./scripts/script-environment.ts";

export {
  type Aggregated,
  type Batcher,
  Key,
  type PlError,
  Point,
  PointError,
  type PointSeries,
  type Points,
  type PointView,
  type PointWindows,
  plErrorText,
  type StateCounters,
  type StepBudget,
  TooManyPoints,
} from "../../lib/index.ts";

export type { Place };

export interface Decoding {
  readonly category: CategoryName;
  readonly form: Form;
  /** Unit of the points' times, such as `ms`; when empty, the decoder detects the unit from the size of each time. */
  readonly precision: string;
  /** Time when the body was received, in nanoseconds since 1970. */
  readonly now: bigint;
  readonly strict: boolean;
  /**
   * Largest number of points in a body. A body with more points causes the error TooManyPoints. Absent or 0: no
   * limit.
   */
  readonly maxPoints?: number;
}

export interface Created {
  readonly category: CategoryName;
  readonly point: Point;
  /** Whether the script has dropped the point that it created. A dropped point must not be stored. */
  readonly dropped?: boolean;
}

export interface RunResult {
  readonly error: PlError | null;
  readonly dropped: boolean;
  readonly created: readonly Created[];
  /**
   * Points of the script's category that the script has kept back with the function `point_window` and now
   * releases.
   */
  readonly window: readonly Point[];
}

export interface RunOptions {
  /**
   * Largest number of milliseconds that the script may run on one point. When set, the number of steps (statements and
   * loop iterations) is not limited.
   */
  readonly deadlineMs?: number;
  readonly budget?: StepBudget;
  /** When this signal aborts, HTTP requests of the script are aborted. */
  readonly signal?: AbortSignal;
}

/** A compiled script. It can still be run after a newer version of the script was loaded. */
export interface Runner {
  readonly namespace: Namespace;
  /**
   * Whether the script keeps state between points. If so, the same thread must run the script on all points, in order.
   */
  readonly isStateful: boolean;
  /** Whether the script waits for answers of HTTP requests. If so, only the method `runWaiting` can run it. */
  readonly waits: boolean;
  run(point: PointView, options?: RunOptions): RunResult;
  /**
   * Runs the script over every point of a batch, in order. (A batch holds decoded points in WebAssembly memory.)
   * Changes the points in the batch. Calls `take` with the result of each point.
   */
  runAll(points: Points, options: RunOptions, take: (result: RunResult, index: number) => void): void;
  /**
   * Runs the script on one point, and waits for the script's HTTP requests. The point must not be part of a batch
   * (decoded points in WebAssembly memory).
   */
  runWaiting(point: PointView, options?: RunOptions): Promise<RunResult>;
}

export interface CompileResult {
  readonly errors: ReadonlyMap<string, PlError>;
  /** The points that aggregations (`agg_create`) had collected in the scripts that this call of `load` replaced. */
  readonly aggregated: readonly Aggregated[];
}

export interface Engine {
  /** Decodes a small body in one call. Throws PointError and TooManyPoints. */
  decode(body: Uint8Array, options: Decoding): Points;
  /**
   * Decodes a body in parts. Returns the points in windows (batches of limited size), so that the memory needed is
   * at most the size of the body plus a constant. Reading the windows throws PointError and TooManyPoints.
   */
  windows(body: Uint8Array, options: Decoding): PointWindows;
  encode(points: Encodable, form: Form, options?: EncodeOptions): Uint8Array;
  /**
   * Encodes points. Calls `sink` with each chunk of the encoded bytes; `sink` may use the bytes only during the call.
   * Returns the number of points.
   */
  encodeTo(points: Encodable, form: Form, sink: Sink, options?: EncodeOptions): number;
  /** Returns a batcher, which joins encoded points into bodies of bounded size. */
  batcher(form: Form, options: BatchOptions): Batcher;
  /**
   * Corrects a point in place: applies the limits and corrections for points of the category
   * (docs/reference/points.md#corrections). The point must not lie in a batch (decoded points in WebAssembly memory).
   */
  correct(point: Point, category: CategoryName): void;
  /**
   * Replaces the grok pattern files (`texts`: contents by file name) for later calls of `load` and `chooseVersions`.
   * Returns a text for each definition that cannot be used: its file, its line and the problem.
   */
  usePatterns(texts: Texts): readonly string[];
  /**
   * Replaces all scripts of a category in a namespace (scripts of the gateway or of files). Does nothing when no script
   * has changed. A script whose text is unchanged keeps its state. Scripts that `chooseVersions` has compiled are not
   * compiled again. `helpers`: scripts that run only when another script calls them with `use`.
   */
  load(category: CategoryName, sources: Texts, namespace?: Namespace, helpers?: Texts): CompileResult;
  /**
   * Decides which version of each script of a category to load after script files have changed: the current file, or
   * the last version that compiled. Does not change the loaded scripts.
   */
  chooseVersions(category: CategoryName, files: Texts, before: InForce): ChosenVersions;
  /**
   * Returns the script with the given name; undefined when there is none. When several namespaces (scripts of the
   * gateway, scripts of files) have a script of this name, returns the script of the first namespace in which the
   * script compiled.
   */
  script(category: CategoryName, name: string): Runner | undefined;
  /** Returns the names of all scripts of the category that are in force. */
  scriptNames(category: CategoryName): readonly string[];
  /**
   * Returns the geographic place of an IP address from the address database; null when the place is unknown or there is
   * no database. Throws when the database cannot be read.
   */
  placeOf(address: string): Place | null;
  /**
   * Removes from the engine the points of aggregations (`agg_create`) whose period has ended, and returns these points.
   * With `all`, removes and returns the points of all aggregations, even before their period has ended.
   */
  takeAggregated(all?: boolean): readonly Aggregated[];
  /**
   * Returns, for each script that keeps state between points, the amount of data that the script keeps, and the
   * amount of data that it could not keep because of a limit.
   */
  state(): StateReport["scripts"];
}

export interface EngineOptions {
  /** Largest number of steps (statements and loop iterations) that a script may take on one point; 0 = no limit. */
  readonly maxSteps: number;
  /**
   * Largest number of bytes that the values of a script may take while it runs on one point; 0 = no limit; absent = the
   * library's default.
   */
  readonly maxBytes?: number;
  readonly environment?: ScriptEnvironment;
  /**
   * Logs that an HTTP request of a script was refused because the address of the request is forbidden. Called once for
   * each host.
   */
  readonly warn?: (message: string) => void;
  /**
   * Largest number of tags and fields in a window (a batch of points that are decoded together); absent = the library's
   * default.
   */
  readonly windowEntries?: number;
  /** Returns the reference tables (tables in which scripts look up values) that are in force. */
  readonly tables?: () => TableLookup | null;
}

/** Compiles the library's WebAssembly module. The file of the module lies in the folder of the compiled library. */
export function compileWasm(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url)));
}

/** Returns the time of this machine's clock in nanoseconds since 1970. */
export function wallClock(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}
