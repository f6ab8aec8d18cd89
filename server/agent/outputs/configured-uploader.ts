// Opens the uploader, which sends points from queues to the gateways, with the settings of the configuration.

import path from "node:path";
import { durationMs } from "../../config/go-duration.ts";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { pauses } from "../../time/backoff.ts";
import type { SpareTime } from "../spare-time.ts";
import type { BatchForm } from "./batch.ts";
import type { Gateways } from "./gateways.ts";
import type { Output } from "./output.ts";
import { createUploader } from "./uploader.ts";

export interface ConfiguredUploaderOptions {
  readonly config: Config;
  readonly gateways: Gateways;
  readonly spareTime: SpareTime;
  /** Folder that contains the queues to the gateways. */
  readonly folder: string;
  readonly host: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Called when the uploader and its queues are closed. */
  readonly afterClose?: () => void;
}

export function openConfiguredUploader(options: ConfiguredUploaderOptions): Promise<Output> {
  const { config, gateways, spareTime, folder, host, log, metrics, afterClose } = options;
  return createUploader({
    gateways,
    mode: config["gateway.mode"] === "all" ? "all" : "failover",
    retryDelayMs: durationMs(config["gateway.retry_delay"], pauses.upload.firstMs),
    gzip: config["gateway.gzip"],
    spareTime,
    form: uploadForm(config),
    maxBodyBytes: config["gateway.max_raw_body_size"],
    enoughPoints: config["io.max_cache_count"],
    maxAgeMs: durationMs(config["io.flush_interval"], 1000),
    folder,
    queueBytes: config["gateway.wal.max_capacity_gb"] * 1024 ** 3,
    sync: config["gateway.wal.sync"] === "os" ? "os" : "group",
    full: config["gateway.wal.full"] === "drop-oldest" ? "drop-oldest" : "refuse",
    host,
    log,
    metrics,
    afterClose,
  });
}

export function queueFolder(config: Config): string {
  return config["gateway.wal.path"] || path.join(path.resolve(config.data_dir), "queue");
}

export function uploadForm(config: Config): BatchForm {
  return /^(?:v2|protobuf)$/.test(config["gateway.content_encoding"]) ? "pb" : "lp";
}
