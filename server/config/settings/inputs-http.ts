// The settings of the inputs that take requests at the agent's own address: log streams, Prometheus remote writes, OTLP
// over HTTP, and RUM (real user monitoring).

import { type Setting, setting } from "../setting.ts";
import { headerTagMistakes } from "../table-mistakes.ts";

export const httpInputSettings = {
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
} as const satisfies Record<string, Setting>;
