// The input `host` (docs/inputs.md#host). It writes measured values of this machine (such as its use of
// processors and memory) as metric points, and describes the machine and its processes by points of the category
// `object`. Its settings are declared in server/config/settings/inputs-host.ts, its metrics in
// server/telemetry/host-metrics.ts.

import type { Input } from "../input.ts";

export const host: Input = {
  name: "host",
  routes: [],
  open: async (agent) => {
    if (!agent.config["inputs.host.enable"]) return undefined;
    const { openHost } = await import("./open-host.ts");
    return openHost(agent);
  },
};
