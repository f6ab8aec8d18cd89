// The default module for workerd, which cannot compile WebAssembly at run time: the file is a module of the worker,
// compiled when the worker was deployed.

import module from "../millrace.wasm";

/** Returns the module that the host has compiled. */
export async function defaultWasm(): Promise<WebAssembly.Module> {
  return module;
}
