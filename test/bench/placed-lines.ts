// Copies lines into linear memory in the layout that the regex kernel reads.

import type { WasmModule } from "../../lib/wasm/module.ts";

export interface Lines {
  readonly base: number;
  readonly table: number;
  readonly count: number;
  readonly out: number;
}

/**
 * Writes the lines one after the other into linear memory, with a table of their start and end offsets, and reserves
 * room for the slots (start and end of each captured group).
 */
export function placeLines(module: WasmModule, lines: readonly string[], slots: number): Lines {
  const bytes = new TextEncoder().encode(`${lines.join("\n")}\n`);
  const table = (bytes.length + 64) & ~63;
  const out = table + lines.length * 8;
  const base = module.takePages(Math.ceil((out + lines.length * slots * 4) / 65536));
  module.u8.set(bytes, base);
  let at = 0;
  lines.forEach((line, index) => {
    const end = at + new TextEncoder().encode(line).length;
    module.i32.set([at, end], (base + table) / 4 + 2 * index);
    at = end + 1;
  });
  return { base, table: base + table, count: lines.length, out: base + out };
}
