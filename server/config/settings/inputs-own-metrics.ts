// The settings of the targets that `millrace start` adds to the input `prometheus`: its services' own metrics.

import { type Setting, setting } from "../setting.ts";

export const ownMetricsSettings = {
  "inputs.own_metrics.enable": setting(
    "bool",
    true,
    "millrace start: ask agent, gateway and platform for their /metrics, and store them in the platform",
    { env: "ENV_INPUT_OWN_METRICS_ENABLE" },
  ),
  "inputs.own_metrics.interval": setting("duration", "15s", "time from one scrape of a service to the next"),
} as const satisfies Record<string, Setting>;
