// The settings for the HTTP interface of an agent.

import {
  absolutePath,
  apiPath,
  headerName,
  hostName,
  listenAddress,
  network,
  origin,
  plainOrigin,
  proxyNetwork,
  readableFile,
} from "../forms.ts";
import { type Setting, setting } from "../setting.ts";

export const agentHttpSettings = {
  "http_api.listen": setting("text", "localhost:9529", "host:port, or an absolute path for a Unix socket", {
    form: listenAddress,
    env: "ENV_HTTP_LISTEN",
  }),
  "http_api.listen_socket": setting("text", "", "absolute path of a Unix socket to listen on as well", {
    form: absolutePath,
    env: "ENV_HTTP_LISTEN_SOCKET",
  }),
  "http_api.tls.cert": setting("text", "", "file of the certificate (PEM); with privkey the listener speaks HTTPS", {
    form: readableFile,
    env: "ENV_HTTP_TLS_CRT",
  }),
  "http_api.tls.privkey": setting("text", "", "file of the private key (PEM)", {
    form: readableFile,
    env: "ENV_HTTP_TLS_KEY",
  }),
  "http_api.disable_404page": setting("bool", false, "answer unknown paths with plain text that discloses nothing", {
    env: "ENV_DISABLE_404PAGE",
    envPresence: true,
  }),
  "http_api.public_apis": setting("texts", [], "paths that clients from elsewhere may call; empty = writes only", {
    env: "ENV_HTTP_PUBLIC_APIS",
    form: apiPath,
  }),
  "http_api.public_ips": setting("texts", [], "networks (CIDR) whose clients count as local", {
    form: network,
    env: "ENV_HTTP_PUBLIC_IPS",
  }),
  "http_api.playground_agents": setting(
    "texts",
    [],
    "origins of further agents that the page may connect to; each of them has to allow the origin of this agent",
    { env: "ENV_HTTP_PLAYGROUND_AGENTS", form: plainOrigin },
  ),
  "http_api.allowed_cors_origins": setting(
    "texts",
    [],
    "origins whose pages may call; empty = public interfaces only",
    {
      env: "ENV_HTTP_ALLOWED_CORS_ORIGINS",
      form: origin,
    },
  ),
  "http_api.allowed_hosts": setting("texts", [], "further Host names that interfaces which are not public accept", {
    env: "ENV_HTTP_ALLOWED_HOSTS",
    form: hostName,
  }),
  "http_api.timeout": setting("duration", "30s", "a request that takes longer is answered 408", {
    env: "ENV_HTTP_TIMEOUT",
  }),
  "http_api.close_idle_connection": setting("bool", false, "close connections that are idle longer than the timeout", {
    env: "ENV_HTTP_CLOSE_IDLE_CONNECTION",
    envPresence: true,
  }),
  "http_api.request_rate_limit": setting("float", 100, "requests per second for one client and path; 0 = no limit", {
    unit: "requests/s",
    min: 0,
    env: "ENV_REQUEST_RATE_LIMIT",
  }),
  "http_api.request_rate_limit_burst": setting("int", 500, "requests that may come at once; 0 counts as 1", {
    unit: "requests",
    min: 0,
    env: "ENV_REQUEST_RATE_LIMIT_BURST",
  }),
  "http_api.request_rate_limit_ttl": setting("duration", "60s", "idle time after which a client is forgotten", {
    env: "ENV_REQUEST_RATE_LIMIT_TTL",
  }),
  "http_api.max_body_bytes": setting("int", 64 * 1024 * 1024, "largest body, in bytes, after decompression", {
    unit: "bytes",
    env: "ENV_HTTP_MAX_BODY_BYTES",
    min: 1,
  }),
  "http_api.max_points": setting(
    "int",
    200_000,
    "points of one body in JSON, PBJSON or log lines; beyond it 413; 0 = any number",
    { unit: "points", env: "ENV_HTTP_MAX_POINTS", min: 0 },
  ),
  "http_api.max_growth": setting(
    "int",
    100,
    "bytes that the points of a write may take, beyond 16 MiB, for each byte of the body as sent; beyond it 413; 0 = any number",
    { unit: "bytes/byte", env: "ENV_HTTP_MAX_GROWTH", min: 0 },
  ),
  "http_api.max_inputs": setting(
    "int",
    200,
    "inputs (names that writes give themselves with input=) that metrics and the monitor show one by one; further ones count as v1-write.others",
    { unit: "inputs", env: "ENV_HTTP_MAX_INPUTS", min: 1 },
  ),
  "http_api.max_inflight_bytes": setting("int", 256 * 1024 * 1024, "bytes of bodies held at once; beyond it 503", {
    unit: "bytes",
    env: "ENV_HTTP_MAX_INFLIGHT_BYTES",
    min: 1,
  }),
  "http_api.max_inflight_bytes_per_client": setting(
    "int",
    0,
    "the part of it that one client address may hold; 0 = half, or one largest body where that is more",
    { unit: "bytes", env: "ENV_HTTP_MAX_INFLIGHT_BYTES_PER_CLIENT", min: 0 },
  ),
  "http_api.min_body_bytes_per_second": setting(
    "int",
    1024,
    "a body that brings fewer bytes per second within 10 s is answered 408; 0 = none is",
    { unit: "bytes/s", env: "ENV_HTTP_MIN_BODY_BYTES_PER_SECOND", min: 0 },
  ),
  "http_api.trusted_proxies": setting(
    "texts",
    [],
    "networks (CIDR) of proxies whose X-Forwarded-For, X-Real-IP and Forwarded name the client; unix = those on a Unix socket",
    { env: "ENV_HTTP_TRUSTED_PROXIES", form: proxyNetwork },
  ),
  "http_api.max_waiting_writes": setting(
    "int",
    256,
    "writes that wait for a thread, or there for a request of their script; beyond it 503",
    { unit: "writes", env: "ENV_HTTP_MAX_WAITING_WRITES", min: 1 },
  ),
  "http_api.processes": setting(
    "int",
    1,
    "processes that take writes, each with its own queue; needs gateway.urls and request_rate_limit = 0; 0 = one per core",
    { unit: "processes", env: "ENV_HTTP_PROCESSES", min: 0, max: 1024 },
  ),
  "http_api.workers": setting(
    "int",
    0,
    "most threads that decode and run scripts, started as needed; 0 = cores - 1, but 2 on 2 cores",
    { unit: "threads", env: "ENV_HTTP_WORKERS", min: 0, max: 1024 },
  ),
  "http_api.rum_origin_ip_header": setting("text", "X-Forwarded-For", "header that names the browser's address", {
    env: "ENV_RUM_ORIGIN_IP_HEADER",
    form: headerName,
  }),
  "http_api.rum_app_id_white_list": setting("texts", [], "RUM applications whose points are taken; empty = all", {
    env: "ENV_RUM_APP_ID_WHITE_LIST",
  }),
} as const satisfies Record<string, Setting>;
