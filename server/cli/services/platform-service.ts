// Runs the platform as a service: `millrace platform` without a subcommand.

import { parseListenAddress } from "../../config/listen-address.ts";
import type { Config } from "../../config/schema.ts";
import { SeedConflict } from "../../platform/metadata/seed.ts";
import { parseSeed, type SeedFile } from "../../platform/seed.ts";
import { type RunningPlatform, startPlatform } from "../../platform/start.ts";
import { type Prepared, prepareService, textOf } from "../read-config.ts";
import { print } from "../terminal/print.ts";
import { UsageError } from "../usage-error.ts";
import { installSignalHandlers } from "./signals.ts";

export function preparePlatform(configFile: string | undefined, flags: Partial<Config>): Prepared {
  const check = (config: Config) =>
    config["platform.listen"] === "none" || parseListenAddress(config["platform.listen"]);
  return prepareService({ configFile, flags, check });
}

export interface PlatformFlags {
  readonly configFile: string | undefined;
  readonly seedFile: string | undefined;
  readonly flags: Partial<Config>;
}

export async function runPlatform({ configFile, seedFile, flags }: PlatformFlags): Promise<undefined> {
  const { config, warnings, log } = preparePlatform(configFile, flags);
  for (const warning of warnings) log.warn(warning);
  const seed = seedFile === undefined ? undefined : readSeed(seedFile);
  let running: RunningPlatform;
  try {
    running = await startPlatform({ config, log, ...(seed === undefined ? {} : { seed }) });
  } catch (error) {
    throw error instanceof SeedConflict ? new UsageError(`${seedFile}: ${error.message}`) : error;
  }
  installSignalHandlers(() => ({ log, reload: () => {}, close: running.close }));
  print(platformBanner(running));
  return undefined;
}

function readSeed(file: string): SeedFile {
  const json = textOf(file);
  try {
    return parseSeed(json);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`);
  }
}

export function platformBanner({ url, tokenFile, isOpenToLocal }: RunningPlatform): string {
  const header = `the header X-Token with the text of ${tokenFile}`;
  return `Millrace platform listening on ${url}
  query    POST ${url}/v1/query/raw  (or: millrace dql 'show_measurement()')
  token    ${isOpenToLocal ? `queries from this machine need none; all else needs ${header}` : header}
`;
}
