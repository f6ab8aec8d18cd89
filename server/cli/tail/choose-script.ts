// Chooses the bundled script that fits a log file best: the script that parses the most lines of the file. When
// several scripts parse equally many lines, a script whose name occurs in the path of the file is preferred, and
// otherwise the script that finds the most values.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Millrace, Point, Script } from "../../../lib/index.ts";
import { logOf } from "../pipeline/input-points.ts";

/** The folder of the bundled scripts. */
export const bundledScripts = fileURLToPath(new URL("../../pipelines/logging/", import.meta.url));
/** Number of lines of the log file on which each script is tried. */
const mostLines = 50;
/**
 * The scripts for log formats that many programs use. When such a script and a script for a single program fit
 * the lines equally well, the script for many programs is chosen.
 */
const general = ["syslog.p", "java.p", "logfmt.p", "json.p"];
/**
 * Names of fields that are not counted as found values. Some of these fields occur in every log; the others
 * contain the part of a line that was not parsed. So they do not show that a script fits.
 */
const given = new Set(["message", "status", "msg", "reason"]);
/**
 * The number of values (such as the time, the status or a field) that a script must find in a line at least.
 * With fewer values, the script does not fit the line.
 */
const leastFound = 2;

export interface Chosen {
  readonly script: Script;
  /** Name of the tried script without `.p`. */
  readonly name: string;
  /** `fits`: the number of lines that the script fits. `tried`: the number of lines on which the script was tried. */
  readonly fits: number;
  readonly tried: number;
}

/**
 * Chooses the script that fits the most lines of a log file. Of two scripts that fit equally many lines, chooses the
 * one whose name occurs in the path `file`. Returns undefined when no script fits at least half of the lines.
 */
export async function chooseScript(
  mill: Millrace,
  lines: readonly string[],
  file: string,
): Promise<Chosen | undefined> {
  const tried = lines.filter((line) => line.trim() !== "").slice(0, mostLines);
  if (tried.length === 0) return undefined;
  const names = readdirSync(bundledScripts).filter((name) => name.endsWith(".p"));
  const sources = Object.fromEntries(
    names.map((name) => [name, readFileSync(path.join(bundledScripts, name), "utf8")]),
  );
  const { scripts } = mill.compile(sources, { category: "logging" });
  const rated = [];
  for (const [name, script] of scripts) rated.push({ name, script, ...(await rate(mill, script, tried)) });
  const named = (name: string) => Number(file.toLowerCase().includes(name.slice(0, -2)));
  rated.sort(
    (a, b) =>
      b.fits - a.fits ||
      named(b.name) - named(a.name) ||
      b.found - a.found ||
      Number(general.includes(b.name)) - Number(general.includes(a.name)) ||
      Number(b.name === "nginx.p") - Number(a.name === "nginx.p") ||
      (a.name < b.name ? -1 : 1),
  );
  const best = rated[0];
  if (best === undefined || 2 * best.fits < tried.length) return undefined;
  return { script: best.script, name: best.name.slice(0, -2), fits: best.fits, tried: tried.length };
}

/** Returns how many lines the script fits, and how many values it finds in all of these lines together. */
async function rate(
  mill: Millrace,
  script: Script,
  lines: readonly string[],
): Promise<{ fits: number; found: number }> {
  let [fits, all] = [0, 0];
  for (const line of lines) {
    const point = logOf(line);
    const { time } = point;
    const { error, dropped } = await mill.runWaiting(script, point, { category: "logging" });
    const found = error === null && !dropped ? foundIn(point, time) : 0;
    if (found < leastFound) continue;
    all += found;
    fits++;
  }
  return { fits, found: all };
}

/**
 * Returns the number of values that a script has found in a point. `before`: the time of the point before the
 * script ran; a different time now counts as a found value.
 */
function foundIn(point: Point, before: bigint): number {
  let found = point.time === before ? 0 : 1;
  for (const { key, value } of point.entries()) {
    // A script sets the field `pl_msg` when it found a text in place of the time and could not parse this text.
    if (key === "pl_msg") return 0;
    if (!given.has(key) || (key === "status" && value !== "unknown")) found++;
  }
  return found;
}
