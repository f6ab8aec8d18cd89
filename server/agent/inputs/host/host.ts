// The input `host` (docs/inputs.md#host). It turns figures of this machine into metric points, and describes the
// machine and its processes by object points. Its settings are declared in server/config/settings/inputs-host.ts, its
// metrics in server/telemetry/host-metrics.ts.

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
