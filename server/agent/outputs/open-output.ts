// Opens the output of the agent: queues whose points are uploaded to gateways, or files when no gateway is configured.

import path from "node:path";
import { reportUnwritable } from "../last-errors.ts";
import { type ConfiguredUploaderOptions, openConfiguredUploader, queueFolder } from "./configured-uploader.ts";
import { createFileOutput } from "./file-output.ts";
import type { Gateways } from "./gateways.ts";
import type { Output } from "./output.ts";

export interface OpenedOutput {
  readonly output: Output;
  /** Description of where the points go: the output folder, or the origins of the gateways. */
  readonly target: string;
}

export interface OutputOptions extends Omit<ConfiguredUploaderOptions, "gateways" | "folder"> {
  readonly gateways: Gateways | undefined;
  readonly dataDir: string;
}

export async function openOutput({ gateways, dataDir, ...options }: OutputOptions): Promise<OpenedOutput> {
  const { config, log, metrics } = options;
  if (gateways === undefined) {
    const folder = path.join(dataDir, "output");
    const output = await createFileOutput({
      folder,
      fileBytes: config["output.file_bytes"],
      totalBytes: config["output.total_bytes"],
      syncs: config["output.sync"] === "fdatasync",
      log,
      onWritten: ({ category, points }) => metrics.outputPoints.inc({ category }, points),
      onFailed: ({ category, points }) => metrics.outputLost.inc({ category }, points),
      onUnwritable: (category, error) => reportUnwritable(metrics, "output", category, error),
      onDropped: (bytes) => {
        metrics.outputDroppedFiles.inc();
        metrics.outputDroppedBytes.inc(bytes);
      },
    });
    return { output, target: folder };
  }
  const folder = queueFolder(config);
  const output = await openConfiguredUploader({ ...options, gateways, folder });
  return { output, target: gateways.all.map(({ origin }) => origin).join(", ") };
}
