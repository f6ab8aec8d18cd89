// The Prometheus metrics that a platform exposes at /metrics.

import { metricMakers } from "../telemetry/metrics.ts";

/** Upper bounds of the buckets in the histogram of query durations, in seconds. */
const querySeconds = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60];

export type PlatformMetrics = ReturnType<typeof createPlatformMetrics>;

export function createPlatformMetrics() {
  const { registry, counter, gauge, summary, histogram } = metricMakers();
  return {
    registry,
    apiTotal: counter("platform_http_api_total", "requests answered", ["api", "status"]),
    apiSeconds: summary("platform_http_api_elapsed_seconds", "time from the first byte to the answer", [
      "api",
      "method",
      "status",
    ]),
    untrustedProxy: counter(
      "platform_http_untrusted_proxy_total",
      "requests that a proxy on this machine sent, with forwarding headers that trusted_proxies does not admit",
    ),
    points: counter("platform_ingest_points_total", "points stored", ["category"]),
    bytes: counter("platform_ingest_bytes_total", "bytes of bodies with points that were stored, decompressed", [
      "category",
    ]),
    batches: counter("platform_ingest_batches_total", "bodies by what became of them: stored, repeated, refused", [
      "category",
      "result",
    ]),
    ingestSeconds: summary("platform_ingest_seconds", "time until a body is stored", ["category"]),
    queries: counter("platform_query_total", "query requests by what became of them: ok, or why they failed", [
      "result",
    ]),
    querySeconds: histogram("platform_query_seconds", "time of a query request", querySeconds),
    queriesRunning: gauge("platform_query_running", "query requests that are being answered or wait"),
    expired: counter("platform_expired_points_total", "points that were deleted for their age"),
    lost: counter("platform_lost_points_total", "points that damaged or missing files of the store have cost"),
    storeBytes: gauge("platform_store_bytes", "size of the store's files", ["file"]),
    inflightBytes: gauge("platform_http_inflight_bytes", "bytes of bodies held now"),
    uptime: gauge("platform_uptime_seconds", "seconds since the start", ["version"]),
  };
}
