// Searches a batch of lines in the WebAssembly module, first with tables and then with generated code, and compares the
// results with those of tier 0 (simulation without tables).

import { compile } from "../../lib/regex/compile.ts";
import { KernelEngine } from "../../lib/regex/engines/kernel-engine.ts";
import { Pike } from "../../lib/regex/engines/pike.ts";
import { parse } from "../../lib/regex/syntax/parse.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";
import { batchDifferences } from "./batch.ts";

/** Number of lines: enough that code is generated, and that some lines are then searched with this code. */
const LINES = 1010;

/**
 * Searches the texts with all engines, and throws at the first difference between two engines. Returns whether the
 * module has generated code for the expression. If so, the texts `others` were searched with this code as well.
 */
export function compareLines(
  source: string,
  module: WasmModule,
  texts: readonly Uint8Array[],
  others: readonly Uint8Array[],
): boolean {
  const compiled = compile(parse(source));
  const pike = new Pike(compiled.forward);
  const kernel = new KernelEngine(compiled, module);
  const many = Array.from({ length: LINES }, (_, line) => texts[line % texts.length] as Uint8Array);
  try {
    const [first] = [many, [...texts, ...others, ...texts]].flatMap((batch) =>
      batchDifferences(module, source, pike, kernel, batch),
    );
    if (first !== undefined) throw new Error(`tier ${kernel.statistics.tier}: ${first}`);
    return kernel.statistics.tier === 2;
  } finally {
    kernel.free();
  }
}
