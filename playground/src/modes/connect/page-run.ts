// Runs scripts with the page's own engine over the points that the agent gets, so that the results can be compared.

import type { CategoryName } from "../../../../lib/index.ts";
import { t } from "../../text/translate.ts";
import { createRunner, type Runner } from "../../worker/client.ts";
import type { Job, PointRecord, ScriptText } from "../../worker/protocol.ts";

/** Largest number of points for which the page compares the results of its own scripts with those of the agent. */
export const mostCompared = 300;
/** Largest size in bytes, as PBJSON, of the points whose results the page compares with those of the agent. */
const mostBytes = 4 * 1024 * 1024;
const budgetMs = 10_000;

/** Points of the project's input for a comparison, decoded and corrected. Each point has a time. */
export interface SamplePoints {
  /** The points as a JSON array in PBJSON, which the page's engine and the agent's engine both take. */
  readonly text: string;
  /** Whether the project's input has further points, which are not in `text` and are not compared. */
  readonly isCut: boolean;
}

/**
 * The worker that runs scripts for comparisons. It is not the worker of the pipeline mode, so that a comparison does
 * not disturb a run there. It starts at the first comparison.
 */
let runner: Runner | undefined;

/**
 * Decodes the first points of a job's input. Throws an error with a message for the user when the input cannot be
 * decoded.
 */
export async function samplePoints(job: Job): Promise<SamplePoints> {
  runner ??= createRunner();
  const plain: Job = { ...job, scripts: [], budgetMs, limit: mostCompared, query: null, output: "pbjson" };
  const outcome = await runner.run(plain, () => {});
  if (outcome.kind === "input-error" || outcome.kind === "failed") throw new Error(outcome.message);
  if (outcome.kind !== "ran" || outcome.summary.output === null) throw new Error(t("The input could not be read."));
  const { output, endReason, counts } = outcome.summary;
  if (counts.kept === 0) throw new Error(t("The input has no points. Paste some in the Pipeline mode."));
  if (output.size > mostBytes)
    throw new Error(t("The first points of the input have more than 4 MB. Take a part of it."));
  return { text: await output.text(), isCut: endReason === "sample" };
}

/**
 * Runs the scripts over points. Returns a row for each input point and for each point that the scripts created, in
 * order.
 */
export async function runOverPoints(
  job: Job,
  category: CategoryName,
  scripts: readonly ScriptText[],
  points: SamplePoints,
): Promise<readonly PointRecord[]> {
  runner ??= createRunner();
  const records: PointRecord[] = [];
  const own: Job = {
    ...job,
    scripts,
    category,
    form: "json",
    input: points.text,
    budgetMs,
    limit: 0,
    query: null,
    output: null,
  };
  const outcome = await runner.run(own, (report) => {
    if (report.kind === "records") records.push(...report.records);
  });
  switch (outcome.kind) {
    case "ran":
      if (outcome.summary.missing !== "") throw new Error(outcome.summary.missing);
      if (outcome.summary.endReason !== "done") throw new Error(t("The script takes longer than 10 seconds."));
      return records;
    case "script-errors":
      throw new Error(outcome.notes[0]?.message ?? t("The script has an error."));
    case "ended":
      throw new Error(t("The script did not come to an end."));
    default:
      throw new Error(outcome.message);
  }
}
