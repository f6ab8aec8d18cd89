// The input `prometheus` (docs/inputs.md#prometheus): asks targets for their metrics, and turns these into points. Its
// settings are declared in server/config/settings/inputs-prometheus.ts, its own metrics in
// server/telemetry/prometheus-metrics.ts.

import type { Input } from "../input.ts";
import { prometheusTextConverter } from "./converter.ts";

export const prometheusScrape: Input = {
  name: "prometheus",
  routes: [],
  converter: prometheusTextConverter,
  open: async (agent) => {
    const entries = agent.config["inputs.prometheus"];
    if (entries.length === 0) return undefined;
    const { openTargets } = await import("./open-targets.ts");
    return openTargets(entries, agent);
  },
};
