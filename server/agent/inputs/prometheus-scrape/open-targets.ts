// Runs the input `prometheus`: asks each target for its metrics at an interval, and passes the samples to the
// agent for storing. When the queue is full, drops the samples, since the target's next answer has newer values.

import { setTimeout as wait } from "node:timers/promises";
import { shownText } from "../../../../lib/text/index.ts";
import { durationMs } from "../../../config/go-duration.ts";
import type { PrometheusSettings } from "../../../config/settings/inputs-prometheus.ts";
import { ApiError } from "../../../http/errors.ts";
import { within } from "../../../time/within.ts";
import { writeLabel } from "../../ingest/input-counts.ts";
import type { Rejected, WriteRequest } from "../../ingest/write-request.ts";
import type { FetchingAgent, OpenInput } from "../input.ts";
import { usualRequest } from "../receive-body.ts";
import { failedScrape, type PrometheusTextConversion } from "./converter.ts";
import { openTargetClient, type TargetClient } from "./fetch-target.ts";

/** Largest number of targets that are asked at the same time, so that memory stays bounded. */
const mostAtOnce = 4;
const closeMs = 10_000;

/**
 * Starts asking the targets of all entries of the configuration for their metrics. Throws when a TLS file cannot be
 * used.
 */
export function openTargets(entries: readonly PrometheusSettings[], agent: FetchingAgent): OpenInput {
  const closing = new AbortController();
  const slots = createSlots(mostAtOnce);
  const clients: TargetClient[] = [];
  const running: Promise<void>[] = [];
  for (const settings of entries) {
    const client = openTargetClient(settings);
    clients.push(client);
    const everyMs = durationMs(settings.interval, 15_000);
    settings.urls.forEach((url, at) => {
      const target = createTarget(url, settings, client, agent, closing.signal);
      // The first requests to the targets of one entry of the configuration are spread over the interval, so that the
      // targets are not all asked at the same moment.
      running.push(repeat(() => slots(target), everyMs, (at / settings.urls.length) * everyMs, closing.signal));
    });
  }
  return {
    close: async () => {
      closing.abort();
      await within(Promise.all(running), closeMs);
      for (const client of clients) client.close();
    },
  };
}

/**
 * Runs `task` after `firstMs` and then every `everyMs`. When a run is due but the previous run has not ended, the due
 * run is left out. Never rejects.
 */
async function repeat(
  task: () => Promise<void>,
  everyMs: number,
  firstMs: number,
  closing: AbortSignal,
): Promise<void> {
  let dueAt = performance.now() + firstMs;
  while (!closing.aborted) {
    const pauseMs = Math.max(0, dueAt - performance.now());
    await wait(pauseMs, undefined, { signal: closing }).catch(() => {});
    if (closing.aborted) return;
    await task();
    const late = performance.now() - dueAt;
    dueAt += everyMs * Math.max(1, Math.ceil(late / everyMs));
  }
}

/** Returns a function that runs a task as soon as fewer than `most` tasks are running. */
function createSlots(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (task: () => Promise<void>): Promise<void> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}

/** Returns a function that asks the target for its metrics once and stores them. The function never rejects. */
function createTarget(
  url: string,
  settings: PrometheusSettings,
  client: TargetClient,
  agent: FetchingAgent,
  closing: AbortSignal,
): () => Promise<void> {
  const { log, metrics, now } = agent;
  let lastReason = "";
  /** Logs the state of the target when the state changes. `reason`: what failed; empty when nothing failed. */
  const note = (reason: string) => {
    if (reason === lastReason) return;
    lastReason = reason;
    if (reason === "") log.info(`prometheus: ${shownText(url)}: the target answers again`);
    else log.warn(`prometheus: ${shownText(url)}: ${shownText(reason)}`);
  };
  const finish = (status: "ok" | "failed" | "not_stored", isUp: boolean, seconds: number) => {
    metrics.prometheusScrapes.inc({ url, status });
    metrics.prometheusUp.set({ url }, isUp ? 1 : 0);
    metrics.prometheusSeconds.set({ url }, seconds);
  };
  return async () => {
    const time = now();
    const began = performance.now();
    const elapsed = () => (performance.now() - began) / 1000;
    let seconds = 0;
    try {
      const { body, isOpenMetrics } = await client.fetch(url, closing);
      seconds = elapsed();
      const rejected = await store(agent, url, settings, {
        body,
        conversion: conversionOf(settings, { isOpenMetrics, time, seconds }),
      });
      if (rejected !== undefined) metrics.prometheusLeftOut.inc({ url }, rejected.count);
      metrics.inputBytes.inc({ input: "prometheus", source: settings.measurement || "prometheus" }, body.length);
      finish("ok", true, seconds);
      note(rejected === undefined ? "" : `lines or samples are left out: ${rejected.reason}`);
    } catch (error) {
      if (closing.aborted) return;
      if (isForNow(error)) {
        finish("not_stored", true, seconds);
        return note(`the scrape is not stored: ${(error as Error).message}`);
      }
      seconds = elapsed();
      finish("failed", false, seconds);
      note((error as Error).message);
      const body = failedScrape(settings.measurement, time, seconds);
      await store(agent, url, settings, { body, conversion: undefined }).catch(() => {});
    }
  };
}

/** Returns whether the error means that the agent takes no writes at the moment, whatever they contain. */
const isForNow = (error: unknown) => error instanceof ApiError && (error.status >= 500 || error.status === 429);

function conversionOf(
  settings: PrometheusSettings,
  scrape: Pick<PrometheusTextConversion, "isOpenMetrics" | "time" | "seconds">,
): PrometheusTextConversion {
  return {
    ...scrape,
    converter: "prometheus-text",
    isCounted: false,
    measurement: settings.measurement,
    honorTimestamps: settings.honor_timestamps,
    maxSamples: settings.max_samples,
    keep: settings.keep,
    drop: settings.drop,
    keepLabels: settings.keep_labels,
    dropLabels: settings.drop_labels,
  };
}

/**
 * Passes a body to the agent for storing. Resolves with the number of samples that were left out and the reason;
 * resolves with undefined when no sample was left out. Rejects with ApiError when the body is not stored.
 */
async function store(
  { ingest, now }: FetchingAgent,
  url: string,
  { tags, measurement }: PrometheusSettings,
  { body, conversion }: Pick<WriteRequest, "body" | "conversion">,
): Promise<Rejected | undefined> {
  let rejected: Rejected | undefined;
  await ingest(
    {
      ...usualRequest,
      body,
      sentBytes: body.length,
      encoding: "",
      category: "metric",
      form: "lp",
      conversion,
      now: now(),
      earlyTags: [...Object.entries(tags), ["instance", new URL(url).host]],
      label: writeLabel(measurement === "" ? "prometheus" : `prometheus/${measurement}`),
    },
    { signal: new AbortController().signal, keep: () => true },
    (report) => {
      rejected = report.rejected;
    },
  );
  return rejected;
}
