// Lines of one batch, searched by the kernel with tables and then with the code that is generated for them, against tier 0.

import { compile } from "../../lib/regex/compile.ts";
import { KernelEngine } from "../../lib/regex/engines/kernel-engine.ts";
import { Pike } from "../../lib/regex/engines/pike.ts";
import { parse } from "../../lib/regex/syntax/parse.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";
import { batchDifferences } from "./batch.ts";

/** Lines after which code is generated, and some more. */
const LINES = 1010;

/** Throws at the first difference. Gives whether code was generated, which `others` were then searched with too. */
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
