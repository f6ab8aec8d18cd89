// A Millrace on Node's file system, for the command lines of the tests.

import { readFileSync } from "node:fs";
import { createMillrace, type Millrace } from "../../lib/index.ts";
import { instantiate, type WasmModule } from "../../lib/wasm/module.ts";

function wasm(): Uint8Array<ArrayBuffer> {
  return readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url));
}

/** The module that the build made; the clock stands still where the vectors say it does. */
export function loadMillrace(): Promise<Millrace> {
  return createMillrace({
    wasm: wasm(),
    timeZone: "UTC",
    clock: () => 1700000000000000000n,
  });
}

/** The module alone. */
export function loadModule(): Promise<WasmModule> {
  return instantiate(wasm());
}
