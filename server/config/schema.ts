// All settings of agent, gateway and platform, each declared once: key, type, default, environment variable, meaning
// (docs/config.md). The loader, `--help` and the messages about a configuration file all use these declarations.

import type { EntryOf, Fields, KindTypes, Setting } from "./setting.ts";
import { agentSettings } from "./settings/agent.ts";
import { agentHttpSettings } from "./settings/agent-http.ts";
import { agentIngestSettings } from "./settings/agent-ingest.ts";
import { agentOpenApiSettings } from "./settings/agent-open-api.ts";
import { agentUploadSettings } from "./settings/agent-uploads.ts";
import { gatewaySettings } from "./settings/gateway.ts";
import { hostSettings } from "./settings/inputs-host.ts";
import { httpInputSettings } from "./settings/inputs-http.ts";
import { journaldSettings } from "./settings/inputs-journald.ts";
import { ownMetricsSettings } from "./settings/inputs-own-metrics.ts";
import { prometheusSettings } from "./settings/inputs-prometheus.ts";
import { pushSettings } from "./settings/inputs-push.ts";
import { statsdSettings } from "./settings/inputs-statsd.ts";
import { stdinSettings } from "./settings/inputs-stdin.ts";
import { syslogSettings } from "./settings/inputs-syslog.ts";
import { tailSettings } from "./settings/inputs-tail.ts";
import { platformSettings } from "./settings/platform.ts";

/** The settings by their names, `table.key` in the TOML file. `config init` writes them in this order. */
export const schema = {
  ...agentSettings,
  ...agentHttpSettings,
  ...agentOpenApiSettings,
  ...agentUploadSettings,
  ...gatewaySettings,
  ...agentIngestSettings,
  ...httpInputSettings,
  ...tailSettings,
  ...syslogSettings,
  ...stdinSettings,
  ...journaldSettings,
  ...pushSettings,
  ...statsdSettings,
  ...prometheusSettings,
  ...ownMetricsSettings,
  ...hostSettings,
  ...platformSettings,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof schema;
type ValueOf<S extends Setting> = S extends { readonly kind: "entries"; readonly fields: infer F extends Fields }
  ? readonly EntryOf<F>[]
  : KindTypes[S["kind"]];
export type Config = { readonly [Name in SettingName]: ValueOf<(typeof schema)[Name]> };

/** Misspelled keys in existing configuration files, each with the setting that is meant. */
export const otherSpellings: Readonly<Record<string, SettingName>> = {
  "pipeline.http_request_cidr_whiltelist": "pipeline.http_request_cidr_whitelist",
};

/** Tables that occur in configuration files written for other agents. They are ignored without a warning. */
export const ignoredTables = ["git_repos", "crypto", "point_pool", "dca"];

export function defaults(): Config {
  return Object.fromEntries(Object.entries(schema).map(([name, { default: value }]) => [name, value])) as Config;
}
