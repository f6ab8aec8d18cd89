// Where the points of an agent go as it is configured: to its gateways, or without one into files.

import path from "node:path";
import type { Config } from "../config/schema.ts";
import type { Log } from "../http/log.ts";
import type { Metrics } from "../http/metrics.ts";
import { openConfiguredUploader, queueFolder } from "./configured-uploader.ts";
import type { Gateways } from "./gateways.ts";
import type { Outlet } from "./outlet.ts";
import { createFileOutput } from "./output.ts";

export interface OpenedOutlet {
  readonly outlet: Outlet;
  /** A folder, or the hosts of the gateways. */
  readonly target: string;
}

export async function openOutlet(
  config: Config,
  gateways: Gateways | undefined,
  dataDir: string,
  host: string,
  log: Log,
  metrics: Metrics,
): Promise<OpenedOutlet> {
  if (gateways === undefined) {
    const folder = path.join(dataDir, "output");
    const outlet = await createFileOutput({
      folder,
      fileBytes: config["output.file_bytes"],
      totalBytes: config["output.total_bytes"],
      log,
      onWritten: ({ category, points }) => metrics.outputPoints.inc({ category }, points),
      onLost: ({ category, points }) => metrics.outputLost.inc({ category }, points),
      onDropped: (bytes) => {
        metrics.outputDroppedFiles.inc();
        metrics.outputDroppedBytes.inc(bytes);
      },
    });
    return { outlet, target: folder };
  }
  const folder = queueFolder(config);
  const outlet = await openConfiguredUploader({ config, gateways, folder, host, log, metrics });
  return { outlet, target: gateways.all.map(({ origin }) => origin).join(", ") };
}
