// Handles the options `--tail` and `--source` of `millrace start` and `millrace agent`. With `--tail`, a user
// names log files for the agent to read, without a configuration file.

import path from "node:path";
import { shownText } from "../../../lib/text/index.ts";
import type { Config } from "../../config/schema.ts";
import { defaultEntry } from "../../config/setting.ts";
import { type TailSettings, tailFields } from "../../config/settings/inputs-tail.ts";
import { printErrorLine } from "../terminal/print.ts";
import { UsageError } from "../usage-error.ts";

/** The options `--tail` and `--source`, in the form that Node's `parseArgs` takes. */
export const tailOptions = {
  tail: { type: "string", multiple: true },
  source: { type: "string" },
} as const;

export interface TailValues {
  /** Paths and patterns of paths of log files. */
  readonly tail?: readonly string[] | undefined;
  /**
   * The measurement of the points that are made of the logs. Without this option, the measurement is chosen for
   * the files of each pattern: it is the name of the script that fits their lines.
   */
  readonly source?: string | undefined;
  readonly config?: string | undefined;
}

/**
 * Returns the setting `inputs.tail` with one entry for each path or pattern. The files are read from their
 * start, because a user who names files on the command line wants to see what they contain. Prints the source
 * that was chosen for each pattern. `more`: the arguments without an option. These arguments are log files too,
 * because the shell replaces an unquoted pattern by the names of the files that match it.
 */
export async function tailSettingOf(values: TailValues, more: readonly string[]): Promise<Partial<Config>> {
  const { tail = [], source, config } = values;
  if (tail.length === 0) {
    if (more.length > 0) throw new UsageError(`unexpected argument ${more[0]}; log files are named by --tail`);
    return {};
  }
  // The code that tries scripts is loaded only when files are named on the command line, because loading it would
  // lengthen the start of every agent.
  const fitting = async (pattern: string) => {
    const { fittingSource } = await import("../tail/fitting-source.ts");
    return await fittingSource(pattern, config);
  };
  const patterns = [...tail, ...more].map((each) => path.resolve(each));
  const entries: TailSettings[] = [];
  for (const pattern of patterns) {
    entries.push({
      ...defaultEntry(tailFields),
      files: [pattern],
      source: source ?? (await fitting(pattern)),
      from: "start",
    });
  }
  if (source === undefined) for (const line of choicesOf(entries)) printErrorLine(line);
  return { "inputs.tail": entries };
}

/**
 * Returns one line of text for each chosen source, with the first pattern that has this source and the number of
 * further patterns that have it. The line of the source `default`, for which there is no script, also says how
 * to name another source.
 */
export function choicesOf(entries: readonly Pick<TailSettings, "files" | "source">[]): string[] {
  const bySource = new Map<string, string[]>();
  for (const { files, source } of entries) bySource.set(source, [...(bySource.get(source) ?? []), ...files]);
  return [...bySource].map(([source, [first = "", ...others]]) => {
    const hint = source === tailFields.source.default ? " (no bundled script fits; name one with --source)" : "";
    return `tail: ${shownText(first)}${others.length > 0 ? ` and ${others.length} more` : ""}: source ${source}${hint}`;
  });
}
