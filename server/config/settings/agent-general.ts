// The settings for other functions of an agent: dial tests (requests that test a server), log streams, Prometheus
// remote writes, OTLP, the agent's own log and tags, elections, and RUM (real user monitoring).

import { network } from "../forms.ts";
import { type Setting, setting } from "../setting.ts";
import { headerTagMistakes } from "../table-mistakes.ts";

export const agentGeneralSettings = {
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
    { form: network, env: "ENV_INPUT_DIALTESTING_DISABLED_INTERNAL_NETWORK_CIDR_LIST" },
  ),

  "logstreaming.ignore_url_tags": setting("bool", false, "add no service and ip_or_hostname to streamed logs"),

  "prom_remote_write.enable": setting("bool", true, "take Prometheus remote writes at /prom_remote_write", {
    env: "ENV_INPUT_PROM_REMOTE_WRITE_ENABLE",
  }),
  "prom_remote_write.max_body_size": setting("int", 0, "largest body in bytes, 0 = http_api.max_body_bytes", {
    unit: "bytes",
    env: "ENV_INPUT_PROM_REMOTE_WRITE_MAX_BODY_SIZE",
    min: 0,
  }),
  "prom_remote_write.basic_username": setting("text", "", "with basic_password: asked of every remote write"),
  "prom_remote_write.basic_password": setting("text", "", "password of remote writes", { secret: true }),
  "prom_remote_write.header_tags": setting("table", {}, "header = tag: headers whose value becomes a tag", {
    mistakes: headerTagMistakes,
  }),

  "otlp.enable": setting("bool", true, "take OTLP/HTTP at /v1/traces, /v1/metrics and /v1/logs, also below /otel", {
    env: "ENV_INPUT_OTLP_ENABLE",
  }),
  "otlp.http_status_ok": setting("text", "200", "HTTP status of requests that were taken", {
    env: "ENV_INPUT_OTLP_HTTP_STATUS_OK",
    choices: ["200", "202"],
  }),

  "logging.log": setting("text", "", "file of the log, or stdout; empty = standard error", { env: "ENV_LOG" }),
  "logging.rotate": setting("int", 32, "size at which the file is renamed, in MiB", { unit: "MiB", min: 1 }),
  "logging.rotate_backups": setting("int", 5, "renamed files that are kept", { unit: "files", min: 0 }),
  "logging.level": setting("text", "info", "what is logged: this and what is worse", {
    env: "ENV_LOG_LEVEL",
    choices: ["debug", "info", "warn", "error"],
  }),

  global_host_tags: setting("table", {}, "tags added to every point that lacks them", { env: "ENV_GLOBAL_HOST_TAGS" }),
  global_tags: setting("table", {}, "older name of global_host_tags; those win"),
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
    true,
    "stacks: besides `f @ url:line:column` also frames as Chrome, Firefox and Safari write them",
    { env: "ENV_RUM_RESOLVE_BROWSER_FRAMES" },
  ),
  "rum.max_map_bytes": setting("int", 64 * 1024 * 1024, "largest source map or mapping.txt of an archive, in bytes", {
    unit: "bytes",
    env: "ENV_RUM_MAX_MAP_BYTES",
    min: 1,
  }),
  "rum.env_variable": setting("tables", {}, "variables that /v1/env_variable answers, by application id"),
  "environments.ENV_HOSTNAME": setting("text", "", "host name in place of the machine's", { env: "ENV_HOSTNAME" }),
} as const satisfies Record<string, Setting>;
