// Processes a parsed write request up to its answer: chooses the tags and the script, has a worker thread process the
// points, puts the batches (encoded points) into the output and updates the metrics
// (docs/reference/agent.md#the-way-of-a-point).

import type { CategoryName } from "../../../lib/point/index.ts";
import type { RequestAbort } from "../../http/abort-signal.ts";
import { isJsonForm } from "../../http/body/point-form.ts";
import { writtenBytesFor } from "../../http/body/written-bytes.ts";
import { ApiError } from "../../http/errors.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Batch, BatchForm } from "../outputs/batch.ts";
import type { Output } from "../outputs/output.ts";
import type { Scripts } from "../scripts/script-layers.ts";
import type { Filters } from "./filters.ts";
import type { GlobalTags } from "./global-tags.ts";
import type { Inputs } from "./input-counts.ts";
import type { Sharding } from "./sharding.ts";
import { skippedText } from "./skipped-text.ts";
import type { Workers } from "./workers/workers.ts";
import type { RumStack, WriteJob } from "./write-job.ts";
import type { Rejected, WriteRequest } from "./write-request.ts";

/**
 * Returns whether the setting `max_points` limits the points of a write. A JSON point may take only three bytes of the
 * body, so JSON needs this limit. For Prometheus samples and OTLP, the size of the converted points is limited instead.
 * In the other wire formats the size of the body already limits the number of points.
 */
function isCounted({ form, conversion }: Pick<WriteRequest, "form" | "conversion">): boolean {
  return conversion === undefined ? isJsonForm(form) : conversion.isCounted;
}

/** The scripts and the setting that decide which script runs over the points of a write. */
export interface ScriptChoice {
  readonly scripts: Pick<Scripts, "choose" | "hasAny">;
  /** The setting `[pipeline] match_by_name`: whether each point finds its script by its name. */
  readonly matchByName: boolean | "unset";
}

export interface IngestOptions extends ScriptChoice {
  readonly workers: Pick<Workers, "run">;
  readonly output: Pick<Output, "put" | "wantsCompressed">;
  readonly tags: Pick<GlobalTags, "forWrite">;
  readonly filters: Pick<Filters, "count">;
  readonly sharding: Pick<Sharding, "keys"> | undefined;
  readonly inputs: Pick<Inputs, "seriesOf">;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly maxBodyBytes: number;
  /** Largest number of points in a body: the setting `[http_api] max_points`. */
  readonly maxPoints: number;
  readonly maxGrowth: number;
  /** Length in bytes of the largest batch (encoded points) that the output takes; 0 = no limit. */
  readonly batchBytes: number;
  readonly batchForm: BatchForm;
  /** The setting `[io] auto_timestamp_correction`: whether points far from the current time get the current time. */
  readonly correctsTimes: boolean;
}

/**
 * Processes a write. The `signal` of `caller` aborts the work. `keep` of `caller` returns whether the points may still
 * be stored. `onRejected` is called before the write is answered or refused, with the part of the body that the
 * converter did not accept. Resolves with the echo (the points to return in the answer). Rejects with ApiError when the
 * write is refused.
 */
export type Ingest = (
  write: WriteRequest,
  caller: Pick<RequestAbort, "signal" | "keep">,
  onRejected?: (rejected: Rejected) => void,
) => Promise<Uint8Array | undefined>;

/** Stands for the script whose name is the name of the point; each point has its own script then. */
const anyScript = "*";

/**
 * Returns the file name of the script for a write; `anyScript` when each point finds its script by its name; undefined
 * when no script runs.
 */
export function scriptFor(
  { scripts, matchByName }: ScriptChoice,
  { category, source, matchesByName = false }: Pick<WriteRequest, "category" | "source" | "matchesByName">,
): string | undefined {
  const matches = source === "" && (matchByName === "unset" ? matchesByName : matchByName) && scripts.hasAny(category);
  return matches ? anyScript : scripts.choose(category, source);
}

/** Length in bytes above which the agent logs a warning about an X-Global-Tags header. */
const warnHeaderBytes = 4096;

/** Returns a function that processes writes up to their answer. */
export function createIngest(options: IngestOptions): Ingest {
  const { workers, output, tags, filters, sharding, inputs, metrics, log } = options;
  let warned = false;
  const warnOfHeaders = (batches: readonly Batch[]) => {
    if (sharding === undefined) return;
    const long = batches.find(({ globalTags = "" }) => Buffer.byteLength(globalTags) > warnHeaderBytes);
    if (long === undefined || warned) return;
    warned = true;
    log.warn(`X-Global-Tags of ${long.category} is longer than ${warnHeaderBytes} bytes, gateways may refuse it`);
  };
  return async (write, caller, onRejected) => {
    const began = performance.now();
    const { category } = write;
    const script = scriptFor(options, write);
    // The members of the write are copied one by one, since an object spread takes ten microseconds, longer than the
    // other work of a small write.
    const job: WriteJob = {
      body: write.body,
      sentBytes: write.sentBytes,
      encoding: write.encoding,
      category,
      form: write.form,
      conversion: write.conversion,
      precision: write.precision,
      strict: write.strict,
      echo: write.echo,
      dry: write.dry,
      now: write.now,
      earlyTags: write.earlyTags,
      browserAddress: write.browserAddress,
      electionTags: write.electionTags,
      hostTags: write.hostTags,
      source: write.source,
      label: write.label,
      storageIndex: write.storageIndex,
      isAlone: write.isAlone,
      maxBodyBytes: options.maxBodyBytes,
      maxPoints: isCounted(write) ? options.maxPoints : 0,
      maxWrittenBytes: writtenBytesFor(write.sentBytes, options.maxGrowth),
      globalTags: tags.forWrite(write.electionTags, write.hostTags),
      script,
      matches: script === anyScript,
      batchBytes: options.batchBytes,
      shardKeys: sharding?.keys(),
      batchForm: options.batchForm,
      compress: mayFillLargeBatch(write) && output.wantsCompressed ? "large" : "surplus",
      correctsTimes: options.correctsTimes,
    };
    const running = workers.run(job, caller);
    // For a small write `running` is the answer itself. Awaiting it would cost a needless microtask.
    const answer = running instanceof Promise ? await running : running;
    if (answer.rejected !== undefined) onRejected?.(answer.rejected);
    if (!answer.ok) {
      if (answer.message !== "") log.warn(`write ${category}: ${answer.code}: ${answer.message}`);
      throw new ApiError(answer.code, answer.message);
    }
    if (write.dry) return answer.echo;
    if (!caller.keep()) throw new ApiError("agent.internalServerError", "the write was answered 408");

    if (answer.stacks.length > 0) countStacks(answer.stacks, metrics);
    const series = inputs.seriesOf(write.label, category);
    const { name } = series;
    const readAt = performance.now();
    series.total.value++;
    series.bytes.value += write.sentBytes;
    series.points(answer.points, readAt);
    series.readSeconds((readAt - began) / 1000, readAt);
    series.last.value = Date.now() / 1000;
    if (answer.skipped > 0) {
      metrics.gatewaySkipped.inc({ category }, answer.skipped);
      log.warn(`write ${category}: ${skippedText(answer.skipped)}`);
    }
    for (const count of answer.runs ?? (answer.run === undefined ? [] : [answer.run])) {
      const { name = script!, namespace, points, dropped, errors, seconds, firstError } = count;
      const run = { category, name, namespace };
      metrics.pipelinePoints.inc(run, points);
      metrics.pipelineDropped.inc(run, dropped);
      metrics.pipelineErrors.inc(run, errors);
      metrics.pipelineSeconds.observe(run, seconds);
      if (firstError !== undefined) log.warn(`script ${category}/${name} failed on ${errors} points: ${firstError}`);
    }
    filters.count(answer.filtered);
    for (const filtered of answer.filtered) {
      if (filtered.dropped > 0) metrics.inputFiltered.inc({ category: filtered.category, name }, filtered.dropped);
    }
    for (const [adjusted, points] of answer.corrected ?? []) {
      metrics.timesAdjusted.inc({ category: adjusted, name }, points);
    }
    if (sharding !== undefined) countGroups(answer.batches, metrics);
    warnOfHeaders(answer.batches);
    // Nothing may be awaited between receiving the worker's answer and putting its encoded points into the output,
    // since the next small write overwrites the memory in which they lie.
    await output.put(answer.batches, write.storageIndex);
    const keptAt = performance.now();
    series.seconds((keptAt - readAt) / 1000, keptAt);
    return answer.echo;
  };
}

/**
 * Records, for each category, the number of groups into which sharding has split the points of a write. A group is
 * adjacent batches (encoded points) with the same value of the header X-Global-Tags.
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
 * Counts the outcomes of resolving error stacks. Clients choose the names of applications, so all applications beyond
 * `maxLabels` are counted under one label.
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

/** Returns whether a write may make a batch that is large enough to be compressed. Most small writes cannot. */
function mayFillLargeBatch({ body, encoding }: WriteRequest): boolean {
  return body.length >= 4096 || encoding !== "";
}
