// The settings of `millrace platform` for its points store, its metadata store and its Open API.

import {
  apiPath,
  clickhouseUrl,
  hostName,
  listenAddress,
  memorySize,
  metadataUrl,
  network,
  proxyNetwork,
  workspaceToken,
} from "../forms.ts";
import { type Setting, setting } from "../setting.ts";
import { retentionMistakes } from "../table-mistakes.ts";

export const platformSettings = {
  "platform.listen": setting("text", "localhost:9527", "host:port that the platform listens on", {
    form: listenAddress,
    env: "PLATFORM_LISTEN",
  }),
  "platform.tokens": setting("texts", [], "tokens that name a workspace each, besides the one of this machine", {
    env: "PLATFORM_TOKENS",
    secret: true,
    form: workspaceToken,
  }),
  "platform.memory_limit": setting("text", "1GB", "memory of the points store, such as 512MB; empty = no limit", {
    env: "PLATFORM_MEMORY_LIMIT",
    form: memorySize,
  }),
  "platform.store.url": setting(
    "text",
    "",
    "clickhouse://user:password@host:8123/database (clickhouses:// with TLS) keeps the points instead of the data folder",
    { env: "PLATFORM_STORE_URL", secret: true, form: clickhouseUrl },
  ),
  "platform.store.cluster": setting("text", "", "name of the ClickHouse cluster; empty = one server", {
    env: "PLATFORM_STORE_CLUSTER",
  }),
  "platform.query_timeout": setting("duration", "60s", "limit of one query request", { env: "PLATFORM_QUERY_TIMEOUT" }),
  "platform.query_memory_mb": setting("int", 512, "rows that one query request may hold, in MiB; 0 = no limit", {
    unit: "MiB",
    env: "PLATFORM_QUERY_MEMORY_MB",
    min: 0,
  }),
  "platform.max_queries": setting("int", 2, "query requests that are answered at once; more of them wait", {
    unit: "requests",
    env: "PLATFORM_MAX_QUERIES",
    min: 1,
  }),
  "platform.retention": setting(
    "table",
    {},
    'how long points are kept, by category: logging = "30d", default = "90d" (of those not named); none = for good',
    {
      env: "PLATFORM_RETENTION",
      mistakes: retentionMistakes,
      example: 'logging = "30d"',
      envExample: "logging=30d,default=90d",
    },
  ),
  "platform.retention_interval": setting("duration", "10m", "how often points that are too old are deleted", {
    env: "PLATFORM_RETENTION_INTERVAL",
  }),
  "platform.replays_kept": setting("duration", "720h", "time for which session replays are kept", {
    env: "PLATFORM_REPLAYS_KEPT",
    max: Number.MAX_SAFE_INTEGER,
  }),
  "platform.max_replay_bytes": setting(
    "int",
    10 * 1024 ** 3,
    "bytes of all session replays that are kept; beyond it new ones are refused with 503",
    { unit: "bytes", env: "PLATFORM_MAX_REPLAY_BYTES", min: 1 },
  ),
  "platform.batch_ids_kept": setting("duration", "168h", "a batch that comes again within this time is stored once", {
    env: "PLATFORM_BATCH_IDS_KEPT",
    max: Number.MAX_SAFE_INTEGER,
  }),
  "platform.hot_points": setting("int", 1_000_000, "points in memory and log before they are packed into files", {
    unit: "points",
    env: "PLATFORM_HOT_POINTS",
    min: 1,
  }),
  "platform.hot_time": setting("duration", "10m", "time after which points are packed into files, however few", {
    env: "PLATFORM_HOT_TIME",
  }),
  "platform.merge_files": setting("int", 8, "small files of points of one day that are merged into one", {
    unit: "files",
    env: "PLATFORM_MERGE_FILES",
    min: 2,
  }),
  "platform.max_keys": setting("int", 100_000, "names of tags and fields that a workspace may have in one category", {
    unit: "names",
    env: "PLATFORM_MAX_KEYS",
    min: 1,
  }),
  "platform.max_measurements": setting("int", 1_000_000, "measurements that a workspace may have in one category", {
    unit: "names",
    env: "PLATFORM_MAX_MEASUREMENTS",
    min: 1,
  }),
  "platform.max_body_bytes": setting("int", 64 * 1024 * 1024, "largest body of points, in bytes, after decompression", {
    unit: "bytes",
    env: "PLATFORM_MAX_BODY_BYTES",
    min: 1,
  }),
  "platform.max_points": setting(
    "int",
    200_000,
    "points of one body in JSON or PBJSON, ten times as many in line protocol and protobuf; beyond it 413; 0 = any number",
    { unit: "points", env: "PLATFORM_MAX_POINTS", min: 0 },
  ),
  "platform.max_growth": setting(
    "int",
    100,
    "bytes that the points of a write may take, beyond 16 MiB, for each byte of the body as sent; beyond it 413; 0 = any number",
    { unit: "bytes/byte", env: "PLATFORM_MAX_GROWTH", min: 0 },
  ),
  "platform.max_inflight_bytes": setting("int", 256 * 1024 * 1024, "bytes of bodies held at once; beyond it 503", {
    unit: "bytes",
    env: "PLATFORM_MAX_INFLIGHT_BYTES",
    min: 1,
  }),
  "platform.max_inflight_bytes_per_client": setting(
    "int",
    0,
    "the part of it that one client address may hold; 0 = half, or one largest body where that is more",
    { unit: "bytes", env: "PLATFORM_MAX_INFLIGHT_BYTES_PER_CLIENT", min: 0 },
  ),
  "platform.min_body_bytes_per_second": setting(
    "int",
    1024,
    "a body that brings fewer bytes per second within 10 s is answered 408; 0 = none is",
    { unit: "bytes/s", env: "PLATFORM_MIN_BODY_BYTES_PER_SECOND", min: 0 },
  ),
  "platform.trusted_proxies": setting(
    "texts",
    [],
    "networks (CIDR) of proxies whose X-Forwarded-For, X-Real-IP and Forwarded name the client; unix = those on a Unix socket",
    { env: "PLATFORM_TRUSTED_PROXIES", form: proxyNetwork },
  ),
  "platform.public_apis": setting("texts", [], "those of /metrics that clients from elsewhere may call; empty = none", {
    env: "PLATFORM_PUBLIC_APIS",
    form: apiPath,
  }),
  "platform.public_ips": setting("texts", [], "networks (CIDR) whose clients count as local there", {
    form: network,
    env: "PLATFORM_PUBLIC_IPS",
  }),
  "platform.allowed_hosts": setting("texts", [], "further Host names that are accepted there", {
    env: "PLATFORM_ALLOWED_HOSTS",
    form: hostName,
  }),

  "store.url": setting(
    "text",
    "",
    "database of workspaces, keys and dashboards, postgres://user:password@host/name; memory: = gone with the process; empty = SQLite under data_dir",
    { env: "STORE_URL", secret: true, form: metadataUrl },
  ),
  "open_api.max_body_bytes": setting("int", 10 * 1024 * 1024, "largest body of an Open API request, in bytes", {
    unit: "bytes",
    env: "OPEN_API_MAX_BODY_BYTES",
    min: 1,
  }),
  "open_api.key_requests_per_minute": setting("int", 0, "requests that one API key may make in a minute; 0 = any", {
    unit: "requests/min",
    env: "OPEN_API_KEY_REQUESTS_PER_MINUTE",
    min: 0,
  }),
  "open_api.workspace_requests_per_minute": setting("int", 0, "the same for all keys of a workspace; 0 = any", {
    unit: "requests/min",
    env: "OPEN_API_WORKSPACE_REQUESTS_PER_MINUTE",
    min: 0,
  }),
  "open_api.audit_days": setting("int", 365, "days that the audit log of changes is kept; 0 = for ever", {
    unit: "days",
    env: "OPEN_API_AUDIT_DAYS",
    min: 0,
  }),
  "open_api.rate_limit_status": setting("text", "429", "HTTP status of requests beyond these limits", {
    env: "OPEN_API_RATE_LIMIT_STATUS",
    choices: ["429", "401"],
  }),
} as const satisfies Record<string, Setting>;
