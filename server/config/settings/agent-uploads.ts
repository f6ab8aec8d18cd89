// The settings of an agent for sending points: the targets, the sizes and the times of uploads.

import { httpUrl, readableFile } from "../forms.ts";
import { remarksOnCustomerKeys } from "../remarks.ts";
import { type Setting, setting } from "../setting.ts";

export const agentUploadSettings = {
  "gateway.urls": setting("texts", [], "where points go, http(s)://host[:port][?token=...]; empty = files", {
    form: httpUrl,
    env: "ENV_GATEWAY",
    secret: true,
  }),
  "gateway.timeout_v2": setting("duration", "30s", "limit of one upload", { env: "ENV_GATEWAY_TIMEOUT" }),
  "gateway.retry_delay": setting("duration", "1s", "wait before the first retry; doubled up to one minute", {
    env: "ENV_GATEWAY_RETRY_DELAY",
  }),
  "gateway.gzip": setting(
    "switch",
    "unset",
    "compress uploads: true = always, false = never; unset = but for moments when writes wait for the processors and uploads do not",
    { env: "ENV_GATEWAY_GZIP" },
  ),
  "gateway.content_encoding": setting("text", "line-protocol", "form of uploads; line-protocol or v1, protobuf or v2", {
    env: "ENV_GATEWAY_CONTENT_ENCODING",
    choices: ["line-protocol", "protobuf", "v1", "v2"],
  }),
  "gateway.max_raw_body_size": setting("int", 1024 * 1024, "largest upload before compression, in bytes", {
    unit: "bytes",
    env: "ENV_GATEWAY_MAX_RAW_BODY_SIZE",
    min: 1024,
  }),
  "gateway.uploads_in_flight": setting(
    "int",
    12,
    "uploads of one category on one connection before the first is answered (HTTP pipelining), at most 14; 1 = one at a time",
    { unit: "uploads", env: "ENV_GATEWAY_UPLOADS_IN_FLIGHT", min: 1, max: 14 },
  ),
  "gateway.mode": setting("text", "failover", "several URLs: failover = the first that answers, all = each of them", {
    env: "ENV_GATEWAY_MODE",
    choices: ["failover", "all"],
  }),
  "gateway.http_proxy": setting(
    "text",
    "",
    "proxy for uploads, http(s)://[user:password@]host:port; asked for tunnels (CONNECT)",
    {
      form: httpUrl,
      env: "ENV_GATEWAY_HTTP_PROXY",
      secret: true,
    },
  ),
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
    unit: "GiB",
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
} as const satisfies Record<string, Setting>;
