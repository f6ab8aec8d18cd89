// `millrace agent` and `millrace start`.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { startAgent } from "../agent/start.ts";
import { ConfigError, loadConfig } from "../config/load.ts";
import { parseListenAddress } from "../http/listen-address.ts";
import { createLog, isLogLevel } from "../http/log.ts";
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
  const { config, warnings } = configure(values.config, values.listen, values["data-dir"]);
  try {
    parseListenAddress(config["http_api.listen"]);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const level = config["logging.level"];
  const log = createLog(isLogLevel(level) ? level : "info", (line) => process.stderr.write(line));
  for (const warning of warnings) log.warn(warning);
  const deadline = values["debug-deadline-ms"];
  const running = await startAgent({
    config,
    log,
    ...(values.config === undefined ? {} : { configFile: values.config }),
    ...(deadline === undefined ? {} : { debugDeadlineMs: Number(deadline) }),
  });
  const at = running.url.startsWith("http")
    ? `'${running.url}`
    : `--unix-socket ${config["http_api.listen"]} 'http://localhost`;
  process.stdout.write(`Millrace agent listening on ${running.url}
  write    POST ${running.url}/v1/write/:category  (points go to ${running.target})
  health   GET  ${running.url}/v1/ping
  metrics  GET  ${running.url}/metrics
Try it:
  curl ${at}/v1/write/metric?echo=lp' --data-binary 'cpu,core=0 load=0.5'
  curl ${at}/v1/ping'
`);
  let stopping = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, async () => {
      // A second signal ends the process at once.
      if (stopping) process.exit(1);
      stopping = true;
      log.info("stopping");
      await running.close();
      process.exit(0);
    });
  }
  return undefined;
}

function configure(file: string | undefined, listen: string | undefined, dataDir: string | undefined) {
  const flags = {
    ...(listen === undefined ? {} : { "http_api.listen": listen }),
    ...(dataDir === undefined ? {} : { data_dir: dataDir }),
  };
  try {
    return loadConfig({
      ...(file === undefined ? {} : { file: { name: file, text: readFileSync(file, "utf8") } }),
      env: process.env,
      flags,
    });
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message);
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UsageError(`there is no file ${file}`);
    throw error;
  }
}
