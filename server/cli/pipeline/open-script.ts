// Compiles a script file for the command line, together with the scripts beside it. The script gets the environment
// that the configuration describes (tables, time zone). When a command measures the script, the compiled script also
// counts and times its statements.

import path from "node:path";
import {
  type CategoryName,
  type CompileScriptsOptions,
  createMillrace,
  type Millrace,
  type Script,
} from "../../../lib/index.ts";
import { lookupsOf } from "../../agent/create-engine.ts";
import { compileWasm, wallClock } from "../../agent/engine.ts";
import { scriptEnvironment } from "../../agent/scripts/script-environment.ts";
import type { Config } from "../../config/schema.ts";
import { type CommandPatterns, type PatternChoice, patternsFor } from "../pattern-files.ts";
import { scriptFile, scriptsBeside } from "../script-files.ts";
import { printErrorLine } from "../terminal/print.ts";
import { UsageError } from "../usage-error.ts";
import type { DecodeLines } from "./input-points.ts";
import { scriptErrorText } from "./script-error.ts";
import { tablesOnce } from "./tables-once.ts";

/** Whether the script function `http_request` sends requests. Commands that run a script many times send none. */
export type Requests = "answered" | "unanswered";

export interface OpenMillrace {
  readonly mill: Millrace;
  /** Waits until the reference tables that the script uses are loaded. Must be called before the script is run. */
  ready(script: Script): Promise<void>;
}

export interface OpenScript extends OpenMillrace {
  readonly script: Script;
  readonly sources: Readonly<Record<string, string>>;
  /** The compiler options with which the script was compiled. */
  readonly options: CommandPatterns["options"];
}

export async function openMillrace(requests: Requests, config: Config): Promise<OpenMillrace> {
  const environment = scriptEnvironment(config);
  const warn = (message: string) => printErrorLine(message);
  const lookups = lookupsOf(requests === "answered" ? environment : { ...environment, requests: undefined }, warn);
  const tables = tablesOnce(config);
  const mill = await createMillrace({
    wasm: compileWasm(),
    clock: wallClock,
    referTables: tables.lookup,
    ...lookups,
  });
  return { mill, ready: (script) => tables.loadFor(script, warn) };
}

export interface Opening {
  readonly requests: Requests;
  readonly config: Config;
  readonly probes?: boolean;
  readonly choice: PatternChoice;
}

/**
 * Opens a script by its path or its name, and prints problems of its pattern files to standard error. Throws UsageError
 * when there is no such script, or when the script has a mistake.
 */
export async function openScript(
  named: string,
  category: CategoryName,
  { requests, config, probes = false, choice }: Opening,
): Promise<OpenScript> {
  const file = scriptFile(named, category, config.data_dir);
  if (file === undefined) throw new UsageError(`there is no file ${named}`);
  const sources = scriptsBeside(file);
  const name = path.basename(file);
  const { options, problems, warnings } = patternsFor(path.dirname(file), choice, config);
  for (const line of [...problems, ...warnings]) printErrorLine(line);
  const opened = await openMillrace(requests, config);
  const script = compiled(opened.mill, name, sources, { category, probes, ...options });
  await opened.ready(script);
  return { ...opened, script, sources, options };
}

/**
 * Compiles scripts that may call one another, and returns the script called `name`. Throws UsageError when this script
 * has a mistake.
 */
export function compiled(
  mill: Millrace,
  name: string,
  sources: Readonly<Record<string, string>>,
  options: CompileScriptsOptions,
): Script {
  const { scripts, errors } = mill.compile(sources, options);
  const error = errors.get(name);
  if (error !== undefined) throw new UsageError(scriptErrorText(error, sources));
  return scripts.get(name)!;
}

export function decodeWith(mill: Millrace): DecodeLines {
  return (body, category) => mill.decodeInWindows(body, { category, form: "lp", now: wallClock() });
}
