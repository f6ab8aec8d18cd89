// The settings of an agent for processing points before they are sent: filters, output files, scripts, and the tables
// and services that scripts may use.

import { hostName, httpUrl, network } from "../forms.ts";
import { remarksOnAddressDatabase, remarksOnFilters } from "../remarks.ts";
import { type Setting, setting } from "../setting.ts";
import { addressFileMistakes, scriptMistakes } from "../table-mistakes.ts";

export const agentIngestSettings = {
  "io.max_cache_count": setting("int", 1000, "points that are uploaded without waiting for more", {
    unit: "points",
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
    unit: "bytes",
    min: 1,
  }),
  "output.total_bytes": setting(
    "int",
    1024 * 1024 * 1024,
    "without a gateway: size of all output files; the oldest go",
    { unit: "bytes", min: 1 },
  ),

  "output.sync": setting(
    "text",
    "fdatasync",
    "without a gateway: fdatasync = a write is answered when it is on the device, os = when the system has it",
    { choices: ["fdatasync", "os"] },
  ),

  "output.stdout": setting(
    "text",
    "off",
    "form in which points are written to standard output: in place of files, or beside gateways; off = they are not",
    { choices: ["off", "lp", "json", "pbjson", "pb"] },
  ),

  "pipeline.max_steps_per_point": setting("int", 10_000_000, "steps a script may take on one point; 0 = no limit", {
    unit: "steps",
    env: "ENV_PIPELINE_MAX_STEPS_PER_POINT",
    min: 0,
  }),

  "pipeline.max_steps_per_write": setting(
    "int",
    200_000_000,
    "steps a script may take on all points of one write; 0 = no limit",
    { unit: "steps", env: "ENV_PIPELINE_MAX_STEPS_PER_WRITE", min: 0 },
  ),
  "pipeline.max_bytes_per_point": setting(
    "int",
    64 * 1024 * 1024,
    "bytes of the values that a script may hold on one point, with the points that it creates; 0 = no limit",
    { unit: "bytes", env: "ENV_PIPELINE_MAX_BYTES_PER_POINT", min: 0 },
  ),
  "pipeline.match_by_name": setting(
    "switch",
    "unset",
    "without ?source= the script <name of the point>.p runs; unset = for log streams, remote writes and OTLP, not for /v1/write",
    { env: "ENV_PIPELINE_MATCH_BY_NAME" },
  ),
  "pipeline.ecs_patterns": setting(
    "bool",
    false,
    "grok reads [source][address] as the field source.address, as Logstash's ECS pattern files write it",
    { env: "ENV_PIPELINE_ECS_PATTERNS" },
  ),
  "pipeline.default_pipeline": setting(
    "table",
    {},
    "script, by category, of points that are matched by name and have none of their own",
    {
      env: "ENV_PIPELINE_DEFAULT_PIPELINE",
      example: 'logging = "any.p"',
      envExample: "logging=any.p",
      mistakes: scriptMistakes,
    },
  ),
  "pipeline.ipdb_type": setting(
    "text",
    "country",
    "database of geoip() and of RUM browsers: country = the one installed with the agent, geolite2 or cidr = files of ipdb_attr, none",
    { env: "ENV_PIPELINE_IPDB_TYPE", remarks: remarksOnAddressDatabase },
  ),
  "pipeline.ipdb_attr": setting(
    "table",
    {},
    "files of your own: geoip_file and isp_file (.mmdb), cidr_file (CSV or JSON)",
    {
      env: "ENV_PIPELINE_IPDB_ATTR",
      example: 'geoip_file = "/data/city.mmdb"',
      envExample: "geoip_file=/data/city.mmdb",
      mistakes: addressFileMistakes,
    },
  ),
  "pipeline.save_scripts": setting(
    "bool",
    true,
    "local clients, such as the page, may save scripts into the data folder",
    {
      env: "ENV_PIPELINE_SAVE_SCRIPTS",
    },
  ),
  "pipeline.live_points": setting("bool", true, "local clients, such as the page, may look at a sample of the points", {
    env: "ENV_PIPELINE_LIVE_POINTS",
  }),
  "pipeline.live_points_per_second": setting("int", 50, "points that are sampled in a second while a client looks", {
    unit: "points",
    env: "ENV_PIPELINE_LIVE_POINTS_PER_SECOND",
    min: 1,
    max: 10_000,
  }),
  "pipeline.live_points_max_count": setting("int", 200, "sampled points that are kept until a client fetches them", {
    unit: "points",
    env: "ENV_PIPELINE_LIVE_POINTS_MAX_COUNT",
    min: 1,
    max: 100_000,
  }),
  "pipeline.live_points_max_bytes": setting("int", 1024 * 1024, "size of the sampled points that are kept", {
    unit: "bytes",
    env: "ENV_PIPELINE_LIVE_POINTS_MAX_BYTES",
    min: 1024,
    max: 1024 * 1024 * 1024,
  }),
  "pipeline.disable_http_request_func": setting("bool", false, "http_request() gives nil", {
    env: "ENV_PIPELINE_DISABLE_HTTP_REQUEST_FUNC",
  }),
  "pipeline.http_request_host_whitelist": setting("texts", [], "hosts that http_request() may always reach", {
    env: "ENV_PIPELINE_HTTP_REQUEST_HOST_WHITELIST",
    form: hostName,
  }),
  "pipeline.http_request_cidr_whitelist": setting("texts", [], "networks (CIDR) that http_request() may reach", {
    form: network,
    env: "ENV_PIPELINE_HTTP_REQUEST_CIDR_WHITELIST",
  }),
  "pipeline.http_request_host_denylist": setting("texts", [], "hosts that http_request() may never reach", {
    env: "ENV_PIPELINE_HTTP_REQUEST_HOST_DENYLIST",
    form: hostName,
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
    { unit: "bytes", env: "ENV_REFER_TABLE_MAX_BYTES", min: 1 },
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
} as const satisfies Record<string, Setting>;
