// Finds the folders of a platform's points store from the configuration, and formats lines of output that several store
// commands print.

import { existsSync } from "node:fs";
import path from "node:path";
import { sqliteFile } from "../../platform/metadata/database.ts";
import { platformFolder } from "../../platform/start.ts";
import type { StoreReport } from "../../store/segments/care/check.ts";
import { readConfig } from "../read-config.ts";
import { counted } from "../terminal/counted.ts";
import { printError, printLine } from "../terminal/print.ts";
import { UsageError } from "../usage-error.ts";

export interface Place {
  /** The platform's folder in the data folder. A running platform locks this folder. */
  readonly folder: string;
  /** The folder that contains the points store. */
  readonly points: string;
  /** Names of the files in the platform's folder that a backup includes. */
  readonly files: readonly string[];
}

/** The command line options that all store commands have. */
export const placeOptions = {
  "data-dir": { type: "string" },
  config: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

/** Returns the folders of the store. Throws UsageError when the points are stored in ClickHouse. */
export function placeOf(values: { readonly "data-dir"?: string; readonly config?: string }): Place {
  const { config } = readConfig({
    ...(values.config === undefined ? {} : { file: values.config }),
    flags: values["data-dir"] === undefined ? {} : { data_dir: values["data-dir"] },
  });
  if (config["platform.store.url"] !== "")
    throw new UsageError("platform.store.url names a ClickHouse, which keeps the points: use its own tools");
  const folder = platformFolder(config);
  const files = config["store.url"] === "" ? [sqliteFile, "token"] : ["token"];
  return { folder, points: path.join(folder, "points"), files };
}

/**
 * Returns the folders of an existing store. Throws UsageError when there is no store, or when the points are stored in
 * ClickHouse.
 */
export function placeOfStore(values: Parameters<typeof placeOf>[0]): Place {
  const place = placeOf(values);
  if (!existsSync(place.points))
    throw new UsageError(`there is no points store in ${place.folder}; name its folder with --data-dir`);
  return place;
}

export function printFindings({ findings }: StoreReport): void {
  for (const { file, reason, points } of findings) printLine(`${file}: ${reason} (${counted(points, "point")})`);
}

/** Returns a summary such as `2 segments with 31000 points in 1.2 MB, 10 points in the log`. */
export function summary({
  segments,
  points,
  bytes,
  logPoints,
}: Pick<StoreReport, "segments" | "points" | "bytes" | "logPoints">): string {
  return `${counted(segments, "segment")} with ${counted(points, "point")} in ${sizeText(bytes)}, ${counted(logPoints, "point")} in the log`;
}

export function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** Returns a function that prints the progress to standard error each time another 10 % of the work is done. */
export function progress(what: string): (done: number, all: number) => void {
  let reported = 0;
  return (done, all) => {
    const tenths = all === 0 ? 10 : Math.floor((10 * done) / all);
    if (tenths <= reported) return;
    reported = tenths;
    printError(`${what} ${tenths * 10}%\n`);
  };
}
