// Loads the default WebAssembly module in workerd, which cannot compile WebAssembly at run time. There the file is
// imported as a module of the worker, which was compiled when the worker was deployed.

import module from "../millrace.wasm";

/** Returns the WebAssembly module that the host has compiled. */
export async function defaultWasm(): Promise<WebAssembly.Module> {
  return module;
}
