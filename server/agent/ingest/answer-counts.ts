// Counts the results of writes in the metrics: runs of scripts, dropped points, corrected times, groups of
// points by shard, and resolved error stacks of RUM (real user monitoring) points. Also logs those results that
// need the attention of the user.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Batch } from "../outputs/batch.ts";
import type { Filters } from "./filters.ts";
import type { Sharding } from "./sharding.ts";
import type { RumStack, RunCount, WriteAnswer } from "./write-job.ts";

export interface AnswerCountsOptions {
  readonly filters: Pick<Filters, "count">;
  readonly sharding: Pick<Sharding, "keys"> | undefined;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Returns the log message about points that were skipped because the wire format of the output cannot express them. */
export function skippedText(points: number): string {
  return `${points} points cannot be said in line protocol (no field, or a series over 65,535 bytes); skipped`;
}

type Accepted = Extract<WriteAnswer, { ok: true }>;

/**
 * Updates the metrics after one write has been answered. `input`: the value of the metric label `name`, under which the
 * metrics count the input of the write.
 */
export type CountAnswer = (answer: Accepted, category: CategoryName, input: string) => void;

/** Length in bytes above which the agent logs a warning about an X-Global-Tags header. */
const warnHeaderBytes = 4096;

export function createAnswerCounts({ filters, sharding, metrics, log }: AnswerCountsOptions): CountAnswer {
  const warnOfHeaders = createHeaderWarning(log);
  return (answer, category, input) => {
    if (answer.stacks.length > 0) countStacks(answer.stacks, metrics);
    if (answer.skipped > 0) {
      metrics.gatewaySkipped.inc({ category }, answer.skipped);
      log.warn(`write ${category}: ${skippedText(answer.skipped)}`);
    }
    for (const run of answer.runs) countRun(run, category, metrics, log);
    filters.count(answer.filtered);
    for (const filtered of answer.filtered) {
      if (filtered.dropped > 0)
        metrics.inputFiltered.inc({ category: filtered.category, name: input }, filtered.dropped);
    }
    for (const [adjusted, points] of answer.corrected ?? []) {
      metrics.timesAdjusted.inc({ category: adjusted, name: input }, points);
    }
    if (sharding === undefined) return;
    countGroups(answer.batches, metrics);
    warnOfHeaders(answer.batches);
  };
}

/**
 * Returns a function that logs a warning about the first X-Global-Tags header that is so long that gateways may
 * refuse it. Later long headers are not logged.
 */
function createHeaderWarning(log: Log): (batches: readonly Batch[]) => void {
  let warned = false;
  return (batches) => {
    const long = batches.find(({ globalTags = "" }) => Buffer.byteLength(globalTags) > warnHeaderBytes);
    if (long === undefined || warned) return;
    warned = true;
    log.warn(`X-Global-Tags of ${long.category} is longer than ${warnHeaderBytes} bytes, gateways may refuse it`);
  };
}

/** Updates the metrics for one run of a script over points of a write. */
function countRun(count: RunCount, category: CategoryName, metrics: Metrics, log: Log): void {
  const { name, namespace, points, dropped, errors, seconds, firstError } = count;
  const run = { category, name, namespace };
  metrics.pipelinePoints.inc(run, points);
  metrics.pipelineDropped.inc(run, dropped);
  metrics.pipelineErrors.inc(run, errors);
  metrics.pipelineSeconds.observe(run, seconds);
  if (firstError !== undefined) log.warn(`script ${category}/${name} failed on ${errors} points: ${firstError}`);
}

/**
 * Records, for each category, how many groups the points of a write form. Each batch (encoded points) may have a
 * value for the header X-Global-Tags; by this value the gateway chooses the workspaces that get the batch.
 * Successive batches with the same category and the same value are one group. Batches without a value are not
 * counted.
 */
function countGroups(batches: readonly Batch[], { grouped }: Metrics): void {
  const groups = new Map<CategoryName, number>();
  let last: Batch | undefined;
  for (const batch of batches) {
    const { category, globalTags } = batch;
    if (globalTags === undefined) continue;
    if (category !== last?.category || globalTags !== last.globalTags) {
      groups.set(category, (groups.get(category) ?? 0) + 1);
    }
    last = batch;
  }
  for (const [category, count] of groups) grouped.observe({ category }, count);
}

/** Largest number of distinct applications and SDKs that get a metric label of their own. */
const maxLabels = 200;
const stackLabels = new WeakMap<Metrics, Set<string>>();

/**
 * Counts the outcomes of resolving error stacks. Clients may send any number of different application names. So
 * only the first `maxLabels` combinations of application and SDK get labels of their own; all others share one
 * label.
 */
function countStacks(stacks: readonly RumStack[], metrics: Metrics): void {
  let known = stackLabels.get(metrics);
  if (known === undefined) stackLabels.set(metrics, (known = new Set()));
  for (const { appId, sdkName, status } of stacks) {
    const key = JSON.stringify([appId, sdkName]);
    if (known.size < maxLabels) known.add(key);
    const labels = known.has(key) ? { app_id: appId, sdk_name: sdkName } : { app_id: "others", sdk_name: "others" };
    metrics.rumSourceMaps.inc({ ...labels, status, remark: "" });
  }
}
