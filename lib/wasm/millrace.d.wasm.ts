// What `import module from "./millrace.wasm"` gives where a file of WebAssembly is a module of its own (workerd).

declare const module: WebAssembly.Module;
// biome-ignore lint/style/noDefaultExport: the host decides how its modules export
export default module;
