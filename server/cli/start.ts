// `millrace start`: platform, agent and gateway in one process.

import { parseArgs } from "node:util";
import { type Config, schema } from "../config/schema.ts";
import { type RunningGateway, startGateway } from "../gateway/start.ts";
import { type RunningPlatform, startPlatform } from "../platform/start.ts";
import { startAgentService } from "./agent-service.ts";
import { gatewayBanner } from "./gateway-service.ts";
import { platformBanner, preparePlatform } from "./platform-service.ts";
import { print } from "./print.ts";
import type { Prepared } from "./read-config.ts";
import { obeySignals } from "./signals.ts";
import { startUsage } from "./usage/services.ts";

export async function start(args: string[]): Promise<number | undefined> {
  const { values } = parseArgs({
    args,
    options: {
      listen: { type: "string" },
      "gateway-listen": { type: "string" },
      "platform-listen": { type: "string" },
      "data-dir": { type: "string" },
      config: { type: "string" },
      sinker: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(startUsage);
    return 0;
  }
  const listen = values["gateway-listen"];
  const platformListen = values["platform-listen"];
  const flags: Partial<Config> = {
    ...(values.listen === undefined ? {} : { "http_api.listen": values.listen }),
    ...(values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] }),
    ...(listen === undefined ? {} : { "gateway_api.listen": listen }),
    ...(platformListen === undefined ? {} : { "platform.listen": platformListen }),
    ...(values.sinker === undefined ? {} : { "sinker.file.path": values.sinker }),
  };
  const prepared = preparePlatform(values.config, flags);
  const platform = await startedPlatform(prepared);
  const agent = await startAgentService({
    configFile: values.config,
    flags,
    debugDeadlineMs: undefined,
    adjust: (config) => (platform === undefined ? config : sendingTo(platform, config)),
  });
  const stop = new AbortController();
  let gateway: RunningGateway | undefined;
  const { config, log } = agent;
  // Not waited for: a port in use keeps the gateway back, not the agent.
  const starting =
    config["gateway_api.listen"] === "none"
      ? Promise.resolve()
      : startGateway({ config, log, signal: stop.signal }).then(
          (started) => {
            gateway = started;
            print(gatewayBanner(started));
          },
          (error: Error) => log.error(`the gateway does not start: ${error.message}`),
        );
  obeySignals(() => ({
    log,
    reload: () => {
      agent.reload();
      gateway?.reload();
    },
    close: async () => {
      stop.abort();
      // The agent first: what it sends at its end may go to this gateway and this platform.
      await agent.close();
      await starting;
      await gateway?.close();
      await platform?.close();
    },
  }));
  // Who reads that it listens may end it at once.
  print(agent.banner);
  if (platform !== undefined) print(platformBanner(platform));
  return undefined;
}

/** Undefined when there shall be none, or its port is taken: then points go where they went without one. */
async function startedPlatform({ config, log }: Prepared): Promise<RunningPlatform | undefined> {
  if (config["platform.listen"] === "none") return undefined;
  try {
    return await startPlatform({ config, log, opensToLocal: true, signal: AbortSignal.abort() });
  } catch (error) {
    log.error(`the platform does not start: ${(error as Error).message}`);
    return undefined;
  }
}

/** The agent sends to the platform beside it, soon, where no other place is named. */
function sendingTo({ url, localToken }: RunningPlatform, config: Config): Config {
  if (config["gateway.urls"].length > 0) return config;
  const isDefault = config["io.flush_interval"] === schema["io.flush_interval"].default;
  return {
    ...config,
    "gateway.urls": [`${url}?token=${localToken}`],
    ...(isDefault ? { "io.flush_interval": "1s" } : {}),
  };
}
