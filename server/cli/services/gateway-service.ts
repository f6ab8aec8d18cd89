// Runs the gateway as a service: `millrace gateway` without a subcommand.

import { parseListenAddress } from "../../config/listen-address.ts";
import type { Config } from "../../config/schema.ts";
import { type RunningGateway, startGateway } from "../../gateway/start.ts";
import { prepareService } from "../read-config.ts";
import { print } from "../terminal/print.ts";
import { installSignalHandlers } from "./signals.ts";

export async function runGateway(configFile: string | undefined, flags: Partial<Config>): Promise<undefined> {
  const { config, warnings, log } = prepareService({
    configFile,
    flags,
    check: (config) => parseListenAddress(config["gateway_api.listen"]),
  });
  for (const warning of warnings) log.warn(warning);
  const running = await startGateway({ config, log });
  installSignalHandlers(() => ({ log, reload: running.reload, close: running.close }));
  print(gatewayBanner(running));
  return undefined;
}

export function gatewayBanner({ url, about }: RunningGateway): string {
  return `Millrace gateway listening on ${url}
  write    POST ${url}/v1/write/:category  (${about})
  metrics  GET  ${url}/metrics
`;
}
