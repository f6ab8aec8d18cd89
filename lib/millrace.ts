// An instance of Millrace: the memory of a WebAssembly module, a clock and a source of random numbers. There is no
// global state.

import { defaultWasm } from "#default-wasm";
import { Grok, type GrokOptions } from "./grok/grok.ts";
import { builtinPatterns } from "./grok/load.ts";
import type { PatternSource } from "./grok/patterns.ts";
import { type CompiledSet, compileScripts } from "./pipeline/compile/scripts.ts";
import { type Diagnostic, diagnose } from "./pipeline/editor/diagnose.ts";
import type { RunsIn } from "./pipeline/functions/central.ts";
import type { Probe } from "./pipeline/runtime/instrumentation.ts";
import type { Fetch, Host, Place } from "./pipeline/runtime/run.ts";
import type { Script, ScriptResult } from "./pipeline/runtime/script.ts";
import type { RunOptions, StepBudget } from "./pipeline/runtime/start-run.ts";
import type { PointBatch } from "./point/batch/batch.ts";
import type { CategoryName } from "./point/category.ts";
import {
  type Batcher,
  type BatchOptions,
  createBatcher,
  type EncodedBatches,
  encodeBatches,
} from "./point/codec/batches.ts";
import type { PointWindows } from "./point/codec/body.ts";
import {
  type ColumnChunk,
  type ColumnOptions,
  type ColumnUse,
  columnChunks,
  columnsUsed,
} from "./point/codec/columns.ts";
import { decodeInWindows, decodePoints } from "./point/codec/decode.ts";
import {
  type Encodable,
  type EncodeOptions,
  encodePoints,
  encodeTo,
  type Form,
  type Sink,
} from "./point/codec/encode.ts";
import type { Limits } from "./point/limits.ts";
import type { PointView } from "./point/view.ts";
import type { TableLookup } from "./refer-table/tables.ts";
import type { LinearMemory } from "./regex/automaton/table-memory.ts";
import { compile } from "./regex/compile.ts";
import { KernelEngine } from "./regex/engines/kernel-engine.ts";
import { LazyEngine } from "./regex/engines/lazy-engine.ts";
import { type EngineMaker, Regex } from "./regex/regex.ts";
import { instantiate } from "./wasm/module.ts";

/** Options of `createMillrace`; all are optional. */
export interface MillraceOptions {
  /**
   * The WebAssembly module `millrace.wasm`, as bytes or compiled. Default: the file in the package, which each host
   * (browser, Node.js, edge) loads by its own method.
   */
  readonly wasm?: BufferSource | WebAssembly.Module;
  /** Returns the current time in nanoseconds since 1970-01-01 UTC; default `Date.now()`. */
  readonly clock?: () => bigint;
  /** Returns a random number in [0, 1); default `Math.random`. */
  readonly random?: () => number;
  /**
   * Whether the instance may generate WebAssembly at run time for regular expressions that are used often; default
   * true. Environments that forbid code generation are detected.
   */
  readonly generateCode?: boolean;
  /** IANA name of the local time zone of scripts, for times without a zone; default the zone of `Intl`. */
  readonly timeZone?: string;
  /**
   * Sends requests for the script function `http_request`, which returns nil when this option is absent. The function
   * must refuse the addresses that scripts may not reach.
   */
  readonly fetch?: Fetch;
  /**
   * Returns the geographic place of an IP address for the script function `geoip`, which does nothing when this option
   * is absent.
   */
  readonly geoip?: (ip: string) => Place | null;
  /** Returns the current reference tables; called at each look-up by a script. */
  readonly referTables?: () => TableLookup | null;
}

/** Options of `Millrace.decodePoints`. */
export interface DecodeOptions {
  readonly category: CategoryName;
  readonly form: Form;
  /**
   * Unit of the times in the body: `n`, `ns`, `u`, `us`, `ms`, `s`, `m` or `h`. When the unit is absent or empty, it is
   * guessed from the size of the numbers.
   */
  readonly precision?: string;
  /**
   * Time for points that have no time in the body, in nanoseconds since 1970; default the current time of the
   * instance's clock.
   */
  readonly now?: bigint;
  readonly limits?: Limits;
  /** Whether two tags with the same key in one line of line protocol are an error. */
  readonly strict?: boolean;
  /**
   * Largest number of points in a body. A body with more points throws TooManyPoints before it takes more memory.
   * Absent or 0 means no limit.
   */
  readonly maxPoints?: number;
}

/** Options of `Millrace.decodeInWindows`, which decodes a body one window (a group of consecutive points) at a time. */
export interface WindowOptions extends DecodeOptions {
  /**
   * Number of tags and fields after which a window (a group of consecutive points) ends; default 32,768, which take
   * about 1 MB of WebAssembly memory.
   */
  readonly entries?: number;
}

/** Options of one run of a script. */
export interface RunScriptOptions {
  readonly category: CategoryName;
  /**
   * Largest number of steps (statements and loop iterations) for a point; default 10,000,000. 0 switches the limit off.
   */
  readonly maxSteps?: number;
  /** Largest size in bytes of the values that a run may hold; default 64 MiB. 0 switches the limit off. */
  readonly maxBytes?: number;
  /** A budget of steps that this run shares with other runs, such as the runs over the points of one write. */
  readonly budget?: StepBudget;
  /** Time limit for the run over one point in milliseconds, for debug runs. */
  readonly deadlineMs?: number;
  /** Signal that aborts the HTTP requests of a script that waits for answers. */
  readonly signal?: AbortSignal;
  /** Receives the events of the run. Only scripts that were compiled with `probes` send events. */
  readonly probe?: Probe;
}

/** Options of `Millrace.compile`. */
export interface CompileScriptsOptions {
  readonly category: CategoryName;
  /**
   * Where the scripts will run: in an agent or on a `central` platform, where some functions have no effect. Default:
   * an agent.
   */
  readonly runsIn?: RunsIn;
  /**
   * Whether each statement of the scripts reports to the `probe` of a run, for example to record a trace. Reports make
   * scripts slower.
   */
  readonly probes?: boolean;
  /**
   * Grok patterns that all scripts can use, such as the result of `loadPatternFiles`; default: the built-in patterns.
   */
  readonly patterns?: PatternSource;
}

/** An instance of Millrace with its own WebAssembly memory, clock and settings. */
export interface Millrace {
  /**
   * Decodes a body and corrects its points to the category's rules. Throws a PointError for a wrong body, or a
   * MemoryError when the points do not fit in memory. The caller must release the batch after use.
   */
  decodePoints(body: Uint8Array, options: DecodeOptions): PointBatch;
  /**
   * Decodes the points one window (a group of consecutive points) at a time, for large or dense bodies, so that the
   * memory in use stays near the size of the body. Each batch is valid until the next batch is requested, because that
   * request releases it. When the body is refused, the request after the last window throws the PointError of the whole
   * body.
   */
  decodeInWindows(body: Uint8Array, options: WindowOptions): PointWindows;
  /**
   * Encodes points in a wire format. Line protocol leaves out points that it cannot express (no field, a series over
   * 65,535 bytes). JSON replaces bytes that are not UTF-8 by U+FFFD; the other formats keep such bytes. A batch is read
   * directly from WebAssembly memory: no JavaScript object is made for a point or a field.
   */
  encodePoints(points: Encodable, form: Form, options?: EncodeOptions): Uint8Array<ArrayBuffer>;
  /**
   * Encodes points as `encodePoints` does, but passes the output to `sink` in chunks of about 128 KB. Returns the
   * number of points written. An error that `sink` throws ends the encoding. `encodeTo(decodeInWindows(body, ...),
   * form, sink)` converts a body from one wire format to another in bounded memory.
   */
  encodeTo(points: Encodable, form: Form, sink: Sink, options?: EncodeOptions): number;
  /**
   * Encodes points as a sequence of batches (output bodies), each limited by points, by bytes or by the size of a
   * buffer. Each batch is made when it is requested. A point larger than the buffer becomes a batch of its own with the
   * option `largeAlone`, is left out and counted with `ignoreLarge`, and otherwise throws a RangeError.
   */
  encodeBatches(points: Encodable, form: Form, options?: BatchOptions): EncodedBatches;
  /**
   * Returns an object that encodes batches (output bodies) from points that arrive in parts, such as the windows of a
   * body. The sizes of the parts do not affect where one batch ends and the next begins.
   */
  batcher(form: Form, options?: BatchOptions): Batcher;
  /**
   * Returns the keys of the points, each with its value types and the names of the points that have the key. These keys
   * are the columns of `columnChunks`.
   */
  columnsUsed(points: Encodable): readonly ColumnUse[];
  /** Returns the points as columns for a columnar store, in chunks of some rows each. */
  columnChunks(points: Encodable, options: ColumnOptions): Iterable<ColumnChunk>;
  /**
   * Checks and compiles scripts of one category. `scripts` holds the source text of each script by name. Errors are
   * returned in `errors`, not thrown.
   */
  compile(scripts: Readonly<Record<string, string>>, options: CompileScriptsOptions): CompiledSet;
  /**
   * Returns all errors of scripts of one category, each with its range in the source text. The parameters are the same
   * as for `compile`.
   */
  diagnose(
    scripts: Readonly<Record<string, string>>,
    options?: Pick<CompileScriptsOptions, "runsIn" | "patterns">,
  ): readonly Diagnostic[];
  /** Runs a script over a point and changes the point in place. Throws when the script's `waits` is true. */
  run(script: Script, point: PointView, options: RunScriptOptions): ScriptResult;
  /**
   * Runs a script over every point of a batch, one after the other, and calls `take` with each result. Throws when the
   * script's `waits` is true.
   */
  runAll(
    script: Script,
    points: PointBatch,
    options: RunScriptOptions,
    take: (result: ScriptResult, index: number) => void,
  ): void;
  /**
   * Runs any script, also one that waits for HTTP answers. The point must not belong to a batch, and no other code may
   * use the point until the promise resolves.
   */
  runWaiting(script: Script, point: PointView, options: RunScriptOptions): Promise<ScriptResult>;
  /**
   * Makes a regular expression that runs in this instance. The caller must free it after use. Throws RegexSyntaxError.
   */
  regex(source: string, flags?: string): Regex;
  /**
   * Makes a grok expression that runs in this instance. The caller must free it after use. Throws GrokError or
   * RegexSyntaxError.
   */
  grok(expression: string, options?: Pick<GrokOptions, "patterns">): Grok;
  /** Returns two sizes of the WebAssembly memory in bytes: the memory that batches use, and the whole memory. */
  memory(): { readonly used: number; readonly size: number };
}

/**
 * Creates an instance of Millrace. Throws when the WebAssembly module cannot be loaded or has another version.
 *
 * @example
 * const millrace = await createMillrace();
 * const body = new TextEncoder().encode("cpu,host=a load=0.5");
 * const points = millrace.decodePoints(body, { category: "metric", form: "lp" });
 * points.length; // 1
 * points.release();
 */
export async function createMillrace(options: MillraceOptions = {}): Promise<Millrace> {
  const { random = Math.random } = options;
  const module = await instantiate(options.wasm ?? (await defaultWasm()), random);
  if (options.generateCode === false) module.generates = false;
  const now = options.clock ?? (() => BigInt(Date.now()) * 1_000_000n);
  let { timeZone } = options;
  const host: Host = {
    now,
    random,
    // The first formatter of a process loads the data of the host's Intl, which takes longer than all else that makes an
    // instance. Few scripts need the zone.
    get timeZone() {
      timeZone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
      return timeZone;
    },
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    ...(options.geoip === undefined ? {} : { geoip: options.geoip }),
    ...(options.referTables === undefined ? {} : { tables: options.referTables }),
  };
  const nowMs = () => Number(now() / 1_000_000n);
  const running = (options: RunScriptOptions): RunOptions => ({
    category: options.category,
    host,
    maxSteps: options.maxSteps,
    maxBytes: options.maxBytes,
    budget: options.budget,
    signal: options.signal,
    probe: options.probe,
    deadline: options.deadlineMs === undefined ? undefined : { now: nowMs, limitMs: options.deadlineMs },
  });
  // Frees the regular-expression tables of scripts that were garbage collected without a call of `free`. The value is
  // null where JavaScript has no FinalizationRegistry, such as in some edge environments.
  const lost =
    typeof FinalizationRegistry === "undefined"
      ? null
      : new FinalizationRegistry<LinearMemory[]>((memories) => {
          for (const memory of memories) memory.free();
        });
  const engine: EngineMaker = (parsed, captures = true) =>
    new LazyEngine(captures ? parsed.names.length * 2 : 2, module, () => {
      const made = new KernelEngine(compile(parsed, captures), module);
      lost?.register(made, made.memories);
      return made;
    });
  const received = <T extends DecodeOptions>(options: T): T & { readonly now: bigint } =>
    hasTime(options) ? options : { ...options, now: now() };
  return {
    decodePoints: (body, options) => decodePoints(module, body, options.form, received(options)),
    decodeInWindows: (body, options) => decodeInWindows(module, body, options.form, received(options), options.entries),
    encodePoints: (points, form, encoding) => encodePoints(module, points, form, encoding),
    encodeTo: (points, form, sink, encoding) => encodeTo(module, points, form, sink, encoding),
    encodeBatches: (points, form, batching) => encodeBatches(module, points, form, batching),
    batcher: (form, batching) => createBatcher(module, form, batching),
    columnsUsed: (points) => columnsUsed(module, points),
    columnChunks: (points, options) => columnChunks(module, points, options),
    compile: (scripts, { probes = false, runsIn = "agent", patterns = builtinPatterns }) =>
      compileScripts(scripts, { patterns, engine, probes, runsIn }),
    diagnose: (scripts, { runsIn = "agent", patterns = builtinPatterns } = {}) =>
      diagnose(scripts, { patterns, runsIn }),
    run: (script, point, options) => script.run(point, running(options)),
    runAll: (script, points, options, take) => script.runAll(points, running(options), take),
    runWaiting: (script, point, options) => script.runWaiting(point, running(options)),
    regex: (source, flags) => Regex.compile(source, flags, { engine }),
    grok: (expression, options) => Grok.compile(expression, { ...options, engine }),
    memory: () => ({ used: module.used, size: module.size }),
  };
}

function hasTime<T extends DecodeOptions>(options: T): options is T & { readonly now: bigint } {
  return options.now !== undefined;
}
