// Opens the output of an agent: the gateways with their queues, or output files when no gateway is configured.

import { openOrphanedQueues } from "../intake/orphaned-queues.ts";
import type { BatchForm } from "../outputs/batch.ts";
import { uploadForm } from "../outputs/configured-uploader.ts";
import { type Gateways, openConfiguredGateways } from "../outputs/gateways.ts";
import { openOutput } from "../outputs/open-output.ts";
import type { Output } from "../outputs/output.ts";
import { createSpareTime, type SpareTime, threadUtilization } from "../spare-time.ts";
import type { Base } from "./base.ts";

export interface Outputs {
  /** The gateways that points are sent to; undefined when the agent writes points to files. */
  readonly gateways: Gateways | undefined;
  readonly output: Output;
  /** Description of where the points go: a folder, or the hosts of the gateways. */
  readonly target: string;
  readonly orphanedQueues: readonly Output[];
  readonly spareTime: SpareTime;
  /** Largest size in bytes of a batch (encoded points); 0 = no limit. */
  readonly batchBytes: number;
  readonly batchForm: BatchForm;
}

export async function openOutputs({
  config,
  processes,
  dataDir,
  hostname,
  wasm,
  log,
  metrics,
  atClose,
}: Base): Promise<Outputs> {
  const gateways = await openConfiguredGateways(config);
  atClose(() => gateways?.close());
  const spareTime = createSpareTime({ now: () => performance.now(), utilization: threadUtilization() });
  const upload = { config, gateways, spareTime, host: hostname, log, metrics };
  const { output, target } = await openOutput({ ...upload, dataDir, wasm });
  metrics.outputInfo.set({ target }, 1);
  atClose(() => output.close());
  const orphanedQueues = await openOrphanedQueues(processes, upload);
  for (const each of orphanedQueues) atClose(() => each.close());
  return {
    gateways,
    output,
    target,
    orphanedQueues,
    spareTime,
    batchBytes: gateways !== undefined ? config["gateway.max_raw_body_size"] : 0,
    // Without a gateway, the wire format of the output is always line protocol. Output files hold line protocol, and
    // the output to standard output converts line protocol to its own format. The wire format that is configured
    // applies only to uploads.
    batchForm: gateways !== undefined ? uploadForm(config) : "lp",
  };
}
