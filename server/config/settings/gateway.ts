// The settings of `millrace gateway`, such as its address, its tokens and its rules.

import { apiPath, hostName, httpUrl, listenAddress, network, proxyNetwork, readableFile } from "../forms.ts";
import { remarksOnSinkRules } from "../remarks.ts";
import { type Setting, setting } from "../setting.ts";

export const gatewaySettings = {
  "gateway_api.listen": setting("text", "localhost:9528", "host:port that the gateway listens on", {
    form: listenAddress,
    env: "GW_BIND",
  }),
  "gateway_api.tls.cert": setting("text", "", "file of the gateway's certificate (PEM); with privkey it speaks HTTPS", {
    form: readableFile,
    env: "GW_TLS_CRT",
  }),
  "gateway_api.tls.privkey": setting("text", "", "file of the gateway's private key (PEM)", {
    form: readableFile,
    env: "GW_TLS_KEY",
  }),
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
    unit: "connections",
    env: "GW_HTTP_MAX_CONN_PERHOST",
    min: 0,
  }),
  "gateway_api.http_proxy": setting(
    "text",
    "",
    "proxy to the targets, http(s)://[user:password@]host:port; asked for tunnels (CONNECT)",
    {
      form: httpUrl,
      env: "GW_HTTP_PROXY",
      secret: true,
    },
  ),
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
    unit: "requests/s",
    env: "GW_API_LIMIT_RATE",
    min: 0,
  }),
  "gateway_api.max_http_body_bytes": setting("int", 64 * 1024 * 1024, "largest body, in bytes, as sent", {
    unit: "bytes",
    env: "GW_MAX_HTTP_BODY_BYTES",
    min: 1,
  }),
  "gateway_api.max_inflight_bytes": setting("int", 256 * 1024 * 1024, "bytes of bodies held at once; beyond it 503", {
    unit: "bytes",
    env: "GW_MAX_INFLIGHT_BYTES",
    min: 1,
  }),
  "gateway_api.max_inflight_bytes_per_client": setting(
    "int",
    0,
    "the part of it that one client address may hold; 0 = half, or one largest body where that is more",
    { unit: "bytes", env: "GW_MAX_INFLIGHT_BYTES_PER_CLIENT", min: 0 },
  ),
  "gateway_api.min_body_bytes_per_second": setting(
    "int",
    1024,
    "a body that brings fewer bytes per second within 10 s is answered 408; 0 = none is",
    { unit: "bytes/s", env: "GW_MIN_BODY_BYTES_PER_SECOND", min: 0 },
  ),
  "gateway_api.trusted_proxies": setting(
    "texts",
    [],
    "networks (CIDR) of proxies whose X-Forwarded-For, X-Real-IP and Forwarded name the client; unix = those on a Unix socket",
    { env: "GW_TRUSTED_PROXIES", form: proxyNetwork },
  ),
  "gateway_api.public_apis": setting(
    "texts",
    [],
    "those of /metrics, /v1/sinker/rules and /v1/sinker/reload that clients from elsewhere may call; empty = none",
    { env: "GW_PUBLIC_APIS", form: apiPath },
  ),
  "gateway_api.public_ips": setting("texts", [], "networks (CIDR) whose clients count as local there", {
    form: network,
    env: "GW_PUBLIC_IPS",
  }),
  "gateway_api.allowed_hosts": setting("texts", [], "further Host names that are accepted there", {
    env: "GW_ALLOWED_HOSTS",
    form: hostName,
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
    unit: "bytes",
    env: "GW_CACHE_MAX_DATA_SIZE",
    min: 1,
  }),
  "gateway_api.cache.max_disk_size": setting("int", 20 * 1024 ** 3, "size of what is kept on disk, in bytes", {
    unit: "bytes",
    env: "GW_CACHE_MAX_DISK_SIZE",
    min: 1024 * 1024,
  }),
  "gateway_api.cache.expire_duration": setting("duration", "168h", "what was kept longer becomes a dead letter", {
    env: "GW_CACHE_EXPIRE_DURATION",
    max: Number.MAX_SAFE_INTEGER,
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
  "sinker.tags.max_identifiers": setting("int", 3, "shard keys that the rules give a point at most", {
    unit: "keys",
    min: 1,
  }),
  "sinker.tags.max_points": setting(
    "int",
    200_000,
    "points of one body that are given X-Global-Tags; a body with more goes on without; 0 = any number",
    { unit: "points", min: 0 },
  ),
  "sinker.tags.max_growth": setting(
    "int",
    100,
    "bytes that the parts of a body may take as they are encoded anew, beyond 16 MiB, for each byte of the body as sent; beyond it 413; 0 = any number",
    { unit: "bytes/byte", min: 0 },
  ),
  "sinker.tags.functions_dir": setting("text", "", "folder of the functions; empty = <data_dir>/gateway/functions"),
  "sinker.tags.function_timeout": setting("duration", "1s", "time a function may take on one point"),
  "sinker.tags.function_memory_mb": setting("int", 64, "memory a function may take, in MiB", { unit: "MiB", min: 8 }),
  "sinker.tags.extra_fields": setting("table", {}, "DF_WORKSPACE_UUID, DF_WORKSPACE_NAME and so on, for the rules"),
} as const satisfies Record<string, Setting>;
