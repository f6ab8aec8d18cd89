// The one place of the server that knows the library's public API. The agent's threads and the command line use these
// few calls; a change of the library costs this file.

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
import type { Place } from "../../lib/pipeline/runtime/run.ts";
import type { CategoryName } from "../../lib/point/category.ts";
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
  /** A unit, or empty for detection. */
  readonly precision: string;
  /** Receive time, nanoseconds. */
  readonly now: bigint;
  readonly strict: boolean;
  /** More are refused with TooManyPoints; absent or 0: any number. */
  readonly maxPoints?: number;
}

export interface Created {
  readonly category: CategoryName;
  readonly point: Point;
  /** A script dropped it: not to be passed on. */
  readonly dropped?: boolean;
}

export interface RunResult {
  readonly error: PlError | null;
  readonly dropped: boolean;
  readonly created: readonly Created[];
  /** Points of the same category that a window brings back. */
  readonly window: readonly Point[];
}

export interface RunOptions {
  /** Takes the place of the step limit. */
  readonly deadlineMs?: number;
  readonly budget?: StepBudget;
  /** Ends requests. */
  readonly signal?: AbortSignal;
}

/** A script in force. It stays usable when others take its place. */
export interface Runner {
  readonly namespace: Namespace;
  /** Keeps state between points: one thread must see them all, in order. */
  readonly isStateful: boolean;
  /** `run` and `runAll` cannot be used. */
  readonly waits: boolean;
  run(point: PointView, options?: RunOptions): RunResult;
  /** Runs over every point of a batch where it lies, one after the other. */
  runAll(points: Points, options: RunOptions, take: (result: RunResult, index: number) => void): void;
  /** For any script; the point must not lie in a batch. */
  runWaiting(point: PointView, options?: RunOptions): Promise<RunResult>;
}

export interface CompileResult {
  readonly errors: ReadonlyMap<string, PlError>;
  /** What the aggregations of the scripts that are out of force held. */
  readonly aggregated: readonly Aggregated[];
}

export interface Engine {
  /** Decodes a small body at once. Throws PointError and TooManyPoints. */
  decode(body: Uint8Array, options: Decoding): Points;
  /** Its points in windows, in memory that is bounded by the body and a constant. Reading them throws PointError and TooManyPoints. */
  windows(body: Uint8Array, options: Decoding): PointWindows;
  encode(points: Encodable, form: Form, options?: EncodeOptions): Uint8Array;
  /** The same in chunks, each good until `sink` returns; gives the number of points written. */
  encodeTo(points: Encodable, form: Form, sink: Sink, options?: EncodeOptions): number;
  /** Puts points together to bodies of a bounded size. */
  batcher(form: Form, options: BatchOptions): Batcher;
  /** Corrects a point that lives in JavaScript to the constraints of its category, in place. */
  correct(point: Point, category: CategoryName): void;
  /**
   * Replaces the pattern files, texts by name, for what is loaded and settled from now on. Gives the problems of those that cannot be used,
   * with file and line.
   */
  usePatterns(texts: Texts): readonly string[];
  /**
   * Replaces all scripts of a category in a namespace; one whose text is the same keeps its state. Helpers run by `use` only.
   * What is loaded as it is stays, and what was settled before is not compiled again.
   */
  load(category: CategoryName, sources: Texts, namespace?: Namespace, helpers?: Texts): CompileResult;
  /** What is to be loaded of a category whose files have changed; what is loaded stays as it is. */
  chooseVersions(category: CategoryName, files: Texts, before: InForce): ChosenVersions;
  /** That of the first namespace in which it compiled. */
  script(category: CategoryName, name: string): Runner | undefined;
  /** Of all that are in force. */
  scriptNames(category: CategoryName): readonly string[];
  /** Where an address lies, by the database of scripts; null when that does not know it, or there is none. Throws when it cannot be read. */
  placeOf(address: string): Place | null;
  /** Aggregated points that are ready; with `all`, everything that is gathered, for the end. */
  takeAggregated(all?: boolean): readonly Aggregated[];
  /** Of each script that keeps something. */
  state(): StateReport["scripts"];
}

export interface EngineOptions {
  /** Steps a script may take on one point; 0 = no limit. */
  readonly maxSteps: number;
  /** Bytes of the values that a run may hold; as the library has it when absent, 0 = no limit. */
  readonly maxBytes?: number;
  readonly surroundings?: ScriptEnvironment;
  /** Is told of requests of scripts that are refused, once for each host. */
  readonly warn?: (message: string) => void;
  /** Tags and fields of a window of a body; as the library has it when absent. */
  readonly windowEntries?: number;
  /** The reference tables in force. */
  readonly tables?: () => TableLookup | null;
}

/** Of a category and namespace; it may still be run when it is freed. */
type Loaded = Pick<CompiledSet, "scripts" | "errors" | "free"> & {
  readonly sources: Texts;
  readonly helpers: Texts;
  readonly patterns: Patterns;
};

/** Pattern files as they were loaded. */
interface Patterns {
  readonly texts: Texts;
  /** For the compiler; nothing when there are only the built-in ones. */
  readonly options: { readonly patterns?: PatternSource };
  readonly problems: readonly string[];
}

/** What was compiled last to settle the files of a category. */
type Compiled = CompiledSet & { readonly texts: Texts; readonly patterns: Patterns };

/** The module beside the compiled library. */
export function compileWasm(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url)));
}

/** Nanoseconds since 1970. */
export function wallClock(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

/** What scripts find outside of their points, as the library takes it. */
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
  const { maxSteps, maxBytes, surroundings, tables, warn, windowEntries } = options;
  const lookups = surroundings === undefined ? {} : lookupsOf(surroundings, warn);
  const mill = await createMillrace({
    wasm,
    clock: wallClock,
    random: Math.random,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...lookups,
    ...(tables === undefined ? {} : { referTables: tables }),
  });
  const loaded: Record<Namespace, Map<CategoryName, Loaded>> = { remote: new Map(), default: new Map() };
  const settled = new Map<CategoryName, Compiled>();
  let patterns = loadPatterns({}, surroundings);
  /** Gives what was settled last when it is of these texts; in any case it is kept no longer. */
  const takeSettled = (category: CategoryName, texts: Texts): CompiledSet | undefined => {
    const last = settled.get(category);
    settled.delete(category);
    if (last !== undefined && last.patterns === patterns && isSame(last.texts, texts)) return last;
    last?.free();
    return undefined;
  };
  const stateful = function* (): Iterable<{ category: CategoryName; namespace: Namespace; script: Script }> {
    for (const namespace of namespaces) {
      for (const [category, { scripts }] of loaded[namespace]) {
        for (const script of scripts.values()) if (script.state) yield { category, namespace, script };
      }
    }
  };
  const limits = ({ deadlineMs, ...rest }: RunOptions) =>
    deadlineMs === undefined ? { ...rest, maxSteps, maxBytes } : { ...rest, deadlineMs, maxSteps: 0, maxBytes };

  return {
    decode: (body, decoding) => mill.decodePoints(body, decoding),
    windows: (body, decoding) =>
      mill.decodeInWindows(body, windowEntries === undefined ? decoding : { ...decoding, entries: windowEntries }),
    batcher: (form, options) => mill.batcher(form, options),
    encodeTo: (points, form, sink, encoding) => mill.encodeTo(points, form, sink, encoding),
    encode: (points, form, encoding) => mill.encodePoints(points, form, encoding),
    correct: (point, category) => correct(point, category),
    usePatterns: (texts) => {
      if (!isSame(texts, patterns.texts)) patterns = loadPatterns(texts, surroundings);
      return patterns.problems;
    },
    load: (category, sources, namespace = "default", helpers = {}) => {
      const texts = { ...helpers, ...sources };
      const known = namespace === "default" ? takeSettled(category, texts) : undefined;
      const before = loaded[namespace].get(category);
      const isLoaded = before?.patterns === patterns && isSame(before.sources, sources);
      if (isLoaded && isSame(before.helpers, helpers)) {
        known?.free();
        return { errors: before.errors, aggregated: [] };
      }
      const { errors, free, ...set } = known ?? mill.compile(texts, { category, ...patterns.options });
      const scripts = new Map([...set.scripts].filter(([name]) => Object.hasOwn(sources, name)));
      const aggregated: Aggregated[] = [];
      for (const [name, old] of before?.scripts ?? []) {
        const next = scripts.get(name);
        if (next?.text === old.text) next.inherit(old);
        else aggregated.push(...old.close(wallClock()));
      }
      before?.free();
      loaded[namespace].set(category, { sources, helpers, patterns, scripts, errors, free });
      return { errors, aggregated };
    },
    chooseVersions: (category, files, before) =>
      chooseVersions(files, before, (texts) => {
        const compiled = takeSettled(category, texts) ?? mill.compile(texts, { category, ...patterns.options });
        settled.set(category, { ...compiled, texts: { ...texts }, patterns });
        return compiled.errors;
      }),
    script: (category, name) => {
      const namespace = namespaces.find((each) => loaded[each].get(category)?.scripts.has(name));
      if (namespace === undefined) return undefined;
      const script = loaded[namespace].get(category)!.scripts.get(name)!;
      return {
        namespace,
        isStateful: script.state,
        waits: script.waits,
        run: (point, its = {}) => mill.run(script, point, { category, ...limits(its) }),
        runAll: (points, its, take) => mill.runAll(script, points, { category, ...limits(its) }, take),
        runWaiting: (point, its = {}) => mill.runWaiting(script, point, { category, ...limits(its) }),
      };
    },
    scriptNames: (category) => [
      ...new Set(namespaces.flatMap((each) => [...(loaded[each].get(category)?.scripts.keys() ?? [])])),
    ],
    placeOf: (address) => lookups.geoip?.(address) ?? null,
    takeAggregated: (all = false) => {
      const now = wallClock();
      return Array.from(stateful(), ({ script }) => (all ? script.close(now) : script.takeAggregated(now))).flat();
    },
    state: () =>
      Array.from(stateful(), ({ category, namespace, script }) => ({
        category,
        name: script.name,
        namespace,
        counters: script.counters(),
      })),
  };
}

function loadPatterns(texts: Texts, surroundings: ScriptEnvironment | undefined): Patterns {
  const ecs = surroundings?.ecsPatterns === true;
  if (!ecs && Object.keys(texts).length === 0) return { texts, options: {}, problems: [] };
  const files = loadPatternFiles(texts, { ecs });
  const problems = [...files.problems.map(patternProblemText), ...ignoredFieldsTexts(files)];
  return { texts, options: { patterns: files.patterns }, problems };
}

function isSame(some: Texts, others: Texts): boolean {
  const names = Object.keys(some);
  return names.length === Object.keys(others).length && names.every((name) => some[name] === others[name]);
}
