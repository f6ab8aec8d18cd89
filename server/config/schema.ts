// All settings of agent, gateway and platform, each declared once: key, type, default, environment variable, meaning
// (docs/config.md). The loader, `--help` and the messages about a configuration file all use these declarations.

import type { EntryOf, Fields, KindTypes, Setting } from "./setting.ts";
import { agentGeneralSettings } from "./settings/agent-general.ts";
import { agentHttpSettings } from "./settings/agent-http.ts";
import { agentIngestSettings } from "./settings/agent-ingest.ts";
import { agentInputSettings } from "./settings/agent-inputs.ts";
import { agentPushInputSettings } from "./settings/agent-push-inputs.ts";
import { agentUploadSettings } from "./settings/agent-uploads.ts";
import { gatewaySettings } from "./settings/gateway.ts";
import { platformSettings } from "./settings/platform.ts";

/** The settings by their names, `table.key` in the TOML file. `config init` writes them in this order. */
export const schema = {
  ...agentHttpSettings,
  ...agentUploadSettings,
  ...gatewaySettings,
  ...agentIngestSettings,
  ...agentInputSettings,
  ...agentPushInputSettings,
  ...platformSettings,
  ...agentGeneralSettings,
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
