// `millrace start`: runs platform, agent and gateway in one process.

import { parseArgs } from "node:util";
import type { OpenApiTarget } from "../../agent/outputs/open-api.ts";
import { durationMs } from "../../config/go-duration.ts";
import { createReloads } from "../../config/reloads.ts";
import { type Config, schema } from "../../config/schema.ts";
import { ownSettings } from "../../config/settings-by-service.ts";
import { type RunningGateway, startGateway } from "../../gateway/start.ts";
import { type RunningPlatform, startPlatform } from "../../platform/start.ts";
import type { Prepared } from "../read-config.ts";
import { print, printError } from "../terminal/print.ts";
import { startUsage } from "../usage/services.ts";
import { UsageError } from "../usage-error.ts";
import { startAgentService } from "./agent-service.ts";
import { gatewayBanner } from "./gateway-service.ts";
import { withOwnMetrics } from "./own-metrics.ts";
import { platformBanner, preparePlatform } from "./platform-service.ts";
import { type ServiceKind, startRestarted } from "./restarted.ts";
import { endWith } from "./run-limits.ts";
import { installSignalHandlers } from "./signals.ts";
import { tailOptions, tailSettingOf } from "./tailed-files.ts";

export async function start(args: string[]): Promise<number | undefined> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...tailOptions,
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
  if (values.source !== undefined && values.tail === undefined) throw new UsageError("--source: needs --tail");
  const listen = values["gateway-listen"];
  const platformListen = values["platform-listen"];
  const flags: Partial<Config> = {
    ...(values.listen === undefined ? {} : { "http_api.listen": values.listen }),
    ...(values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] }),
    ...(listen === undefined ? {} : { "gateway_api.listen": listen }),
    ...(platformListen === undefined ? {} : { "platform.listen": platformListen }),
    ...(values.sinker === undefined ? {} : { "sinker.file.path": values.sinker }),
    ...(await tailSettingOf(values, positionals)),
  };
  const prepare = () => preparePlatform(values.config, flags);
  const prepared = prepare();
  const platform = startRestarted(platformKind, prepared);
  await platform.started;
  const agent = await startAgentService({
    configFile: values.config,
    flags,
    debugDeadlineMs: undefined,
    adjust: (config) => (platform.running === undefined ? config : sendingTo(platform.running, config)),
    platform: () => openApiOf(platform.running),
  });
  // `millrace start` does not wait for the gateway. When the gateway's port is in use, the agent starts at once
  // and the gateway starts later.
  const gateway = startRestarted(gatewayKind, { ...prepared, log: agent.log });
  const reloads = createReloads({
    reload: async () => {
      const next = tryPrepare(prepare);
      if (next !== undefined && (await platform.reload(next))) {
        await platform.started;
        if (platform.running !== undefined) print(platformBanner(platform.running));
      }
      // When the new configuration cannot be used, this code prints no message, because the agent logs the mistakes
      // when it reads the configuration in the next line.
      agent.reload();
      if (next === undefined || !(await gateway.reload(next))) gateway.running?.reload();
    },
    gapMs: () => durationMs(agent.config.reload_interval, 5000),
    onWait: (ms) => agent.log.info(`the configuration is read again in ${ms} ms`),
  });
  installSignalHandlers(() => ({
    log: agent.log,
    reload: reloads.ask,
    close: async () => {
      await reloads.close();
      // The agent is closed before the gateway and the platform, because it may send them its last points while it
      // closes.
      await agent.close();
      await gateway.close();
      await platform.close();
    },
  }));
  // The start message is printed after everything else is set up: a program that waits for this message may stop
  // the process immediately, and at that time the signal handlers for an orderly shutdown must already be
  // installed.
  const say = agent.config["output.stdout"] === "off" ? print : printError;
  say(agent.banner);
  if (platform.running !== undefined) say(platformBanner(platform.running));
  endWith(agent);
  return undefined;
}

/**
 * The platform of `millrace start`. When its port is in use, the platform does not start, and the agent sends its
 * points only to the gateways that the configuration names.
 */
const platformKind: ServiceKind<RunningPlatform> = {
  name: "platform",
  settings: ownSettings.platform,
  isOn: (config) => config["platform.listen"] !== "none",
  start: ({ config, log }) =>
    startPlatform({ config, log, opensToLocal: true, givesLocalKey: true, signal: AbortSignal.abort() }),
};

const gatewayKind: ServiceKind<RunningGateway> = {
  name: "gateway",
  settings: ownSettings.gateway,
  isOn: (config) => config["gateway_api.listen"] !== "none",
  start: async ({ config, log }, signal) => {
    const started = await startGateway({ config, log, signal });
    print(gatewayBanner(started));
    return started;
  },
};

/** Reads the configuration of a service with `prepare`. Returns undefined when the configuration cannot be used. */
function tryPrepare(prepare: () => Prepared): Prepared | undefined {
  try {
    return prepare();
  } catch {
    return undefined;
  }
}

/**
 * Returns the Open API of the platform in the same process, with the API key of the workspace that holds the points of
 * this machine.
 */
function openApiOf(running: RunningPlatform | undefined): OpenApiTarget | undefined {
  return running?.localKey === undefined ? undefined : { url: running.url, key: running.localKey };
}

/**
 * Returns a configuration with which the agent sends its points, at short intervals, to the platform in the same
 * process, and also collects the metrics of all services and of this machine. Returns the given configuration
 * unchanged when its setting `gateway.urls` names a target.
 */
function sendingTo({ url, localToken }: RunningPlatform, config: Config): Config {
  if (config["gateway.urls"].length > 0) return config;
  const isDefault = config["io.flush_interval"] === schema["io.flush_interval"].default;
  return {
    ...withOwnMetrics(config, url),
    "gateway.urls": [`${url}?token=${localToken}`],
    ...(isDefault ? { "io.flush_interval": "1s" } : {}),
  };
}
