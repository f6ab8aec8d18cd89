// The settings for the metrics that `millrace start` collects by itself: the metrics of its services, and measurements
// of this machine, such as its processor and memory use.

import { type Setting, setting } from "../setting.ts";

export const ownMetricsSettings = {
  "inputs.own_metrics.enable": setting(
    "bool",
    true,
    "millrace start: ask agent, gateway and platform for their /metrics, and store them in the platform",
    { env: "ENV_INPUT_OWN_METRICS_ENABLE" },
  ),
  "inputs.own_metrics.interval": setting("duration", "15s", "time from one scrape of a service to the next"),
  "inputs.own_metrics.host": setting(
    "bool",
    true,
    "millrace start: also read figures of this machine, as [inputs.host] enable = true does",
    { env: "ENV_INPUT_OWN_METRICS_HOST" },
  ),
} as const satisfies Record<string, Setting>;
