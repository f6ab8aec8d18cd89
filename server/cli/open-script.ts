// A script file compiled to be looked at: with the scripts beside it, and with probes where they are wanted.

import path from "node:path";
import { type CategoryName, createMillrace, type Millrace, type Script } from "../../lib/index.ts";
import { compileWasm, lookupsOf, wallClock } from "../agent/engine.ts";
import { scriptSurroundings } from "../agent/surroundings.ts";
import { defaults } from "../config/schema.ts";
import type { DecodeLines } from "./input-points.ts";
import { scriptErrorText } from "./script-error.ts";
import { scriptsBeside } from "./script-files.ts";
import { UsageError } from "./usage-error.ts";

export interface OpenScript {
  readonly mill: Millrace;
  readonly script: Script;
  readonly sources: Readonly<Record<string, string>>;
}

/** Whether `http_request` goes out: not where a script is run over and over. */
export type Requests = "answered" | "unanswered";

export async function openMillrace(requests: Requests): Promise<Millrace> {
  const surroundings = scriptSurroundings(defaults());
  const lookups = lookupsOf(requests === "answered" ? surroundings : { ...surroundings, requests: undefined });
  return await createMillrace({ wasm: compileWasm(), clock: wallClock, ...lookups });
}

/** Throws UsageError with the script's mistake. */
export async function openScript(
  file: string,
  category: CategoryName,
  { requests, probes = false }: { readonly requests: Requests; readonly probes?: boolean },
): Promise<OpenScript> {
  const sources = scriptsBeside(file);
  const name = path.basename(file);
  const mill = await openMillrace(requests);
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
