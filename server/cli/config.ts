// `millrace config check` checks a configuration file. `millrace config init` writes a new one.

import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ConfigError } from "../config/load.ts";
import { configTemplate } from "../config/template.ts";
import { readConfig } from "./read-config.ts";
import { counted } from "./terminal/counted.ts";
import { print, printLine } from "./terminal/print.ts";
import { configUsage } from "./usage/tools.ts";
import { UsageError } from "./usage-error.ts";

/** Runs `millrace config` and returns its exit code. */
export function config(args: string[]): number {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    print(configUsage);
    return 0;
  }
  const [verb, file, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(configUsage);
  switch (verb) {
    case "check":
      if (file === undefined) throw new UsageError("name the file: millrace config check agent.toml");
      return check(file);
    case "init":
      return init(file);
    default:
      throw new UsageError(configUsage);
  }
}

function check(file: string): number {
  try {
    const { warnings } = readConfig({ file });
    for (const warning of warnings) printLine(`warning: ${warning}`);
    printLine(`${file}: good${warnings.length === 0 ? "" : `, with ${counted(warnings.length, "warning")}`}`);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const warning of error.warnings) printLine(`warning: ${warning}`);
    for (const line of error.message.split("\n")) printLine(`error: ${line}`);
    return 1;
  }
}

function init(file: string | undefined): number {
  if (file === undefined) print(configTemplate());
  else {
    if (existsSync(file)) throw new UsageError(`${file} is there already`);
    writeFileSync(file, configTemplate(), { mode: 0o600 });
    printLine(`${file} written: every setting with its default`);
  }
  return 0;
}
