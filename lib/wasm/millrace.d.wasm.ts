// The type of `import module from "./millrace.wasm"` in hosts where a WebAssembly file is a module (workerd).

declare const module: WebAssembly.Module;
// biome-ignore lint/style/noDefaultExport: the host decides how its modules export
export default module;
