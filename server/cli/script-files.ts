// Finds and reads the script files that are named on the command line.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { CategoryName } from "../../lib/index.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Returns the files that the command line names, in the order of the command line. A folder stands for all files below
 * it whose names have the right extension. Throws UsageError when a file is missing.
 */
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

/**
 * Returns the path of a script. `name` is a path, or the name of a script in the data folder, or the name of a built-in
 * script.
 */
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

/** Returns the source code of a script and of the scripts beside it (which it may call), by file name. */
export function scriptsBeside(file: string): Record<string, string> {
  const folder = path.dirname(file);
  const sources: Record<string, string> = {};
  for (const each of readdirSync(folder)) {
    if (each.endsWith(".p")) sources[each] = readFileSync(path.join(folder, each), "utf8");
  }
  sources[path.basename(file)] = readFileSync(file, "utf8");
  return sources;
}
