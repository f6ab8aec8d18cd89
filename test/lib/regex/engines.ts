// Every tier of the engine, by name: what the suites hold to the same answers.

import { compile } from "../../../lib/regex/compile.ts";
import { KernelEngine } from "../../../lib/regex/kernel-engine.ts";
import { type EngineMaker, simulation, tables } from "../../../lib/regex/regex.ts";
import { loadModule } from "../wasm/load.ts";

const module = await loadModule();

export const engines: Readonly<Record<string, EngineMaker>> = {
  simulation,
  tables,
  kernel: (parsed, captures) => new KernelEngine(compile(parsed, captures), module),
};
