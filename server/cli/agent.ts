// `millrace agent` and `millrace start`.

import { parseArgs } from "node:util";
import { type RunningAgent, startAgent } from "../agent/start.ts";
import type { Loaded } from "../config/load.ts";
import { parseListenAddress } from "../http/listen-address.ts";
import { createLog, isLogLevel, type Log } from "../http/log.ts";
import { readConfig } from "./read-config.ts";
import { agentUsage } from "./usage.ts";
import { UsageError } from "./usage-error.ts";

export async function agent(args: string[]): Promise<number | undefined> {
  const { values } = parseArgs({
    args,
    options: {
      listen: { type: "string" },
      "data-dir": { type: "string" },
      config: { type: "string" },
      help: { type: "boolean", short: "h" },
      // For tests: milliseconds in place of the 15 seconds of the debug interface.
      "debug-deadline-ms": { type: "string" },
    },
  });
  if (values.help) {
    process.stdout.write(agentUsage);
    return 0;
  }
  const flags = {
    ...(values.listen === undefined ? {} : { "http_api.listen": values.listen }),
    ...(values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] }),
  };
  const deadline = values["debug-deadline-ms"];
  const prepare = (): Prepared => {
    const { config, warnings } = readConfig({ ...(values.config === undefined ? {} : { file: values.config }), flags });
    parseListenAddress(config["http_api.listen"]);
    const level = config["logging.level"];
    const log = createLog(isLogLevel(level) ? level : "info", (line) => process.stderr.write(line));
    return { config, warnings, log };
  };
  const start = async ({ config, warnings, log }: Prepared): Promise<RunningAgent> => {
    for (const warning of warnings) log.warn(warning);
    return await startAgent({
      config,
      log,
      ...(values.config === undefined ? {} : { configFile: values.config }),
      restart,
      ...(deadline === undefined ? {} : { debugDeadlineMs: Number(deadline) }),
    });
  };
  let reloading: Promise<void> = Promise.resolve();
  const restart = () => {
    reloading = reloading.then(reload);
  };
  let prepared = orUsageError(prepare);
  let running = await start(prepared);
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, async () => {
      // A second signal ends the process at once.
      if (stopping) process.exit(1);
      stopping = true;
      prepared.log.info("stopping");
      await reloading;
      await running.close();
      process.exit(0);
    });
  }
  process.on("SIGHUP", restart);
  const at = running.url.startsWith("http")
    ? `'${running.url}`
    : `--unix-socket ${prepared.config["http_api.listen"]} 'http://localhost`;
  process.stdout.write(`Millrace agent listening on ${running.url}
  write    POST ${running.url}/v1/write/:category  (points go to ${running.target})
  health   GET  ${running.url}/v1/ping
  metrics  GET  ${running.url}/metrics
Try it:
  curl ${at}/v1/write/metric?echo=lp' --data-binary 'cpu,core=0 load=0.5'
  curl ${at}/v1/ping'
`);
  return undefined;

  /** Starts anew with the configuration as it is now; one that cannot be used changes nothing. */
  async function reload(): Promise<void> {
    if (stopping) return;
    const { log } = prepared;
    let next: Prepared;
    try {
      next = prepare();
    } catch (error) {
      log.error(`the configuration stays as it was: ${(error as Error).message}`);
      return;
    }
    await running.close();
    try {
      running = await start(next);
      prepared = next;
      log.info(`configuration reloaded, listening on ${running.url}`);
    } catch (error) {
      log.error(`the new configuration does not start, going on with the old one: ${(error as Error).message}`);
      running = await start(prepared);
    }
  }
}

interface Prepared extends Loaded {
  readonly log: Log;
}

function orUsageError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError((error as Error).message);
  }
}
