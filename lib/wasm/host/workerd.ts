// The default module for workerd, which compiles no WebAssembly at run time: the file is a module of the worker, compiled when
// the worker was deployed.

import module from "../millrace.wasm";

/** The module as the host gives it. */
export async function defaultWasm(): Promise<WebAssembly.Module> {
  return module;
}
