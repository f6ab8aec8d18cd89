// Creates an engine from the Millrace library. For points, the engine uses the functions of `millrace/point`
// that do not check their arguments. These checks would take a tenth of the time of a write with one point.

import { ignoredFieldsTexts, loadPatternFiles, type PatternSource, patternProblemText } from "../../lib/grok/index.ts";
import {
  type Aggregated,
  type CompiledSet,
  correct,
  createMillrace,
  type Millrace,
  type MillraceOptions,
  type Script,
} from "../../lib/index.ts";
import { type CategoryName, decodeInWindows, decodePoints, encodePoints, encodeTo } from "../../lib/point/index.ts";
import { instantiate } from "../../lib/wasm/index.ts";
import { createGeoip } from "../geoip/lookup.ts";
import { createOutbound } from "../outbound/guarded-fetch.ts";
import {
  type CompileResult,
  type Engine,
  type EngineOptions,
  type Runner,
  type RunOptions,
  wallClock,
} from "./engine.ts";
import type { StateReport } from "./ingest/workers/messages.ts";
import { type ChosenVersions, chooseVersions, type InForce, type Texts } from "./scripts/last-good.ts";
import { type Namespace, namespaces } from "./scripts/namespaces.ts";
import type { ScriptEnvironment } from "./scripts/script-environment.ts";

/**
 * The compiled scripts of one category and one namespace (a source of scripts, such as the gateway). After a
 * call of `free`, code that still holds one of these scripts can continue to run it.
 */
type Loaded = Pick<CompiledSet, "scripts" | "errors" | "free"> & {
  readonly sources: Texts;
  readonly helpers: Texts;
  readonly patterns: Patterns;
};

/** The grok pattern files that are loaded: their texts by file name. */
interface Patterns {
  readonly texts: Texts;
  /**
   * Options that pass the texts of the grok pattern files to the script compiler; empty when there are no such files.
   */
  readonly options: { readonly patterns?: PatternSource };
  readonly problems: readonly string[];
}

/**
 * The scripts that the last call of `chooseVersions` compiled for a category. The method `load` uses these scripts and
 * compiles nothing when no text of a script or of a grok pattern file has changed since that call.
 */
type Compiled = CompiledSet & { readonly texts: Texts; readonly patterns: Patterns };

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
 * Passes the state of each replaced script to its new version when both versions have the same text. Ends all other
 * replaced scripts, and returns the points that their aggregations (`agg_create`) have collected.
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
