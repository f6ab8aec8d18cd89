// Every setting of agent, gateway and platform, declared once: key, kind, default, environment variable, meaning (docs/config.md).
// The loader, `--help` and the errors about a configuration file all read this table.

import type { KindTypes, Setting } from "./setting.ts";
import { feedSettings } from "./settings/feed.ts";
import { gatewaySettings } from "./settings/gateway.ts";
import { listenSettings } from "./settings/listen.ts";
import { platformSettings } from "./settings/platform.ts";
import { serviceSettings } from "./settings/services.ts";
import { uploadSettings } from "./settings/uploads.ts";

/** Keys are `section.key`; the section is a TOML table. `config init` writes them in this order. */
export const schema = {
  ...listenSettings,
  ...uploadSettings,
  ...gatewaySettings,
  ...feedSettings,
  ...platformSettings,
  ...serviceSettings,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof schema;
export type Config = { readonly [Name in SettingName]: KindTypes[(typeof schema)[Name]["kind"]] };

/** Other spellings of keys that are in use; they are read as the key on the right. */
export const otherSpellings: Readonly<Record<string, SettingName>> = {
  "pipeline.http_request_cidr_whiltelist": "pipeline.http_request_cidr_whitelist",
};

/** Tables that files written for other agents hold; they are ignored without a warning. */
export const ignoredTables = ["git_repos", "crypto", "point_pool", "dca"];

export function defaults(): Config {
  return Object.fromEntries(Object.entries(schema).map(([name, { default: value }]) => [name, value])) as Config;
}
