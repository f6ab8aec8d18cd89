// `millrace agent`: runs the agent as a service.

import { parseArgs } from "node:util";
import { limitYoungGeneration } from "../../http/heap.ts";
import { print, printError } from "../terminal/print.ts";
import { agentUsage } from "../usage/services.ts";
import { UsageError } from "../usage-error.ts";
import { startAgentService } from "./agent-service.ts";
import { endAfter, endWith, runDurationMs, withPidFile } from "./run-limits.ts";
import { installSignalHandlers } from "./signals.ts";
import { tailOptions, tailSettingOf } from "./tailed-files.ts";

export async function agent(args: string[]): Promise<number | undefined> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...tailOptions,
      listen: { type: "string" },
      "data-dir": { type: "string" },
      config: { type: "string" },
      "pid-file": { type: "string" },
      "max-run-duration": { type: "string" },
      stdin: { type: "boolean" },
      stdout: { type: "string" },
      help: { type: "boolean", short: "h" },
      // For tests: time limit in milliseconds for running a script through the debug interface, in place of the usual
      // 15 seconds.
      "debug-deadline-ms": { type: "string" },
    },
  });
  if (values.help) {
    print(agentUsage);
    return 0;
  }
  if (values.source !== undefined && values.stdin !== true && values.tail === undefined)
    throw new UsageError("--source: needs --stdin or --tail");
  const runMs = runDurationMs(values["max-run-duration"]);
  const deadline = values["debug-deadline-ms"];
  const service = await startAgentService({
    configFile: values.config,
    flags: {
      ...(values.listen === undefined ? {} : { "http_api.listen": values.listen }),
      ...(values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] }),
      ...(values.stdin === true ? { "inputs.stdin.enable": true } : {}),
      ...(values.stdout === undefined ? {} : { "output.stdout": values.stdout }),
      ...(values.source === undefined ? {} : { "inputs.stdin.source": values.source }),
      ...(await tailSettingOf(values, positionals)),
    },
    debugDeadlineMs: deadline === undefined ? undefined : Number(deadline),
  });
  limitYoungGeneration();
  const obeying = withPidFile(service, values["pid-file"]);
  installSignalHandlers(() => obeying);
  endAfter(runMs);
  // The start message goes to standard error when the agent writes points to standard output.
  (service.config["output.stdout"] === "off" ? print : printError)(service.banner);
  endWith(service);
  return undefined;
}
