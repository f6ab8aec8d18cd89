// The configuration as a command is given it: the file and the environment of this process.

import { readFileSync } from "node:fs";
import { type Loaded, loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { UsageError } from "./usage-error.ts";

/** Throws ConfigError when it cannot be used, UsageError when there is no such file. */
export function readConfig({ file, flags = {} }: { readonly file?: string; readonly flags?: Partial<Config> }): Loaded {
  return loadConfig({
    ...(file === undefined ? {} : { file: { name: file, text: textOf(file) } }),
    env: process.env,
    flags,
    readSecret: (path) => readFileSync(path, "utf8"),
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UsageError(`there is no file ${file}`);
    throw error;
  }
}
