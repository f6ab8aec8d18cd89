// Makes the engines of regular expressions that run in the WebAssembly module.

import type { WasmModule } from "../wasm/module.ts";
import type { LinearMemory } from "./automaton/table-memory.ts";
import { compile } from "./compile.ts";
import { KernelEngine } from "./engines/kernel-engine.ts";
import { LazyEngine } from "./engines/lazy-engine.ts";
import type { EngineMaker } from "./regex.ts";

/**
 * Returns a function that makes regular-expression engines, whose tables are in the WebAssembly module's memory. The
 * function can be passed as the option `engine` of `Regex.compile`, `Grok.compile` and `compileScripts`.
 *
 * @example
 * const module = await instantiate(await defaultWasm());
 * Regex.compile("b+", "", { engine: engineIn(module) }).test("abc"); // true
 */
export function engineIn(module: WasmModule): EngineMaker {
  // Frees the regular-expression tables of scripts that were garbage collected without a call of `free`. Null in hosts
  // without a FinalizationRegistry, such as some edge environments.
  const lost =
    typeof FinalizationRegistry === "undefined"
      ? null
      : new FinalizationRegistry<LinearMemory[]>((memories) => {
          for (const memory of memories) memory.free();
        });
  return (parsed, captures = true) =>
    new LazyEngine(captures ? parsed.names.length * 2 : 2, module, () => {
      const made = new KernelEngine(compile(parsed, captures), module);
      lost?.register(made, made.memories);
      return made;
    });
}
