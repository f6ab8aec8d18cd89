// The input `stdin` (docs/inputs.md#standard-input): the lines of standard input become logs. Its settings are declared
// in server/config/settings/inputs-stdin.ts.

import type { Input } from "../input.ts";

export const stdin: Input = {
  name: "stdin",
  routes: [],
  open: async (agent, host) => {
    if (!agent.config["inputs.stdin.enable"]) return undefined;
    const { openStdin } = await import("./reader.ts");
    return openStdin(agent, host, process.stdin);
  },
};
