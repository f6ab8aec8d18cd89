/// <reference types="vite/client" />
// Loads the WebAssembly module for the tests of the library, in Node and in browsers, from a data URL.

import url from "../../../lib/wasm/millrace.wasm?inline";
import { instantiate, type WasmModule } from "../../../lib/wasm/module.ts";
import countingUrl from "./counting.wasm?inline";

export async function wasmBytes(): Promise<ArrayBuffer> {
  return (await fetch(url)).arrayBuffer();
}

/** Loads the variant of the WebAssembly module that counts its own steps. */
export async function loadCounting(): Promise<{ module: WasmModule; steps: () => number }> {
  const module = await instantiate(await (await fetch(countingUrl)).arrayBuffer());
  const { steps } = module.exports as unknown as { steps: WebAssembly.Global<"i64"> };
  return { module, steps: () => Number(steps.value) };
}

/** Loads the module with a memory of at most `pages` pages, to test runtimes that limit memory. */
export async function loadLimited(pages: number): Promise<WasmModule> {
  return instantiate(limited(new Uint8Array(await wasmBytes()), pages));
}

/**
 * Returns the binary module with a maximum size in its memory section. The module must have exactly one memory, without
 * a maximum.
 */
export function limited(wasm: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  const number = (at: number): { value: number; end: number } => {
    const byte = wasm[at]!;
    if (byte < 0x80) return { value: byte, end: at + 1 };
    const more = number(at + 1);
    return { value: (byte & 0x7f) | (more.value << 7), end: more.end };
  };
  let at = 8;
  for (;;) {
    const { value: size, end: content } = number(at + 1);
    if (wasm[at] === 5) {
      const { value: least } = number(content + 2);
      const memory = [1, 1, ...[Math.min(least, pages), pages].flatMap((n) => [(n & 0x7f) | 0x80, n >>> 7])];
      return Uint8Array.of(...wasm.subarray(0, at + 1), memory.length, ...memory, ...wasm.subarray(content + size));
    }
    at = content + size;
  }
}

export async function loadModule(): Promise<WasmModule> {
  return instantiate(await wasmBytes());
}
