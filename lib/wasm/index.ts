// `millrace/wasm`: the module itself. Compile it once and give it to many instances or workers, or drive it by hand
// (docs/reference/wasm-abi.md).

export { defaultWasm } from "#default-wasm";
export { instantiate, type MillraceExports, pageSize, scratchSize, WasmModule } from "./module.ts";
