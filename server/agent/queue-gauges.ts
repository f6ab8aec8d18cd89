// The gauges of the queues. An agent has more than one queue of a category when several processes take writes, or did.

import type { Metrics } from "../http/metrics.ts";

export interface QueueLook {
  readonly category: string;
  /** On disk. */
  readonly bytes: number;
  readonly files: number;
  readonly gateways: readonly GatewayLook[];
}

interface GatewayLook {
  readonly gateway: string;
  /** That wait to be sent there. */
  readonly points: number;
  /** When the oldest of them came, milliseconds since 1970; 0 = there is none. */
  readonly oldest: number;
}

export function showQueues(
  { queueSize, queueFiles, queuePoints, queueOldest }: Metrics,
  looks: readonly QueueLook[],
): void {
  for (const gauge of [queueSize, queueFiles, queuePoints, queueOldest]) gauge.reset();
  const oldest = new Map<string, GatewayLook & { readonly category: string }>();
  for (const { category, bytes, files, gateways } of looks) {
    queueSize.inc({ path: category }, bytes);
    queueFiles.inc({ path: category }, files);
    for (const look of gateways) {
      queuePoints.inc({ category, gateway: look.gateway }, look.points);
      const key = `${category} ${look.gateway}`;
      const known = oldest.get(key);
      if (known === undefined || known.oldest === 0 || (look.oldest !== 0 && look.oldest < known.oldest)) {
        oldest.set(key, { category, ...look });
      }
    }
  }
  for (const { category, gateway, oldest: at } of oldest.values()) {
    queueOldest.set({ category, gateway }, at === 0 ? 0 : Math.max(0, (Date.now() - at) / 1000));
  }
}
