// Shows the compile errors of scripts, as gauges and among the last errors of /metrics, until the scripts compile
// again.

import { shortenedText } from "../../../lib/text/index.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { type ReportedError, reportError } from "../last-errors.ts";
import type { Namespace } from "./namespaces.ts";
import type { FailedScript } from "./script-sources.ts";

/** Called with all scripts that currently fail to compile. Returns what has changed since the previous call. */
export type ShowScriptErrors = (failed: readonly FailedScript[]) => ShownErrors;

export interface ScriptErrors extends ShowScriptErrors {
  /** Returns the scripts whose compile errors the metrics show at present. */
  shown(): readonly FailedScript[];
}

export interface ShownErrors {
  /** Scripts that newly fail to compile, or fail for another reason than before. */
  readonly added: readonly FailedScript[];
  /** Scripts that failed to compile before, and that now compile or are gone. */
  readonly gone: readonly Omit<FailedScript, "error">[];
}

/**
 * Returns a function that shows the compile errors of the scripts of one namespace (gateway or files). The function
 * keeps its state when the configuration is reloaded.
 */
export function createScriptErrors(namespace: Namespace, metrics: Metrics): ScriptErrors {
  let shown = new Map<string, FailedScript>();
  const labelsOf = ({ category, name, error }: FailedScript) => ({
    category,
    name,
    namespace,
    error: shortenedText(error),
  });
  const reportedOf = ({ category, name, error }: FailedScript): ReportedError => ({
    input: "pipeline",
    source: `${category}/${name}`,
    category,
    error: shortenedText(error),
  });

  const show = (failed: readonly FailedScript[]): ShownErrors => {
    const next = new Map(failed.map((each) => [JSON.stringify([each.category, each.name, each.error]), each]));
    for (const [key, each] of shown) {
      if (next.has(key)) continue;
      metrics.pipelineCompileErrors.remove(labelsOf(each));
      metrics.lastErrors.remove(reportedOf(each));
    }
    const added = [...next].flatMap(([key, each]) => (shown.has(key) ? [] : [each]));
    const gone = [...shown.values()].filter(
      ({ category, name }) => !failed.some((each) => each.category === category && each.name === name),
    );
    for (const each of added) {
      metrics.pipelineCompileErrors.set(labelsOf(each), Date.now() / 1000);
      reportError(metrics, reportedOf(each));
    }
    shown = next;
    return { added, gone };
  };
  return Object.assign(show, { shown: () => [...shown.values()] });
}
