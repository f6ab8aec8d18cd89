// Why scripts do not compile, shown for as long as that is so: each as a gauge of its own and among the last errors.

import { shortenedText } from "../../../lib/point/shown-text.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { type ToldError, tellError } from "../last-errors.ts";
import type { Namespace } from "./namespaces.ts";
import type { FailedScript } from "./script-sources.ts";

/** Takes all that fail now. */
export type ShowScriptErrors = (failed: readonly FailedScript[]) => ShownErrors;

export interface ShownErrors {
  /** Those that fail since this call, or for another reason than before. */
  readonly added: readonly FailedScript[];
  /** Scripts that fail no more. */
  readonly gone: readonly Omit<FailedScript, "error">[];
}

/** For the scripts of a namespace, over reloads of the configuration. */
export function createScriptErrors(namespace: Namespace, metrics: Metrics): ShowScriptErrors {
  let shown = new Map<string, FailedScript>();
  const labelsOf = ({ category, name, error }: FailedScript) => ({
    category,
    name,
    namespace,
    error: shortenedText(error),
  });
  const toldOf = ({ category, name, error }: FailedScript): ToldError => ({
    input: "pipeline",
    source: `${category}/${name}`,
    category,
    error: shortenedText(error),
  });

  return (failed) => {
    const next = new Map(failed.map((each) => [JSON.stringify([each.category, each.name, each.error]), each]));
    for (const [key, each] of shown) {
      if (next.has(key)) continue;
      metrics.pipelineCompileErrors.remove(labelsOf(each));
      metrics.lastErrors.remove(toldOf(each));
    }
    const added = [...next].flatMap(([key, each]) => (shown.has(key) ? [] : [each]));
    const gone = [...shown.values()].filter(
      ({ category, name }) => !failed.some((each) => each.category === category && each.name === name),
    );
    for (const each of added) {
      metrics.pipelineCompileErrors.set(labelsOf(each), Date.now() / 1000);
      tellError(metrics, toldOf(each));
    }
    shown = next;
    return { added, gone };
  };
}
