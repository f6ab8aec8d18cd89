// The version of the WebAssembly interface that docs/reference/wasm-abi.md describes: the exports, and the
// layouts of tape/layout.ts. The version increases with every change that would make a host with the old version
// misread data. A new export, flag or status code does not change the version.

const ABI_VERSION: u32 = 6;

export function abiVersion(): u32 {
  return ABI_VERSION;
}
