// Chooses the scripts that run over the points of a write, and counts their points, dropped points and errors
// (docs/reference/agent.md#scripts).

import type { CategoryName } from "../../../lib/point/index.ts";
import { type Engine, Key, type Points, type PointView, plErrorText, type Runner, type RunResult } from "../engine.ts";
import type { Matching } from "../scripts/script-layers.ts";
import { indexesOf } from "./point-list.ts";
import { textOf } from "./point-text.ts";
import type { RunCount, WriteJob } from "./write-job.ts";
import { anyScript } from "./write-request.ts";

/** The scripts of one write: one for all points, or one for each point. */
export interface WriteScripts {
  /** Whether one of the scripts keeps state between points. */
  readonly isStateful: boolean;
  /** Whether one of the scripts waits for answers of HTTP requests. */
  readonly waits: boolean;
  /** Returns the script that runs over the point; undefined when none runs. */
  of(point: PointView): WriteScript | undefined;
  /** Returns the script that runs over all points of the batch; undefined when no single script runs over all. */
  ofAll(points: Points): WriteScript | undefined;
  /** Returns the counts of the scripts that have run. */
  counts(): readonly RunCount[];
}

/** A script of a write, and the counts of its run over points of the write. */
export class WriteScript {
  readonly runner: Runner;
  readonly count: { -readonly [Member in keyof RunCount]: RunCount[Member] };
  /** Number of points over which the script is running now; several when it waits for HTTP requests. */
  private running = 0;
  private began = 0;

  constructor(name: string, runner: Runner) {
    this.runner = runner;
    const { namespace } = runner;
    this.count = { name, namespace, points: 0, dropped: 0, errors: 0, seconds: 0, firstError: undefined };
  }

  /** Starts to measure the time of a run over one point or over several. The method `end` must follow. */
  begin(): void {
    if (this.running++ === 0) this.began = performance.now();
  }

  end(): void {
    if (--this.running === 0) this.count.seconds += (performance.now() - this.began) / 1000;
  }

  noteResult({ error, dropped }: RunResult): void {
    const { count } = this;
    count.points++;
    if (dropped) count.dropped++;
    if (error === null) return;
    count.errors++;
    count.firstError ??= plErrorText(error);
  }
}

/** Returns the scripts that run over the points of the write; undefined when none runs. */
export function scriptsOf(
  engine: Engine,
  { dry, category, script }: WriteJob,
  matching: Matching | undefined,
): WriteScripts | undefined {
  if (dry || script === undefined) return undefined;
  if (script === anyScript && matching !== undefined) return matchedScripts(engine, category, matching);
  const runner = engine.script(category, script);
  if (runner === undefined) return undefined;
  const { isStateful, waits } = runner;
  const only = new WriteScript(script, runner);
  return { isStateful, waits, of: () => only, ofAll: () => only, counts: () => [only.count] };
}

/**
 * Returns the scripts of a write in which the name of each point decides which script runs over the point. The
 * relations (names to scripts) that the gateway sent come first, then the script `<name>.p`, then the default script of
 * the category.
 */
function matchedScripts(engine: Engine, category: CategoryName, matching: Matching): WriteScripts {
  const all = engine.scriptNames(category).flatMap((name) => engine.script(category, name) ?? []);
  const byFile = new Map<string, WriteScript>();
  const byName = new Map<string, WriteScript | undefined>();

  const of = (point: PointView): WriteScript | undefined => {
    const name = derivedName(category, point);
    if (!byName.has(name)) byName.set(name, find(name));
    return byName.get(name);
  };
  const find = (name: string): WriteScript | undefined => {
    const own = name === "" ? undefined : (matching.related[category]?.get(name) ?? `${name}.p`);
    for (const file of [own, matching.defaults[category]]) {
      const runner = file === undefined ? undefined : engine.script(category, file);
      if (runner === undefined) continue;
      const script = byFile.get(file!) ?? new WriteScript(file!, runner);
      byFile.set(file!, script);
      return script;
    }
    return undefined;
  };

  return {
    isStateful: all.some(({ isStateful }) => isStateful),
    waits: all.some(({ waits }) => waits),
    of,
    // Usually the same script is chosen for all points. This script then runs over the whole batch, without copies of
    // its points.
    ofAll: (points) => {
      const [first, ...others] = new Set(indexesOf(points).map((at) => of(points.at(at))));
      return others.length === 0 ? first : undefined;
    },
    counts: () => Array.from(byFile.values(), ({ count }) => count),
  };
}

const keys = {
  appId: new Key("app_id"),
  category: new Key("category"),
  service: new Key("service"),
  source: new Key("df_source"),
};

/**
 * Returns the name that decides which script runs over the point, for example the service of a span; an empty string
 * when the point has no such name.
 */
function derivedName(category: CategoryName, point: PointView): string {
  switch (category) {
    case "rum": {
      const appId = textOf(point, keys.appId) ?? "";
      return appId === "" ? "" : `${appId}_${point.name}`;
    }
    case "security":
      return textOf(point, keys.category) ?? "";
    case "tracing":
    case "profiling":
      return textOf(point, keys.service) ?? "";
    case "keyevent":
      return textOf(point, keys.source) ?? "";
    default:
      return point.name;
  }
}
