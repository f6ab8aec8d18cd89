// An instance of Millrace: the module's memory, a clock, a generator of random numbers. Nothing here is global.

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

export interface MillraceOptions {
  /** The module `millrace.wasm`: its bytes, or compiled. Absent: the one of the package, read the way of the host. */
  readonly wasm?: BufferSource | WebAssembly.Module;
  /** Nanoseconds since 1970-01-01 UTC; `Date.now()` when absent. */
  readonly clock?: () => bigint;
  /** A number in [0, 1); `Math.random` when absent. */
  readonly random?: () => number;
  /** False: never makes WebAssembly at run time for expressions that are used much. Hosts that forbid it are noticed. */
  readonly generateCode?: boolean;
  /** IANA zone that stands for "the host's zone"; that of `Intl` when absent. */
  readonly timeZone?: string;
  /** The way out for `http_request`, which gives nil when it is absent. Must refuse the addresses scripts may not reach. */
  readonly fetch?: Fetch;
  /** Where an IP address lies, for `geoip`, which does nothing when it is absent. */
  readonly geoip?: (ip: string) => Place | null;
  /** The reference tables in force, asked at each look-up. */
  readonly referTables?: () => TableLookup | null;
}

export interface DecodeOptions {
  readonly category: CategoryName;
  readonly form: Form;
  /** Unit of the times: `n`, `ns`, `u`, `us`, `ms`, `s`, `m` or `h`. Absent or empty: found out by their size. */
  readonly precision?: string;
  /** Nanoseconds for points without a time; the instance's clock when absent. */
  readonly now?: bigint;
  readonly limits?: Limits;
  /** Equal tags in a line of line protocol are an error. */
  readonly strict?: boolean;
  /** A body with more points is refused with TooManyPoints before it takes more memory; absent or 0: any number. */
  readonly maxPoints?: number;
}

export interface WindowOptions extends DecodeOptions {
  /** Tags and fields after which a window ends; 32,768 when absent, a tape of 1 MB. */
  readonly entries?: number;
}

export interface RunScriptOptions {
  readonly category: CategoryName;
  /** Steps per point, 10,000,000 when absent; 0 switches the limit off. */
  readonly maxSteps?: number;
  /** Bytes of the values that a run may hold, 64 MiB when absent; 0 switches the limit off. */
  readonly maxBytes?: number;
  /** Steps that this run shares with others, such as those over the points of one write. */
  readonly budget?: StepBudget;
  /** For debug runs: milliseconds that a point may take. */
  readonly deadlineMs?: number;
  /** Ends the requests of a script that waits. */
  readonly signal?: AbortSignal;
  /** Is told what the run does, when the script was compiled with `probes`. */
  readonly probe?: Probe;
}

export interface CompileScriptsOptions {
  readonly category: CategoryName;
  /** `central`: the scripts will run on a platform, where some functions have no effect. An agent when absent. */
  readonly runsIn?: RunsIn;
  /** The scripts tell the `probe` of a run, such as a trace, of each statement; they are slower then. */
  readonly probes?: boolean;
  /** Grok patterns that are visible in all of the scripts, such as those of `loadPatternFiles`; the built-in ones when absent. */
  readonly patterns?: PatternSource;
}

export interface Millrace {
  /** Decodes a body and corrects its points to the category's constraints. Throws a PointError, or a MemoryError when they do not fit. Release the batch when done. */
  decodePoints(body: Uint8Array, options: DecodeOptions): PointBatch;
  /**
   * The same points a window at a time, for bodies that are large or dense: memory stays near the body's own size. Each batch is good until
   * the next is asked for, and is released by that. Asking throws the PointError of the whole body behind the last window.
   */
  decodeInWindows(body: Uint8Array, options: WindowOptions): PointWindows;
  /**
   * Points as bytes of a wire form. Line protocol leaves out points it cannot say (no field, a series over 65,535 bytes); JSON shows bytes
   * that are not UTF-8 as U+FFFD, the other two keep them. A batch is read where it lies: no object is made for a point or a field.
   */
  encodePoints(points: Encodable, form: Form, options?: EncodeOptions): Uint8Array<ArrayBuffer>;
  /**
   * The same in chunks of about 128 KB, however long the output; gives the number of points written. What `sink` throws ends it.
   * `encodeTo(decodeInWindows(body, ...), form, sink)` takes a body from one form to another in bounded memory.
   */
  encodeTo(points: Encodable, form: Form, sink: Sink, options?: EncodeOptions): number;
  /**
   * Points in batches: at most so many points, or bytes, or what fits a buffer. They are made as they are asked for; a point that no buffer
   * holds is a batch of its own with `largeAlone`, left out and counted with `ignoreLarge`, else it is a RangeError.
   */
  encodeBatches(points: Encodable, form: Form, options?: BatchOptions): EncodedBatches;
  /** The same for points that come bit by bit, such as the windows of a body: what is cut does not depend on how they come. */
  batcher(form: Form, options?: BatchOptions): Batcher;
  /** The keys of the points with their kinds and the names of the points that have them: what `columnChunks` will give. */
  columnsUsed(points: Encodable): readonly ColumnUse[];
  /** The points as columns, the way a columnar store takes them, so many rows at a time. */
  columnChunks(points: Encodable, options: ColumnOptions): Iterable<ColumnChunk>;
  /** Checks and compiles scripts of one category, texts by name; mistakes are data, in `errors`. */
  compile(scripts: Readonly<Record<string, string>>, options: CompileScriptsOptions): CompiledSet;
  /** All mistakes of scripts of one category, each with the range of the text it is about; see `compile`. */
  diagnose(
    scripts: Readonly<Record<string, string>>,
    options?: Pick<CompileScriptsOptions, "runsIn" | "patterns">,
  ): readonly Diagnostic[];
  /** Runs a script over a point and changes it in place. Not for a script that `waits`. */
  run(script: Script, point: PointView, options: RunScriptOptions): ScriptResult;
  /** Runs a script over every point of a batch, one after the other; `take` is told of each. Not for a script that `waits`. */
  runAll(
    script: Script,
    points: PointBatch,
    options: RunScriptOptions,
    take: (result: ScriptResult, index: number) => void,
  ): void;
  /** Runs any script. The point must not lie in a batch, and belongs to the run until it resolves. */
  runWaiting(script: Script, point: PointView, options: RunScriptOptions): Promise<ScriptResult>;
  /** A regular expression that runs in this instance; free it when done. Throws RegexSyntaxError. */
  regex(source: string, flags?: string): Regex;
  /** A grok expression that runs in this instance; free it when done. Throws GrokError or RegexSyntaxError. */
  grok(expression: string, options?: Pick<GrokOptions, "patterns">): Grok;
  /** Bytes of linear memory: in use by batches, and taken from the host. */
  memory(): { readonly used: number; readonly size: number };
}

export async function createMillrace(options: MillraceOptions = {}): Promise<Millrace> {
  const { random = Math.random } = options;
  const module = await instantiate(options.wasm ?? (await defaultWasm()), random);
  if (options.generateCode === false) module.generates = false;
  const now = options.clock ?? (() => BigInt(Date.now()) * 1_000_000n);
  const host: Host = {
    now,
    random,
    timeZone: options.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone,
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
  // Scripts that are dropped without a word give their tables back when they are collected. Some edge hosts have no registry.
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
