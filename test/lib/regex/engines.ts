// Every tier of the engine, by name: what the suites hold to the same answers.

import type { Engine } from "../../../lib/regex/engine.ts";
import { kernel, simulation, tables } from "../../../lib/regex/regex.ts";
import type { Parsed } from "../../../lib/regex/syntax.ts";
import { loadModule } from "../wasm/load.ts";

export type EngineMaker = (parsed: Parsed) => Engine;

export const engines: Readonly<Record<string, EngineMaker>> = {
  simulation,
  tables,
  kernel: kernel(await loadModule()),
};
