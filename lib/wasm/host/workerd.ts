// Loads the WebAssembly module in workerd, which cannot compile WebAssembly at run time. In workerd, the file
// millrace.wasm is imported as one of the worker's modules; it was compiled when the worker was deployed.

import wasm from "../millrace.wasm";

/**
 * Returns the WebAssembly module that the host has compiled.
 *
 * @example
 * const mill = await createMillrace({ wasm: await defaultWasm() });
 */
export async function defaultWasm(): Promise<WebAssembly.Module> {
  return wasm as WebAssembly.Module;
}

/** Always throws, because this host cannot compile a fetched file. */
export async function wasmAt(url: string | URL): Promise<WebAssembly.Module> {
  const address = String(url).slice(0, 200);
  throw new Error(
    `millrace.wasm cannot be compiled from ${address} here: write import wasm from "millrace/millrace.wasm"`,
  );
}
