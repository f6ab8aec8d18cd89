// The input `statsd` (docs/inputs.md#statsd): turns the counters, gauges, sets and timings that programs send into
// metric points. Its settings are declared in server/config/settings/inputs-statsd.ts, its own metrics in
// server/telemetry/statsd-metrics.ts.

import type { Input } from "../input.ts";

export const statsd: Input = {
  name: "statsd",
  routes: [],
  open: async (agent, host) => {
    if (agent.config["inputs.statsd.listen"].length === 0) return undefined;
    const { openStatsd } = await import("./open-statsd.ts");
    return await openStatsd(agent, host);
  },
};
