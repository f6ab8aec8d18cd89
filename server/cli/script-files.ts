// The script files that a command line names.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
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

/** The script and those beside it, which it may call: texts by file name. */
export function scriptsBeside(file: string): Record<string, string> {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  const folder = path.dirname(file);
  const sources: Record<string, string> = {};
  for (const each of readdirSync(folder)) {
    if (each.endsWith(".p")) sources[each] = readFileSync(path.join(folder, each), "utf8");
  }
  sources[path.basename(file)] = readFileSync(file, "utf8");
  return sources;
}
