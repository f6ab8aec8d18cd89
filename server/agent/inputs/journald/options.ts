// The options of journalctl.

import type { Config } from "../../../config/schema.ts";

/** Returns the options that say which entries are shown, and in which form. */
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

/** Returns the options that say where to begin. Without `--no-tail`, only ten entries before the end are shown. */
export function followFrom(cursor: string): string[] {
  return cursor === "" ? ["--no-tail"] : ["--no-tail", `--after-cursor=${cursor}`];
}
