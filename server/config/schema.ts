// Every setting of agent, gateway and platform, declared once: key, kind, default, environment variable, meaning (agent document, B.1).
// The loader, `--help` and the errors about a configuration file all read this table.

import { clickhouseUrl, type Form, httpUrl, listenAddress, metadataUrl, network, readableFile } from "./forms.ts";
import {
  type Remark,
  remarksOnAddressDatabase,
  remarksOnCustomerKeys,
  remarksOnFilters,
  remarksOnInternalNetworks,
  remarksOnRetention,
  remarksOnSinkRules,
} from "./remarks.ts";

/**
 * What a value may be; `duration` is text such as `30s` or `1m30s`, `table` a map from text to text, `tables` a map of such,
 * `lists` a map from text to lists of texts, `switch` true, false or nothing.
 */
export type SettingKind =
  | "text"
  | "bool"
  | "switch"
  | "int"
  | "float"
  | "duration"
  | "texts"
  | "table"
  | "tables"
  | "lists";

interface KindTypes {
  text: string;
  bool: boolean;
  switch: boolean | "unset";
  int: number;
  float: number;
  duration: string;
  texts: readonly string[];
  table: Readonly<Record<string, string>>;
  tables: Readonly<Record<string, Readonly<Record<string, string>>>>;
  lists: Readonly<Record<string, readonly string[]>>;
}

export interface Setting<K extends SettingKind = SettingKind> {
  readonly kind: K;
  readonly default: KindTypes[K];
  readonly summary: string;
  readonly env?: string;
  /** `presence`: any non-empty text of the variable switches it on; otherwise a bool is read as true/false. */
  readonly envPresence?: boolean;
  readonly min?: number;
  /** Of a text: all it may be. */
  readonly choices?: readonly string[];
  /** Of a text that is not empty, or of each text of a list. */
  readonly form?: Form;
  /** Of a table: a line of it, for the configuration that `config init` writes. */
  readonly example?: string;
  /** What of a value will not be used. */
  remarks?(value: KindTypes[K]): readonly Remark[];
  /** May be given as `file:PATH`: the text of the file, without the line end. */
  readonly secret?: boolean;
}

type Extra<K extends SettingKind> = Omit<Setting<K>, "kind" | "default" | "summary">;

function setting<K extends SettingKind>(
  kind: K,
  value: KindTypes[K],
  summary: string,
  extra: Extra<K> = {},
): Setting<K> {
  return { kind, default: value, summary, ...extra };
}

/** Keys are `section.key`; the section is a TOML table. */
export const schema = {
  data_dir: setting("text", "millrace-data", "folder of scripts, output and state", { env: "ENV_DATA_DIR" }),

  "http_api.listen": setting("text", "localhost:9529", "host:port, or an absolute path for a Unix socket", {
    form: listenAddress,
    env: "ENV_HTTP_LISTEN",
  }),
  "http_api.listen_socket": setting("text", "", "absolute path of a Unix socket to listen on as well", {
    env: "ENV_HTTP_LISTEN_SOCKET",
  }),
  "http_api.tls.cert": setting("text", "", "file of the certificate (PEM); with privkey the listener speaks HTTPS", {
    env: "ENV_HTTP_TLS_CRT",
  }),
  "http_api.tls.privkey": setting("text", "", "file of the private key (PEM)", { env: "ENV_HTTP_TLS_KEY" }),
  "http_api.disable_404page": setting("bool", false, "answer unknown paths with plain text that discloses nothing", {
    env: "ENV_DISABLE_404PAGE",
    envPresence: true,
  }),
  "http_api.public_apis": setting("texts", [], "paths that clients from elsewhere may call; empty = writes only", {
    env: "ENV_HTTP_PUBLIC_APIS",
  }),
  "http_api.public_ips": setting("texts", [], "networks (CIDR) whose clients count as local", {
    form: network,
    env: "ENV_HTTP_PUBLIC_IPS",
  }),
  "http_api.allowed_cors_origins": setting(
    "texts",
    [],
    "origins whose pages may call; empty = public interfaces only",
    {
      env: "ENV_HTTP_ALLOWED_CORS_ORIGINS",
    },
  ),
  "http_api.allowed_hosts": setting("texts", [], "further Host names that interfaces which are not public accept", {
    env: "ENV_HTTP_ALLOWED_HOSTS",
  }),
  "http_api.timeout": setting("duration", "30s", "a request that takes longer is answered 408", {
    env: "ENV_HTTP_TIMEOUT",
  }),
  "http_api.close_idle_connection": setting("bool", false, "close connections that are idle longer than the timeout", {
    env: "ENV_HTTP_CLOSE_IDLE_CONNECTION",
    envPresence: true,
  }),
  "http_api.request_rate_limit": setting("float", 100, "requests per second for one client and path; 0 = no limit", {
    env: "ENV_REQUEST_RATE_LIMIT",
  }),
  "http_api.request_rate_limit_burst": setting("int", 500, "requests that may come at once", {
    env: "ENV_REQUEST_RATE_LIMIT_BURST",
  }),
  "http_api.request_rate_limit_ttl": setting("duration", "60s", "idle time after which a client is forgotten", {
    env: "ENV_REQUEST_RATE_LIMIT_TTL",
  }),
  "http_api.max_body_bytes": setting("int", 64 * 1024 * 1024, "largest body, in bytes, after decompression", {
    env: "ENV_HTTP_MAX_BODY_BYTES",
    min: 1,
  }),
  "http_api.max_inflight_bytes": setting("int", 256 * 1024 * 1024, "bytes of bodies held at once; beyond it 503", {
    env: "ENV_HTTP_MAX_INFLIGHT_BYTES",
    min: 1,
  }),
  "http_api.workers": setting("int", 0, "threads that decode and run scripts; 0 = cores - 1, at least 1", {
    env: "ENV_HTTP_WORKERS",
    min: 0,
  }),
  "http_api.rum_origin_ip_header": setting("text", "X-Forwarded-For", "header that names the browser's address", {
    env: "ENV_RUM_ORIGIN_IP_HEADER",
  }),
  "http_api.rum_app_id_white_list": setting("texts", [], "RUM applications whose points are taken; empty = all", {
    env: "ENV_RUM_APP_ID_WHITE_LIST",
  }),

  "gateway.urls": setting("texts", [], "where points go, http(s)://host[:port][?token=...]; empty = files", {
    form: httpUrl,
    env: "ENV_GATEWAY",
    secret: true,
  }),
  "gateway.timeout_v2": setting("duration", "30s", "limit of one upload", { env: "ENV_GATEWAY_TIMEOUT" }),
  "gateway.retry_delay": setting("duration", "1s", "wait before the first retry; doubled up to one minute", {
    env: "ENV_GATEWAY_RETRY_DELAY",
  }),
  "gateway.gzip": setting("bool", true, "compress uploads", { env: "ENV_GATEWAY_GZIP" }),
  "gateway.content_encoding": setting("text", "line-protocol", "form of uploads; line-protocol or v1, protobuf or v2", {
    env: "ENV_GATEWAY_CONTENT_ENCODING",
    choices: ["line-protocol", "protobuf", "v1", "v2"],
  }),
  "gateway.max_raw_body_size": setting("int", 1024 * 1024, "largest upload before compression, in bytes", {
    env: "ENV_GATEWAY_MAX_RAW_BODY_SIZE",
    min: 1024,
  }),
  "gateway.mode": setting("text", "failover", "several URLs: failover = the first that answers, all = each of them", {
    env: "ENV_GATEWAY_MODE",
    choices: ["failover", "all"],
  }),
  "gateway.http_proxy": setting("text", "", "proxy for uploads, http(s)://[user:password@]host:port", {
    form: httpUrl,
    env: "ENV_GATEWAY_HTTP_PROXY",
    secret: true,
  }),
  "gateway.tls_ca": setting("text", "", "file of certificate authorities (PEM) trusted for uploads", {
    form: readableFile,
    env: "ENV_GATEWAY_TLS_CA",
  }),
  "gateway.tls_insecure": setting("bool", false, "take any certificate of the gateway", {
    env: "ENV_GATEWAY_TLS_INSECURE",
    envPresence: true,
  }),
  "gateway.enable_sinker": setting("bool", false, "send points by shard key, told in the header X-Global-Tags", {
    env: "ENV_GATEWAY_ENABLE_SINKER",
    envPresence: true,
  }),
  "gateway.global_customer_keys": setting("texts", [], "shard keys besides those of the global tags, at most 3", {
    env: "ENV_SINKER_GLOBAL_CUSTOMER_KEYS",
    remarks: remarksOnCustomerKeys,
  }),
  "gateway.wal.path": setting("text", "", "folder of the queue; empty = <data_dir>/queue", {
    env: "ENV_GATEWAY_WAL_PATH",
  }),
  "gateway.wal.max_capacity_gb": setting("float", 2, "size of the queue of one category on disk, in GiB", {
    env: "ENV_GATEWAY_WAL_CAPACITY",
    min: 0.001,
  }),
  "gateway.wal.sync": setting(
    "text",
    "fdatasync",
    "fdatasync = a write is answered when it is on the device, os = when the system has it",
    { env: "ENV_GATEWAY_WAL_SYNC", choices: ["fdatasync", "os"] },
  ),
  "gateway.wal.full": setting(
    "text",
    "refuse",
    "a full queue: refuse = 503, drop-oldest = the oldest points go, counted",
    {
      env: "ENV_GATEWAY_WAL_FULL",
      choices: ["refuse", "drop-oldest"],
    },
  ),

  "gateway.ntp.enable": setting(
    "bool",
    true,
    "take the time of what is received without one from the gateway's clock",
    {
      env: "ENV_GATEWAY_NTP_ENABLE",
    },
  ),
  "gateway.ntp.interval": setting("duration", "5m", "how often the gateway is asked for its time; at least 1m", {
    env: "ENV_GATEWAY_NTP_INTERVAL",
  }),
  "gateway.ntp.diff": setting("duration", "30s", "clocks that differ by less count as equal; at least 5s", {
    env: "ENV_GATEWAY_NTP_DIFF",
  }),

  "gateway_api.listen": setting("text", "localhost:9528", "host:port that the gateway listens on", {
    form: listenAddress,
    env: "GW_BIND",
  }),
  "gateway_api.tls.cert": setting("text", "", "file of the gateway's certificate (PEM); with privkey it speaks HTTPS", {
    env: "GW_TLS_CRT",
  }),
  "gateway_api.tls.privkey": setting("text", "", "file of the gateway's private key (PEM)", { env: "GW_TLS_KEY" }),
  "gateway_api.remote_host": setting(
    "text",
    "",
    "where requests go that no sink rule routes, http(s)://host:port; empty = nowhere",
    { form: httpUrl, env: "GW_REMOTE_HOST" },
  ),
  "gateway_api.token": setting("text", "", "the gateway's own token, for requests without one", {
    env: "GW_TOKEN",
    secret: true,
  }),
  "gateway_api.secret_token": setting(
    "text",
    "",
    "only requests with this token are routed by sink rules; empty = all",
    {
      env: "GW_SECRET_TOKEN",
      secret: true,
    },
  ),
  "gateway_api.enable_internal_token": setting("bool", false, "the token __internal__ stands for the gateway's own", {
    env: "GW_ENABLE_INTERNAL_TOKEN",
  }),
  "gateway_api.enable_empty_token": setting("bool", false, "no token stands for the gateway's own", {
    env: "GW_ENABLE_EMPTY_TOKEN",
  }),
  "gateway_api.http_timeout": setting("duration", "30s", "limit of one request to a target", {
    env: "GW_HTTP_TIMEOUT",
  }),
  "gateway_api.http_max_conn_perhost": setting("int", 0, "connections to one target at once; 0 = no limit", {
    env: "GW_HTTP_MAX_CONN_PERHOST",
    min: 0,
  }),
  "gateway_api.http_proxy": setting("text", "", "proxy to the targets, http(s)://[user:password@]host:port", {
    form: httpUrl,
    env: "GW_HTTP_PROXY",
    secret: true,
  }),
  "gateway_api.tls_ca": setting("text", "", "file of certificate authorities (PEM) trusted for targets", {
    form: readableFile,
    env: "GW_TLS_CA",
  }),
  "gateway_api.insecure_skip_verify": setting("bool", false, "take any certificate of a target", {
    env: "GW_INSECURE_SKIP_VERIFY",
  }),
  "gateway_api.white_list": setting("texts", [], "networks (CIDR) whose clients may send; empty = all", {
    form: network,
    env: "GW_WHITE_LIST",
  }),
  "gateway_api.api_limit_rate": setting("float", 100_000, "requests per second for one path; 0 = no limit", {
    env: "GW_API_LIMIT_RATE",
    min: 0,
  }),
  "gateway_api.max_http_body_bytes": setting("int", 64 * 1024 * 1024, "largest body, in bytes, as sent", {
    env: "GW_MAX_HTTP_BODY_BYTES",
    min: 1,
  }),
  "gateway_api.max_inflight_bytes": setting("int", 256 * 1024 * 1024, "bytes of bodies held at once; beyond it 503", {
    env: "GW_MAX_INFLIGHT_BYTES",
    min: 1,
  }),
  "gateway_api.disable_404page": setting("bool", false, "answer unknown paths with plain text that discloses nothing", {
    env: "GW_DISABLE_404PAGE",
  }),
  "gateway_api.cache.disabled": setting("bool", false, "keep nothing on disk that a target did not take", {
    env: "GW_CACHE_DISABLED",
  }),
  "gateway_api.cache.retry_delay": setting("duration", "1s", "wait before what was kept is sent again; doubled", {
    env: "GW_CACHE_RETRY_DELAY",
  }),
  "gateway_api.cache.clean_interval": setting("duration", "30s", "longest such wait", {
    env: "GW_CACHE_CLEAN_INTERVAL",
  }),
  "gateway_api.cache.max_data_size": setting("int", 64 * 1024 * 1024, "larger bodies are not kept on disk", {
    env: "GW_CACHE_MAX_DATA_SIZE",
    min: 1,
  }),
  "gateway_api.cache.max_disk_size": setting("int", 20 * 1024 ** 3, "size of what is kept on disk, in bytes", {
    env: "GW_CACHE_MAX_DISK_SIZE",
    min: 1024 * 1024,
  }),
  "gateway_api.cache.expire_duration": setting("duration", "168h", "what was kept longer becomes a dead letter", {
    env: "GW_CACHE_EXPIRE_DURATION",
  }),

  "sinker.file.path": setting(
    "text",
    "",
    "file of the sink rules; empty = <data_dir>/gateway/sinker.json when it is there",
    {
      env: "GW_SINKER_FILE_PATH",
      remarks: remarksOnSinkRules,
    },
  ),
  "sinker.match_mode": setting("text", "all", "writes go to all entries that match, or to the first", {
    env: "GW_SINKER_MATCH_MODE",
    choices: ["all", "first"],
  }),
  "sinker.tags.path": setting(
    "text",
    "",
    "file (JSON or YAML) of the rules that give writes without X-Global-Tags theirs; empty = none",
    { env: "GW_SINKER_TAGS_PATH", form: readableFile },
  ),
  "sinker.tags.max_identifiers": setting("int", 3, "shard keys that the rules give a point at most", { min: 1 }),
  "sinker.tags.functions_dir": setting("text", "", "folder of the functions; empty = <data_dir>/gateway/functions"),
  "sinker.tags.function_timeout": setting("duration", "1s", "time a function may take on one point"),
  "sinker.tags.function_memory_mb": setting("int", 64, "memory a function may take, in MiB", { min: 8 }),
  "sinker.tags.extra_fields": setting("table", {}, "DF_WORKSPACE_UUID, DF_WORKSPACE_NAME and so on, for the rules"),

  "io.max_cache_count": setting("int", 1000, "points that are uploaded without waiting for more", {
    env: "ENV_IO_MAX_CACHE_COUNT",
    min: 1,
  }),
  "io.flush_interval": setting("duration", "1s", "points wait at most so long for others to be uploaded with", {
    env: "ENV_IO_FLUSH_INTERVAL",
  }),
  "io.auto_timestamp_correction": setting(
    "bool",
    false,
    "points more than 2 h away from now get the time of now, and the int field __orig_time (ns)",
    { env: "ENV_IO_AUTO_TIMESTAMP_CORRECTION" },
  ),
  "io.strict_types": setting("bool", false, "in filters an int compares with ints only, a float with floats only"),
  "io.filters": setting("lists", {}, "points that fit a condition of their category are dropped", {
    env: "ENV_IO_FILTERS",
    remarks: remarksOnFilters,
  }),

  "output.file_bytes": setting("int", 64 * 1024 * 1024, "without a gateway: size at which an output file is rotated", {
    min: 1,
  }),
  "output.total_bytes": setting(
    "int",
    1024 * 1024 * 1024,
    "without a gateway: size of all output files; the oldest go",
    {
      min: 1,
    },
  ),

  "pipeline.max_steps_per_point": setting("int", 10_000_000, "steps a script may take on one point; 0 = no limit", {
    env: "ENV_PIPELINE_MAX_STEPS_PER_POINT",
    min: 0,
  }),

  "pipeline.max_steps_per_write": setting(
    "int",
    200_000_000,
    "steps a script may take on all points of one write; 0 = no limit",
    {
      env: "ENV_PIPELINE_MAX_STEPS_PER_WRITE",
      min: 0,
    },
  ),
  "pipeline.match_by_name": setting(
    "switch",
    "unset",
    "without ?source= the script <name of the point>.p runs; unset = for log streams, remote writes and OTLP, not for /v1/write",
    { env: "ENV_PIPELINE_MATCH_BY_NAME" },
  ),
  "pipeline.default_pipeline": setting(
    "table",
    {},
    "script, by category, of points that are matched by name and have none of their own",
    { env: "ENV_PIPELINE_DEFAULT_PIPELINE", example: 'logging = "any.p"' },
  ),
  "pipeline.ipdb_type": setting(
    "text",
    "country",
    "database of geoip(): country = the one installed with the agent, geolite2 or cidr = files of ipdb_attr, none",
    { env: "ENV_PIPELINE_IPDB_TYPE", remarks: remarksOnAddressDatabase },
  ),
  "pipeline.ipdb_attr": setting(
    "table",
    {},
    "files of your own: geoip_file and isp_file (.mmdb), cidr_file (CSV or JSON)",
    {
      env: "ENV_PIPELINE_IPDB_ATTR",
    },
  ),
  "pipeline.disable_http_request_func": setting("bool", false, "http_request() gives nil", {
    env: "ENV_PIPELINE_DISABLE_HTTP_REQUEST_FUNC",
  }),
  "pipeline.http_request_host_whitelist": setting("texts", [], "hosts that http_request() may always reach", {
    env: "ENV_PIPELINE_HTTP_REQUEST_HOST_WHITELIST",
  }),
  "pipeline.http_request_cidr_whitelist": setting("texts", [], "networks (CIDR) that http_request() may reach", {
    form: network,
    env: "ENV_PIPELINE_HTTP_REQUEST_CIDR_WHITELIST",
  }),
  "pipeline.http_request_host_denylist": setting("texts", [], "hosts that http_request() may never reach", {
    env: "ENV_PIPELINE_HTTP_REQUEST_HOST_DENYLIST",
  }),
  "pipeline.http_request_cidr_denylist": setting("texts", [], "networks (CIDR) that http_request() may never reach", {
    form: network,
    env: "ENV_PIPELINE_HTTP_REQUEST_CIDR_DENYLIST",
  }),
  "pipeline.http_request_disable_internal_net": setting(
    "bool",
    true,
    "without whitelists: http_request() reaches no private, loopback or link-local address",
    { env: "ENV_PIPELINE_HTTP_REQUEST_DISABLE_INTERNAL_NET" },
  ),
  "pipeline.http_request_write_timeout": setting("duration", "20s", "limit of all requests for one write", {
    env: "ENV_PIPELINE_HTTP_REQUEST_WRITE_TIMEOUT",
  }),
  "pipeline.refer_table_url": setting(
    "text",
    "",
    "where reference tables are loaded from, http(s)://...; empty = none",
    {
      env: "ENV_REFER_TABLE_URL",
      form: httpUrl,
    },
  ),
  "pipeline.refer_table_pull_interval": setting("duration", "5m", "how often they are loaded; at least 1s", {
    env: "ENV_REFER_TABLE_PULL_INTERVAL",
  }),
  "pipeline.refer_table_max_bytes": setting(
    "int",
    512 * 1024 * 1024,
    "largest document of reference tables, in bytes, after decompression",
    { env: "ENV_REFER_TABLE_MAX_BYTES", min: 1 },
  ),
  "pipeline.remote_pull_interval": setting(
    "duration",
    "1m",
    "with one gateway: how often it is asked for scripts; at least 10s",
    { env: "ENV_PIPELINE_REMOTE_PULL_INTERVAL" },
  ),
  "pipeline.use_sqlite": setting("bool", false, "keep reference tables in SQLite: less memory, slower look-ups", {
    env: "ENV_REFER_TABLE_USE_SQLITE",
    envPresence: true,
  }),
  "pipeline.sqlite_mem_mode": setting("bool", false, "with use_sqlite: in memory instead of under data_dir", {
    env: "ENV_REFER_TABLE_SQLITE_MEM_MODE",
    envPresence: true,
  }),

  "platform.listen": setting("text", "localhost:9527", "host:port that the platform listens on", {
    form: listenAddress,
    env: "PLATFORM_LISTEN",
  }),
  "platform.tokens": setting("texts", [], "tokens that name a workspace each, besides the one of this machine", {
    env: "PLATFORM_TOKENS",
    secret: true,
  }),
  "platform.memory_limit": setting("text", "1GB", "memory of the points store, such as 512MB; empty = no limit", {
    env: "PLATFORM_MEMORY_LIMIT",
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
    env: "PLATFORM_QUERY_MEMORY_MB",
    min: 0,
  }),
  "platform.max_queries": setting("int", 2, "query requests that are answered at once; more of them wait", {
    env: "PLATFORM_MAX_QUERIES",
    min: 1,
  }),
  "platform.retention": setting(
    "table",
    {},
    'how long points are kept, by category: logging = "30d", default = "90d" (of those not named); none = for good',
    { env: "PLATFORM_RETENTION", remarks: remarksOnRetention, example: 'logging = "30d"' },
  ),
  "platform.retention_interval": setting("duration", "10m", "how often points that are too old are deleted", {
    env: "PLATFORM_RETENTION_INTERVAL",
  }),
  "platform.batch_ids_kept": setting("duration", "168h", "a batch that comes again within this time is stored once", {
    env: "PLATFORM_BATCH_IDS_KEPT",
  }),
  "platform.max_body_bytes": setting("int", 64 * 1024 * 1024, "largest body of points, in bytes, after decompression", {
    env: "PLATFORM_MAX_BODY_BYTES",
    min: 1,
  }),
  "platform.max_inflight_bytes": setting("int", 256 * 1024 * 1024, "bytes of bodies held at once; beyond it 503", {
    env: "PLATFORM_MAX_INFLIGHT_BYTES",
    min: 1,
  }),

  "store.url": setting(
    "text",
    "",
    "database of workspaces, keys and dashboards, postgres://user:password@host/name; memory: = gone with the process; empty = SQLite under data_dir",
    { env: "STORE_URL", secret: true, form: metadataUrl },
  ),
  "open_api.max_body_bytes": setting("int", 10 * 1024 * 1024, "largest body of an Open API request, in bytes", {
    env: "OPEN_API_MAX_BODY_BYTES",
    min: 1,
  }),
  "open_api.key_requests_per_minute": setting("int", 0, "requests that one API key may make in a minute; 0 = any", {
    env: "OPEN_API_KEY_REQUESTS_PER_MINUTE",
    min: 0,
  }),
  "open_api.workspace_requests_per_minute": setting("int", 0, "the same for all keys of a workspace; 0 = any", {
    env: "OPEN_API_WORKSPACE_REQUESTS_PER_MINUTE",
    min: 0,
  }),
  "open_api.audit_days": setting("int", 365, "days that the audit log of changes is kept; 0 = for ever", {
    env: "OPEN_API_AUDIT_DAYS",
    min: 0,
  }),
  "open_api.rate_limit_status": setting("text", "429", "HTTP status of requests beyond these limits", {
    env: "OPEN_API_RATE_LIMIT_STATUS",
    choices: ["429", "401"],
  }),

  "dialtesting.enable_debug_api": setting("bool", true, "the interface that runs a dial test", {
    env: "ENV_INPUT_DIALTESTING_ENABLE_DEBUG_API",
  }),
  "dialtesting.disable_internal_network_task": setting("bool", true, "dial tests may not dial internal networks", {
    env: "ENV_INPUT_DIALTESTING_DISABLE_INTERNAL_NETWORK_TASK",
  }),
  "dialtesting.disabled_internal_network_cidr_list": setting(
    "texts",
    [],
    "networks (CIDR) that count as internal; empty = all that are not public",
    { remarks: remarksOnInternalNetworks, env: "ENV_INPUT_DIALTESTING_DISABLED_INTERNAL_NETWORK_CIDR_LIST" },
  ),

  "logstreaming.ignore_url_tags": setting("bool", false, "add no service and ip_or_hostname to streamed logs"),

  "prom_remote_write.enable": setting("bool", true, "take Prometheus remote writes at /prom_remote_write", {
    env: "ENV_INPUT_PROM_REMOTE_WRITE_ENABLE",
  }),
  "prom_remote_write.max_body_size": setting("int", 0, "largest body in bytes, 0 = http_api.max_body_bytes", {
    env: "ENV_INPUT_PROM_REMOTE_WRITE_MAX_BODY_SIZE",
    min: 0,
  }),
  "prom_remote_write.basic_username": setting("text", "", "with basic_password: asked of every remote write"),
  "prom_remote_write.basic_password": setting("text", "", "password of remote writes", { secret: true }),
  "prom_remote_write.header_tags": setting("table", {}, "header = tag: headers whose value becomes a tag"),

  "otlp.enable": setting("bool", true, "take OTLP/HTTP at /otel/v1/traces, /otel/v1/metrics and /otel/v1/logs", {
    env: "ENV_INPUT_OTLP_ENABLE",
  }),
  "otlp.http_status_ok": setting("text", "200", "HTTP status of requests that were taken", {
    env: "ENV_INPUT_OTLP_HTTP_STATUS_OK",
    choices: ["200", "202"],
  }),

  "logging.log": setting("text", "", "file of the log, or stdout; empty = standard error", { env: "ENV_LOG" }),
  "logging.rotate": setting("int", 32, "size at which the file is renamed, in MiB", { min: 1 }),
  "logging.rotate_backups": setting("int", 5, "renamed files that are kept", { min: 0 }),
  "logging.level": setting("text", "info", "what is logged: this and what is worse", {
    env: "ENV_LOG_LEVEL",
    choices: ["debug", "info", "warn", "error"],
  }),

  global_host_tags: setting("table", {}, "tags added to every point that lacks them", { env: "ENV_GLOBAL_HOST_TAGS" }),
  "election.enable": setting("bool", false, "keep election tags of their own", {
    env: "ENV_ENABLE_ELECTION",
    envPresence: true,
  }),
  "election.namespace": setting("text", "default", "name of the group of agents that elections are held in", {
    env: "ENV_NAMESPACE",
  }),
  "election.enable_namespace_tag": setting("bool", false, "with election: the election tag election_namespace", {
    env: "ENV_ENABLE_ELECTION_NAMESPACE_TAG",
    envPresence: true,
  }),
  "election.tags": setting("table", {}, "tags added to points written with global_election_tags", {
    env: "ENV_GLOBAL_ELECTION_TAGS",
  }),
  "rum.enable": setting("bool", true, "source maps and variables of RUM applications", { env: "ENV_RUM_ENABLE" }),
  "rum.check_points": setting("bool", false, "refuse RUM points without app_id or of an unknown measurement", {
    env: "ENV_RUM_CHECK_POINTS",
  }),
  "rum.resolve_browser_frames": setting(
    "bool",
    false,
    "stacks: besides `f @ url:line:column` also frames as Chrome, Firefox and Safari write them",
    { env: "ENV_RUM_RESOLVE_BROWSER_FRAMES" },
  ),
  "rum.env_variable": setting("tables", {}, "variables that /v1/env_variable answers, by application id"),
  "environments.ENV_HOSTNAME": setting("text", "", "host name in place of the machine's", { env: "ENV_HOSTNAME" }),
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof schema;
export type Config = { readonly [Name in SettingName]: KindTypes[(typeof schema)[Name]["kind"]] };

/** Spellings that are in use elsewhere. */
export const otherSpellings: Readonly<Record<string, SettingName>> = {
  "pipeline.http_request_cidr_whiltelist": "pipeline.http_request_cidr_whitelist",
};

/** Tables that files written for other agents hold; taken without a word. */
export const ignoredTables = ["git_repos", "crypto", "point_pool", "dca"];

export function defaults(): Config {
  return Object.fromEntries(Object.entries(schema).map(([name, { default: value }]) => [name, value])) as Config;
}
