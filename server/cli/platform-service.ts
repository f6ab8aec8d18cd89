// `millrace platform` without more: the service.

import type { Config } from "../config/schema.ts";
import { parseListenAddress } from "../http/listen-address.ts";
import { type RunningPlatform, startPlatform } from "../platform/start.ts";
import { type Prepared, prepareService } from "./read-config.ts";
import { obeySignals } from "./signals.ts";

export function preparePlatform(configFile: string | undefined, flags: Partial<Config>): Prepared {
  const check = (config: Config) =>
    config["platform.listen"] === "none" || parseListenAddress(config["platform.listen"]);
  return prepareService({ configFile, flags, check });
}

export async function runPlatform(configFile: string | undefined, flags: Partial<Config>): Promise<undefined> {
  const { config, warnings, log } = preparePlatform(configFile, flags);
  for (const warning of warnings) log.warn(warning);
  const running = await startPlatform({ config, log });
  obeySignals(() => ({ log, reload: () => {}, close: running.close }));
  process.stdout.write(platformBanner(running));
  return undefined;
}

export function platformBanner({ url }: RunningPlatform): string {
  return `Millrace platform listening on ${url}
  query    POST ${url}/v1/query/raw  (or: millrace dql 'show_measurement()')
`;
}
