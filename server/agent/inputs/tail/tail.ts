// The input `tail` (docs/inputs.md#tail): reads files while they are written, and makes logs of their lines. Its
// settings are declared in server/config/settings/inputs-tail.ts, its metrics in server/telemetry/tail-metrics.ts. The
// code that reads files is loaded only when the configuration has an entry for this input.

import type { Input } from "../input.ts";

export const tail: Input = {
  name: "tail",
  routes: [],
  open: async (agent, host) => {
    const entries = agent.config["inputs.tail"];
    if (entries.length === 0) return undefined;
    const { openTail } = await import("./tailer.ts");
    return await openTail(entries, agent, host);
  },
};
