// All settings of agent, gateway and platform, each declared once: key, type, default, environment variable, meaning
// (docs/config.md). The loader, `--help` and the messages about a configuration file all use these declarations.

import type { KindTypes, Setting } from "./setting.ts";
import { gatewaySettings } from "./settings/gateway.ts";
import { ingestSettings } from "./settings/ingest.ts";
import { listenSettings } from "./settings/listen.ts";
import { platformSettings } from "./settings/platform.ts";
import { serviceSettings } from "./settings/services.ts";
import { uploadSettings } from "./settings/uploads.ts";

/** The settings by their names, `table.key` in the TOML file. `config init` writes them in this order. */
export const schema = {
  ...listenSettings,
  ...uploadSettings,
  ...gatewaySettings,
  ...ingestSettings,
  ...platformSettings,
  ...serviceSettings,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof schema;
export type Config = { readonly [Name in SettingName]: KindTypes[(typeof schema)[Name]["kind"]] };

/** Misspelled keys that existing files use, and the keys as which they are read. */
export const otherSpellings: Readonly<Record<string, SettingName>> = {
  "pipeline.http_request_cidr_whiltelist": "pipeline.http_request_cidr_whitelist",
};

/** Tables that occur in configuration files written for other agents. They are ignored without a warning. */
export const ignoredTables = ["git_repos", "crypto", "point_pool", "dca"];

export function defaults(): Config {
  return Object.fromEntries(Object.entries(schema).map(([name, { default: value }]) => [name, value])) as Config;
}
