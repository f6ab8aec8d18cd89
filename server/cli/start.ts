// `millrace start`: agent and gateway in one process.

import { parseArgs } from "node:util";
import { type RunningGateway, startGateway } from "../gateway/start.ts";
import { startAgentService } from "./agent-service.ts";
import { gatewayBanner } from "./gateway-service.ts";
import { obeySignals } from "./signals.ts";
import { startUsage } from "./usage.ts";

export async function start(args: string[]): Promise<number | undefined> {
  const { values } = parseArgs({
    args,
    options: {
      listen: { type: "string" },
      "gateway-listen": { type: "string" },
      "data-dir": { type: "string" },
      config: { type: "string" },
      sinker: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(startUsage);
    return 0;
  }
  const listen = values["gateway-listen"];
  const agent = await startAgentService({
    configFile: values.config,
    flags: {
      ...(values.listen === undefined ? {} : { "http_api.listen": values.listen }),
      ...(values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] }),
      ...(listen === undefined ? {} : { "gateway_api.listen": listen }),
      ...(values.sinker === undefined ? {} : { "sinker.file.path": values.sinker }),
    },
    debugDeadlineMs: undefined,
  });
  process.stdout.write(agent.banner);
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
            process.stdout.write(gatewayBanner(started));
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
      // The agent first: what it sends at its end may go to this gateway.
      await agent.close();
      await starting;
      await gateway?.close();
    },
  }));
  return undefined;
}
