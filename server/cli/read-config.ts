// Reads the configuration for a command from the configuration file and the environment variables.

import { readFileSync } from "node:fs";
import { ConfigError, type Loaded, loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { createLog, isLogLevel, type Log } from "../telemetry/log.ts";
import { createLogFile } from "../telemetry/log-file.ts";
import { print, printError, printErrorLine } from "./terminal/print.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Loads the configuration from a file, the environment variables and the command line. Throws ConfigError when the
 * configuration cannot be used, and UsageError when the file is missing.
 */
export function readConfig({ file, flags = {} }: { readonly file?: string; readonly flags?: Partial<Config> }): Loaded {
  return loadConfig({
    ...(file === undefined ? {} : { file: { name: file, text: textOf(file) } }),
    env: process.env,
    flags,
    readSecret: (path) => readFileSync(path, "utf8"),
  });
}

/**
 * Reads the configuration for a command that is not a service, from `--config FILE` and the environment variables.
 * Prints warnings to standard error. Throws UsageError.
 */
export function commandConfig(file: string | undefined): Config {
  try {
    const { config, warnings } = readConfig(file === undefined ? {} : { file });
    for (const warning of warnings) printErrorLine(warning);
    return config;
  } catch (error) {
    throw error instanceof UsageError ? error : new ConfigRefusal(error as Error);
  }
}

export interface Prepared extends Loaded {
  readonly log: Log;
}

/**
 * Reads the configuration of a service (agent, gateway or platform) and opens the log of the service. `check`
 * checks the conditions that only this service has, and throws an error when the configuration violates one.
 * Throws UsageError when the configuration is wrong.
 */
export function prepareService({
  configFile,
  flags,
  check,
}: {
  readonly configFile: string | undefined;
  readonly flags: Partial<Config>;
  readonly check: (config: Config) => unknown;
}): Prepared {
  try {
    const { config, warnings } = readConfig({ ...(configFile === undefined ? {} : { file: configFile }), flags });
    check(config);
    const level = config["logging.level"];
    const log = createLog(isLogLevel(level) ? level : "info", logSink(config));
    return { config, warnings, log };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new ConfigRefusal(error as Error);
  }
}

function logSink(config: Config): (line: string) => void {
  const file = config["logging.log"];
  const toStderr = (line: string) => printError(line);
  if (file === "") return toStderr;
  if (file === "stdout") return (line) => print(line);
  return createLogFile({
    file,
    maxBytes: config["logging.rotate"] * 1024 * 1024,
    backups: config["logging.rotate_backups"],
    instead: toStderr,
  });
}

/** Thrown when the configuration cannot be used. `message` contains all mistakes and warnings, one on each line. */
export class ConfigRefusal extends UsageError {
  readonly mistakes: readonly string[];
  readonly warnings: readonly string[];

  constructor(error: Error) {
    const warnings = error instanceof ConfigError ? error.warnings : [];
    super([...warnings.map((warning) => `warning: ${warning}`), error.message].join("\n"));
    this.mistakes = error.message.split("\n");
    this.warnings = warnings;
  }
}

export function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UsageError(`there is no file ${file}`);
    throw error;
  }
}
