/// <reference types="vite/client" />
// The module for the tests of the library, the same way in Node and in a browser: as a data URL.

import url from "../../../lib/wasm/millrace.wasm?inline";
import { instantiate, type WasmModule } from "../../../lib/wasm/module.ts";

export async function wasmBytes(): Promise<ArrayBuffer> {
  return (await fetch(url)).arrayBuffer();
}

export async function loadModule(): Promise<WasmModule> {
  return instantiate(await wasmBytes());
}
