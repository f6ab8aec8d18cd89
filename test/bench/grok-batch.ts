// Benchmark of `Grok.matchBatch` over 20,000 distinct lines: it returns all captures of all lines, trimmed and
// converted, without making strings. The baselines process one line after the other: JavaScript's own RegExp over
// strings, and `Grok.match`, which makes an object with strings for each line.

import { expand } from "../../lib/grok/expand.ts";
import { Grok, lineOffsets } from "../../lib/grok/grok.ts";
import { builtinPatterns } from "../../lib/grok/load.ts";
import { compile } from "../../lib/regex/compile.ts";
import { KernelEngine } from "../../lib/regex/engines/kernel-engine.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";
import { linesOf, mixedLines, shapes } from "./data/grok-lines.ts";
import { hostRegex } from "./host-grok.ts";
import type { Pair } from "./measure.ts";

const count = 20_000;

/** Returns the benchmarks whose name `isWanted` accepts, each as a pair of Millrace and a baseline. */
export function grokBatchPairs(module: WasmModule, isWanted: (named: { readonly name: string }) => boolean): Pair[] {
  const regular = shapes.map((shape) => ({
    shape,
    name: `grok batch ${shape.name}, typed captures of bytes`,
    make: linesOf,
  }));
  const varied = shapes.map((shape) => ({
    shape,
    name: `grok batch varied ${shape.name}, a third fails, typed captures of bytes`,
    make: mixedLines,
  }));
  return [...regular, ...varied].filter(isWanted).flatMap(({ shape, name, make }) => {
    const lines = make(shape, count);
    const bytes = new TextEncoder().encode(lines.join("\n"));
    const offsets = lineOffsets(bytes);
    const grok = Grok.compile(shape.expression, {
      engine: (parsed, captures) => new KernelEngine(compile(parsed, captures), module),
    });
    const host = hostRegex(expand(shape.expression, builtinPatterns).regex);
    const into = grok.matchBatch(bytes, offsets);
    const matches = lines.map((line) => host.test(line));
    if (make === linesOf && matches.includes(false)) throw new Error(`${name}: a line does not match`);
    if (matches.some((hit, line) => hit !== (into.matched[line] === 1))) throw new Error(`${name}: not the same lines`);
    const ours = (): void => {
      grok.matchBatch(bytes, offsets, { into });
    };
    const byHost = (): void => {
      for (const line of lines) host.exec(line);
    };
    const byMatch = (): void => {
      for (const line of lines) grok.match(line);
    };
    return [
      { name, baseline: "RegExp by line", ours, theirs: byHost },
      { name, baseline: "match by line", ours, theirs: byMatch },
    ];
  });
}
