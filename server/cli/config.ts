// `millrace config check` and `millrace config init`.

import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ConfigError } from "../config/load.ts";
import { configTemplate } from "../config/template.ts";
import { counted } from "./counted.ts";
import { readConfig } from "./read-config.ts";
import { configUsage } from "./usage/tools.ts";
import { UsageError } from "./usage-error.ts";

/** Gives the exit code. */
export function config(args: string[]): number {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    process.stdout.write(configUsage);
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
    for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
    process.stdout.write(
      `${file}: good${warnings.length === 0 ? "" : `, with ${counted(warnings.length, "warning")}`}\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const warning of error.warnings) process.stdout.write(`warning: ${warning}\n`);
    for (const line of error.message.split("\n")) process.stdout.write(`error: ${line}\n`);
    return 1;
  }
}

function init(file: string | undefined): number {
  if (file === undefined) process.stdout.write(configTemplate());
  else {
    if (existsSync(file)) throw new UsageError(`${file} is there already`);
    writeFileSync(file, configTemplate(), { mode: 0o600 });
    process.stdout.write(`${file} written: every setting with its default\n`);
  }
  return 0;
}
