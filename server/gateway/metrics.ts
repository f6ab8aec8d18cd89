// The metrics of a gateway (docs/reference/gateway.md#interfaces), under the names that existing dashboards use.

import { metricMakers } from "../telemetry/metrics.ts";

export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;

export function createGatewayMetrics() {
  const { registry, counter, gauge, summary } = metricMakers();
  return {
    registry,
    sinkerRequests: counter("sinker_requests_total", "requests by what the sink did, one for each target", [
      "api",
      "result",
      "rule",
    ]),
    apiTotal: counter("gateway_http_api_total", "requests answered", ["api", "status"]),
    apiSeconds: summary("gateway_http_api_elapsed_seconds", "time from the first byte to the answer", [
      "api",
      "method",
      "status",
    ]),
    untrustedProxy: counter(
      "gateway_http_untrusted_proxy_total",
      "requests that a proxy on this machine sent, with forwarding headers that trusted_proxies does not admit",
    ),
    requestBytes: summary("gateway_http_api_req_size_bytes", "size of bodies as sent", ["api"]),
    answerBytes: summary("gateway_http_api_resp_size_bytes", "size of the answers of targets", ["api"]),
    tooLarge: counter("gateway_http_api_body_too_large_dropped_total", "requests refused for their size", [
      "api",
      "method",
    ]),
    dropped: counter("gateway_http_api_dropped_total", "requests that no sink rule takes", ["api", "method"]),
    forked: counter("gateway_http_api_forked_total", "copies of requests with several targets, by masked token", [
      "api",
      "method",
      "token",
    ]),
    receivedPoints: counter("gateway_http_api_recv_points_total", "points received, as X-Points says", ["api"]),
    sentPoints: counter("gateway_http_api_send_points_total", "points that targets took", ["api"]),
    cachedBytes: counter("gateway_http_api_cached_bytes_total", "bytes kept on disk for a target", [
      "api",
      "cache_type",
      "method",
      "reason",
    ]),
    cleanedPoints: counter("gateway_http_api_cache_cleaned_points_total", "points sent from the disk, by status", [
      "api",
      "cache_type",
      "status",
    ]),
    expired: counter("gateway_http_api_dropped_expired_cache_total", "kept requests that became too old", [
      "api",
      "method",
    ]),
    notKept: counter("gateway_http_api_cache_refused_total", "requests that could not be kept on disk", [
      "api",
      "reason",
    ]),
    deadLetters: counter("gateway_dead_letter_total", "requests a target refused, kept", ["target"]),
    queueRecords: gauge("gateway_queue_records", "requests that wait on disk", ["target"]),
    queueBytes: gauge("gateway_queue_bytes", "bytes on disk", ["target"]),
    queueOldest: gauge("gateway_queue_oldest_seconds", "age of the oldest waiting request", ["target"]),
    queueDamaged: counter("gateway_queue_damaged_bytes_total", "bytes of the disk that could not be read", ["target"]),
    queueLost: counter("gateway_queue_lost_points_total", "points that files of the queue lack at the start", [
      "target",
    ]),
    info: gauge("gateway_http_info", "how the gateway was started", ["listen", "max_body", "remote", "version"]),
    ruleSeconds: summary("gateway_sinker_rule_cost_seconds", "time of finding the targets of a request"),
    cacheHits: counter("gateway_sinker_rule_cache_hit_total", "headers whose targets were known"),
    cacheMisses: counter("gateway_sinker_rule_cache_miss_total", "headers that were matched against the rules"),
    cacheSize: gauge("gateway_sinker_rule_cache_size", "headers whose targets are known"),
    defaultHits: counter("gateway_sinker_default_rule_hit_total", "requests that took the default entry", ["info"]),
    ruleErrors: gauge("gateway_sinker_rule_error", "what is wrong with the rules that were read last", ["error"]),
    rulesApplied: gauge("gateway_sinker_rule_last_applied_time", "when rules came into force", ["source"]),
    pulls: counter("gateway_sinker_pull_total", "attempts to load rules", ["event", "source"]),
    taggedPoints: counter("gateway_tagged_points_total", "points whose X-Global-Tags was made here", ["category"]),
    tagProblems: counter("gateway_tag_problems_total", "shard keys that could not be made"),
    inflightBytes: gauge("gateway_http_inflight_bytes", "bytes of bodies held now"),
    uptime: gauge("gateway_uptime", "seconds since the start"),
    cores: gauge("gateway_cpu_cores", "processor cores"),
  };
}
