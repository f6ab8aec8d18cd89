// Starts the intake processes (further processes that accept writes) of an agent. Chooses the folders for their queues,
// and computes the settings that they get.

import type { Server } from "node:http";
import { categories } from "../../../lib/point/index.ts";
import type { Config } from "../../config/schema.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { takeAll } from "../../telemetry/metrics-transfer.ts";
import type { Filters } from "../ingest/filters.ts";
import type { GlobalTags } from "../ingest/global-tags.ts";
import type { Sharding } from "../ingest/sharding.ts";
import { queueFolder } from "../outputs/configured-uploader.ts";
import type { Scripts } from "../scripts/script-layers.ts";
import { intakeFolder } from "./folders.ts";
import { openInnerListener } from "./inner-listener.ts";
import { type Intakes, type PausedIntakes, startIntakes } from "./intakes.ts";
import type { IntakeState } from "./protocol.ts";

export interface OpenIntakesOptions extends InForce {
  /** The configuration for one intake process. Each limit in it is the share of this one process. */
  readonly config: Config;
  /** Number of intake processes (further processes that accept writes), without the main process. */
  readonly count: number;
  readonly paused: PausedIntakes;
  readonly hostname: string;
  readonly listenHost: string;
  /** HTTP server of the main process, which answers the requests that intake processes pass on. */
  readonly server: Server;
  readonly isTls: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The settings that the intake processes apply. They may change while the processes run. */
interface InForce {
  readonly tags: GlobalTags;
  readonly sharding: Sharding | undefined;
  readonly scripts: Scripts;
  readonly filters: Filters;
  readonly clockOffset: () => bigint;
}

export async function openIntakes(options: OpenIntakesOptions): Promise<Intakes> {
  const { config, count, paused, hostname, listenHost, server, isTls, log, metrics } = options;
  const innerListener = await openInnerListener(server, isTls);
  return await startIntakes({
    paused,
    folders: Array.from({ length: count }, (_, at) => intakeFolder(queueFolder(config), at + 2)),
    setup: { config, hostname, listenHost, inner: innerListener.inner, isDebug: log.isDebug },
    state: () => stateOf(options),
    log,
    onCrash: () => metrics.workerCrashes.inc(),
    onLastStatus: ({ moved }) => takeAll(metrics.movable, moved),
    onEnd: innerListener.close,
  });
}

function stateOf({ tags, sharding, scripts, filters, clockOffset }: InForce): IntakeState {
  return {
    tags: {
      neither: tags.forWrite(false, false),
      host: tags.forWrite(false, true),
      election: tags.forWrite(true, false),
      both: tags.forWrite(true, true),
    },
    shardKeys: sharding?.keys(),
    handedOn: categories.filter((category) => category === "rum" || (filters.sources[category]?.length ?? 0) > 0),
    scripted: categories.filter((category) => scripts.hasAny(category)),
    clockOffset: clockOffset(),
  };
}
