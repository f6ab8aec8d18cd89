// `millrace platform`: runs the platform, which stores points and answers queries, or one of the commands that maintain
// its store (platform/).

import { parseArgs } from "node:util";
import { isVerb } from "./platform/verbs.ts";
import { runPlatform } from "./services/platform-service.ts";
import { print } from "./terminal/print.ts";
import { platformUsage } from "./usage/services.ts";

export async function platform(args: string[]): Promise<number | undefined> {
  if (isVerb(args[0])) return await (await import("./platform/run-verb.ts")).runVerb(args[0], args.slice(1));
  const { values } = parseArgs({
    args,
    options: {
      listen: { type: "string" },
      "data-dir": { type: "string" },
      config: { type: "string" },
      seed: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    print(platformUsage);
    return 0;
  }
  return await runPlatform({
    configFile: values.config,
    seedFile: values.seed,
    flags: {
      ...(values.listen === undefined ? {} : { "platform.listen": values.listen }),
      ...(values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] }),
    },
  });
}
