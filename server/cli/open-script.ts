// A script file compiled to be looked at: with the scripts beside it, and with probes where they are wanted.

import path from "node:path";
import { type CategoryName, createMillrace, type Millrace, type Script } from "../../lib/index.ts";
import { compileWasm, wallClock } from "../agent/engine.ts";
import type { DecodeLines } from "./input-points.ts";
import { scriptErrorText } from "./script-error.ts";
import { scriptsBeside } from "./script-files.ts";
import { UsageError } from "./usage-error.ts";

export interface OpenScript {
  readonly mill: Millrace;
  readonly script: Script;
  readonly sources: Readonly<Record<string, string>>;
}

/** Throws UsageError with the script's mistake. */
export async function openScript(file: string, category: CategoryName, probes = false): Promise<OpenScript> {
  const sources = scriptsBeside(file);
  const name = path.basename(file);
  const mill = await createMillrace({ wasm: compileWasm(), clock: wallClock });
  return { mill, script: compiled(mill, name, sources, category, probes), sources };
}

/** Throws UsageError with the script's mistake. */
export function compiled(
  mill: Millrace,
  name: string,
  sources: Readonly<Record<string, string>>,
  category: CategoryName,
  probes = false,
): Script {
  const { scripts, errors } = mill.compile(sources, { category, probes });
  const error = errors.get(name);
  if (error !== undefined) throw new UsageError(scriptErrorText(error, sources));
  return scripts.get(name)!;
}

export function decodeWith(mill: Millrace): DecodeLines {
  return (body, category) => mill.decodePoints(body, { category, form: "lp", now: wallClock() });
}
