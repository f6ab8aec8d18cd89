// The script files that a command line names.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { CategoryName } from "../../lib/index.ts";
import { UsageError } from "./usage-error.ts";

/** The files named, and of folders all below them whose names fit, in order. */
export function filesNamed(places: readonly string[], fits: (name: string) => boolean): string[] {
  return places.flatMap((place) => {
    if (!existsSync(place)) throw new UsageError(`there is no file ${place}`);
    if (!statSync(place).isDirectory()) return [place];
    return readdirSync(place, { recursive: true, encoding: "utf8" })
      .filter((name) => fits(name) && !name.split(path.sep).includes("node_modules"))
      .sort()
      .map((name) => path.join(place, name));
  });
}

/** A path, or a name among the scripts of the data folder and the ready ones. */
export function scriptFile(name: string, category: CategoryName, dataDir: string): string | undefined {
  const ready = fileURLToPath(new URL("../pipelines/", import.meta.url));
  const places = [
    "",
    path.join(dataDir, "pipeline", category),
    ...(category === "logging" ? [path.join(dataDir, "pipeline")] : []),
    path.join(ready, category),
  ];
  return places.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/** The script and those beside it, which it may call: texts by file name. */
export function scriptsBeside(file: string): Record<string, string> {
  const folder = path.dirname(file);
  const sources: Record<string, string> = {};
  for (const each of readdirSync(folder)) {
    if (each.endsWith(".p")) sources[each] = readFileSync(path.join(folder, each), "utf8");
  }
  sources[path.basename(file)] = readFileSync(file, "utf8");
  return sources;
}
