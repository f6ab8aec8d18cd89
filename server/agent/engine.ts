// The engine: the few functions of the Millrace library that the agent's threads and the command line use. This is the
// only file of the server that uses the library's public API, so a change of the library affects only this file. For
// points, it uses the functions of `millrace/point` that do not check their arguments. The checks would take a tenth of
// the time of a write with one point.

import { readFileSync } from "node:fs";
import { ignoredFieldsTexts, loadPatternFiles, type PatternSource, patternProblemText } from "../../lib/grok/index.ts";
import {
  type Aggregated,
  type Batcher,
  type BatchOptions,
  type CompiledSet,
  correct,
  createMillrace,
  type Encodable,
  type EncodeOptions,
  type Form,
  type Millrace,
  type MillraceOptions,
  type PlError,
  type Point,
  type Points,
  type PointView,
  type PointWindows,
  type Script,
  type Sink,
  type StepBudget,
  type TableLookup,
} from "../../lib/index.ts";
import type { Place } from "../../lib/pipeline/index.ts";
import { type CategoryName, decodeInWindows, decodePoints, encodePoints, encodeTo } from "../../lib/point/index.ts";
import { instantiate } from "../../lib/wasm/index.ts";
import { createGeoip } from "../geoip/lookup.ts";
import { createOutbound } from "../outbound/guarded-fetch.ts";
import type { StateReport } from "./ingest/workers/messages.ts";
import { type ChosenVersions, chooseVersions, type InForce, type Texts } from "./scripts/last-good.ts";
import { type Namespace, namespaces } from "./scripts/namespaces.ts";
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
  /** Largest number of points in a body; a body with more throws TooManyPoints. Absent or 0 = no limit. */
  readonly maxPoints?: number;
}

export interface Created {
  readonly category: CategoryName;
  readonly point: Point;
  /** Whether the script that ran over the created point has dropped it. A dropped point must not be stored. */
  readonly dropped?: boolean;
}

export interface RunResult {
  readonly error: PlError | null;
  readonly dropped: boolean;
  readonly created: readonly Created[];
  /** Points of the script's category that the script held back with `point_window` and now releases. */
  readonly window: readonly Point[];
}

export interface RunOptions {
  /** Largest number of milliseconds that a run of the script may take. When set, the number of steps is not limited. */
  readonly deadlineMs?: number;
  readonly budget?: StepBudget;
  /** When this signal aborts, HTTP requests of the script are aborted. */
  readonly signal?: AbortSignal;
}

/** A compiled script. It can still be run after a newer version of the script was loaded. */
export interface Runner {
  readonly namespace: Namespace;
  /** Whether the script keeps state between points. If so, one thread must run it on all points, in order. */
  readonly isStateful: boolean;
  /** Whether the script waits for answers of HTTP requests. If so, only `runWaiting` can run it. */
  readonly waits: boolean;
  run(point: PointView, options?: RunOptions): RunResult;
  /**
   * Runs the script over every point of a batch (decoded points that lie in WebAssembly memory), in order, and changes
   * the points there. Calls `take` with the result of each point.
   */
  runAll(points: Points, options: RunOptions, take: (result: RunResult, index: number) => void): void;
  /**
   * Runs the script on one point, and waits for HTTP requests of the script. The point must not lie in a batch (decoded
   * points in WebAssembly memory).
   */
  runWaiting(point: PointView, options?: RunOptions): Promise<RunResult>;
}

export interface CompileResult {
  readonly errors: ReadonlyMap<string, PlError>;
  /** Points of aggregations in scripts that this call has replaced. The replaced scripts release these points. */
  readonly aggregated: readonly Aggregated[];
}

export interface Engine {
  /** Decodes a small body in one call. Throws PointError and TooManyPoints. */
  decode(body: Uint8Array, options: Decoding): Points;
  /**
   * Decodes a body part by part. Returns its points in windows (batches of bounded size), so that memory is bounded by
   * the size of the body plus a constant. Reading the windows throws PointError and TooManyPoints.
   */
  windows(body: Uint8Array, options: Decoding): PointWindows;
  encode(points: Encodable, form: Form, options?: EncodeOptions): Uint8Array;
  /**
   * Encodes points and calls `sink` with each chunk of bytes, which `sink` must not use after it returns. Returns the
   * number of points.
   */
  encodeTo(points: Encodable, form: Form, sink: Sink, options?: EncodeOptions): number;
  /** Returns a batcher, which joins encoded points into bodies of bounded size. */
  batcher(form: Form, options: BatchOptions): Batcher;
  /**
   * Applies the limits and corrections of the category to a point that lies outside of a batch (decoded points in
   * WebAssembly memory). Changes the point.
   */
  correct(point: Point, category: CategoryName): void;
  /**
   * Replaces the grok pattern files (`texts`: contents by file name) for later calls of `load` and `chooseVersions`.
   * Returns the problems of definitions that cannot be used, with file and line.
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
   * Returns the script with this name; undefined when there is none. When several namespaces (scripts of the gateway,
   * scripts of files) have a script of this name, returns the one in the first namespace where it compiled.
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
   * Returns the points of aggregations whose period has ended, and removes them from the engine. With `all`, does the
   * same for periods that have not ended.
   */
  takeAggregated(all?: boolean): readonly Aggregated[];
  /**
   * Returns, for each script that keeps state between points, how much data it keeps and how much data it could not
   * keep because of a limit.
   */
  state(): StateReport["scripts"];
}

export interface EngineOptions {
  /** Largest number of steps that a script may take on one point; 0 = no limit. */
  readonly maxSteps: number;
  /** Largest number of bytes of a script's values in a run; 0 = no limit; absent = the library's default. */
  readonly maxBytes?: number;
  readonly environment?: ScriptEnvironment;
  /** Logs that a script's HTTP request was refused because its address is forbidden; called once for each host. */
  readonly warn?: (message: string) => void;
  /**
   * Largest number of tags and fields in a window (a batch of points that are decoded together); absent = the library's
   * default.
   */
  readonly windowEntries?: number;
  /** Returns the reference tables (tables in which scripts look up values) that are in force. */
  readonly tables?: () => TableLookup | null;
}

/**
 * The compiled scripts of a category and namespace. A runner (a compiled script) that is in use can still be run after
 * `free`.
 */
type Loaded = Pick<CompiledSet, "scripts" | "errors" | "free"> & {
  readonly sources: Texts;
  readonly helpers: Texts;
  readonly patterns: Patterns;
};

/** The grok pattern files that are loaded, by name. */
interface Patterns {
  readonly texts: Texts;
  /** Options that pass the texts of the grok pattern files to the compiler; empty when there are no such files. */
  readonly options: { readonly patterns?: PatternSource };
  readonly problems: readonly string[];
}

/** The scripts that `chooseVersions` compiled last for a category. `load` reuses them when nothing has changed. */
type Compiled = CompiledSet & { readonly texts: Texts; readonly patterns: Patterns };

/** Compiles the library's WebAssembly module. Its file lies beside the compiled library. */
export function compileWasm(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url)));
}

/** Returns the time of this machine's clock in nanoseconds since 1970. */
export function wallClock(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

/** Converts the environment of scripts (address database, rules for HTTP requests) to options of the library. */
export function lookupsOf(
  { geoip, requests }: ScriptEnvironment,
  warn?: (message: string) => void,
): Pick<MillraceOptions, "geoip" | "fetch"> {
  return {
    ...(geoip === undefined ? {} : { geoip: createGeoip(geoip) }),
    ...(requests === undefined ? {} : { fetch: createOutbound(requests, undefined, warn) }),
  };
}

export async function createEngine(wasm: WebAssembly.Module, options: EngineOptions): Promise<Engine> {
  const { environment, tables, warn, windowEntries } = options;
  const lookups = environment === undefined ? {} : lookupsOf(environment, warn);
  const module = await instantiate(wasm);
  const mill = await createMillrace({
    wasm: module,
    clock: wallClock,
    random: Math.random,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...lookups,
    ...(tables === undefined ? {} : { referTables: tables }),
  });
  const scripts = new LoadedScripts(mill, options);
  return {
    decode: (body, decoding) => decodePoints(module, body, decoding.form, decoding),
    windows: (body, decoding) => decodeInWindows(module, body, decoding.form, decoding, windowEntries),
    batcher: (form, batching) => mill.batcher(form, batching),
    encodeTo: (points, form, sink, encoding) => encodeTo(module, points, form, sink, encoding),
    encode: (points, form, encoding) => encodePoints(module, points, form, encoding),
    correct: (point, category) => correct(point, category),
    usePatterns: (texts) => scripts.usePatterns(texts),
    load: (category, sources, namespace = "default", helpers = {}) =>
      scripts.load(category, sources, namespace, helpers),
    chooseVersions: (category, files, before) => scripts.chooseVersions(category, files, before),
    script: (category, name) => scripts.script(category, name),
    scriptNames: (category) => scripts.namesOf(category),
    placeOf: (address) => lookups.geoip?.(address) ?? null,
    takeAggregated: (all = false) => scripts.takeAggregated(all),
    state: () => scripts.state(),
  };
}

/** The scripts that an engine has compiled. The methods are explained in the interface Engine. */
class LoadedScripts {
  private readonly mill: Millrace;
  private readonly options: EngineOptions;
  private readonly loaded: Record<Namespace, Map<CategoryName, Loaded>> = { remote: new Map(), default: new Map() };
  private readonly lastCompiled = new Map<CategoryName, Compiled>();
  private patterns: Patterns;

  constructor(mill: Millrace, options: EngineOptions) {
    this.mill = mill;
    this.options = options;
    this.patterns = loadPatterns({}, options.environment);
  }

  usePatterns(texts: Texts): readonly string[] {
    if (!isSame(texts, this.patterns.texts)) this.patterns = loadPatterns(texts, this.options.environment);
    return this.patterns.problems;
  }

  load(category: CategoryName, sources: Texts, namespace: Namespace, helpers: Texts): CompileResult {
    const { patterns } = this;
    const texts = { ...helpers, ...sources };
    const known = namespace === "default" ? this.takeLastCompiled(category, texts) : undefined;
    const before = this.loaded[namespace].get(category);
    const isLoaded = before?.patterns === patterns && isSame(before.sources, sources);
    if (isLoaded && isSame(before.helpers, helpers)) {
      known?.free();
      return { errors: before.errors, aggregated: [] };
    }
    const { errors, free, ...set } = known ?? this.compile(category, texts);
    const scripts = new Map([...set.scripts].filter(([name]) => Object.hasOwn(sources, name)));
    const aggregated = inheritAll(scripts, before?.scripts);
    before?.free();
    this.loaded[namespace].set(category, { sources, helpers, patterns, scripts, errors, free });
    return { errors, aggregated };
  }

  chooseVersions(category: CategoryName, files: Texts, before: InForce): ChosenVersions {
    return chooseVersions(files, before, (texts) => {
      const compiled = this.takeLastCompiled(category, texts) ?? this.compile(category, texts);
      this.lastCompiled.set(category, { ...compiled, texts: { ...texts }, patterns: this.patterns });
      return compiled.errors;
    });
  }

  script(category: CategoryName, name: string): Runner | undefined {
    const { loaded, mill } = this;
    const namespace = namespaces.find((each) => loaded[each].get(category)?.scripts.has(name));
    if (namespace === undefined) return undefined;
    const script = loaded[namespace].get(category)!.scripts.get(name)!;
    const { maxSteps, maxBytes } = this.options;
    const limits = ({ deadlineMs, ...rest }: RunOptions) =>
      deadlineMs === undefined ? { ...rest, maxSteps, maxBytes } : { ...rest, deadlineMs, maxSteps: 0, maxBytes };
    return {
      namespace,
      isStateful: script.state,
      waits: script.waits,
      run: (point, its = {}) => mill.run(script, point, { category, ...limits(its) }),
      runAll: (points, its, take) => mill.runAll(script, points, { category, ...limits(its) }, take),
      runWaiting: (point, its = {}) => mill.runWaiting(script, point, { category, ...limits(its) }),
    };
  }

  namesOf(category: CategoryName): readonly string[] {
    return [...new Set(namespaces.flatMap((each) => [...(this.loaded[each].get(category)?.scripts.keys() ?? [])]))];
  }

  takeAggregated(all: boolean): readonly Aggregated[] {
    const now = wallClock();
    return Array.from(this.stateful(), ({ script }) => (all ? script.close(now) : script.takeAggregated(now))).flat();
  }

  state(): StateReport["scripts"] {
    return Array.from(this.stateful(), ({ category, namespace, script }) => ({
      category,
      name: script.name,
      namespace,
      counters: script.counters(),
    }));
  }

  private compile(category: CategoryName, texts: Texts): CompiledSet {
    return this.mill.compile(texts, { category, ...this.patterns.options });
  }

  /**
   * Returns the scripts that the last call of `chooseVersions` compiled for the category. When the texts of the scripts
   * or the pattern files have changed since then, frees these scripts and returns undefined.
   */
  private takeLastCompiled(category: CategoryName, texts: Texts): CompiledSet | undefined {
    const last = this.lastCompiled.get(category);
    this.lastCompiled.delete(category);
    if (last !== undefined && last.patterns === this.patterns && isSame(last.texts, texts)) return last;
    last?.free();
    return undefined;
  }

  private *stateful(): Iterable<{ category: CategoryName; namespace: Namespace; script: Script }> {
    for (const namespace of namespaces) {
      for (const [category, { scripts }] of this.loaded[namespace]) {
        for (const script of scripts.values()) if (script.state) yield { category, namespace, script };
      }
    }
  }
}

/**
 * Passes the state of each replaced script to its new version when the text is unchanged. For all other replaced
 * scripts, returns the points that their aggregations release.
 */
function inheritAll(scripts: Loaded["scripts"], replaced: Loaded["scripts"] = new Map()): Aggregated[] {
  const aggregated: Aggregated[] = [];
  for (const [name, old] of replaced) {
    const next = scripts.get(name);
    if (next?.text === old.text) next.inherit(old);
    else aggregated.push(...old.close(wallClock()));
  }
  return aggregated;
}

function loadPatterns(texts: Texts, environment: ScriptEnvironment | undefined): Patterns {
  const ecs = environment?.ecsPatterns === true;
  if (!ecs && Object.keys(texts).length === 0) return { texts, options: {}, problems: [] };
  const files = loadPatternFiles(texts, { ecs });
  const problems = [...files.problems.map(patternProblemText), ...ignoredFieldsTexts(files)];
  return { texts, options: { patterns: files.patterns }, problems };
}

function isSame(some: Texts, others: Texts): boolean {
  const names = Object.keys(some);
  return names.length === Object.keys(others).length && names.every((name) => some[name] === others[name]);
}
