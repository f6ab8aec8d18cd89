// The components of a running gateway that its routes use.

import type { Config } from "../config/schema.ts";
import type { InflightBudget } from "../http/body/inflight.ts";
import type { Log } from "../telemetry/log.ts";
import type { Forwarder } from "./forward.ts";
import type { GatewayMetrics } from "./metrics.ts";
import type { Sinker } from "./sinker.ts";
import type { Tagging } from "./tagging.ts";
import type { Targets } from "./targets.ts";

export interface Gateway {
  readonly config: Config;
  readonly hostname: string;
  readonly startedAt: bigint;
  readonly sinker: Sinker;
  readonly targets: Targets;
  readonly forwarder: Forwarder;
  /**
   * The component that generates the routing header X-Global-Tags; undefined when no rules for this header are
   * configured.
   */
  readonly tagging: Tagging | undefined;
  readonly budget: InflightBudget;
  readonly metrics: GatewayMetrics;
  readonly log: Log;
}
