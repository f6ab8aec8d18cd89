// Lines of one batch, searched by the kernel with tables and then with the code that is generated for them, against tier 0.

import { compile } from "../../lib/regex/compile.ts";
import { KernelEngine } from "../../lib/regex/kernel-engine.ts";
import { parse } from "../../lib/regex/parse.ts";
import { Pike } from "../../lib/regex/pike.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";

/** Lines after which code is generated, and some more. */
const BATCH = 1010;

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
  try {
    compareBatch(source, pike, kernel, texts, BATCH);
    compareBatch(source, pike, kernel, [...texts, ...others], 2 * (texts.length + others.length));
    return kernel.statistics.tier === 2;
  } finally {
    kernel.free();
  }
}

/** The texts in turns, as so many lines. */
function compareBatch(
  source: string,
  pike: Pike,
  kernel: KernelEngine,
  texts: readonly Uint8Array[],
  count: number,
): void {
  const { module, slots } = kernel;
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const lines = (length + 31) & ~15;
  const out = lines + 8 * count;
  const pages = Math.ceil((out + 4 * slots * count) / 65536);
  const base = module.takePages(pages);
  const bounds: [number, number][] = [];
  let at = 0;
  for (const text of texts) {
    module.u8.set(text, base + at);
    bounds.push([at, at + text.length]);
    at += text.length;
  }
  for (let line = 0; line < count; line++)
    module.i32.set(bounds[line % texts.length] as [number, number], ((base + lines) >> 2) + 2 * line);
  kernel.execLines(base, base + lines, count, base + out);
  const expected = texts.map((text) => {
    const found = new Int32Array(slots);
    return pike.exec(text, 0, text.length, 0, found) ? found : null;
  });
  try {
    for (let line = 0; line < count; line++) {
      const [from] = bounds[line % texts.length] as [number, number];
      const first = ((base + out) >> 2) + line * slots;
      const row = [...module.i32.subarray(first, first + slots)];
      const found = row[0] === -1 ? "none" : row.map((offset) => (offset < 0 ? offset : offset - from)).join();
      const its = expected[line % texts.length]?.join() ?? "none";
      if (found !== its)
        throw new Error(
          `${JSON.stringify(source)} on bytes ${texts[line % texts.length]?.join(" ")}, line ${line} of tier ${kernel.statistics.tier}: ${found}, not ${its}`,
        );
    }
  } finally {
    module.givePages(base, pages);
  }
}
