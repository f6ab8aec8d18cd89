// Builds the command-line options with which journalctl is started.

import type { Config } from "../../../config/schema.ts";

/** Returns the options of journalctl that select the entries and the output format. */
export function argumentsOf(config: Config): string[] {
  const directory = config["inputs.journald.directory"];
  return [
    "--output=export",
    "--no-pager",
    "--quiet",
    `--priority=${config["inputs.journald.priority"]}`,
    ...config["inputs.journald.units"].map((unit) => `--unit=${unit}`),
    ...(directory === "" ? [] : [`--directory=${directory}`]),
  ];
}

/**
 * Returns the options that set where reading begins. Without `--no-tail`, journalctl would begin ten entries before the
 * end of the journal.
 */
export function followFrom(cursor: string): string[] {
  return cursor === "" ? ["--no-tail"] : ["--no-tail", `--after-cursor=${cursor}`];
}
