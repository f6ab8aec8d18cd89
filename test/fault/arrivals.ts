// Counts the log lines that have arrived at a gateway. The message of a line begins with a word and a number.

import type { RecordingGateway } from "../server/support/recording-gateway.ts";

/**
 * Counts how often each line has arrived at the gateway. Uploads with the same id count once: a retry has the id of the
 * first attempt, so that receivers can ignore it.
 */
export class Arrivals {
  private readonly gateway: RecordingGateway;
  private readonly counts = new Map<string, number>();
  private readonly ids = new Set<string>();
  private counted = 0;

  constructor(gateway: RecordingGateway) {
    this.gateway = gateway;
  }

  all(): ReadonlyMap<string, number> {
    const { taken } = this.gateway;
    for (; this.counted < taken.length; this.counted++) {
      const { headers, body } = taken[this.counted]!;
      const id = String(headers["x-pkg-id"]);
      if (this.ids.has(id)) continue;
      this.ids.add(id);
      for (const [, line] of body.toString().matchAll(/message="(\w+ \d+) /g)) {
        this.counts.set(line!, (this.counts.get(line!) ?? 0) + 1);
      }
    }
    return this.counts;
  }

  get repeated(): number {
    return [...this.all().values()].reduce((sum, count) => sum + count - 1, 0);
  }
}
