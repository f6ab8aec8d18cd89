// Stores on disk the requests that a target did not accept (docs/reference/gateway.md#what-is-kept-on-disk). Each
// target has a queue, whose requests are sent again one by one, in order. A request that the target refuses, or that
// becomes too old, is stored as a dead letter, which is not sent again.

import { existsSync } from "node:fs";
import { durationMs } from "../config/go-duration.ts";
import type { Config } from "../config/schema.ts";
import type { CircuitBreaker } from "../outbound/circuit-breaker.ts";
import { masked } from "../outbound/masked-secrets.ts";
import { classificationOf } from "../outbound/retry-classification.ts";
import type { Upstream } from "../outbound/upstream.ts";
import type { DeliveryBatch, Outcome } from "../queue/delivery/delivery.ts";
import { openSpool, type Spool } from "../queue/spool.ts";
import type { QueueEvents } from "../queue/types.ts";
import type { Log } from "../telemetry/log.ts";
import { statusText } from "../telemetry/metrics.ts";
import { pauses } from "../time/backoff.ts";
import type { ForwardedRequest, KeptMeta } from "./forwarded-request.ts";
import type { GatewayMetrics } from "./metrics.ts";
import { queueNamePattern } from "./targets.ts";

export interface KeptRequestsOptions {
  readonly config: Config;
  readonly folder: string;
  readonly upstream: Upstream;
  readonly breakerOf: (name: string) => CircuitBreaker | undefined;
  readonly log: Log;
  readonly metrics: GatewayMetrics;
}

/** The result of storing a request: `kept`, or the reason why the request was not stored. */
export type KeepResult = "kept" | "switched off" | "too large" | "full" | "not written";

/**
 * A stored request is probably faulty if it fails again and again although its target accepts other requests in
 * the meantime. So it becomes a dead letter (it is not sent again) after it has failed `poisonedAttempts` times
 * and the target has accepted `workMeanwhile` other requests. Then it no longer blocks the queue.
 */
const poisonedAttempts = 10;
const workMeanwhile = 10;

export async function keptRequests(options: KeptRequestsOptions): Promise<KeptRequests> {
  const { config, folder } = options;
  const isOn = !config["gateway_api.cache.disabled"];
  // Even when storing on disk is switched off, the folder is opened if an earlier process has stored requests in
  // it. These requests are not sent; they stay on the disk.
  const spool = isOn || existsSync(folder) ? await openSpool(spoolOptions(options, isOn)) : undefined;
  return new KeptRequests(options, isOn, spool);
}

/**
 * Stores requests on disk. A request without a body (such as a test whether uploads are accepted) is never
 * stored, because it contains no data that could be lost.
 */
export class KeptRequests {
  readonly isOn: boolean;
  private readonly options: KeptRequestsOptions;
  private readonly spool: Spool | undefined;
  private readonly maxBytes: number;
  /** The number of bytes that are being written to the disk. */
  private arriving = 0;

  constructor(options: KeptRequestsOptions, isOn: boolean, spool: Spool | undefined) {
    this.options = options;
    this.isOn = isOn;
    this.spool = spool;
    this.maxBytes = options.config["gateway_api.cache.max_disk_size"];
  }

  /** Stores a request on disk. `cause` is a label for the metrics, `reason` is a message for the log. */
  async keep(name: string, sent: ForwardedRequest, url: string, cause: string, reason?: string): Promise<KeepResult> {
    const { isOn, spool } = this;
    const { metrics, log } = this.options;
    if (isOn && sent.body.length === 0) return "kept";
    const keeping = spool === undefined || !isOn ? "switched off" : await this.put(spool, name, sent, url);
    const { api, method, body } = sent;
    if (keeping === "kept") {
      metrics.cachedBytes.inc({ api, cache_type: "disk", method, reason: cause }, body.length);
      return keeping;
    }
    metrics.notKept.inc({ api, reason: keeping });
    if (keeping !== "not written")
      log.error(`${api} for ${name} is not kept on disk (${keeping})${reason === undefined ? "" : `: ${reason}`}`);
    return keeping;
  }

  async bury(name: string, sent: ForwardedRequest, url: string, reason: string): Promise<void> {
    const { log } = this.options;
    if (sent.body.length === 0) return;
    if (this.spool === undefined || !this.isOn) {
      log.error(`${sent.api} refused, lost because the disk is switched off: ${reason}`);
      return;
    }
    try {
      await this.spool.bury(name, reason, recordOf(sent, url));
    } catch (error) {
      log.error(`dead letters: ${(error as Error).message}; ${sent.api} refused and lost: ${reason}`);
    }
  }

  measure(): void {
    const { metrics } = this.options;
    for (const [target, queue] of this.spool?.queues ?? []) {
      const { records, oldest } = queue.consumers[0].backlog;
      metrics.queueRecords.set({ target }, records);
      metrics.queueBytes.set({ target }, queue.bytes);
      metrics.queueOldest.set({ target }, oldest === 0 ? 0 : Math.max(0, (Date.now() - oldest) / 1000));
    }
  }

  problems(): readonly string[] {
    const { spool } = this;
    const queues = [...(spool?.queues.values() ?? [])];
    const bytes = queues.reduce((sum, queue) => sum + queue.bytes - queue.spareBytes, 0);
    const full = bytes >= this.maxBytes * 0.98 ? [`the disk queue is full (${bytes} bytes)`] : [];
    const unwritable = Array.from(
      spool?.unwritable() ?? [],
      ([name, why]) => `the queue of ${name} cannot be written: ${why}`,
    );
    return [...unwritable, ...full];
  }

  async close(): Promise<void> {
    await this.spool?.close();
  }

  private async put(spool: Spool, name: string, sent: ForwardedRequest, url: string): Promise<KeepResult> {
    const { config, log } = this.options;
    const record = recordOf(sent, url);
    const bytes = record.body.length + record.meta.length;
    if (sent.body.length > config["gateway_api.cache.max_data_size"]) return "too large";
    const isFull = () => spool.bytes + this.arriving + bytes > this.maxBytes;
    if (isFull()) await spool.giveUpRoom();
    if (isFull()) return "full";
    this.arriving += bytes;
    try {
      await spool.put(name, record);
      return "kept";
    } catch (error) {
      // Only the first failed write of a queue is logged. After it, the queue is known to be unwritable, and its
      // further failures are not logged one by one.
      if (!spool.unwritable().has(name)) log.error(`queue ${name}: ${(error as Error).message}`);
      return "not written";
    } finally {
      this.arriving -= bytes;
    }
  }
}

/** Returns a request as the record that a queue on disk stores. */
function recordOf({ method, api, headers, body, points }: ForwardedRequest, url: string) {
  const meta: KeptMeta = { method, api, url, headers };
  return { body, points, meta: Buffer.from(JSON.stringify(meta)) };
}

function spoolOptions(options: KeptRequestsOptions, isOn: boolean): Parameters<typeof openSpool>[0] {
  const { config, folder, log, metrics } = options;
  /**
   * For each queue, the number of requests that its target had accepted at the time when the oldest stored request
   * of the queue was first sent again. If the target has accepted more requests since then, the target works, so
   * the stored request itself is probably faulty.
   */
  const begun = new Map<string, number>();
  return {
    folder,
    consumers: ["target"],
    isName: (name) => isOn && queueNamePattern.test(name),
    queueBytes: config["gateway_api.cache.max_disk_size"],
    sync: "group",
    full: "refuse",
    // With this limit, each batch has only one stored request, because the bodies of several requests cannot be
    // joined.
    maxBytes: 0,
    enoughPoints: Number.MAX_SAFE_INTEGER,
    maxAgeMs: 0,
    firstDelayMs: durationMs(config["gateway_api.cache.retry_delay"], pauses.upload.firstMs),
    longestDelayMs: durationMs(config["gateway_api.cache.clean_interval"], 30_000),
    inFlight: 1,
    idPrefix: "gw",
    send: async (name, _consumer, batch) => {
      if (batch.attempt === 0) begun.set(name, options.breakerOf(name)?.successes ?? 0);
      const outcome = await resend(name, batch, options);
      if (outcome.kind !== "again" || batch.attempt < poisonedAttempts) return outcome;
      const meanwhile = (options.breakerOf(name)?.successes ?? 0) - begun.get(name)!;
      if (meanwhile < workMeanwhile) return outcome;
      return {
        kind: "refused",
        reason: `failed ${batch.attempt + 1} times while the target took others: ${outcome.reason}`,
      };
    },
    events: {
      found: (name) => log.info(`queue: requests for ${name} from before wait to be sent`),
      buried: (name, points, reason) => {
        metrics.deadLetters.inc({ target: name });
        log.error(`a request for ${name} (${points} points) refused, kept as a dead letter: ${reason}`);
      },
      retry: (name, _points, reason, delayMs) => {
        log.warn(`requests for ${name} wait on disk, sent again in ${Math.ceil(delayMs / 1000)} s: ${reason}`);
      },
      queue: (name) => queueEvents(name, log, metrics),
    },
  };
}

async function resend(name: string, batch: DeliveryBatch, options: KeptRequestsOptions): Promise<Outcome> {
  const { config, upstream, metrics } = options;
  const [record] = batch.records;
  const { method, api, url, headers } = JSON.parse(Buffer.from(record.meta).toString()) as KeptMeta;
  const { origin, searchParams } = new URL(url);
  const longest = durationMs(config["gateway_api.cache.expire_duration"], 168 * 3_600_000);
  if (Date.now() - record.time > longest) {
    metrics.expired.inc({ api, method });
    return { kind: "refused", reason: `${origin}: waited longer than ${config["gateway_api.cache.expire_duration"]}` };
  }
  const answer = await upstream.send({
    method,
    url,
    headers: { ...headers, "x-fail-cache-retry": "1" },
    body: record.body,
  });
  const classification = classificationOf(origin, answer);
  // Only successes are reported to the circuit breaker (which pauses sending to a target after failures). A
  // failure may be caused by the stored request itself, so it says nothing about the target.
  if (classification.kind !== "again") options.breakerOf(name)?.note(true);
  const status = typeof answer.status === "string" ? answer.status : statusText(answer.status);
  if (classification.kind === "taken") {
    metrics.cleanedPoints.inc({ api, cache_type: "disk", status }, batch.points);
    metrics.sentPoints.inc({ api }, batch.points);
    return classification;
  }
  return { ...classification, reason: masked(classification.reason, searchParams.get("token") ?? "") };
}

function queueEvents(name: string, log: Log, metrics: GatewayMetrics): QueueEvents {
  return {
    dropped: (records) => log.error(`queue ${name} is full: its oldest ${records} requests are dropped`),
    damaged: (file, offset, bytes) => {
      metrics.queueDamaged.inc({ target: name }, bytes);
      log.error(`queue ${name}: ${bytes} bytes of ${file} at ${offset} are damaged, skipped; the file is kept aside`);
    },
    lost: (file, { records, points, bytes }) => {
      metrics.queueLost.inc({ target: name }, points);
      log.error(
        `queue ${name}: ${records} requests (${points} points) are lost: ${file} lacks ${bytes} bytes that were written to it`,
      );
    },
    torn: (file, bytes) => log.warn(`queue ${name}: ${file} ended within a record, ${bytes} bytes cut off`),
    failed: (file, error) => log.error(`queue ${name}: ${file}: ${error.message}`),
    unwritable: (error) =>
      log.error(`queue ${name} cannot be written, nothing is kept for this target until it can: ${error.message}`),
    writable: () => log.info(`queue ${name} can be written again`),
  };
}
