// The options `--tail` and `--source` of `millrace start` and `millrace agent`: log files that the agent reads, without
// a configuration file.

import { readdirSync } from "node:fs";
import path from "node:path";
import { findFiles } from "../../agent/inputs/tail/find-files.ts";
import { parseFilePattern } from "../../config/file-pattern.ts";
import type { Config } from "../../config/schema.ts";
import { type TailSettings, tailFields } from "../../config/settings/inputs-tail.ts";
import { openMillrace } from "../pipeline/open-script.ts";
import { commandConfig } from "../read-config.ts";
import { bundledScripts, chooseScript } from "../tail/choose-script.ts";
import { FollowedFile } from "../tail/followed-file.ts";
import { UsageError } from "../usage-error.ts";

/** The options, as `parseArgs` takes them. */
export const tailOptions = {
  tail: { type: "string", multiple: true },
  source: { type: "string" },
} as const;

export interface TailValues {
  /** Paths and patterns of paths of log files. */
  readonly tail?: readonly string[] | undefined;
  /** Measurement of the logs; without it, each pattern gets the name of the script that fits its files. */
  readonly source?: string | undefined;
  readonly config?: string | undefined;
}

/** Largest number of files whose first lines are read to choose a script for a pattern. */
const mostTried = 20;

/**
 * Returns the setting `inputs.tail` with an entry for each pattern. The files are read from their start, because a user
 * who names files on the command line wants to see what they hold. `more`: arguments without an option; they are files
 * too, because the shell replaces a pattern without quotes by the files that match it.
 */
export async function tailSettingOf(values: TailValues, more: readonly string[]): Promise<Partial<Config>> {
  const { tail = [], source, config } = values;
  if (tail.length === 0) {
    if (more.length > 0) throw new UsageError(`unexpected argument ${more[0]}; log files are named by --tail`);
    return {};
  }
  const patterns = [...tail, ...more].map((each) => path.resolve(each));
  const entries: TailSettings[] = [];
  for (const pattern of patterns) {
    const name = source ?? (await fittingSource(pattern, config));
    entries.push({ ...defaultEntry(), files: [pattern], source: name, from: "start" });
  }
  return { "inputs.tail": entries };
}

function defaultEntry(): TailSettings {
  const fields = Object.entries(tailFields).map(([name, { default: value }]) => [name, value]);
  return Object.fromEntries(fields) as unknown as TailSettings;
}

/**
 * Returns the name of the bundled script that fits the first lines of a file of the pattern. When there are no lines
 * yet or no script fits them, returns the name of a bundled script that occurs in the pattern, or else `default`.
 */
async function fittingSource(pattern: string, config: string | undefined): Promise<string> {
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
