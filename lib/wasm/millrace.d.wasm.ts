// The type of `import wasm from "millrace/millrace.wasm"`. The bundler or the host decides what the value is: the
// compiled module (edge workers), its bytes, or its URL. `createMillrace({ wasm })` accepts all three.

declare const wasm: WebAssembly.Module | Uint8Array<ArrayBuffer> | string;
// biome-ignore lint/style/noDefaultExport: the host decides how its modules export
export default wasm;
