// Every tier (implementation of the search) of the regex engine, by name, for the test suites and the random
// comparisons.

import { compileProgram } from "../../lib/regex/automaton/program.ts";
import { compile } from "../../lib/regex/compile.ts";
import { KernelEngine } from "../../lib/regex/engines/kernel-engine.ts";
import { Pike } from "../../lib/regex/engines/pike.ts";
import { simulation, tables } from "../../lib/regex/regex.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";
import type { Tiers } from "./regex.ts";

export function tiersOf(module: WasmModule): Tiers {
  return {
    module,
    engines: {
      simulation,
      // Tier 0 with a program that reads characters instead of bytes. The engine uses such a program for very large
      // expressions.
      characters: ({ root, names }) =>
        new Pike(compileProgram(root, names.length, { captures: true, characters: true })),
      tables,
      kernel: (parsed, captures) => new KernelEngine(compile(parsed, captures), module),
    },
  };
}
