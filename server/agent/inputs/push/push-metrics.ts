// Shows in the metrics which of the protocols in pushes.ts the configuration switches on, and their paths.

import type { Input } from "../input.ts";
import { isOn, type Push } from "./push.ts";

/**
 * Returns the function `open` for an input that only receives requests. The returned function opens nothing; it only
 * shows in the metrics which paths of the protocol are switched on.
 */
export function noteInMetrics(push: Push): NonNullable<Input["open"]> {
  return async ({ config, metrics }) => {
    for (const path of push.paths) {
      const labels = { input: push.name, path };
      // Before a reload of the configuration, the protocol may have been on, and the metric was set then. So the metric
      // is removed when the protocol is off now.
      if (isOn(push, config)) metrics.pushOn.set(labels, 1);
      else metrics.pushOn.remove(labels);
    }
    return undefined;
  };
}
