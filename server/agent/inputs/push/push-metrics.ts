// Shows in the metrics which of the protocols in pushes.ts the configuration switches on, and their paths.

import type { Input } from "../input.ts";
import { isOn, type Push } from "./push.ts";

/**
 * Returns the function `open` of an input that only receives requests. This function opens nothing and only sets the
 * metric.
 */
export function noteInMetrics(push: Push): NonNullable<Input["open"]> {
  return async ({ config, metrics }) => {
    for (const path of push.paths) {
      const labels = { input: push.name, path };
      // Before a reload of the configuration, the protocol may have been on and may have set the metric. So the metric
      // is removed when the protocol is off.
      if (isOn(push, config)) metrics.pushOn.set(labels, 1);
      else metrics.pushOn.remove(labels);
    }
    return undefined;
  };
}
