// Makes a Millrace instance on Node's file system, for tests that run from the command line.

import { readFileSync } from "node:fs";
import { createMillrace, type Millrace } from "../../lib/index.ts";
import { instantiate, type WasmModule } from "../../lib/wasm/module.ts";

function wasm(): Uint8Array<ArrayBuffer> {
  return readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url));
}

/**
 * Loads the WebAssembly module from the build. The clock of the instance always returns the time that the
 * vectors assume.
 */
export function loadMillrace(): Promise<Millrace> {
  return createMillrace({
    wasm: wasm(),
    timeZone: "UTC",
    clock: () => 1700000000000000000n,
  });
}

/** Loads the WebAssembly module without a Millrace instance around it. */
export function loadModule(): Promise<WasmModule> {
  return instantiate(wasm());
}
