// Shows in the metrics which protocols the configuration switches on, and at which paths.

import type { Input } from "../input.ts";
import { isOn, type Push } from "./push.ts";

/** Returns the function `open` of an input that waits for pushes: it opens nothing and sets the metric. */
export function noteInMetrics(push: Push): NonNullable<Input["open"]> {
  return async ({ config, metrics }) => {
    for (const path of push.paths) {
      const labels = { input: push.name, path };
      // A configuration of before may have switched the protocol on.
      if (isOn(push, config)) metrics.pushOn.set(labels, 1);
      else metrics.pushOn.remove(labels);
    }
    return undefined;
  };
}
