// The public entry `millrace/wasm` of the package: the WebAssembly module itself. Compile the module once and pass it
// to many instances or workers, or call its exports directly (docs/reference/wasm-abi.md).

export { defaultWasm } from "#default-wasm";
export { instantiate, type MillraceExports, pageSize, scratchSize, WasmModule } from "./module.ts";
