// The metrics that an agent shows at /metrics (docs/reference/metrics.md).

import { STATUS_CODES } from "node:http";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { hostMetrics } from "./host-metrics.ts";
import { inputMetrics } from "./input-metrics.ts";
import { createTally } from "./labelled-counters.ts";
import { type Movable, movableCounter, movableTimes } from "./metrics-transfer.ts";
import { prometheusMetrics } from "./prometheus-metrics.ts";
import { pushMetrics } from "./push-metrics.ts";
import { statsdMetrics } from "./statsd-metrics.ts";
import { createSummary } from "./summary.ts";
import { syslogMetrics } from "./syslog-metrics.ts";
import { tailMetrics } from "./tail-metrics.ts";

const sliding = { quantiles: [0.5, 0.9, 0.99], windowMs: 600_000, steps: 5, nowMs: () => performance.now() };

export type Metrics = ReturnType<typeof createMetrics>;
type MetricMakers = ReturnType<typeof metricMakers>;

/** Creates a registry of metrics. Returns the registry and the functions that create metrics in it. */
export function metricMakers() {
  const registry = new Registry();
  const registers = [registry];
  const movable = new Map<string, Movable>();
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) => {
    const made = new Counter({ name, help, labelNames: [...labelNames], registers });
    movable.set(name, movableCounter(made));
    return made;
  };
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name, help, labelNames: [...labelNames], registers });
  const times = <L extends string>(name: string, help: string, labelNames: readonly L[]) => {
    const made = gauge(name, help, labelNames);
    movable.set(name, movableTimes(made));
    return made;
  };
  const summary = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) => {
    const made = createSummary(registry, { name, help, labelNames, ...sliding });
    movable.set(name, made);
    return made;
  };
  const tally = <L extends string>(
    type: "counter" | "gauge",
    name: string,
    help: string,
    labelNames: readonly L[],
    onlyGrows = false,
  ) => {
    const made = createTally(registry, { type, name, help, labelNames, onlyGrows });
    movable.set(name, made);
    return made;
  };
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    new Histogram({ name, help, buckets: [...buckets], registers });
  return { registry, movable, counter, gauge, times, tally, summary, histogram };
}

// Lists of label names. Each list belongs to several metrics.
const api = ["api", "method", "status"] as const;
const fed = ["name", "category"] as const;
const script = ["category", "name", "namespace"] as const;
const filter = ["category", "filters", "source"] as const;
const built = ["category", "encoding"] as const;
const category = ["category"] as const;
const outcome = ["category", "status"] as const;

/** Creates the metrics of an agent, in the order in which /metrics shows them. */
export function createMetrics() {
  const makers = metricMakers();
  const { registry, movable } = makers;
  return {
    registry,
    /** Metrics, by name, whose values another process may count and transfer to this process. */
    movable,
    ...httpMetrics(makers),
    ...errorMetrics(makers),
    ...clockMetrics(makers),
    ...loadMetrics(makers),
    ...ingestMetrics(makers),
    ...inputMetrics(makers),
    ...tailMetrics(makers),
    ...pushMetrics(makers),
    ...syslogMetrics(makers),
    ...statsdMetrics(makers),
    ...prometheusMetrics(makers),
    ...hostMetrics(makers),
    ...scriptMetrics(makers),
    ...referTableMetrics(makers),
    ...filterMetrics(makers),
    ...uploadMetrics(makers),
    ...gatewayMetrics(makers),
    ...queueMetrics(makers),
    ...outputMetrics(makers),
    ...processMetrics(makers),
  };
}

/** Creates the metrics of HTTP requests, by path. */
function httpMetrics({ counter, gauge, tally, summary }: MetricMakers) {
  return {
    apiTotal: tally(
      "counter",
      "agent_http_api_total",
      "requests answered; the path 404-page stands for unknown ones",
      api,
    ),
    apiSeconds: summary("agent_http_api_elapsed_seconds", "time from the first byte to the answer", api),
    apiBytes: summary("agent_http_api_req_size_bytes", "approximate size of requests", api),
    untrustedProxy: counter(
      "agent_http_untrusted_proxy_total",
      "requests that a proxy on this machine sent, with forwarding headers that trusted_proxies does not admit",
    ),
    tagsUpdated: gauge("agent_http_api_global_tags_last_updated", "when global tags were changed", api),
  };
}

/** Creates the metrics of errors that clients or the agent report. */
function errorMetrics({ counter, times }: MetricMakers) {
  return {
    errors: counter("agent_error_total", "errors told to /v1/lasterror", ["source", "category"]),
    lastErrors: times("agent_last_err", "when an error was told last", ["input", "source", "category", "error"]),
    rumSourceMaps: counter(
      "agent_rum_source_map_total",
      "stacks of RUM errors, by whether a source map could name their places",
      ["app_id", "sdk_name", "status", "remark"],
    ),
  };
}

/** Creates the metrics that compare the gateway's clock with this machine's clock. */
function clockMetrics({ counter, summary }: MetricMakers) {
  return {
    ntpSyncs: counter("agent_ntp_sync_total", "times that the gateway told its time"),
    ntpDiff: summary("agent_ntp_time_diff", "how far the gateway's clock was ahead"),
  };
}

/**
 * Creates the metrics of the memory that bodies of current requests take, and of worker threads and processes
 * that crashed.
 */
function loadMetrics({ counter, gauge }: MetricMakers) {
  return {
    inflightBytes: gauge("agent_http_inflight_bytes", "bodies of requests that are held now"),
    workerCrashes: counter(
      "agent_worker_crash_total",
      "worker threads and intake processes that died and were replaced",
    ),
  };
}

/** Creates the metrics of the processing of writes, from the decoded points to the output. */
function ingestMetrics({ counter, tally, summary }: MetricMakers) {
  return {
    ingestTotal: tally("counter", "agent_io_feed_total", "writes accepted, by input", fed),
    ingestBytes: tally(
      "counter",
      "agent_io_feed_bytes_total",
      "bytes of the bodies of writes accepted, as they were sent",
      fed,
    ),
    ingestErrors: tally("counter", "agent_io_feed_error_total", "writes refused, by input", fed),
    ingestPoints: summary("agent_io_feed_point", "points per write", fed),
    lastIngest: tally("gauge", "agent_io_last_feed_timestamp_seconds", "when the last write was fed", fed, true),
    ingestSeconds: summary(
      "agent_io_feed_cost_seconds",
      "time until the points of a write were kept, once they were read",
      ["category", "from"],
    ),
    collectSeconds: summary(
      "agent_input_collect_latency_seconds",
      "time until the body of a write was read into points and scripts and filters had run",
      fed,
    ),
    inputFiltered: counter("agent_io_input_filter_point_total", "points of an input that filters dropped", fed),
    grouped: summary(
      "agent_io_grouped_request",
      "groups by X-Global-Tags of one write, while sharding is on",
      category,
    ),
    timesAdjusted: counter("agent_io_point_time_adjusted_total", "points whose time was set to now", fed),
  };
}

/** Creates the metrics of scripts. */
function scriptMetrics({ counter, gauge, summary }: MetricMakers) {
  return {
    pipelinePoints: counter("agent_pipeline_point_total", "points a script ran over", script),
    pipelineDropped: counter("agent_pipeline_drop_point_total", "points a script dropped", script),
    pipelineErrors: counter("agent_pipeline_error_point_total", "points on which a script failed", script),
    pipelineSeconds: summary("agent_pipeline_cost_seconds", "time of a script over the points of one write", script),
    pipelineUpdated: gauge("agent_pipeline_last_update_timestamp_seconds", "when a script came into force", script),
    pipelineCompileErrors: gauge("agent_pipeline_compile_error", "since when a script does not compile", [
      ...script,
      "error",
    ]),
    pipelineState: gauge("agent_pipeline_state", "what a script keeps between points", [...script, "part"]),
    aggregatedLost: counter("agent_pipeline_aggregated_lost_point_total", "aggregated points that were not kept", fed),
  };
}

/** Creates the metrics of reference tables (tables in which scripts look up values). */
function referTableMetrics({ counter, gauge }: MetricMakers) {
  return {
    referTableRows: gauge("agent_refer_table_rows", "rows of a reference table", ["table"]),
    referTableBytes: gauge(
      "agent_refer_table_bytes",
      "bytes of all reference tables in their store; in memory without indexes",
    ),
    referTableUpdated: gauge("agent_refer_table_last_update_timestamp_seconds", "when the tables were last replaced"),
    referTablePulls: counter("agent_refer_table_pull_total", "attempts to load the tables", ["status"]),
  };
}

/** Creates the metrics of filters (rules that drop points). */
function filterMetrics({ counter, gauge, summary }: MetricMakers) {
  return {
    filterPoints: counter("agent_filter_point_total", "points the filters looked at", filter),
    filterDropped: counter("agent_filter_point_dropped_total", "points the filters dropped", filter),
    filterSeconds: summary("agent_filter_latency_seconds", "time of the filters over the points of one write", filter),
    filterParseErrors: gauge("agent_filter_parse_error", "filters that are skipped", ["error", "filters"]),
    filterUpdates: counter("agent_filter_update_total", "times that filters came into force"),
    filterUpdated: gauge("agent_filter_last_update_timestamp_seconds", "when filters came into force"),
    filterPullSeconds: summary("agent_filter_pull_latency_seconds", "time of asking for filters", ["status"]),
  };
}

/** Creates the metrics of uploads to the gateways. */
function uploadMetrics({ counter, gauge, summary }: MetricMakers) {
  return {
    flushes: counter("agent_io_flush_total", "uploads begun, without those that are sent again", category),
    flushWorkers: gauge("agent_io_flush_workers", "tasks that upload: one for each queue and gateway of it", category),
    flushDropped: counter("agent_io_flush_drop_pkg_total", "uploads given up: refused, kept as dead letters", category),
    sentAgainBytes: summary("agent_io_flush_failcache_bytes", "bytes of an upload that is sent again", category),
    uploadsUnderWay: gauge("agent_io_chan_usage", "uploads under way", category),
    mostUploads: gauge(
      "agent_io_chan_capacity",
      "uploads of one category that may be under way at once; the category is all-the-same",
      category,
    ),
    buildSeconds: summary(
      "agent_io_build_body_cost_seconds",
      "time until an upload is put together (stage enc) and compressed (gzip, unless the write was)",
      [...built, "stage"],
    ),
    buildBatches: summary("agent_io_build_body_batches", "records of the queue in one upload", built),
    buildPoints: summary("agent_io_build_body_points", "points that one upload is built of", built),
    buildBatchPoints: summary(
      "agent_io_build_body_batch_points",
      "points in one body; the same, as each upload is built as one body",
      built,
    ),
    buildBatchBytes: summary(
      "agent_io_build_body_batch_bytes",
      "bytes of one body, before compression (type raw) and after it (gzip)",
      [...built, "type"],
    ),
  };
}

/** Creates the metrics of the gateways' answers to uploads. */
function gatewayMetrics({ counter, tally, summary }: MetricMakers) {
  return {
    gatewayPoints: counter(
      "agent_io_gateway_point_total",
      "points in uploads: all (status total), and by the gateway's answer",
      outcome,
    ),
    gatewayBytes: counter(
      "agent_io_gateway_point_bytes_total",
      "bytes of uploads, before compression (enc raw) and after it (gzip), by the gateway's answer",
      ["category", "enc", "status"],
    ),
    gatewayDropped: counter("agent_io_gateway_http_drop_point_total", "points a gateway refused", [
      "category",
      "error",
    ]),
    dataOveruse: tally(
      "gauge",
      "agent_data_overuse",
      "1 while a gateway refuses points because too many were sent",
      [],
    ),
    gatewaySkipped: counter(
      "agent_io_gateway_skipped_point_total",
      "points that came without any field, or that line protocol cannot say (no field left, or a series over 65,535 bytes)",
      category,
    ),
    gatewaySeconds: summary("agent_io_gateway_api_latency_seconds", "time of one upload", ["api", "status"]),
    gatewayRetries: counter("agent_io_http_retry_total", "uploads that are sent again", ["api", "status"]),
  };
}

/** Creates the metrics of the queues on disk. */
function queueMetrics({ counter, gauge, tally, summary }: MetricMakers) {
  return {
    walPoints: tally(
      "counter",
      "agent_io_wal_point_total",
      "points put into the queue on disk (status D); refused by a queue that is full or fails, or deleted to make room (drop)",
      outcome,
    ),
    walUploadBytes: summary(
      "agent_io_gateway_wal_flush",
      "bytes of an upload, compressed (gzip T) or not (F), whose points were all still in memory (queue M) or read back from disk (D)",
      ["category", "gzip", "queue"],
    ),
    walInMemory: gauge(
      "agent_io_gateway_wal_mem_len",
      "records of the queue on disk that are still in memory, too",
      category,
    ),
    queuePoints: gauge("agent_io_queue_points", "points that wait to be uploaded", ["category", "gateway"]),
    queueOldest: gauge("agent_io_queue_oldest_seconds", "age of the oldest unsent points", ["category", "gateway"]),
    queueSize: gauge("agent_diskcache_size", "bytes that the queue on disk takes", ["path"]),
    queueFiles: gauge("agent_diskcache_datafiles", "files of the queue", ["path"]),
    queueCapacity: gauge("agent_diskcache_capacity", "bytes that the queue on disk may take", ["path"]),
    queuePutBytes: summary("agent_diskcache_put_bytes", "bytes written to the queue in one go", ["path"]),
    queueGetBytes: summary("agent_diskcache_get_bytes", "bytes read back from the queue in one go", ["path"]),
    queueGetSeconds: summary("agent_diskcache_get_latency", "time of reading it", ["path"]),
    queuePut: summary("agent_diskcache_put_latency", "time until a write is kept", ["path"]),
    queueDropped: counter("agent_diskcache_dropped_data_total", "points of a full queue that were dropped", [
      "path",
      "reason",
    ]),
    queueDamaged: counter("agent_diskcache_damaged_bytes_total", "bytes of the queue that could not be read", ["path"]),
    queueLost: counter("agent_diskcache_lost_points_total", "points that files of the queue lack at the start", [
      "path",
    ]),
    deadLetters: counter("agent_io_dead_letter_point_total", "points kept as dead letters", category),
  };
}

/** Creates the metrics of the output (queues or files) of points. */
function outputMetrics({ counter, gauge }: MetricMakers) {
  return {
    outputInfo: gauge("agent_output_info", "1; where points go: the gateways, or the folder of the output files", [
      "target",
    ]),
    outputPoints: counter("agent_output_point_total", "points written to files", category),
    outputLost: counter("agent_output_lost_point_total", "points refused: not written to files", category),
    outputDroppedFiles: counter("agent_output_dropped_files_total", "output files deleted to keep the total"),
    outputDroppedBytes: counter("agent_output_dropped_bytes_total", "bytes of output files deleted to keep the total"),
  };
}

/** Creates the metrics of the process, such as its processor time. */
function processMetrics({ gauge }: MetricMakers) {
  return {
    uptime: gauge("agent_uptime_seconds", "seconds since the start", ["hostname", "version", "build_at", "os_arch"]),
    openFiles: gauge(
      "agent_open_files",
      "files and sockets that the process holds open; 0 where the system does not tell",
    ),
    cpu: gauge("agent_cpu_usage", "processor time used, in percent of one core, since the last look"),
  };
}

/**
 * Resets the gauges whose values describe components that a reload has closed. The components that are opened next set
 * these gauges again. Counters keep their values.
 */
export function forgetParts(metrics: Metrics): void {
  const { pipelineUpdated, pipelineState, referTableRows, referTableBytes, referTableUpdated, filterParseErrors } =
    metrics;
  const gauges = [
    pipelineUpdated,
    pipelineState,
    referTableRows,
    referTableBytes,
    referTableUpdated,
    filterParseErrors,
  ];
  const { tailFiles, tailUnread, tailUnreadable, syslogConnections, statsdSeries, statsdConnections } = metrics;
  const ofInputs = [tailFiles, tailUnread, tailUnreadable, syslogConnections, statsdSeries, statsdConnections];
  const ofTargets = [metrics.prometheusUp, metrics.prometheusSeconds, metrics.hostSeconds];
  for (const gauge of [...gauges, ...ofInputs, ...ofTargets]) gauge.reset();
  for (const gauge of [metrics.uptime, metrics.outputInfo]) gauge.reset();
  metrics.dataOveruse.of({}).value = 0;
}

/** Returns the text of an HTTP status for the metrics, such as `OK` or `Bad Request`. */
export function statusText(status: number): string {
  return STATUS_CODES[status] ?? String(status);
}
