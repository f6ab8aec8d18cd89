/// <reference types="vite/client" />
// The module for the tests of the library, the same way in Node and in a browser: as a data URL.

import url from "../../../lib/wasm/millrace.wasm?inline";
import { instantiate, type WasmModule } from "../../../lib/wasm/module.ts";
import countingUrl from "./counting.wasm?inline";

export async function wasmBytes(): Promise<ArrayBuffer> {
  return (await fetch(url)).arrayBuffer();
}

/** The module with a count of its steps. */
export async function loadCounting(): Promise<{ module: WasmModule; steps: () => number }> {
  const module = await instantiate(await (await fetch(countingUrl)).arrayBuffer());
  const { steps } = module.exports as unknown as { steps: WebAssembly.Global<"i64"> };
  return { module, steps: () => Number(steps.value) };
}

export async function loadModule(): Promise<WasmModule> {
  return instantiate(await wasmBytes());
}
