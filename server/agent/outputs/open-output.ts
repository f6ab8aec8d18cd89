// Opens the output of the agent: queues whose points are uploaded to gateways, or files when no gateway is configured.
// Standard output, when configured, is used in place of files or in addition to the queues.

import path from "node:path";
import { reportUnwritable } from "../last-errors.ts";
import type { BatchForm } from "./batch.ts";
import {
  type ConfiguredUploaderOptions,
  openConfiguredUploader,
  queueFolder,
  uploadForm,
} from "./configured-uploader.ts";
import { createFileOutput } from "./file-output.ts";
import type { Gateways } from "./gateways.ts";
import type { Output } from "./output.ts";
import { besideStdout, createStdoutOutput, type StdoutForm } from "./stdout-output.ts";

export interface OpenedOutput {
  readonly output: Output;
  /** Description of where the points go: the output folder, or the origins of the gateways. */
  readonly target: string;
}

export interface OutputOptions extends Omit<ConfiguredUploaderOptions, "gateways" | "folder"> {
  readonly gateways: Gateways | undefined;
  readonly dataDir: string;
  readonly wasm: WebAssembly.Module;
}

export async function openOutput({ gateways, dataDir, wasm, ...options }: OutputOptions): Promise<OpenedOutput> {
  const { config, log, metrics } = options;
  const stdout = await openStdout(gateways === undefined ? "lp" : uploadForm(config), wasm, options);
  if (gateways === undefined && stdout !== undefined) return { output: stdout, target: "standard output" };
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
  const uploader = await openConfiguredUploader({ ...options, gateways, folder });
  const onFailed = (error: Error) => log.warn(`output: ${error.message}; the points are in the queue`);
  const output = stdout === undefined ? uploader : besideStdout(uploader, stdout, onFailed);
  return { output, target: gateways.all.map(({ origin }) => origin).join(", ") };
}

/** Opens standard output as an output. Returns undefined when the configuration does not switch it on. */
async function openStdout(
  batchForm: BatchForm,
  wasm: WebAssembly.Module,
  { config, metrics }: Pick<OutputOptions, "config" | "metrics">,
): Promise<Output | undefined> {
  const form = config["output.stdout"];
  if (form === "off") return undefined;
  const { createEngine } = await import("../create-engine.ts");
  return createStdoutOutput({
    stream: process.stdout,
    form: form as StdoutForm,
    batchForm,
    engine: await createEngine(wasm, { maxSteps: 0 }),
    onWritten: ({ category, points }) => metrics.outputPoints.inc({ category }, points),
  });
}
