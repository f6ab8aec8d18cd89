// Searches a batch of texts in the memory of the WebAssembly module, and compares the results for each text with those
// of tier 0 (simulation without tables).

import type { KernelEngine } from "../../lib/regex/engines/kernel-engine.ts";
import type { Pike } from "../../lib/regex/engines/pike.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";

/**
 * Returns a text about a difference between the results of two engines. The text has all data that reproduces the
 * difference.
 */
export function difference(
  source: string,
  bytes: Uint8Array,
  from: number,
  one: number[] | null,
  other: number[] | null,
): string[] {
  const text = String(one);
  return text === String(other) ? [] : [`${JSON.stringify(source)} on ${bytes} from ${from}: ${text}, not ${other}`];
}

/**
 * Searches the texts as one batch. Returns a description of each result that differs from the result of tier 0
 * (simulation without tables).
 */
export function batchDifferences(
  module: WasmModule,
  source: string,
  pike: Pike,
  kernel: KernelEngine,
  texts: readonly Uint8Array[],
): string[] {
  const batch = batchOf(module, texts, kernel.slots);
  kernel.execLines(batch.base, batch.lines, texts.length, batch.out);
  const differences = texts.flatMap((bytes, line) => {
    const [start, end] = batch.bounds[line] as [number, number];
    const at = (batch.out >> 2) + line * kernel.slots;
    const found = [...module.i32.subarray(at, at + kernel.slots)];
    const slots = new Int32Array(kernel.slots);
    const expected = pike.exec(module.u8.subarray(batch.base, batch.base + end), start, end, start, slots);
    return difference(source, bytes, start, found[0] === -1 ? null : found, expected ? [...slots] : null);
  });
  module.givePages(batch.base, batch.pages);
  return differences;
}

/**
 * Writes the texts one after the other into linear memory, followed by a table of their start and end offsets and by
 * room for the slots (bounds of captured groups).
 */
function batchOf(module: WasmModule, texts: readonly Uint8Array[], slots: number) {
  const length = texts.reduce((sum, text) => sum + text.length, 16);
  const pages = Math.ceil((length + 64 + texts.length * (8 + slots * 4)) / 65536);
  const base = module.takePages(pages);
  const lines = base + ((length + 63) & ~63);
  const bounds: [number, number][] = [];
  let at = 0;
  texts.forEach((text, line) => {
    module.u8.set(text, base + at);
    bounds.push([at, at + text.length]);
    module.i32.set([at, at + text.length], (lines >> 2) + 2 * line);
    at += text.length;
  });
  return { base, lines, out: lines + 8 * texts.length, bounds, pages };
}
