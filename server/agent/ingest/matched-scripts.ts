// Chooses the script of each point by the name of the point (docs/reference/agent.md#scripts). The relations
// (names to scripts) that the gateway sent come first, then the script `<name>.p`, then the default script of
// the category. The code that processes a write runs only one script over all points. Therefore it gets a
// substitute script, which passes each point to the script chosen for this point.

import type { CategoryName } from "../../../lib/point/index.ts";
import { type Engine, Key, type PointView, plErrorText, type Runner, type RunResult } from "../engine.ts";
import type { Matching } from "../scripts/script-layers.ts";
import { textOf } from "./point-text.ts";
import type { RunCount } from "./write-job.ts";

export interface Matcher {
  /**
   * An engine (the interface to the library) for the writes in which each point has its own script. Its function
   * `script` ignores the name that it is given, and always returns the same substitute script, which passes each point
   * to the script chosen for the point.
   */
  readonly engine: Engine;
  /** Returns, for each script that has run, the number of its points and of its errors. */
  counts(): readonly RunCount[];
}

/** Returns a matcher, which finds the script of each point of one write. */
export function createMatcher(engine: Engine, matching: Matching): Matcher {
  const counts = new Map<string, { -readonly [Member in keyof RunCount]: RunCount[Member] }>();
  const found = new Map<string, Found | undefined>();

  const scriptOf = (category: CategoryName, point: PointView): Found | undefined => {
    const name = derivedName(category, point);
    if (!found.has(name)) found.set(name, find(category, name));
    return found.get(name);
  };
  const find = (category: CategoryName, name: string): Found | undefined => {
    const own = name === "" ? undefined : (matching.related[category]?.get(name) ?? `${name}.p`);
    for (const file of [own, matching.defaults[category]]) {
      const runner = file === undefined ? undefined : engine.script(category, file);
      if (runner !== undefined) return { file: file!, runner };
    }
    return undefined;
  };
  const counted = ({ file, runner: { namespace } }: Found, { error, dropped }: RunResult, seconds: number): void => {
    let count = counts.get(file);
    if (count === undefined) {
      count = { name: file, namespace, points: 0, dropped: 0, errors: 0, seconds: 0, firstError: undefined };
      counts.set(file, count);
    }
    count.points++;
    if (dropped) count.dropped++;
    if (error !== null) {
      count.errors++;
      count.firstError ??= plErrorText(error);
    }
    count.seconds += seconds;
  };

  const runnerOf = (category: CategoryName): Runner => {
    const all = engine.scriptNames(category).flatMap((name) => engine.script(category, name) ?? []);
    const run: Runner["run"] = (point, options) => {
      const script = scriptOf(category, point);
      if (script === undefined) return untouched;
      const began = performance.now();
      const result = script.runner.run(point, options);
      counted(script, result, (performance.now() - began) / 1000);
      return result;
    };
    return {
      namespace: "default",
      isStateful: all.some(({ isStateful }) => isStateful),
      waits: all.some(({ waits }) => waits),
      run,
      runAll: (points, options, take) => {
        const scripts = Array.from({ length: points.length }, (_, at) => scriptOf(category, points.at(at)));
        const first = scripts[0];
        if (first === undefined || scripts.some((script) => script !== first)) {
          for (let at = 0; at < points.length; at++) take(run(points.at(at), options), at);
          return;
        }
        // Usually the same script is chosen for all points. This script then runs over the whole batch, without copies
        // of its points.
        let last = performance.now();
        first.runner.runAll(points, options, (result, at) => {
          const now = performance.now();
          counted(first, result, (now - last) / 1000);
          last = now;
          take(result, at);
        });
      },
      runWaiting: async (point, options) => {
        const script = scriptOf(category, point);
        if (script === undefined) return untouched;
        const began = performance.now();
        const result = await script.runner.runWaiting(point, options);
        counted(script, result, (performance.now() - began) / 1000);
        return result;
      },
    };
  };

  return {
    engine: { ...engine, script: runnerOf },
    counts: () => [...counts.values()],
  };
}

interface Found {
  /** File name of a script, such as `nginx.p`. */
  readonly file: string;
  readonly runner: Runner;
}

const untouched: RunResult = { error: null, dropped: false, created: [], window: [] };

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
