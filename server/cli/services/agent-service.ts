// Runs an agent for `millrace agent` and `millrace start`, and restarts it when its configuration is reloaded.

import { setTimeout as wait } from "node:timers/promises";
import type { OpenApiTarget } from "../../agent/outputs/open-api.ts";
import { threadUtilization } from "../../agent/spare-time.ts";
import { createKeptState } from "../../agent/start/kept-state.ts";
import { type RunningAgent, startAgent } from "../../agent/start/start.ts";
import { durationMs } from "../../config/go-duration.ts";
import { parseListenAddress } from "../../config/listen-address.ts";
import { createReloads, type Reloads } from "../../config/reloads.ts";
import type { Config } from "../../config/schema.ts";
import { collectWhenIdle } from "../../http/heap.ts";
import { ConfigRefusal, type Prepared, prepareService } from "../read-config.ts";
import type { Service } from "./signals.ts";

export interface AgentServiceOptions {
  readonly configFile: string | undefined;
  readonly flags: Partial<Config>;
  /** Time limit in milliseconds for running a script through the debug interface, in place of the usual 15 seconds. */
  readonly debugDeadlineMs: number | undefined;
  /**
   * Changes the configuration before the agent uses it. The argument is the configuration that was read from the file,
   * the environment and the flags; the result is the configuration with which the agent runs. For example, `millrace
   * start` makes the agent send its points to the platform in the same process.
   */
  readonly adjust?: (config: Config) => Config;
  /** Returns the Open API of a platform in the same process; undefined while no platform runs there. */
  readonly platform?: () => OpenApiTarget | undefined;
}

export interface AgentService extends Service {
  /** The message that `millrace` prints when the service has started. */
  readonly banner: string;
  readonly config: Config;
  /**
   * Resolves when an input has no more data, for example at the end of standard input. The caller then closes the
   * service.
   */
  readonly ended: Promise<void>;
}

const againMs = 2000;
/** A signal that is already aborted: when a port is in use, listening then fails at once and does not wait. */
const atOnce = AbortSignal.abort();

/** Starts the agent as a service. Throws UsageError when the configuration is wrong. */
export async function startAgentService(options: AgentServiceOptions): Promise<AgentService> {
  const agent = new ReloadableAgent(options);
  const target = await agent.start();
  collectWhenIdle(threadUtilization());
  return {
    get log() {
      return agent.inUse.log;
    },
    get config() {
      return agent.inUse.config;
    },
    ended: agent.ended,
    banner: bannerOf(agent.url, target, agent.inUse.config["http_api.listen"]),
    reload: () => agent.reload(),
    close: () => agent.close(),
  };
}

/** Runs one agent at a time. A reload ends the agent and starts another one with the current configuration. */
class ReloadableAgent {
  /** The configuration with which the agent runs, and the log that was opened according to this configuration. */
  inUse: Prepared;
  private readonly options: AgentServiceOptions;
  private readonly keptState = createKeptState();
  private readonly reloads: Reloads;
  private readonly closing = new AbortController();
  /** The agent that runs now; undefined while none runs. */
  private running: RunningAgent | undefined;
  private end = (): void => {};
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  /** Reads the configuration of the agent. Throws UsageError when the configuration is wrong. */
  constructor(options: AgentServiceOptions) {
    this.options = options;
    this.inUse = prepare(options);
    this.reloads = createReloads({
      reload: () => this.restart(),
      gapMs: () => durationMs(this.inUse.config.reload_interval, 5000),
      onWait: (ms) => this.inUse.log.info(`the configuration is read again in ${ms} ms`),
    });
  }

  get url(): string {
    return this.keptState.urlOf(this.inUse.config);
  }

  /** Starts the first agent. Returns a text that says where the agent sends its points. */
  async start(): Promise<string> {
    try {
      this.running = await this.startWith(this.inUse);
      await this.keptState.listen(this.inUse.config, this.inUse.log);
      return this.running.target;
    } catch (error) {
      await this.running?.close(false);
      await this.keptState.close();
      throw error;
    }
  }

  reload(): void {
    this.reloads.ask();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.reloads.close();
    await this.running?.close(false);
    await this.keptState.close();
  }

  private async startWith({ config, warnings, log }: Prepared): Promise<RunningAgent> {
    const { configFile, debugDeadlineMs, platform } = this.options;
    for (const warning of warnings) log.warn(warning);
    return await startAgent({
      keptState: this.keptState,
      config,
      log,
      ...(configFile === undefined ? {} : { configFile }),
      restart: () => this.reload(),
      end: () => this.end(),
      ...(debugDeadlineMs === undefined ? {} : { debugDeadlineMs }),
      ...(platform === undefined ? {} : { platform }),
    });
  }

  /**
   * Restarts the agent with the current content of the configuration file. When this configuration cannot be used,
   * the running agent keeps running with its old configuration.
   */
  private async restart(): Promise<void> {
    if (this.closing.signal.aborted) return;
    const next = this.tryPrepare();
    if (next === undefined || !(await this.tryOpen(next))) return;
    await this.running?.close(true);
    this.running = undefined;
    await this.startNewOrOld(next);
  }

  /**
   * Tries the new and the old configuration alternately until an agent starts with one of them. It can happen for
   * some time that neither works, for example while a folder cannot be written.
   */
  private async startNewOrOld(prepared: Prepared): Promise<void> {
    let next: Prepared | undefined = prepared;
    while (!this.closing.signal.aborted) {
      if (next !== undefined && (await this.tryStart(next, "the new configuration does not start"))) {
        this.inUse.log.info(`configuration reloaded, listening on ${this.url}`);
        return;
      }
      if (await this.tryStart(this.inUse, "the old configuration does not start either")) {
        this.inUse.log.warn("going on with the old configuration");
        return;
      }
      await this.keptState.refuseRequests();
      this.inUse.log.error(`no agent runs; both are tried again in ${againMs / 1000} s`);
      await wait(againMs, undefined, { signal: this.closing.signal }).catch(() => {});
      next = this.tryPrepare();
    }
  }

  private tryPrepare(): Prepared | undefined {
    try {
      return prepare(this.options);
    } catch (error) {
      const { warnings, mistakes } =
        error instanceof ConfigRefusal ? error : { warnings: [], mistakes: [(error as Error).message] };
      for (const warning of warnings) this.inUse.log.warn(warning);
      for (const mistake of mistakes) this.inUse.log.error(`the configuration stays as it was: ${mistake}`);
      return undefined;
    }
  }

  /**
   * Tries to lock the data folder and to open the ports of the new agent while the old agent still runs. Returns
   * whether both succeeded.
   */
  private async tryOpen({ config, log }: Prepared): Promise<boolean> {
    try {
      await this.keptState.lockFolder(config);
      await this.keptState.listen(config, log, atOnce);
      return true;
    } catch (error) {
      this.keptState.keepOnly(this.inUse.config);
      this.inUse.log.error(`the configuration stays as it was: ${(error as Error).message}`);
      return false;
    }
  }

  /**
   * Starts an agent with a configuration. Returns whether the agent has started. After a failure, logs `failure`
   * followed by the error.
   */
  private async tryStart(prepared: Prepared, failure: string): Promise<boolean> {
    try {
      await this.keptState.listen(prepared.config, prepared.log, atOnce);
      this.running = await this.startWith(prepared);
      this.inUse = prepared;
      this.keptState.keepOnly(prepared.config);
      return true;
    } catch (error) {
      this.inUse.log.error(`${failure}: ${(error as Error).message}`);
      return false;
    }
  }
}

/** Reads the configuration of the agent and opens its log. Throws UsageError when the configuration is wrong. */
function prepare({ configFile, flags, adjust = (config) => config }: AgentServiceOptions): Prepared {
  const check = (config: Config) => parseListenAddress(config["http_api.listen"]);
  const prepared = prepareService({ configFile, flags, check });
  return { ...prepared, config: adjust(prepared.config) };
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
