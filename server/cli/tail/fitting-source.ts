// Chooses the source of the log files that match a pattern. The source is the measurement of their points and
// also the name of the script that parses them; it is chosen by the first lines of the files.

import { readdirSync } from "node:fs";
import path from "node:path";
import { findFiles } from "../../agent/inputs/tail/find-files.ts";
import { parseFilePattern } from "../../config/file-pattern.ts";
import { tailFields } from "../../config/settings/inputs-tail.ts";
import { openMillrace } from "../pipeline/open-script.ts";
import { commandConfig } from "../read-config.ts";
import { bundledScripts, chooseScript } from "./choose-script.ts";
import { FollowedFile } from "./followed-file.ts";

/** Largest number of files whose first lines are read to choose a script for a pattern. */
const mostTried = 20;

/**
 * Returns the name of the bundled script that fits the first lines of one of the files that match the pattern.
 * When the files are empty or no script fits, returns the name of a bundled script that occurs in the pattern,
 * and if there is none, `default`.
 */
export async function fittingSource(pattern: string, config: string | undefined): Promise<string> {
  const { mill } = await openMillrace("unanswered", commandConfig(config));
  const { paths } = await findFiles(parseFilePattern(pattern));
  for (const at of paths.slice(0, mostTried)) {
    const file = await FollowedFile.open(at, 0).catch(() => undefined);
    if (file === undefined) continue;
    try {
      const chosen = await chooseScript(mill, await file.head(), at);
      if (chosen !== undefined) return chosen.name;
    } finally {
      await file.close();
    }
  }
  const names = readdirSync(bundledScripts).map((file) => path.basename(file, ".p"));
  return names.find((name) => pattern.includes(name)) ?? tailFields.source.default;
}
