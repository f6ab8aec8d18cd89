// Runs an agent for `millrace agent` and `millrace start`, and restarts it when its configuration is reloaded.

import { setTimeout as wait } from "node:timers/promises";
import { createKeptState } from "../../agent/start/kept-state.ts";
import { type RunningAgent, startAgent } from "../../agent/start/start.ts";
import { durationMs } from "../../config/go-duration.ts";
import { parseListenAddress } from "../../config/listen-address.ts";
import { createReloads } from "../../config/reloads.ts";
import type { Config } from "../../config/schema.ts";
import { ConfigRefusal, prepareService } from "../read-config.ts";
import type { Service } from "./signals.ts";

export interface AgentServiceOptions {
  readonly configFile: string | undefined;
  readonly flags: Partial<Config>;
  /** Time limit of the debug interface in milliseconds, in place of the usual 15 seconds. */
  readonly debugDeadlineMs: number | undefined;
  /** Returns the configuration for the agent, given the one that was read from the file and the environment. */
  readonly adjust?: (config: Config) => Config;
}

export interface AgentService extends Service {
  /** The message that is printed when the service starts. */
  readonly banner: string;
  readonly config: Config;
}

const againMs = 2000;

/** Starts the agent as a service. Throws UsageError when the configuration is wrong. */
export async function startAgentService({
  configFile,
  flags,
  debugDeadlineMs,
  adjust = (config) => config,
}: AgentServiceOptions): Promise<AgentService> {
  const prepare = () => {
    const check = (config: Config) => parseListenAddress(config["http_api.listen"]);
    const prepared = prepareService({ configFile, flags, check });
    return { ...prepared, config: adjust(prepared.config) };
  };
  type Prepared = ReturnType<typeof prepare>;
  const keptState = createKeptState();
  const start = async ({ config, warnings, log }: Prepared): Promise<RunningAgent> => {
    for (const warning of warnings) log.warn(warning);
    return await startAgent({
      keptState,
      config,
      log,
      ...(configFile === undefined ? {} : { configFile }),
      restart: reload,
      ...(debugDeadlineMs === undefined ? {} : { debugDeadlineMs }),
    });
  };
  const reloads = createReloads({
    reload: startAnew,
    gapMs: () => durationMs(prepared.config.reload_interval, 5000),
    onWait: (ms) => prepared.log.info(`the configuration is read again in ${ms} ms`),
  });
  const reload = reloads.ask;
  const closing = new AbortController();
  const atOnce = AbortSignal.abort();
  let prepared = prepare();
  /** The running agent; undefined while none runs. */
  let running: RunningAgent | undefined;
  try {
    running = await start(prepared);
    await keptState.listen(prepared.config, prepared.log);
  } catch (error) {
    await running?.close(false);
    await keptState.close();
    throw error;
  }
  const { target } = running;
  return {
    get log() {
      return prepared.log;
    },
    get config() {
      return prepared.config;
    },
    banner: bannerOf(keptState.urlOf(prepared.config), target, prepared.config["http_api.listen"]),
    reload,
    close: async () => {
      closing.abort();
      await reloads.close();
      await running?.close(false);
      await keptState.close();
    },
  };

  /**
   * Restarts the agent with the current configuration file. When the configuration cannot be used, the running agent
   * goes on.
   */
  async function startAnew(): Promise<void> {
    if (closing.signal.aborted) return;
    let next = tryPrepare();
    if (next === undefined || !(await tryOpen(next))) return;
    await running?.close(true);
    running = undefined;
    // Tries the new and the old configuration in turn until an agent starts with one of them. Both may fail for a
    // while, for example when a folder cannot be written.
    while (!closing.signal.aborted) {
      if (next !== undefined && (await tryStart(next, "the new configuration does not start"))) {
        const url = keptState.urlOf(prepared.config);
        prepared.log.info(`configuration reloaded, listening on ${url}`);
        return;
      }
      if (await tryStart(prepared, "the old configuration does not start either")) {
        prepared.log.warn("going on with the old configuration");
        return;
      }
      await keptState.refuseRequests();
      prepared.log.error(`no agent runs; both are tried again in ${againMs / 1000} s`);
      await wait(againMs, undefined, { signal: closing.signal }).catch(() => {});
      next = tryPrepare();
    }
  }

  function tryPrepare(): Prepared | undefined {
    try {
      return prepare();
    } catch (error) {
      const { warnings, mistakes } =
        error instanceof ConfigRefusal ? error : { warnings: [], mistakes: [(error as Error).message] };
      for (const warning of warnings) prepared.log.warn(warning);
      for (const mistake of mistakes) prepared.log.error(`the configuration stays as it was: ${mistake}`);
      return undefined;
    }
  }

  /**
   * Tries to lock the folder and to open the ports of the new agent while the old agent still runs. Returns whether
   * both succeeded.
   */
  async function tryOpen({ config, log }: Prepared): Promise<boolean> {
    try {
      await keptState.lockFolder(config);
      await keptState.listen(config, log, atOnce);
      return true;
    } catch (error) {
      keptState.keepOnly(prepared.config);
      prepared.log.error(`the configuration stays as it was: ${(error as Error).message}`);
      return false;
    }
  }

  async function tryStart(its: Prepared, failure: string): Promise<boolean> {
    try {
      await keptState.listen(its.config, its.log, atOnce);
      running = await start(its);
      prepared = its;
      keptState.keepOnly(its.config);
      return true;
    } catch (error) {
      prepared.log.error(`${failure}: ${(error as Error).message}`);
      return false;
    }
  }
}

function bannerOf(url: string, target: string, listen: string): string {
  const at = url.startsWith("http") ? `'${url}` : `--unix-socket ${listen} 'http://localhost`;
  return `Millrace agent listening on ${url}
  write    POST ${url}/v1/write/:category  (points go to ${target})
  health   GET  ${url}/v1/ping
  metrics  GET  ${url}/metrics
Try it:
  curl ${at}/v1/write/metric?echo=lp' --data-binary 'cpu,core=0 load=0.5'
  curl ${at}/v1/ping'
`;
}
