// Processes a parsed write request until its answer is ready: chooses the tags and the script, lets the main
// thread or a worker thread process the points, puts the batches (encoded points) into the output and updates
// the metrics (docs/reference/agent.md#the-way-of-a-point).

import type { RequestAbort } from "../../http/abort-signal.ts";
import { isJsonForm } from "../../http/body/point-form.ts";
import { writtenBytesFor } from "../../http/body/written-bytes.ts";
import { ApiError } from "../../http/errors.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { LiveSample } from "../live/live-sample.ts";
import type { BatchForm } from "../outputs/batch.ts";
import type { Output } from "../outputs/output.ts";
import type { Scripts } from "../scripts/script-layers.ts";
import { createAnswerCounts } from "./answer-counts.ts";
import type { ConversionReport } from "./converter.ts";
import type { Filters } from "./filters.ts";
import type { GlobalTags } from "./global-tags.ts";
import type { InputSeries, Inputs } from "./input-counts.ts";
import type { Sharding } from "./sharding.ts";
import type { Workers } from "./workers/workers.ts";
import type { WriteJob } from "./write-job.ts";
import { anyScript, type WriteRequest } from "./write-request.ts";

/**
 * Returns whether the setting `max_points` limits the points of a write. JSON needs this limit, because a JSON
 * point may take only three bytes of the body. For Prometheus samples and OTLP, the size of the converted points
 * is limited instead. For the other wire formats, the limit on the size of the body also limits the number of
 * points.
 */
function isCounted({ form, conversion }: Pick<WriteRequest, "form" | "conversion">): boolean {
  return conversion === undefined ? isJsonForm(form) : conversion.isCounted;
}

/** The scripts and the setting that decide which script runs over the points of a write. */
export interface ScriptChoice {
  readonly scripts: Pick<Scripts, "choose" | "hasAny">;
  /**
   * The setting `[pipeline] match_by_name`: whether the name of each point decides which script runs over the point.
   */
  readonly matchByName: boolean | "unset";
}

export interface IngestOptions extends ScriptChoice {
  readonly workers: Pick<Workers, "run">;
  /**
   * A sample of the points of writes, which clients can watch while the agent runs; absent in a process that
   * offers no such sample.
   */
  readonly live?: Pick<LiveSample, "order" | "take">;
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
 * Processes a write. `caller.signal` aborts the work. `caller.keep` returns whether the points may still be
 * stored. `onConverted` receives the converter's report about the items of the body, before the write is
 * answered or refused. Resolves with the echo (the points that the answer returns to the client). Rejects with
 * ApiError when the write is refused.
 */
export type Ingest = (
  write: WriteRequest,
  caller: Pick<RequestAbort, "signal" | "keep">,
  onConverted?: (report: ConversionReport) => void,
) => Promise<Uint8Array | undefined>;

/**
 * Returns the file name of the script for a write; `anyScript` when the name of each point decides which script runs;
 * undefined when no script runs.
 */
export function scriptFor(
  { scripts, matchByName }: ScriptChoice,
  { category, source, matchesByName = false }: Pick<WriteRequest, "category" | "source" | "matchesByName">,
): string | undefined {
  const matches = source === "" && (matchByName === "unset" ? matchesByName : matchByName) && scripts.hasAny(category);
  return matches ? anyScript : scripts.choose(category, source);
}

/** Returns a function that processes a write from its request to its answer. */
export function createIngest(options: IngestOptions): Ingest {
  const { workers, output, inputs, log } = options;
  const countAnswer = createAnswerCounts(options);
  return async (write, caller, onConverted) => {
    const began = performance.now();
    const { category } = write;
    const job = jobOf(write, scriptFor(options, write), options);
    const running = workers.run(job, caller, write.isAlone);
    // For a small write, `workers.run` returns the answer itself and not a promise. Awaiting the answer would cost a
    // needless microtask.
    const answer = running instanceof Promise ? await running : running;
    if (answer.report !== undefined) onConverted?.(answer.report);
    if (!answer.ok) {
      if (answer.message !== "") log.warn(`write ${category}: ${answer.code}: ${answer.message}`);
      throw new ApiError(answer.code, answer.message);
    }
    if (write.dry) return answer.echo;
    if (answer.sampled !== undefined) options.live?.take(category, answer.sampled, job.sample!);
    if (!caller.keep()) throw new ApiError("agent.internalServerError", "the write was answered 408");
    const series = inputs.seriesOf(write.label, category);
    const readAt = performance.now();
    countRead(series, answer.points, write.sentBytes, began, readAt);
    countAnswer(answer, category, series.name);
    // There must be no `await` between receiving the worker's answer and putting its encoded points into the output.
    // The next small write overwrites the memory of these points.
    await output.put(answer.batches, write.storageIndex);
    const keptAt = performance.now();
    series.seconds((keptAt - readAt) / 1000, keptAt);
    return answer.echo;
  };
}

/**
 * Returns the job for the thread that processes a write. The job contains the settings, and the members of the
 * write that this thread needs. `script`: the file name of the script that runs over the points, as `scriptFor`
 * returns it.
 */
function jobOf(write: WriteRequest, script: string | undefined, options: IngestOptions): WriteJob {
  // The members of the write are copied one by one. An object spread would take ten microseconds, which is longer
  // than all other work for a small write.
  return {
    body: write.body,
    encoding: write.encoding,
    category: write.category,
    form: write.form,
    conversion: write.conversion,
    precision: write.precision,
    strict: write.strict,
    echo: write.echo,
    dry: write.dry,
    now: write.now,
    earlyTags: write.earlyTags,
    browserAddress: write.browserAddress,
    maxBodyBytes: options.maxBodyBytes,
    maxPoints: isCounted(write) ? options.maxPoints : 0,
    maxWrittenBytes: writtenBytesFor(write.sentBytes, options.maxGrowth),
    globalTags: options.tags.forWrite(write.electionTags, write.hostTags),
    script,
    batchBytes: options.batchBytes,
    shardKeys: options.sharding?.keys(),
    batchForm: options.batchForm,
    compressesLarge: mayFillLargeBatch(write) && options.output.wantsCompressed,
    correctsTimes: options.correctsTimes,
    sample: options.live?.order(write.category),
  };
}

/**
 * Counts a write whose points were decoded. `began` and `readAt`: the times, as `performance.now` returns them, when
 * the work on the write began and when its points were decoded.
 */
function countRead(series: InputSeries, points: number, sentBytes: number, began: number, readAt: number): void {
  series.total.value++;
  series.bytes.value += sentBytes;
  series.points(points, readAt);
  series.readSeconds((readAt - began) / 1000, readAt);
  series.last.value = Date.now() / 1000;
}

/**
 * Returns whether a write may produce a batch (encoded points) that is large enough to be compressed. Most small
 * writes produce no such batch.
 */
function mayFillLargeBatch({ body, encoding }: WriteRequest): boolean {
  return body.length >= 4096 || encoding !== "";
}
